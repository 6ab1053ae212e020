package mcp

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/helpcenter"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
	"konak/internal/kit/trtext"
)

// maxDocument is the maximum size of the text of an article or a provision, in bytes.
const maxDocument = 40_000

type searchArticles struct {
	Query    string `json:"query"`
	Language string `json:"language,omitempty" jsonschema:"such as tr or en; all if left out"`
	paged
}

type articleList struct {
	Articles []shownArticle `json:"articles"`
	more
}

type getArticle struct {
	ArticleID string `json:"article_id" jsonschema:"the id from search_articles"`
	Language  string `json:"language" jsonschema:"such as tr or en"`
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
	paged
}

type provisionList struct {
	Provisions []FoundProvision `json:"provisions"`
	more
}

type getProvision struct {
	ProvisionID string `json:"provision_id" jsonschema:"the id from search_provisions"`
}

// addKnowledge adds the tools that read help articles and regulations.
func (s *Service) addKnowledge() {
	add(s, tool{
		name: "search_articles", title: "Search help articles", description: "Finds published help articles, best match first.",
		permission: perm.ArticlesView, licence: licence,
	}, s.searchArticles)
	add(s, tool{
		name: "get_article", title: "Read a help article", description: "Reads the newest text of a help article in one language. A text in state draft is not public.",
		permission: perm.ArticlesView, licence: licence,
	}, s.getArticle)
	add(s, tool{
		name: "search_provisions", title: "Search the regulations", description: "Finds provisions of Turkish law that are in force, best match first.",
		permission: perm.AdvisorSearch, licence: "advisor",
	}, s.searchProvisions)
	add(s, tool{
		name: "get_provision", title: "Read a provision", description: "Reads the full text of a provision. cut is true if only its first 40,000 bytes are here.",
		permission: perm.AdvisorSearch, licence: "advisor",
	}, s.getProvision)
}

func (s *Service) searchArticles(ctx context.Context, in searchArticles) (out articleList, err error) {
	text, err := checkText("query", in.Query, maxQuery)
	if err == nil && in.Language != "" && !helpcenter.IsLanguage(in.Language) {
		err = fault.Invalid("language", "not_allowed")
	}
	if err != nil {
		return out, err
	}
	hits, next, err := s.cfg.Articles.Search(ctx, in.Language, text, in.Cursor, rows(in.Limit))
	out = articleList{[]shownArticle{}, more{next}}
	for _, h := range hits {
		out.Articles = append(out.Articles, shownArticle{ID: h.ID, Language: h.Language, Title: h.Title, Text: plainText(h.Snippet), URL: h.URL})
	}
	return out, err
}

func (s *Service) getArticle(ctx context.Context, in getArticle) (out shownArticle, err error) {
	id, err := parseID(in.ArticleID)
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

func (s *Service) searchProvisions(ctx context.Context, in searchProvisions) (out provisionList, err error) {
	text, err := checkText("query", in.Query, maxQuery)
	if err != nil {
		return out, err
	}
	list, next, err := s.cfg.Provisions.SearchProvisions(ctx, text, in.Cursor, rows(in.Limit))
	for i := range list {
		list[i].Text = plainText(list[i].Text)
	}
	return provisionList{append([]FoundProvision{}, list...), more{next}}, err
}

func (s *Service) getProvision(ctx context.Context, in getProvision) (out FoundProvision, err error) {
	id, err := checkText("provision_id", in.ProvisionID, maxQuery)
	if err != nil {
		return out, err
	}
	if out, err = s.cfg.Provisions.ReadProvision(ctx, id); err != nil {
		return out, err
	}
	whole := len(out.Text)
	out.Text = trtext.Cut(out.Text, maxDocument)
	out.Cut = len(out.Text) < whole
	return out, nil
}
