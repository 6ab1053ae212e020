// Package library collects the texts that the assistant answers from: the help center's
// published articles, the canned replies released for the assistant, and the pages and
// files that the workspace added.
package library

import (
	"cmp"
	"context"
	"fmt"

	"konak/internal/crm/assistant/engine"
	"konak/internal/crm/assistant/source"
	"konak/internal/crm/desk"
	"konak/internal/crm/helpcenter"
)

// Library implements assistant.Library.
type Library struct {
	center  *helpcenter.Service
	desk    *desk.Service
	sources *source.Service
}

// New creates a library.
func New(center *helpcenter.Service, kept *desk.Service, sources *source.Service) *Library {
	return &Library{center, kept, sources}
}

// Revision implements assistant.Library.
func (l *Library) Revision(ctx context.Context) (string, error) {
	articles, err := l.center.TextsRevision(ctx)
	if err != nil {
		return "", err
	}
	replies, err := l.desk.ReleasedRevision(ctx)
	if err != nil {
		return "", err
	}
	sources, err := l.sources.Revision(ctx)
	return fmt.Sprintf("%d/%s/%s", articles, replies, sources), err
}

// Read implements assistant.Library.
func (l *Library) Read(ctx context.Context) ([]engine.Text, error) {
	articles, err := l.center.ArticleTexts(ctx)
	if err != nil {
		return nil, err
	}
	replies, err := l.desk.ReleasedReplies(ctx)
	if err != nil {
		return nil, err
	}
	var out []engine.Text
	for _, a := range articles {
		text := engine.Text{Kind: engine.Article, Language: a.Language, Title: a.Title, Summary: a.Summary, URL: a.URL}
		for _, s := range a.Sections {
			text.Sections = append(text.Sections, engine.Section(s))
		}
		out = append(out, text)
	}
	for i := range replies {
		title := cmp.Or(replies[i].Title, replies[i].Shortcut)
		out = append(out, engine.Text{Kind: engine.CannedReply, Title: title, Sections: []engine.Section{{Body: replies[i].Body}}})
	}
	named, err := l.sources.Texts(ctx)
	return append(out, named...), err
}
