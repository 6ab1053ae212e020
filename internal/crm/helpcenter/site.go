package helpcenter

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// site is the content of a workspace's site at one revision. It is immutable.
type site struct {
	owned    channel.Owned
	url      string
	set      Settings
	revision int64
	hasLogo  bool

	categories []Category
	texts      []*publicText // in the site's languages, oldest article first
	byID       map[textKey]*publicText
}

type textKey struct {
	id       uuid.UUID
	language string
}

// cachedSite is what a node assumes about a host for a second; site is nil if there is
// none.
type cachedSite struct {
	*site
	readAt time.Time
}

// believed is how long a node shows a site without asking for its revision.
const believed = time.Second

var slugFormat = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// openSite returns the site of a workspace by its slug; not_found if it has no public site.
func (s *Service) openSite(ctx context.Context, slug string) (*site, error) {
	now := s.cfg.DB.Clock().Now()
	before, known := s.sites.Get(slug)
	if known && !now.Before(before.readAt) && now.Before(before.readAt.Add(believed)) {
		if before.site != nil && db.IsRefused(ctx, before.owned.TenantID) {
			return nil, fault.New(fault.WorkspaceSuspended)
		}
		return before.orNotFound()
	}
	if !slugFormat.MatchString(slug) {
		return nil, fault.New(fault.NotFound)
	}
	fresh, err := s.readSite(ctx, slug, before)
	if err != nil {
		return nil, err
	}
	c := &cachedSite{site: fresh, readAt: now}
	s.sites.Set(slug, c)
	return c.orNotFound()
}

func (c *cachedSite) orNotFound() (*site, error) {
	if c.site == nil {
		return nil, fault.New(fault.NotFound)
	}
	return c.site, nil
}

// readSite reads a site; nil if no public site exists. The texts read before are reused if
// the revision is unchanged.
func (s *Service) readSite(ctx context.Context, slug string, before *cachedSite) (*site, error) {
	owners, err := s.cfg.Channels.ByExternal(ctx, Name, slug)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(owners, func(o channel.Owned) bool {
		return o.Slug == slug && o.Account.Works() && slices.Contains(o.Licences, "crm")
	})
	if i < 0 {
		return nil, nil
	}
	st := &site{owned: owners[i], url: s.siteURL(slug), byID: map[textKey]*publicText{}}
	if err := st.owned.Account.Read(&st.set); err != nil {
		return nil, err
	}
	err = s.cfg.DB.Tenant(st.owned.TenantID).Read(ctx, func(r *db.Reader) error {
		state, err := readSite(r)
		if err != nil {
			return err
		}
		st.revision, st.hasLogo = state.revision, state.hasLogo
		if before != nil && before.site != nil && before.revision == state.revision && before.owned.TenantID == st.owned.TenantID {
			st.categories, st.texts, st.byID = before.categories, before.texts, before.byID
			return nil
		}
		return st.readTexts(r)
	})
	return st, err
}

func (st *site) readTexts(r *db.Reader) error {
	list, err := categories(r, db.Page{Limit: maxCategories, After: db.Before})
	if err != nil {
		return err
	}
	st.categories = list.Rows
	texts, err := publicTexts(r)
	for i := range texts {
		if t := &texts[i]; slices.Contains(st.set.Languages, t.language) {
			st.texts = append(st.texts, t)
			st.byID[textKey{t.id, t.language}] = t
		}
	}
	return err
}

// textsIn returns the texts in a language, of one category or of all.
func (st *site) textsIn(language string, category *uuid.UUID) (out []*publicText) {
	for _, t := range st.texts {
		if t.language == language && (category == nil || t.category == *category) {
			out = append(out, t)
		}
	}
	return out
}

// languagesOf returns the languages that an article is published in, in the site's order.
func (st *site) languagesOf(id uuid.UUID) (out []string) {
	for _, l := range st.set.Languages {
		if st.byID[textKey{id, l}] != nil {
			out = append(out, l)
		}
	}
	return out
}

// newest returns the texts in a language that were first published most recently.
func (st *site) newest(language string, limit int) []*publicText {
	list := st.textsIn(language, nil)
	slices.SortStableFunc(list, func(a, b *publicText) int { return b.firstPublishedAt.Compare(a.firstPublishedAt.Time) })
	return list[:min(len(list), limit)]
}

// hasLanguage reports whether the site has a language.
func (st *site) hasLanguage(language string) bool { return slices.Contains(st.set.Languages, language) }
