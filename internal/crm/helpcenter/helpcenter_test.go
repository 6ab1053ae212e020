package helpcenter_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/helpcenter"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

const (
	settings   = "/api/crm/v1/channels/help-center"
	center     = "/api/crm/v1/help-center"
	articles   = center + "/articles"
	categories = center + "/categories"
)

// desk is a workspace with a help center in two languages and one category.
type desk struct {
	*apptest.Workspace
	t        *testing.T
	s        *apptest.Server
	category helpcenter.Category
	told     int // events that were looked at
}

// events returns the types of the events since the last call.
func (d *desk) events() []string {
	d.t.Helper()
	all := d.Events()
	list := all[d.told:]
	d.told = len(all)
	return list
}

func open(t *testing.T, s *apptest.Server, slug string) *desk {
	t.Helper()
	d := &desk{Workspace: s.Workspace(slug), t: t, s: s}
	d.Owner.Put(settings, map[string]any{"title": "Ada Yardım", "languages": []string{"tr", "en"}}).Want(200)
	d.category = d.addCategory("kargo", "Kargo ve teslimat", "Shipping")
	d.events()
	return d
}

func (d *desk) addCategory(slug, tr, en string) (c helpcenter.Category) {
	d.t.Helper()
	d.Owner.Post(categories, map[string]any{"slug": slug, "texts": []map[string]any{
		{"language": "tr", "name": tr, "description": "Siparişiniz size nasıl ulaşır"}, {"language": "en", "name": en},
	}}).Want(201).Data(&c)
	return c
}

// write creates an article in Turkish.
func (d *desk) write(title, body string) (a helpcenter.Article) {
	d.t.Helper()
	d.Owner.Post(articles, map[string]any{"category_id": d.category.ID, "language": "tr", "title": title, "body": body}).Want(201).Data(&a)
	return a
}

func text(id uuid.UUID, language, tail string) string {
	return articles + "/" + id.String() + "/texts/" + language + tail
}

// save writes the next version of a text.
func (d *desk) save(id uuid.UUID, language, title, body string) (a helpcenter.Article) {
	d.t.Helper()
	d.Owner.Put(text(id, language, ""), map[string]any{"title": title, "body": body}).Want(200).Data(&a)
	return a
}

func (d *desk) publish(id uuid.UUID, language string) (a helpcenter.Article) {
	d.t.Helper()
	d.Owner.Post(text(id, language, "/publish"), nil).Want(200).Data(&a)
	return a
}

func TestSettings(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := &desk{Workspace: s.Workspace("ada"), t: t, s: s}
		var got helpcenter.Summary
		if d.Owner.Get(settings).Want(200).Data(&got); got.Enabled || got.URL != nil || got.Title != "" {
			t.Errorf("before the first change: %+v", got)
		}
		d.Owner.Put(settings, map[string]any{"contact_form": false}).Refused(422, "validation_failed")
		d.Owner.Post(settings+"/logo", "x").Refused(422, "validation_failed")
		d.Owner.Delete(settings+"/logo").Refused(404, "not_found")
		d.Owner.Put(settings, map[string]any{"title": "Ada Yardım"}).Want(200).Data(&got)
		if !got.Enabled || got.URL == nil || !strings.HasPrefix(*got.URL, "http://ada.help.localhost") || !got.ContactForm || !slices.Equal(got.Languages, []string{"tr"}) {
			t.Errorf("after the first change: %+v", got)
		}
		if diff := cmp.Diff([]string{channel.StatusChanged}, d.events()); diff != "" {
			t.Error(diff)
		}
		before := got
		d.Owner.Put(settings, map[string]any{"widget_search": false}).Want(200).Data(&got)
		before.WidgetSearch = false
		if diff := cmp.Diff(before, got); diff != "" {
			t.Errorf("more than the field that was sent changed:\n%s", diff)
		}
		before.Colours.Header = "#112233"
		if d.Owner.Put(settings, map[string]any{"colours": map[string]any{"header": "#112233"}}).Want(200).Data(&got); got.Colours != before.Colours {
			t.Errorf("one colour was sent: %+v", got.Colours)
		}
		for field, bad := range map[string]map[string]any{
			"title":            {"title": "  "},
			"languages":        {"languages": []string{"tr", "xx"}},
			"default_language": {"default_language": "en"},
			"colours.accent":   {"colours": map[string]any{"accent": "#ffe066", "header": "#000000"}},
		} {
			if e := d.Owner.Put(settings, bad).Refused(422, "validation_failed"); e.Fields[field] == nil {
				t.Errorf("%v: %+v", bad, e)
			}
		}
		d.Owner.Put(settings, map[string]any{"enabled": false}).Want(200).Data(&got)
		if got.Enabled {
			t.Error("it is still enabled")
		}
		var list []channel.Account
		if d.Owner.Get("/api/crm/v1/channels?kind=help_center").Want(200).Data(&list); len(list) != 1 || list[0].Status != channel.Paused {
			t.Errorf("accounts: %+v", list)
		}
		d.Owner.Put(settings, map[string]any{"enabled": true}).Want(200)
		// The assistant cannot be turned on for a help center.
		ai := "/api/crm/v1/channels/" + list[0].ID.String() + "/ai"
		if e := d.Owner.Do("PATCH", ai, map[string]any{"enabled": true}).Refused(409, "conflict"); e.Reason != "ai_unavailable" {
			t.Errorf("got %+v", e)
		}
		d.Owner.Do("PATCH", ai, map[string]any{"enabled": false}).Want(200)
		// A picture is recognised by its bytes, and its size is limited.
		png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + strings.Repeat("\x00", 40)
		d.Owner.Post(settings+"/logo", png).Want(200).Data(&got)
		if got.LogoURL == nil {
			t.Error("no logo")
		}
		d.Owner.Post(settings+"/logo", png+strings.Repeat("x", 200<<10)).Refused(413, "body_too_large")
		if d.Owner.Delete(settings + "/logo").Want(200).Data(&got); got.LogoURL != nil {
			t.Error("the logo is still there")
		}
	})
}

func TestArticleLifecycle(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		a := d.write("Kargo süresi", "İki iş günü.")
		if got := a.Texts[0]; got.State != helpcenter.Draft || got.Version != 1 || got.URL != nil {
			t.Errorf("a new article: %+v", got)
		}
		d.Owner.Post(text(a.ID, "en", "/publish"), nil).Refused(404, "not_found")
		a = d.publish(a.ID, "tr")
		d.publish(a.ID, "tr") // a repeat announces nothing
		if got := a.Texts[0]; got.State != helpcenter.Published || got.URL == nil || *got.PublishedVersion != 1 {
			t.Errorf("published: %+v", got)
		}
		a = d.save(a.ID, "tr", "Kargo ne kadar sürer", "Üç iş günü.")
		if got := a.Texts[0]; got.State != helpcenter.Changed || got.Version != 2 || *got.PublishedVersion != 1 {
			t.Errorf("changed: %+v", got)
		}
		// A change based on an older version is refused.
		d.Owner.Put(text(a.ID, "tr", ""), map[string]any{"title": "x", "body": "y", "based_on": 1}).Refused(409, "conflict")
		d.Owner.Put(text(a.ID, "en", ""), map[string]any{"title": "Shipping time", "body": "Two days.", "based_on": 0}).Want(200)

		var list []helpcenter.Version
		d.Owner.Get(text(a.ID, "tr", "/versions")).Want(200).Data(&list)
		if len(list) != 2 || list[0].Number != 2 || list[0].Published || !list[1].Published || list[1].Body != "İki iş günü." || *list[1].SavedBy != d.Member {
			t.Errorf("versions: %+v", list)
		}
		if next := d.Owner.Get(text(a.ID, "tr", "/versions?limit=1")).Want(200).NextCursor(); next == "" {
			t.Error("the list of versions has one page")
		}
		d.Owner.Post(text(a.ID, "tr", "/versions/1/restore"), nil).Want(200).Data(&a)
		if got := a.Texts[1]; got.Version != 3 || got.Title != "Kargo süresi" || got.State != helpcenter.Changed {
			t.Errorf("restored: %+v", got)
		}
		d.Owner.Post(text(a.ID, "tr", "/versions/9/restore"), nil).Refused(404, "not_found")
		d.Owner.Get(text(a.ID, "tr", "/versions/9")).Refused(404, "not_found")
		if diff := cmp.Diff([]string{helpcenter.ArticlePublished}, d.events()); diff != "" {
			t.Error(diff)
		}

		d.Owner.Post(text(a.ID, "tr", "/unpublish"), nil).Want(200)
		d.Owner.Post(text(a.ID, "tr", "/unpublish"), nil).Want(200).Data(&a)
		if a.Texts[1].State != helpcenter.Draft {
			t.Errorf("unpublished: %+v", a.Texts[1])
		}
		d.publish(a.ID, "en")
		d.Owner.Delete(categories+"/"+d.category.ID.String()).Refused(409, "conflict")
		d.Owner.Delete(articles + "/" + a.ID.String()).Want(200)
		d.Owner.Get(articles+"/"+a.ID.String()).Refused(404, "not_found")
		d.Owner.Delete(categories + "/" + d.category.ID.String()).Want(200)
		want := []string{helpcenter.ArticleUnpublished, helpcenter.ArticlePublished, helpcenter.ArticleUnpublished}
		if diff := cmp.Diff(want, d.events()); diff != "" {
			t.Error(diff)
		}
		var lines []audit.Line
		d.Owner.Get("/api/v1/auth/audit?limit=100").Want(200).Data(&lines)
		for _, action := range []string{
			"help_category.created", "article.created", "article.saved", "article.published", "article.restored", "article.unpublished",
			"article.deleted", "help_category.deleted",
		} {
			if !slices.ContainsFunc(lines, func(l audit.Line) bool { return l.Action == action }) {
				t.Errorf("no audit line %s", action)
			}
		}
	})
}

// The event of an unpublished text contains what was public, not the draft.
func TestUnpublishEventDoesNotContainDraft(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		a := d.write("Açık", "x")
		d.publish(a.ID, "tr")
		d.save(a.ID, "tr", "Gizli taslak", "y")
		d.Owner.Post(text(a.ID, "tr", "/unpublish"), nil).Want(200)
		s.Settle()
		err := s.DB.Tenant(d.ID).Read(t.Context(), func(r *db.Reader) error {
			list, err := event.After(r, 0, 100)
			if err != nil || len(list) == 0 {
				return fmt.Errorf("%d events, %w", len(list), err)
			}
			last := &list[len(list)-1]
			if body := string(last.Body()); last.Type != helpcenter.ArticleUnpublished || !strings.Contains(body, "Açık") || strings.Contains(body, "Gizli") {
				t.Errorf("%s: %s", last.Type, body)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestOldVersionsAreDeletedExceptPublished(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		a := d.write("Bir", "1")
		d.publish(a.ID, "tr")
		for i := range 52 {
			d.save(a.ID, "tr", fmt.Sprint("Sürüm ", i+2), "x")
		}
		d.Owner.Get(text(a.ID, "tr", "/versions/1")).Want(200)
		d.Owner.Get(text(a.ID, "tr", "/versions/2")).Refused(404, "not_found")
		d.Owner.Get(text(a.ID, "tr", "/versions/4")).Want(200)
	})
}

func TestLists(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		iade := d.addCategory("iade", "İade", "Returns")
		a, b, c := d.write("A", "a"), d.write("B", "b"), d.write("C", "c")
		d.publish(b.ID, "tr")
		d.publish(c.ID, "tr")
		d.save(c.ID, "tr", "C2", "c2")
		d.save(c.ID, "en", "C in English", "c")
		d.Owner.Put(articles+"/"+a.ID.String(), map[string]any{"category_id": iade.ID}).Want(200)
		d.Owner.Put(articles+"/"+a.ID.String(), map[string]any{"category_id": uuid.New()}).Refused(422, "validation_failed")
		for query, want := range map[string][]uuid.UUID{
			"":                                 {c.ID, b.ID, a.ID},
			"?state=draft":                     {c.ID, a.ID},
			"?state=published":                 {b.ID},
			"?state=changed":                   {c.ID},
			"?language=en":                     {c.ID},
			"?language=en&state=changed":       {},
			"?category_id=" + iade.ID.String(): {a.ID},
			"?category_id=" + uuid.NewString(): {},
			"?limit=2":                         {c.ID, b.ID},
			"?state=draft&category_id=" + iade.ID.String(): {a.ID},
		} {
			var list []helpcenter.Listed
			d.Owner.Get(articles + query).Want(200).Data(&list)
			got := []uuid.UUID{}
			for _, l := range list {
				got = append(got, l.ID)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: got %v, want %v", query, got, want)
			}
		}
		next := d.Owner.Get(articles + "?limit=2").Want(200).NextCursor()
		var rest []helpcenter.Listed
		if d.Owner.Get(articles + "?limit=2&cursor=" + next).Want(200).Data(&rest); len(rest) != 1 || rest[0].ID != a.ID || len(rest[0].Texts) != 1 {
			t.Errorf("second page: %+v", rest)
		}
		d.Owner.Post(categories, map[string]any{"slug": "iade", "texts": []map[string]any{{"language": "tr", "name": "x"}}}).Refused(409, "conflict")
		d.Owner.Put(categories+"/"+d.category.ID.String(), map[string]any{"slug": "iade", "texts": []map[string]any{{"language": "tr", "name": "x"}}}).Refused(409, "conflict")
		var list []helpcenter.Category
		d.Owner.Put(categories+"/"+iade.ID.String(), map[string]any{"slug": "iade", "position": 5, "texts": []map[string]any{{"language": "tr", "name": "İadeler"}}}).Want(200)
		if d.Owner.Get(categories).Want(200).Data(&list); len(list) != 2 || list[1].Slug != "iade" || list[1].Texts[0].Name != "İadeler" {
			t.Errorf("categories: %+v", list)
		}
	})
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		body := func(more map[string]any) map[string]any {
			out := map[string]any{"category_id": d.category.ID, "language": "tr", "title": "x", "body": "y"}
			for k, v := range more {
				out[k] = v
			}
			return out
		}
		for field, bad := range map[string]map[string]any{
			"title":       {"title": "  "},
			"body":        {"body": strings.Repeat(">", 100) + " x"},
			"category_id": {"category_id": uuid.New()},
			"language":    {"language": "xx"},
		} {
			if e := d.Owner.Post(articles, body(bad)).Refused(422, "validation_failed"); e.Fields[field] == nil {
				t.Errorf("%v: %+v", bad, e)
			}
		}
		for _, bad := range []map[string]any{
			{"slug": "İki Kelime", "texts": []map[string]any{{"language": "tr", "name": "x"}}},
			{"slug": "x", "texts": []map[string]any{{"language": "tr", "name": " "}}},
			{"slug": "x", "texts": []map[string]any{{"language": "tr", "name": "a"}, {"language": "tr", "name": "b"}}},
		} {
			d.Owner.Post(categories, bad).Refused(422, "validation_failed")
		}
		d.Owner.Post(center+"/preview", map[string]any{"body": strings.Repeat("[", 5000)}).Refused(422, "validation_failed")
		var shown helpcenter.Previewed
		if d.Owner.Post(center+"/preview", map[string]any{"body": "**a** <script>"}).Want(200).Data(&shown); shown.HTML != "<p><strong>a</strong> <!-- raw HTML omitted --></p>\n" {
			t.Errorf("preview: %q", shown.HTML)
		}
		guest := d.Guest()
		if e := guest.Get(articles).Refused(403, "forbidden"); e.Permission != string(perm.ArticlesView) {
			t.Errorf("reading needs %q", e.Permission)
		}
		if e := guest.Post(articles, body(nil)).Refused(403, "forbidden"); e.Permission != string(perm.ArticlesManage) {
			t.Errorf("writing needs %q", e.Permission)
		}
	})
}
