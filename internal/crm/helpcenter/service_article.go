package helpcenter

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"konak/internal/crm/helpcenter/markup"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// Articles returns the articles, newest first.
func (s *Service) Articles(ctx context.Context, q Query, p db.Page) (db.List[Listed], error) {
	return db.Read(ctx, s.cfg.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Listed], error) {
		list, err := articles(r, q, p)
		if err != nil || len(list.Rows) == 0 {
			return list, err
		}
		at := make(map[uuid.UUID]*Listed, len(list.Rows))
		ids := make([]uuid.UUID, len(list.Rows))
		for i := range list.Rows {
			ids[i], at[list.Rows[i].ID] = list.Rows[i].ID, &list.Rows[i]
		}
		texts, err := statesOf(r, ids)
		if err != nil {
			return list, err
		}
		languages, err := s.siteLanguages(r)
		for _, t := range texts {
			s.setURL(r.Context(), languages, t.article, &t.TextState)
			at[t.article].Texts = append(at[t.article].Texts, t.TextState)
		}
		return list, err
	})
}

// setURL sets the address of a text that the site shows. It contains the newest title; the
// site redirects it to the published one.
func (s *Service) setURL(ctx context.Context, languages []string, id uuid.UUID, t *TextState) {
	if t.PublishedVersion != nil && slices.Contains(languages, t.Language) {
		url := s.siteURL(caller.From(ctx).Slug) + articlePath(t.Language, id, t.Title)
		t.URL = &url
	}
}

// Article returns one article with its newest texts; not_found if it does not exist.
func (s *Service) Article(ctx context.Context, id uuid.UUID) (Article, error) {
	return db.Read(ctx, s.cfg.DB.TenantOf(ctx), func(r *db.Reader) (Article, error) {
		a, err := articleByID(r, id)
		if err != nil {
			return a, db.NotFound(err)
		}
		return a, s.describe(r, &a)
	})
}

// describe sets the addresses and warnings of an article's texts.
func (s *Service) describe(r *db.Reader, a *Article) error {
	languages, err := s.siteLanguages(r)
	for i := range a.Texts {
		t := &a.Texts[i]
		s.setURL(r.Context(), languages, a.ID, &t.TextState)
		t.Warnings = warningsOf(languages, t.Language, t.Body)
	}
	return err
}

// warningsOf returns what readers of a text will not see as written.
func warningsOf(languages []string, language, body string) []string {
	out := []string{}
	html, picture := markup.LeftOut(body)
	if html {
		out = append(out, "html_left_out")
	}
	if picture {
		out = append(out, "picture_not_shown")
	}
	if !slices.Contains(languages, language) {
		out = append(out, "language_not_shown")
	}
	return out
}

// siteLanguages returns the languages of the workspace's site.
func (s *Service) siteLanguages(r *db.Reader) ([]string, error) {
	set, err := s.siteSettings(r)
	return set.Languages, err
}

// siteSettings returns the settings of the workspace's site, or the defaults if it has
// none.
func (s *Service) siteSettings(r *db.Reader) (Settings, error) {
	set := defaultSettings()
	a, found, err := s.cfg.Channels.OfExternal(r, Name, caller.From(r.Context()).Slug)
	if err == nil && found {
		err = a.Read(&set)
	}
	return set, err
}

// NewArticle is the caller's input for an article.
type NewArticle struct {
	CategoryID uuid.UUID
	Language   string
	Words      Words
}

// AddArticle is the gate for a new article, which begins as a draft in one language.
func (s *Service) AddArticle(ctx context.Context, n NewArticle) (a Article, err error) {
	if err := n.Words.check(); err != nil {
		return a, err
	}
	err = idempotency.Do(ctx, s.cfg.DB.TenantOf(ctx), &a, func(tx *db.Tx) error {
		if a, err = s.addArticle(tx, n); err != nil {
			return err
		}
		return s.describe(&tx.Reader, &a)
	})
	return a, err
}

func (s *Service) addArticle(tx *db.Tx, n NewArticle) (Article, error) {
	a := Article{ID: tx.NewID(), CategoryID: n.CategoryID, CreatedAt: clock.At(tx.Now()), UpdatedAt: clock.At(tx.Now())}
	if count, err := countArticles(&tx.Reader); err != nil {
		return a, err
	} else if count >= maxArticles {
		return a, fault.New(fault.LimitReached, maxArticles)
	}
	if err := checkCategory(tx, n.CategoryID); err != nil {
		return a, err
	}
	if err := putArticle(tx, &a); err != nil {
		return a, err
	}
	if err := putVersion(tx, a.ID, n.Language, 1, n.Words, savedBy(tx)); err != nil {
		return a, err
	}
	if err := audit.Write(tx, "article.created", a.ID.String(), map[string]any{"language": n.Language, "title": n.Words.Title}); err != nil {
		return a, err
	}
	return articleByID(&tx.Reader, a.ID)
}

// checkCategory returns validation_failed if the category does not exist. It locks the
// category until the transaction ends.
func checkCategory(tx *db.Tx, id uuid.UUID) error {
	_, err := lockCategory(tx, id)
	if db.IsNoRow(err) {
		return fault.Invalid("category_id", "unknown_category")
	}
	return err
}

func savedBy(tx *db.Tx) *uuid.UUID {
	if who := caller.From(tx.Context()); who.Kind == caller.Agent {
		return &who.ID
	}
	return nil
}

// changeArticle locks an article, lets fn change it, and returns its new state.
func (s *Service) changeArticle(ctx context.Context, id uuid.UUID, fn func(tx *db.Tx, a *Article) error) (a Article, err error) {
	err = s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if a, err = lockArticle(tx, id); err != nil {
			return db.NotFound(err)
		}
		a.UpdatedAt = clock.At(tx.Now())
		if err := fn(tx, &a); err != nil {
			return err
		}
		if err := saveArticle(tx, &a); err != nil {
			return err
		}
		if a, err = articleByID(&tx.Reader, id); err != nil {
			return err
		}
		return s.describe(&tx.Reader, &a)
	})
	return a, err
}

// MoveArticle is the gate that moves an article to another category.
func (s *Service) MoveArticle(ctx context.Context, id, category uuid.UUID) (Article, error) {
	return s.changeArticle(ctx, id, func(tx *db.Tx, a *Article) error {
		if err := checkCategory(tx, category); err != nil {
			return err
		}
		a.CategoryID = category
		if err := audit.Write(tx, "article.moved", id.String(), map[string]any{"category_id": category}); err != nil {
			return err
		}
		return s.siteChanged(tx)
	})
}

// SaveText is the gate that saves the next version of an article in a language. If basedOn
// is given and is not the newest version, somebody else saved meanwhile, and it returns a
// conflict.
func (s *Service) SaveText(ctx context.Context, id uuid.UUID, language string, w Words, basedOn *int) (Article, error) {
	if err := w.check(); err != nil {
		return Article{}, err
	}
	return s.changeArticle(ctx, id, func(tx *db.Tx, a *Article) error {
		newest := 0
		if t := a.find(language); t != nil {
			newest = t.Version
		}
		if basedOn != nil && *basedOn != newest {
			return fault.New(fault.Conflict).Field("based_on", "outdated")
		}
		return s.saveVersion(tx, a, language, newest+1, w, "article.saved")
	})
}

func (s *Service) saveVersion(tx *db.Tx, a *Article, language string, number int, w Words, action string) error {
	if err := putVersion(tx, a.ID, language, number, w, savedBy(tx)); err != nil {
		return err
	}
	return audit.Write(tx, action, a.ID.String(), map[string]any{"language": language, "version": number, "title": w.Title})
}

// Publish is the gate that makes the newest version of a text public; not_found if the text
// does not exist. Repeating it changes nothing.
func (s *Service) Publish(ctx context.Context, id uuid.UUID, language string) (Article, error) {
	return s.changeArticle(ctx, id, func(tx *db.Tx, a *Article) error {
		t := a.find(language)
		if t == nil {
			return fault.New(fault.NotFound)
		}
		if t.State == Published {
			return nil
		}
		if err := setPublished(tx, id, language, &t.Version); err != nil {
			return err
		}
		return s.announceText(tx, ArticlePublished, a, t)
	})
}

// Unpublish is the gate that removes a text from the site. Repeating it changes nothing.
func (s *Service) Unpublish(ctx context.Context, id uuid.UUID, language string) (Article, error) {
	return s.changeArticle(ctx, id, func(tx *db.Tx, a *Article) error {
		t := a.find(language)
		if t == nil {
			return fault.New(fault.NotFound)
		}
		if t.State == Draft {
			return nil
		}
		if err := s.announceText(tx, ArticleUnpublished, a, t); err != nil {
			return err
		}
		return setPublished(tx, id, language, nil)
	})
}

// announceText writes the event and the audit line of a text that became public or is no
// longer public, and increases the site's revision.
func (s *Service) announceText(tx *db.Tx, name string, a *Article, t *Text) error {
	p := PublicText{
		ID: a.ID, CategoryID: a.CategoryID, Language: t.Language, Version: t.Version, Title: t.Title, Summary: t.Summary,
		URL:         s.siteURL(caller.From(tx.Context()).Slug) + articlePath(t.Language, a.ID, t.Title),
		PublishedAt: clock.At(tx.Now()),
	}
	if name == ArticleUnpublished { // the newest version may never have been public
		v, err := versionByNumber(&tx.Reader, a.ID, t.Language, *t.PublishedVersion)
		if err != nil {
			return err
		}
		p.Version, p.PublishedAt, p.Title, p.Summary = v.Number, *t.PublishedAt, v.Title, v.Summary
		p.URL = s.siteURL(caller.From(tx.Context()).Slug) + articlePath(t.Language, a.ID, v.Title)
	}
	if err := announce(tx, name, p); err != nil {
		return err
	}
	if err := audit.Write(tx, name, a.ID.String(), map[string]any{"language": t.Language, "version": p.Version}); err != nil {
		return err
	}
	return s.siteChanged(tx)
}

// DeleteArticle is the gate that removes an article with all its versions. Its public texts
// are announced as unpublished.
func (s *Service) DeleteArticle(ctx context.Context, id uuid.UUID) error {
	return s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err := lockArticle(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		for i := range a.Texts {
			if a.Texts[i].State != Draft {
				if err := s.announceText(tx, ArticleUnpublished, &a, &a.Texts[i]); err != nil {
					return err
				}
			}
		}
		if err := dropArticle(tx, id); err != nil {
			return err
		}
		return audit.Write(tx, "article.deleted", id.String(), map[string]any{})
	})
}

// Versions returns the versions of a text, newest first; not_found if the article does not
// exist.
func (s *Service) Versions(ctx context.Context, id uuid.UUID, language string, p db.Page) (db.List[Version], error) {
	return db.Read(ctx, s.cfg.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Version], error) {
		if _, err := articleByID(r, id); err != nil {
			return db.List[Version]{}, db.NotFound(err)
		}
		return versions(r, id, language, p)
	})
}

// Version returns one version; not_found if it does not exist.
func (s *Service) Version(ctx context.Context, id uuid.UUID, language string, number int) (Version, error) {
	return db.Read(ctx, s.cfg.DB.TenantOf(ctx), func(r *db.Reader) (Version, error) {
		v, err := versionByNumber(r, id, language, number)
		return v, db.NotFound(err)
	})
}

// Restore is the gate that saves an earlier version again as the newest draft.
func (s *Service) Restore(ctx context.Context, id uuid.UUID, language string, number int) (Article, error) {
	return s.changeArticle(ctx, id, func(tx *db.Tx, a *Article) error {
		v, err := versionByNumber(&tx.Reader, id, language, number)
		if err != nil {
			return db.NotFound(err)
		}
		return s.saveVersion(tx, a, language, a.find(language).Version+1, Words{v.Title, v.Summary, v.Body}, "article.restored")
	})
}

// Preview renders Markdown as the site would show it.
func (s *Service) Preview(source string) (string, error) {
	if len(source) > maxBody {
		return "", fault.Invalid("body", "too_long")
	}
	html, err := markup.HTML(source)
	if err != nil {
		return "", fault.Invalid("body", "too_complex").Wrap(err)
	}
	return html, nil
}
