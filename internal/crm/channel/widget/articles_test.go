package widget_test

import (
	"strings"
	"testing"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/channel/widget"
)

// publish gives the workspace a help center with one public article and a draft.
func (c *chat) publish(title string) {
	c.t.Helper()
	const center = "/api/crm/v1/help-center"
	c.Owner.Put(channels+"/help-center", map[string]any{"title": "Yardım"}).Want(200)
	category := c.Owner.Post(center+"/categories", map[string]any{"texts": []map[string]any{{"language": "tr", "name": "Kargo"}}}).Want(201).ID()
	write := func(title string) string {
		return c.Owner.Post(center+"/articles", map[string]any{"category_id": category, "language": "tr", "title": title, "body": "x"}).Want(201).ID()
	}
	c.Owner.Post(center+"/articles/"+write(title)+"/texts/tr/publish", nil).Want(200)
	write(title + " taslak")
}

func (c *chat) config() (out widget.PublicConfig) {
	c.t.Helper()
	c.s.Client("").Header("Origin", site).Get(c.path("/config")).Want(200).Data(&out)
	return out
}

func TestArticlesAreOffered(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		c := open(t, s, nil)
		page := s.Client("").Header("Origin", site)
		find := func(q string) (out []widget.Article) {
			t.Helper()
			page.Get(c.path("/articles?language=de&q=" + q)).Want(200).Data(&out)
			return out
		}
		if c.config().Articles || len(find("kargo")) != 0 {
			t.Error("articles without a help center")
		}
		c.publish("Kargo ne zaman gelir")
		// For a language that the help center does not have, it answers in its own.
		if got := find("kargo"); !c.config().Articles || len(got) != 1 || got[0].Title != "Kargo ne zaman gelir" || !strings.Contains(got[0].URL, "demo.help.localhost") {
			t.Errorf("found %+v", got)
		}
		s.Client("").Header("Origin", "https://other.example").Get(c.path("/articles?q=kargo")).Refused(403, "cross_origin")
		page.Get(c.path("/articles")).Refused(422, "validation_failed")
		c.Owner.Put(channels+"/help-center", map[string]any{"widget_search": false}).Want(200)
		if c.config().Articles || len(find("kargo")) != 0 {
			t.Error("articles that the workspace does not offer")
		}
	})
}

func TestArticleSearchesAreLimited(t *testing.T) {
	t.Parallel()
	s := apptest.NewWith(t, func(c *app.Config) { c.LimitFactor = 1 })
	c := open(t, s, nil)
	page := s.Client("").Header("Origin", site)
	for range 60 {
		page.Get(c.path("/articles?q=x")).Want(200)
	}
	page.Get(c.path("/articles?q=x")).Refused(429, "rate_limited")
}
