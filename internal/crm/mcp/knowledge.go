package mcp

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/helpcenter"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
	"konak/internal/kit/trtext"
)

// maxDocument bounds the text of an article or a provision, in bytes.
const maxDocument = 40_000

type searchArticles struct {
	Query    string `json:"query"`
	Language string `json:"language,omitempty" jsonschema:"such as tr or en; all without it"`
	Limit    int    `json:"limit,omitempty" jsonschema:"at most 20; 10 without it"`
}

type getArticle struct {
	ID       string `json:"id"`
	Language string `json:"language" jsonschema:"such as tr or en"`
}

type shownArticle struct {
	ID       uuid.UUID `json:"id"`
	Language string    `json:"language"`
	Title    string    `json:"title"`
	State    string    `json:"state,omitempty"`
	Text     string    `json:"text"`
	Cut      bool      `json:"cut,omitempty"`
	URL      string    `json:"url,omitempty"`
}

type searchProvisions struct {
	Query string `json:"query" jsonschema:"words, a question, or a citation such as TTK m. 376"`
	Limit int    `json:"limit,omitempty" jsonschema:"at most 25; 10 without it"`
}

// addKnowledge offers what reads help articles and regulations.
func (s *Service) addKnowledge() {
	add(s, tool{
		name: "search_articles", title: "Search help articles", description: "Finds published help articles, the best first.",
		permission: perm.ArticlesView, licence: licence,
	}, s.searchArticles)
	add(s, tool{
		name: "get_article", title: "Read a help article", description: "Reads the newest text of a help article in a language. A text whose state is draft is not public.",
		permission: perm.ArticlesView, licence: licence,
	}, s.getArticle)
	add(s, tool{
		name: "search_provisions", title: "Search the regulations", description: "Finds provisions of Turkish law that are in force, the best first.",
		permission: perm.AdvisorSearch, licence: "advisor",
	}, s.searchProvisions)
	add(s, tool{
		name: "get_provision", title: "Read a provision", description: "Reads the whole text of a provision.",
		permission: perm.AdvisorSearch, licence: "advisor",
	}, s.getProvision)
}

func (s *Service) searchArticles(ctx context.Context, in searchArticles) (map[string][]shownArticle, error) {
	text, err := checkText("query", in.Query, maxQuery)
	if err == nil && in.Language != "" && !helpcenter.IsLanguage(in.Language) {
		err = fault.Invalid("language", "not_allowed")
	}
	if err != nil {
		return nil, err
	}
	hits, err := s.cfg.Articles.Search(ctx, in.Language, text, rows(in.Limit))
	out := []shownArticle{}
	for _, h := range hits {
		out = append(out, shownArticle{ID: h.ID, Language: h.Language, Title: h.Title, Text: plain(h.Snippet), URL: h.URL})
	}
	return map[string][]shownArticle{"articles": out}, err
}

func (s *Service) getArticle(ctx context.Context, in getArticle) (out shownArticle, err error) {
	id, err := parseID(in.ID)
	if err != nil {
		return out, err
	}
	a, err := s.cfg.Articles.Article(ctx, id)
	if err != nil {
		return out, err
	}
	for _, t := range a.Texts {
		if t.Language != in.Language {
			continue
		}
		out = shownArticle{ID: id, Language: t.Language, Title: t.Title, State: t.State, Text: trtext.Cut(t.Body, maxDocument)}
		out.Cut = len(out.Text) < len(t.Body)
		if t.URL != nil {
			out.URL = *t.URL
		}
		return out, nil
	}
	return out, fault.New(fault.NotFound)
}

func (s *Service) searchProvisions(ctx context.Context, in searchProvisions) (map[string][]FoundProvision, error) {
	text, err := checkText("query", in.Query, maxQuery)
	if err != nil {
		return nil, err
	}
	list, err := s.cfg.Provisions.SearchProvisions(ctx, text, rows(in.Limit))
	for i := range list {
		list[i].Text = plain(list[i].Text)
	}
	return map[string][]FoundProvision{"provisions": append([]FoundProvision{}, list...)}, err
}

func (s *Service) getProvision(ctx context.Context, in byID) (out FoundProvision, err error) {
	id, err := checkText("id", in.ID, maxQuery)
	if err != nil {
		return out, err
	}
	if out, err = s.cfg.Provisions.ReadProvision(ctx, id); err != nil {
		return out, err
	}
	out.Text = trtext.Cut(out.Text, maxDocument)
	return out, nil
}
