package helpcenter_test

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/helpcenter"
	"konak/internal/kit/db"
)

// strict sets the limits of a real installation.
func strict(c *app.Config) { c.LimitFactor = 1 }

// visitor returns a client without a credential for the desk's site.
func (d *desk) visitor() *apptest.Client { return d.s.Client("").Host(d.Slug + ".help.localhost") }

// published writes an article, publishes it, and returns its address.
func (d *desk) published(title, body string) (a helpcenter.Article, path string) {
	d.t.Helper()
	a = d.publish(d.write(title, body).ID, "tr")
	u, err := url.Parse(*a.Texts[0].URL)
	if err != nil {
		d.t.Fatal(err)
	}
	return a, u.Path
}

// post sends a form like a browser.
func post(c *apptest.Client, path string, form url.Values) *apptest.Response {
	return c.Header("Content-Type", "application/x-www-form-urlencoded").Post(path, form.Encode())
}

func wants(t *testing.T, r *apptest.Response, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(string(r.Body), part) {
			t.Errorf("no %q in\n%s", part, r.Body)
		}
	}
}

// The site of a suspended workspace is not shown, not even from memory, and is shown again
// once the workspace is resumed.
func TestSiteOfASuspendedWorkspace(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d, other := open(t, s, "ada"), open(t, s, "other")
		_, path := d.published("Kargo ne kadar sürer?", "İki iş günü.")
		v := d.visitor()
		for range 2 {
			v.Get(path).Want(200)
			if _, err := s.SetSuspended(t.Context(), d.Slug, true); err != nil {
				t.Fatal(err)
			}
			if body := string(v.Get(path).Want(403).Body); strings.Contains(body, "İki iş günü") {
				t.Errorf("a suspended workspace shows %s", body)
			}
			other.visitor().Get("/tr").Want(200)
			s.Clock.Advance(2 * time.Second)
			v.Get(path).Want(403)
			if _, err := s.SetSuspended(t.Context(), d.Slug, false); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestSitePages(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		a, path := d.published("Kargo ne kadar sürer?", "## Süre\n\n**İki** iş günü. <script>alert(1)</script>")
		d.save(a.ID, "en", "How long does shipping take?", "Two days.")
		v := d.visitor()

		r := v.Get("/").Want(302)
		if r.Header.Get("Location") != "/tr" {
			t.Errorf("leads to %q", r.Header.Get("Location"))
		}
		if at := v.Header("Accept-Language", "en-GB,en;q=0.8").Get("/").Want(302).Header.Get("Location"); at != "/en" {
			t.Errorf("English leads to %q", at)
		}
		wants(t, v.Get("/tr").Want(200), "Ada Yardım", "Kargo ve teslimat", "Kargo ne kadar sürer?", `<html lang="tr">`)
		wants(t, v.Get("/tr/c/kargo").Want(200), "Siparişiniz size nasıl ulaşır", `href="`+path+`"`)
		r = v.Get(path).Want(200)
		wants(t, r, "<h1>Kargo ne kadar sürer?</h1>", "<h2>Süre</h2>", "<strong>İki</strong>", `<link rel="canonical" href="http://ada.help.localhost`)
		if strings.Contains(string(r.Body), "<script") || strings.Contains(string(r.Body), `hreflang="en" href="http`) {
			t.Errorf("script, or an alternate that is a draft, in\n%s", r.Body)
		}
		if !strings.Contains(r.Header.Get("Content-Security-Policy"), "default-src 'none'; style-src 'self'") || r.Header.Get("Set-Cookie") != "" {
			t.Errorf("headers: %v", r.Header)
		}
		if r.Header.Get("Cache-Control") != "public, max-age=60" || r.Header.Get("ETag") == "" {
			t.Errorf("caching: %v", r.Header)
		}
		same := v.Header("If-None-Match", r.Header.Get("ETag")).Get(path).Want(304)
		if len(same.Body) != 0 {
			t.Error("a 304 with a body")
		}
		// The words in an address may be outdated; only its id counts.
		if to := v.Get("/tr/a/" + a.ID.String() + "-eski-baslik").Want(301).Header.Get("Location"); to != path {
			t.Errorf("leads to %q", to)
		}
		for _, absent := range []string{
			"/en/a/" + a.ID.String(), "/tr/a/" + uuid.NewString(), "/tr/a/x", "/tr/c/yok", "/de", "/yok", "/tr/yok", "/logo",
			"/openapi.json", "/index.html", "/healthz",
		} {
			v.Get(absent).Want(404)
		}
		wants(t, v.Get("/api/yok").Want(404), "Sayfa bulunamadı") // the API is not here
		v.Do("PUT", path, nil).Want(405)

		d.publish(a.ID, "en")
		wants(t, v.Get(path).Want(200), `hreflang="en" href="http`, `hreflang="x-default"`)
		wants(t, v.Get("/en/a/"+a.ID.String()+"-how-long-does-shipping-take").Want(200), "Two days.", "Did this article help?")

		style := regexp.MustCompile(`/style\.css\?v=[0-9a-f]+`).FindString(string(v.Get("/tr").Want(200).Body))
		if css := v.Get(style).Want(200); !strings.Contains(string(css.Body), "--accent:#0b6e4f") || !strings.Contains(css.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("style: %v %s", css.Header, css.Body[:80])
		}
		d.Owner.Put(settings, map[string]any{"colours": map[string]any{"accent": "#102030", "header": "#ffffff"}}).Want(200)
		if other := regexp.MustCompile(`/style\.css\?v=[0-9a-f]+`).FindString(string(v.Get("/tr").Want(200).Body)); other == style {
			t.Error("other colours have the same address")
		}
		wants(t, v.Get("/style.css").Want(200), "--accent:#102030", "--on-header:#000000")
		d.Owner.Post(settings+"/logo", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"+strings.Repeat("\x00", 40)).Want(200)
		if kind := v.Get("/logo").Want(200).Header.Get("Content-Type"); kind != "image/png" {
			t.Errorf("the logo is %s", kind)
		}
		wants(t, v.Get("/tr").Want(200), `<img src="/logo"`)
	})
}

// Only published texts are public, and only while they are published. Every page of a
// well-filled site is small and has no script.
func TestPagesAreSmallAndWithoutScript(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		path := ""
		for n := range 30 {
			_, path = d.published(fmt.Sprintf("Kargo sorusu %d: gönderim ne kadar sürer, nasıl izlenir?", n), strings.Repeat("## Süre\n\nSiparişler iki iş gününde yola çıkar ve kapıda teslim edilir.\n\n", 40))
		}
		script := regexp.MustCompile(`<script|<iframe|\son[a-z]+=|javascript:`)
		for _, page := range []string{"/tr", "/tr/c/kargo", path, "/tr/search?q=kargo", "/tr/contact", "/tr/yok"} {
			body := d.visitor().Get(page).Body
			if len(body) == 0 || len(body) >= 30_000 {
				t.Errorf("%s has %d bytes", page, len(body))
			}
			if found := script.Find(body); found != nil {
				t.Errorf("%s has %q", page, found)
			}
		}
	})
}

func TestDraftsAreNotPublic(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		v := d.visitor()
		draft := d.write("Gizlitaslak", "Gizlitaslak metni")
		a, path := d.published("Herkese açık", "Eski metin")
		d.save(a.ID, "tr", "Gizlitaslak başlık", "Gizlitaslak gövde")
		pages := []string{"/tr", "/en", "/tr/c/kargo", path, "/sitemap.xml", "/tr/feed.xml", "/tr/search?q=gizlitaslak"}
		for _, p := range pages {
			body := strings.ToLower(string(v.Get(p).Want(200).Body))
			if n := strings.Count(body, "gizlitaslak"); n > 0 && !(strings.Contains(p, "search") && n == 1) { // the search box repeats the question
				t.Errorf("%s shows a draft:\n%s", p, body)
			}
		}
		v.Get("/tr/a/" + draft.ID.String()).Want(404)
		var hits []helpcenter.Hit
		if d.Owner.Get(center + "/search?q=gizlitaslak").Want(200).Data(&hits); len(hits) != 0 {
			t.Errorf("the search finds a draft: %+v", hits)
		}

		d.Owner.Post(text(a.ID, "tr", "/unpublish"), nil).Want(200)
		v.Get(path).Want(404)
		if strings.Contains(string(v.Get("/tr/feed.xml").Want(200).Body), "Herkese") {
			t.Error("the feed has what was unpublished")
		}
		d.publish(a.ID, "tr")
		v.Get("/tr/a/" + a.ID.String() + "-gizlitaslak-baslik").Want(200)

		// A site that is paused or disconnected is not shown, on another node after a
		// second.
		d.Owner.Put(settings, map[string]any{"enabled": false}).Want(200)
		v.Get("/tr").Want(404)
		d.Owner.Put(settings, map[string]any{"enabled": true}).Want(200)
		v.Get("/tr").Want(200)
		var list []channel.Account
		d.Owner.Get("/api/crm/v1/channels?kind=help_center").Want(200).Data(&list)
		d.Owner.Delete("/api/crm/v1/channels/" + list[0].ID.String()).Want(200)
		v.Get("/tr").Want(404)
	})
}

// A site's own host shows only that workspace's site, and links use it.
func TestHostOfItsOwn(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, func(c *app.Config) { c.HelpDomains = []string{"Help.Firma.example=ada"} }, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		_, path := d.published("Kargo", "Bir")
		own := s.Client("").Host("help.firma.example")
		wants(t, own.Get(path).Want(200), "<h1>Kargo</h1>", `<link rel="canonical" href="http://help.firma.example`)
		wants(t, d.visitor().Get(path).Want(200), `<link rel="canonical" href="http://help.firma.example`)
		own.Get("/api/yok").Want(404) // the API is not here
		var got helpcenter.Summary
		d.Owner.Get(settings).Want(200).Data(&got)
		if got.CustomDomain == nil || *got.CustomDomain != "help.firma.example" || !strings.HasPrefix(*got.URL, "http://help.firma.example") {
			t.Errorf("the summary is %+v", got)
		}
		other := open(t, s, "bora")
		if other.Owner.Get(settings).Want(200).Data(&got); got.CustomDomain != nil {
			t.Errorf("another workspace has %v", *got.CustomDomain)
		}
	})
}

// A change on another node is visible here a second later.
func TestOtherNodesSeeAChange(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.Postgres)
	d := open(t, s, "ada")
	a, path := d.published("Kargo", "Bir")
	other := s.Node()
	there := other.Client("").Host("ada.help.localhost")
	there.Get(path).Want(200)
	d.Owner.Post(text(a.ID, "tr", "/unpublish"), nil).Want(200)
	s.Clock.Advance(time.Second)
	there.Get(path).Want(404)
}

// Another workspace's articles are never shown, whatever is requested.
func TestSitesAreIsolated(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		ada, bora := open(t, s, "ada"), open(t, s, "bora")
		_, path := ada.published("Kanarya kuşu", "Kanarya")
		bora.published("Serçe", "Serçe")
		for _, p := range []string{path, path + "/feedback"} {
			bora.visitor().Get(p).Want(404)
		}
		post(bora.visitor(), path+"/feedback", url.Values{"helpful": {"yes"}}).Want(404)
		for _, p := range []string{"/tr", "/tr/c/kargo", "/sitemap.xml", "/tr/feed.xml", "/tr/search?q=kuşu"} {
			if strings.Contains(string(bora.visitor().Get(p).Want(200).Body), "Kanarya") {
				t.Errorf("%s shows another workspace's article", p)
			}
		}
		s.Client("").Host("yok.help.localhost").Get("/tr").Want(404)
	})
}

func TestSitemapAndFeed(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		a, path := d.published("A & B <c>", "x")
		d.save(a.ID, "en", "A and B", "x")
		d.publish(a.ID, "en")
		v := d.visitor()
		var m struct {
			URL []struct {
				Loc  string `xml:"loc"`
				Link []struct {
					Href string `xml:"href,attr"`
				} `xml:"link"`
			} `xml:"url"`
		}
		if err := xml.Unmarshal(v.Get("/sitemap.xml").Want(200).Body, &m); err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		for _, u := range m.URL {
			seen[u.Loc] = len(u.Link)
		}
		base := strings.TrimSuffix(*a.Texts[0].URL, path)
		if n, ok := seen[*a.Texts[0].URL]; !ok || n != 2 {
			t.Errorf("the sitemap has %v", seen)
		}
		if _, ok := seen[base+"/tr/c/kargo"]; !ok {
			t.Errorf("the sitemap has no category: %v", seen)
		}
		var f struct {
			Entry []struct {
				Title string `xml:"title"`
			} `xml:"entry"`
		}
		if err := xml.Unmarshal(v.Get("/tr/feed.xml").Want(200).Body, &f); err != nil {
			t.Fatal(err)
		}
		if len(f.Entry) != 1 || f.Entry[0].Title != "A & B <c>" {
			t.Errorf("the feed has %+v", f)
		}
	})
}

func TestSearch(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		v := d.visitor()
		_, path := d.published("Kargo ne kadar sürer?", "Siparişleriniz iki iş günü içinde yola çıkar.")
		d.published("Yorgan bakımı", "Yıkamayın.")
		// Stems, letters without diacritics, and an unfinished word.
		for _, q := range []string{"siparişim", "siparis", "kargonun", "kar"} {
			r := v.Get("/tr/search?q=" + url.QueryEscape(q)).Want(200)
			wants(t, r, `href="`+path+`"`, `<meta name="robots" content="noindex">`)
			if strings.Contains(string(r.Body), "Yorgan") || r.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %v\n%s", q, r.Header, r.Body)
			}
		}
		wants(t, v.Get("/tr/search?q="+url.QueryEscape(`<b>"x`)).Want(200), "Hiçbir makale", `value="&lt;b&gt;&#34;x"`)
		wants(t, v.Get("/en/search?q=kargo").Want(200), "No article was found")
		var hits []helpcenter.Hit
		d.Owner.Get(center + "/search?q=kargo&language=tr").Want(200).Data(&hits)
		if len(hits) != 1 || hits[0].Title != "Kargo ne kadar sürer?" || !strings.HasSuffix(hits[0].URL, path) {
			t.Errorf("found %+v", hits)
		}
		// A text published later is found.
		d.published("Kargo takibi", "x")
		if d.Owner.Get(center + "/search?q=kargo").Want(200).Data(&hits); len(hits) != 2 {
			t.Errorf("found %+v", hits)
		}
	})
}

func TestSearchIsLimited(t *testing.T) {
	t.Parallel()
	s := apptest.NewWith(t, strict)
	d := open(t, s, "ada")
	v := d.visitor()
	for range 60 {
		v.Get("/tr/search?q=x").Want(200)
	}
	r := v.Get("/tr/search?q=x").Want(429)
	if r.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	v.Get("/tr").Want(200)
}

func TestFeedback(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, strict, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		v := d.visitor()
		a, path := d.published("Kargo", "x")
		vote := func(answer string) *apptest.Response {
			return post(v, path+"/feedback", url.Values{"helpful": {answer}})
		}
		vote("belki").Want(422)
		if to := vote("yes").Want(303).Header.Get("Location"); to != path+"?thanks" {
			t.Errorf("leads to %q", to)
		}
		wants(t, v.Get(path+"?thanks").Want(200), "Geri bildiriminiz için teşekkürler")
		vote("no").Want(303) // the same address on the same day: thanked, not counted
		check := func(helpful, unhelpful int) {
			t.Helper()
			d.Owner.Get(articles + "/" + a.ID.String()).Want(200).Data(&a)
			if got := a.Texts[0]; got.Helpful != helpful || got.Unhelpful != unhelpful {
				t.Errorf("%d helpful, %d not; want %d, %d", got.Helpful, got.Unhelpful, helpful, unhelpful)
			}
		}
		check(1, 0)
		s.Clock.Advance(25 * time.Hour)
		vote("no").Want(303)
		d.Workspace.Owner = d.SignIn("owner@ada.example")
		check(1, 1)
	})
}

func TestContactForm(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		v := d.visitor()
		var elif contact.Contact
		d.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Elif Kaya", "emails": []string{"elif@kaya.example"}}).Want(201).Data(&elif)
		wants(t, v.Get("/tr/contact").Want(200), "Bize yazın", `action="/tr/contact"`)
		form := url.Values{"name": {"Elif"}, "email": {"elif@kaya.example"}, "subject": {"Kargo"}, "message": {"Nerede?"}, "form": {formToken(t, v.Get("/tr/contact"))}}
		s.Clock.Advance(4 * time.Second)
		if to := post(v, "/tr/contact", form).Want(303).Header.Get("Location"); to != "/tr/contact?thanks" {
			t.Errorf("leads to %q", to)
		}
		wants(t, v.Get("/tr/contact?thanks").Want(200), "Mesajınız bize ulaştı")
		post(v, "/tr/contact", form).Want(303) // a double click is one message
		list := d.conversations()
		if len(list) != 1 || list[0].Channel != helpcenter.Name || !list[0].IsRequest || list[0].Subject != "Kargo" || list[0].ContactID == elif.ID {
			t.Fatalf("conversations: %+v", list)
		}
		var writer contact.Contact
		d.Owner.Get("/api/crm/v1/contacts/" + list[0].ContactID.String()).Want(200).Data(&writer)
		if len(writer.Emails) != 0 || len(writer.Claims) != 1 || writer.Claims[0].Value != "elif@kaya.example" || writer.Claims[0].Match.V == nil {
			t.Errorf("the address is no claim: %+v", writer)
		}
		// Another message with the same address belongs to another contact: the address is
		// not proven.
		form.Set("message", "Başka bir soru")
		form.Set("form", formToken(t, v.Get("/tr/contact")))
		s.Clock.Advance(4 * time.Second)
		post(v, "/tr/contact", form).Want(303)
		if list = d.conversations(); len(list) != 2 || list[0].ContactID == list[1].ContactID {
			t.Errorf("conversations: %+v", list)
		}
		// A robot that fills in every field is thanked, but its message is dropped.
		form.Set("website", "https://spam.example")
		form.Set("message", "spam")
		post(v, "/tr/contact", form).Want(303)
		form.Del("website")
		for _, bad := range []url.Values{
			{"email": {"elif@kaya.example"}, "message": {" "}},
			{"email": {"nobody"}, "message": {"x"}},
			{"email": {"a@b.example"}, "message": {strings.Repeat("x", 10_001)}},
			{"email": {"a@b.example"}, "message": {"x"}, "subject": {strings.Repeat("x", 201)}},
		} {
			wants(t, post(v, "/tr/contact", bad).Want(422), `role="alert"`, `aria-invalid="true"`)
		}
		post(v, "/tr/contact", url.Values{"email": {"a@b.example"}, "message": {strings.Repeat("x", 70<<10)}}).Want(413)
		if list = d.conversations(); len(list) != 2 {
			t.Errorf("%d conversations", len(list))
		}
		d.Owner.Put(settings, map[string]any{"contact_form": false}).Want(200)
		v.Get("/tr/contact").Want(404)
		post(v, "/tr/contact", form).Want(404)
	})
}

func (d *desk) conversations() (list []conversation.Conversation) {
	d.t.Helper()
	d.Owner.Get("/api/crm/v1/conversations?channel=help_center").Want(200).Data(&list)
	return list
}

// A flood from one IP address ends after five messages in ten minutes; the visitor's text
// is not lost, and other addresses are not affected.
func TestContactFloodIsBounded(t *testing.T) {
	t.Parallel()
	s := apptest.NewWith(t, strict)
	d := open(t, s, "ada")
	send := func(i int) *apptest.Response {
		token := formToken(t, d.visitor().Get("/tr/contact"))
		s.Clock.Advance(4 * time.Second)
		return post(d.visitor(), "/tr/contact", url.Values{"email": {"a@b.example"}, "message": {fmt.Sprint("mesaj ", i)}, "form": {token}})
	}
	for i := range 5 {
		send(i).Want(303)
	}
	r := send(5).Want(429)
	if wants(t, r, "mesaj 5", "Lütfen biraz sonra"); r.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if n := len(d.conversations()); n != 5 {
		t.Errorf("%d conversations", n)
	}
	s.Clock.Advance(10 * time.Minute)
	send(6).Want(303)
}

// A long category has several pages, each within the site's size budget.
func TestPagesOfACategory(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		files := map[string]string{}
		for i := range 85 {
			files[fmt.Sprintf("tr/kargo/%03d.md", i)] = fmt.Sprintf("---\ntitle: Konu %03d\nsummary: %s\n---\nMetin.", i, strings.Repeat("ö", 100))
		}
		d.Owner.Post(center+"/import?publish=true&filename=hepsi.zip", zipped(t, files)).Want(200)
		v, seen := d.visitor(), 0
		for _, p := range []struct{ path, previous, next string }{
			{"/tr/c/kargo", "", "/tr/c/kargo/2"}, {"/tr/c/kargo/2", "/tr/c/kargo", "/tr/c/kargo/3"}, {"/tr/c/kargo/3", "/tr/c/kargo/2", ""},
		} {
			r := v.Get(p.path).Want(200)
			body := string(r.Body)
			seen += strings.Count(body, ">Konu ")
			if len(r.Body) > 30_000 || !strings.Contains(body, `href="http://ada.help.localhost`) {
				t.Errorf("%s: %d bytes", p.path, len(r.Body))
			}
			for rel, want := range map[string]string{"prev": p.previous, "next": p.next} {
				if link := `rel="` + rel + `" href="` + want + `"`; strings.Contains(body, `rel="`+rel+`"`) != (want != "") || want != "" && !strings.Contains(body, link) {
					t.Errorf("%s: no %s", p.path, link)
				}
			}
		}
		if seen != 85 {
			t.Errorf("the pages list %d texts", seen)
		}
		for _, path := range []string{"/tr/c/kargo/0", "/tr/c/kargo/1", "/tr/c/kargo/4", "/tr/c/kargo/02", "/tr/c/kargo/x", "/tr/c/kargo/2/3", "/en/c/kargo/2"} {
			v.Get(path).Want(404)
		}
	})
}
