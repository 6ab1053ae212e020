package helpcenter_test

import (
	"net/url"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/helpcenter"
)

// Saving a text warns about HTML that readers will not see, and a text in a language that
// the site does not have has no address.
func TestHiddenHTMLIsWarnedAbout(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		a := d.write("Kargo", "İki <b>iş</b> günü.")
		if got := a.Texts[0].Warnings; len(got) != 1 || got[0] != "html_left_out" {
			t.Errorf("the warnings are %v", got)
		}
		if a = d.save(a.ID, "tr", "Kargo", "İki **iş** günü. `<b>` <!-- not -->"); len(a.Texts[0].Warnings) != 0 {
			t.Errorf("without HTML: %v", a.Texts[0].Warnings)
		}
		if a = d.publish(a.ID, "tr"); a.Texts[0].URL == nil {
			t.Fatal("a published text has no address")
		}
		d.Owner.Put(settings, map[string]any{"languages": []string{"en"}, "default_language": "en"}).Want(200)
		d.Owner.Get(articles + "/" + a.ID.String()).Want(200).Data(&a)
		var list []helpcenter.Listed
		d.Owner.Get(articles).Want(200).Data(&list)
		if a.Texts[0].URL != nil || list[0].Texts[0].URL != nil {
			t.Error("a text in a language that the site lacks has an address")
		}
	})
}

// A name of invisible characters counts as missing.
func TestContactFormWithInvisibleName(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		v := d.visitor()
		form := url.Values{"name": {"\u200b\u2060 \u00ad"}, "email": {"elif@kaya.example"}, "message": {"Nerede?"}, "form": {formToken(t, v.Get("/tr/contact"))}}
		s.Clock.Advance(4 * time.Second)
		post(v, "/tr/contact", form).Want(303)
		if list := d.conversations(); len(list) != 1 || list[0].ContactName != "elif" {
			t.Errorf("conversations: %+v", list)
		}
	})
}
