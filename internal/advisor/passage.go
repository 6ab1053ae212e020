package advisor

import (
	"context"
	"fmt"

	"konak/internal/kit/each"
	"konak/internal/kit/fault"
	"konak/internal/kit/trtext"
)

// Passage is a provision in force with its full text.
type Passage struct {
	Label   string // the short citation
	Law     string
	Heading string
	Text    string
	URL     string // of the official text; "" if unknown
}

// maxQuestion is the maximum length of a question in bytes.
const maxQuestion = 512

// Passages returns provisions in force that match a question, best first, with their texts.
// It returns none for an invalid question or while the corpus is being read.
func (s *Service) Passages(ctx context.Context, question string, limit int) ([]Passage, error) {
	found, err := s.Search(ctx, Question{Text: trtext.Cut(question, maxQuestion), Status: "yururlukte", Limit: limit})
	if fault.Is(err, fault.Unavailable) || fault.Is(err, fault.ValidationFailed) {
		return nil, nil
	}
	if err != nil || len(found.Hits) == 0 {
		return nil, err
	}
	texts, err := s.versions(ctx, found.Rev, each.Map(found.Hits, func(h Hit) string { return h.ID }))
	if err != nil {
		return nil, fmt.Errorf("advisor: read passages: %w", err)
	}
	var out []Passage
	for _, h := range found.Hits {
		if v := texts[h.ID]; v != nil && v.Text != "" {
			out = append(out, Passage{Label: h.Provision.Label, Law: h.Law.Title, Heading: h.Provision.Heading, Text: v.Text, URL: v.SourceURL})
		}
	}
	return out, nil
}
