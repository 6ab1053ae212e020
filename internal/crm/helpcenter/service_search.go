package helpcenter

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/helpcenter/markup"
	"konak/internal/kit/caller"
	"konak/internal/kit/fault"
	"konak/internal/kit/search"
	"konak/internal/kit/trtext"
)

// Hit is a published text that a search found.
type Hit struct {
	ID       uuid.UUID `json:"id" format:"uuid" doc:"ID of the article"`
	Language string    `json:"language" example:"tr"`
	Title    string    `json:"title" example:"Siparişim ne zaman gelir?"`
	Snippet  string    `json:"snippet" example:"… <em>kargo</em> iki iş günü …" doc:"Escaped HTML with matches in <em>"`
	URL      string    `json:"url" example:"https://ada.help.example.com/tr/a/0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c-kargo"`
}

// Limits of a search and of its index.
const (
	maxHits      = 20
	maxIndexed   = 8 << 20 // bytes of text of one site
	leadBytes    = 600     // per text, for snippets
	bodiesAtOnce = 50
)

type indexKey struct {
	tenant   uuid.UUID
	revision int64
}

// articleIndex is the search index of a site's published texts at one revision.
type articleIndex struct {
	words *search.Index
	leads map[string]string // the beginning of each text, by the id of its document
}

var indexSchema = search.Schema{
	Fields: []search.Field{{Name: "title", Weight: 4, B: .5}, {Name: "summary", Weight: 2, B: .5}, {Name: "body", Weight: 1, B: .75}},
	Attrs:  []string{"language"},
	Tuning: search.DefaultTuning(),
}

// Search returns published articles of the caller's workspace, best first, and a cursor for
// the next call with the same words, "" at the end. It returns nothing if the site is not
// public, and validation_failed for an invalid cursor.
func (s *Service) Search(ctx context.Context, language, text, cursor string, limit int) (hits []Hit, next string, err error) {
	st, err := s.openSite(ctx, caller.From(ctx).Slug)
	if fault.Is(err, fault.NotFound) {
		return []Hit{}, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	return s.find(ctx, st, language, text, cursor, limit)
}

// OffersArticles reports whether SearchForWidget can find anything.
func (s *Service) OffersArticles(ctx context.Context) (bool, error) {
	st, err := s.openSite(ctx, caller.From(ctx).Slug)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil && st.set.WidgetSearch && len(st.texts) > 0, err
}

// SearchForWidget is Search for the live chat: in the visitor's language if the site has
// it. It returns nothing if the workspace turned this off.
func (s *Service) SearchForWidget(ctx context.Context, language, text string, limit int) ([]Hit, error) {
	st, err := s.openSite(ctx, caller.From(ctx).Slug)
	if fault.Is(err, fault.NotFound) || err == nil && !st.set.WidgetSearch {
		return []Hit{}, nil
	}
	if err != nil {
		return nil, err
	}
	if !st.hasLanguage(language) {
		language = st.set.DefaultLanguage
	}
	hits, _, err := s.find(ctx, st, language, text, "", limit)
	return hits, err
}

func (s *Service) find(ctx context.Context, st *site, language, text, cursor string, limit int) (hits []Hit, next string, err error) {
	index, err := s.indexes.Find(ctx, indexKey{st.owned.TenantID, st.revision}, func(ctx context.Context) (*articleIndex, error) { return s.buildIndex(ctx, st) })
	if err != nil {
		return nil, "", err
	}
	q := search.Query{Text: trtext.Cut(text, 400), Limit: limit, Cursor: cursor, Typing: true}
	if language != "" {
		q.Filters = []search.Filter{{Attr: "language", Values: []string{language}}}
	}
	answer, err := index.words.Search(q)
	if errors.Is(err, search.ErrCursor) {
		return nil, "", fault.Invalid("cursor", "invalid")
	}
	if err != nil {
		return nil, "", err
	}
	hits = []Hit{}
	for _, h := range answer.Hits {
		language, id, _ := strings.Cut(h.ID, " ")
		t := st.byID[textKey{uuid.MustParse(id), language}]
		if t == nil {
			continue // the site no longer lists this text
		}
		hits = append(hits, Hit{
			ID: t.id, Language: language, Title: t.title, URL: st.url + articlePath(language, t.id, t.title),
			Snippet: answer.Matcher.Snippet(index.leads[h.ID], 30),
		})
	}
	return hits, answer.Next, nil
}

// buildIndex indexes the published texts of a site. It reads a few at a time, and at most
// maxIndexed bytes in total.
func (s *Service) buildIndex(ctx context.Context, st *site) (*articleIndex, error) {
	out := &articleIndex{leads: map[string]string{}}
	var docs []search.Document
	err := s.eachBody(ctx, st, func(t *publicText, source string, left int) int {
		body := trtext.Cut(markup.Text(source), left)
		id := t.language + " " + t.id.String()
		docs = append(docs, search.Document{ID: id, Fields: []string{t.title, t.summary, body}, Attrs: []string{t.language}})
		out.leads[id] = strings.Clone(trtext.Cut(strings.TrimSpace(t.summary+"\n"+body), leadBytes))
		return len(body)
	})
	if err != nil {
		return nil, err
	}
	next := 0
	out.words, err = search.Build(indexSchema, st.revision, func() (search.Document, bool) {
		if next == len(docs) {
			return search.Document{}, false
		}
		next++
		return docs[next-1], true
	})
	return out, err
}
