package assistant_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/advisor"
	"konak/internal/app/apptest"
	"konak/internal/crm/assistant"
	"konak/internal/crm/assistant/source"
	"konak/internal/kit/db"
	"konak/internal/mail/dlp/dlptest"
)

const (
	sources      = "/api/crm/v1/assistant/sources"
	montageAsked = "Montaj hizmeti ücretli mi?"
	montagePage  = `<html lang="tr"><head><title>Montaj</title></head><body><nav>Montaj Menü</nav><main><h1>Montaj hizmeti</h1>
		<p>Montaj hizmeti Ankara içinde ücretsizdir.</p><script>alert(1)</script><p hidden>gizli</p></main></body></html>`
)

// website is a server with pages that a test changes.
type website struct {
	*httptest.Server
	page  atomic.Pointer[http.HandlerFunc]
	calls atomic.Int64
}

func newWebsite(t *testing.T, first http.HandlerFunc) *website {
	t.Helper()
	w := &website{}
	w.page.Store(&first)
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.calls.Add(1)
		(*w.page.Load())(rw, r)
	}))
	t.Cleanup(w.Close)
	return w
}

func (w *website) serve(fn http.HandlerFunc) { w.page.Store(&fn) }

func html(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, text)
	}
}

func (sh *shop) source(id uuid.UUID) (out source.Text) {
	sh.t.Helper()
	sh.Owner.Get(sources + "/" + id.String()).Want(200).Data(&out)
	return out
}

func (sh *shop) addPage(address string) (out source.Source) {
	sh.t.Helper()
	sh.Owner.Post(sources, map[string]any{"address": address}).Want(201).Data(&out)
	sh.s.Settle()
	return sh.source(out.ID).Source
}

// later moves the clock and runs the jobs; the owner signs in again.
func (sh *shop) later(d time.Duration) {
	sh.t.Helper()
	sh.s.Clock.Advance(d)
	sh.s.Settle()
	sh.Owner = sh.SignIn("owner@demo.example")
}

func (sh *shop) upload(name, content string) *apptest.Response {
	sh.t.Helper()
	return sh.Owner.Header("Content-Type", "application/octet-stream").Post(sources+"/files?filename="+name, content)
}

func (sh *shop) try(question string, configuration *uuid.UUID) (out assistant.Trial) {
	sh.t.Helper()
	body := map[string]any{"question": question}
	if configuration != nil {
		body["configuration_id"] = *configuration
	}
	sh.Owner.Post("/api/crm/v1/assistant/try", body).Want(200).Data(&out)
	return out
}

// A page that the workspace adds is fetched, quoted with its title and address, fetched
// again every day, and no longer quoted after its deletion.
func TestWebPageAsSource(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		site := newWebsite(t, html(montagePage))
		if sh.try(montageAsked, nil).Answered {
			t.Fatal("answered before there is a source")
		}
		src := sh.addPage(site.URL + "/montaj#top")
		if src.State != source.Ready || src.Title != "Montaj" || src.Address != site.URL+"/montaj" || src.Kind != source.Website || src.ReadAt == nil {
			t.Fatalf("got %+v", src)
		}
		if text := sh.source(src.ID).Text; text != "Montaj hizmeti\nMontaj hizmeti Ankara içinde ücretsizdir." {
			t.Errorf("read %q", text)
		}
		got := sh.writes("elif", montageAsked)
		sh.settle()
		answer := sh.answers(got.Conversation.ID)[0]
		if answer.Body != "Montaj hizmeti Ankara içinde ücretsizdir.\n\nKaynak: Montaj\n"+src.Address {
			t.Errorf("the customer reads %q", answer.Body)
		}

		site.serve(html(strings.ReplaceAll(montagePage, "Ankara", "İzmir")))
		sh.later(25 * time.Hour)
		if got := sh.try(montageAsked, nil); !strings.Contains(got.Text, "İzmir") {
			t.Errorf("a day later: %+v", got)
		}

		// If a server is down, the text is kept for a week; if a page is gone, it is not.
		site.serve(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
		sh.Owner.Post(sources+"/"+src.ID.String()+"/fetch", nil).Want(200)
		s.Settle()
		if now := sh.source(src.ID); now.State != source.Failed || now.Failure == nil || *now.Failure != "status_503" || now.Bytes == 0 {
			t.Errorf("got %+v", now)
		}
		if !sh.try(montageAsked, nil).Answered {
			t.Error("a server that is down for a moment takes the answer away")
		}
		for range 32 {
			sh.later(6 * time.Hour)
		}
		if now := sh.source(src.ID); now.Bytes != 0 || now.Text != "" || sh.try(montageAsked, nil).Answered {
			t.Errorf("after eight days: %+v", now)
		}
		site.serve(html(montagePage))
		sh.Owner.Post(sources+"/"+src.ID.String()+"/fetch", nil).Want(200)
		s.Settle()
		site.serve(http.NotFound)
		sh.Owner.Post(sources+"/"+src.ID.String()+"/fetch", nil).Want(200)
		s.Settle()
		if now := sh.source(src.ID); *now.Failure != "status_404" || now.Bytes != 0 || sh.try(montageAsked, nil).Answered {
			t.Errorf("a page that is gone: %+v", now)
		}

		site.serve(html(montagePage))
		other := sh.addPage(site.URL + "/ikinci")
		if !sh.try(montageAsked, nil).Answered {
			t.Error("not answered from the second page")
		}
		sh.Owner.Delete(sources + "/" + other.ID.String()).Want(200)
		if sh.try(montageAsked, nil).Answered {
			t.Error("answered from a source that was deleted")
		}
		calls := site.calls.Load()
		sh.Owner.Delete(sources + "/" + src.ID.String()).Want(200)
		sh.later(48 * time.Hour)
		if site.calls.Load() != calls {
			t.Error("a deleted page is fetched")
		}
	})
}

// Pages that cannot be read show the reason.
func TestPageFailures(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		inside := newWebsite(t, html(montagePage))
		redirect := func(to string) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
		}
		for name, c := range map[string]struct {
			page http.HandlerFunc
			want string
		}{
			"empty": {html("<p> </p>"), "no_text"},
			"a picture": {func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"))
			}, "not_a_text"},
			"packed": {func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "gzip")
				_, _ = w.Write([]byte("x"))
			}, "unreadable"},
			"endless":         {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(strings.Repeat("uzun ", 500_000))) }, "too_large"},
			"in a circle":     {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, "too_many_redirects"},
			"leads inside":    {redirect("http://10.0.0.1/"), "refused_address"},
			"leads to a file": {redirect("file:///etc/passwd"), "refused_address"},
			"leads nowhere":   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(302) }, "unreadable"},
			"breaks off":      {func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, "connect"},
			"leads to a page": {redirect(inside.URL + "/a"), ""},
			"another encoding": {func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=iso-8859-9")
				_, _ = w.Write([]byte("<p>\xdd\xfeletme saatleri"))
			}, ""},
			"a text": {func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				_, _ = w.Write([]byte("İade süresi"))
			}, ""},
		} {
			src := sh.addPage(newWebsite(t, c.page).URL + "/" + uuid.NewString())
			switch {
			case c.want == "" && src.State != source.Ready, c.want != "" && (src.State != source.Failed || *src.Failure != c.want):
				t.Errorf("%s: %+v, %v", name, src, src.Failure)
			case name == "another encoding" && sh.source(src.ID).Text != "İşletme saatleri":
				t.Errorf("%s: %q", name, sh.source(src.ID).Text)
			}
		}
		for address, code := range map[string]string{
			"http://10.0.0.1/": "inside_address", "ftp://example.com/": "https_required", "https://u:p@example.com/": "credentials_in_address", "::": "invalid_address",
		} {
			if e := sh.Owner.Post(sources, map[string]any{"address": address}).Refused(422, "validation_failed"); e.Fields["address"] == nil {
				t.Errorf("%s: %+v, want %s", address, e, code)
			}
		}
	})
}

// Files of every kind are read for their text; a file without text is refused.
func TestFileAsSource(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		const text = "Montaj hizmeti Ankara içinde ücretsizdir."
		for name, content := range map[string]string{
			"montaj.txt": text, "montaj.md": "# Montaj\n\n" + text, "montaj.html": "<title>Montaj</title><p>" + text,
			"montaj.docx": string(dlptest.Docx(t, text)), "montaj.pdf": string(dlptest.PDF("(Montaj hizmeti Ankara icinde ucretsizdir.) Tj", true, false)),
		} {
			var src source.Source
			sh.upload(name, content).Want(201).Data(&src)
			if src.State != source.Ready || src.Kind != source.File || src.Filename != name || src.Bytes == 0 || src.Title == "" {
				t.Errorf("%s: %+v", name, src)
			}
			got := sh.try(montageAsked, nil)
			if !got.Answered || got.Candidates[0].Kind != "file" || got.Candidates[0].Title != src.Title || !strings.Contains(got.Text, "Ankara") {
				t.Errorf("%s: %+v", name, got)
			}
			if e := sh.Owner.Post(sources+"/"+src.ID.String()+"/fetch", nil).Refused(409, "conflict"); e.Reason != "not_a_page" {
				t.Errorf("%s: %+v", name, e)
			}
			sh.Owner.Do("PATCH", sources+"/"+src.ID.String(), map[string]any{"address": "https://example.com/"}).Refused(422, "validation_failed")
			sh.Owner.Do("PATCH", sources+"/"+src.ID.String(), map[string]any{"title": " Kurulum "}).Want(200).Data(&src)
			if got := sh.try(montageAsked, nil); src.Title != "Kurulum" || got.Candidates[0].Title != "Kurulum" {
				t.Errorf("%s: after the change %+v", name, got)
			}
			sh.Owner.Delete(sources + "/" + src.ID.String()).Want(200)
		}
		for name, c := range map[string]struct{ content, want string }{
			"a.zip": {string(dlptest.Zip(t, "a.txt", text)), "not_a_text"}, "a.txt": {" \n ", "no_text"}, "b.docx": {"PK\x03\x04", "unreadable"},
			"c.pdf": {"%PDF-1.4\ntrailer << /Encrypt 5 0 R >>", "unreadable"}, "d.exe": {"MZ\x00\x01\x02", "not_a_text"},
			"elf":      {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 9) + strings.Repeat("t\x00e\x00x\x00t\x00", 200), "not_a_text"},
			"eski.doc": {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" + strings.Repeat(text, 50), "not_a_text"},
			"late.txt": {strings.Repeat(text+"\n", 200) + "\x00", "not_a_text"}, "noise.txt": {strings.Repeat("a\x01", 100), "not_a_text"}, "page.html": {"<p>" + text + "\x00", "not_a_text"},
			"bomb.docx": {string(dlptest.Docx(t, strings.Repeat("kelime ", 3<<20))), "too_large"},
		} {
			if e := sh.upload(name, c.content).Refused(422, "validation_failed"); !slices.Equal(e.Fields["file"], []string{c.want}) {
				t.Errorf("%s: %+v, want %s", name, e, c.want)
			}
		}
		// A paragraph that is longer than the limit is cut, in UTF-16 too.
		var long source.Source
		sh.upload("tek.txt", strings.Repeat("kelime ", 40_000)).Want(201).Data(&long)
		if !long.Cut || long.Bytes > 200_000 || long.Bytes < 190_000 {
			t.Errorf("one paragraph: %+v", long)
		}
		sh.upload("genis.txt", "\xff\xfeM\x00o\x00n\x00t\x00a\x00j\x00").Want(201)
		sh.upload("e.txt", strings.Repeat("a", 10<<20+1)).Refused(413, "body_too_large")
	})
}

// Number and size of the sources are limited, and a page can be added only once.
func TestSourceLimits(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		site := newWebsite(t, html(montagePage))
		first := sh.addPage(site.URL + "/a")
		second := sh.addPage(site.URL + "/b")
		sh.Owner.Post(sources, map[string]any{"address": site.URL + "/a"}).Refused(409, "conflict")
		sh.Owner.Do("PATCH", sources+"/"+second.ID.String(), map[string]any{"address": first.Address}).Refused(409, "conflict")
		sh.Owner.Do("PATCH", sources+"/"+second.ID.String(), map[string]any{"address": site.URL + "/c"}).Want(200).Data(&second)
		if second.State != source.Pending || second.Bytes != 0 || second.Address != site.URL+"/c" || sh.source(second.ID).Text != "" {
			t.Errorf("another page: %+v", second)
		}
		s.Settle()
		line := strings.Repeat("kelime ", 100) + "\n"
		var long source.Source
		sh.upload("uzun.txt", strings.Repeat(line, 400)).Want(201).Data(&long)
		if !long.Cut || long.Bytes > 200_000 || long.Bytes < 190_000 {
			t.Errorf("a long text: %+v", long)
		}
		for range 4 {
			sh.upload("uzun.txt", strings.Repeat(line, 400)).Want(201)
		}
		if e := sh.upload("uzun.txt", strings.Repeat(line, 400)).Refused(422, "limit_reached"); e.Reason != "space_used_up" {
			t.Errorf("got %+v", e)
		}
		var list []source.Source
		sh.Owner.Get(sources + "?limit=100").Want(200).Data(&list)
		for n := len(list); n < 100; n++ {
			sh.upload("a.txt", fmt.Sprint("metin ", n)).Want(201)
		}
		sh.upload("a.txt", "metin").Refused(422, "limit_reached")
		page := sh.Owner.Get(sources + "?limit=60").Want(200).Data(&list)
		if len(list) != 60 || list[0].ID != first.ID {
			t.Errorf("%d sources, the first %+v", len(list), list[0])
		}
		sh.Owner.Get(sources + "?limit=60&cursor=" + page.NextCursor()).Want(200).Data(&list)
		if len(list) != 40 {
			t.Errorf("%d sources on the second page", len(list))
		}
	})
}

// Each route needs its permission and the licence, another workspace sees nothing, and the
// audit log has every change.
func TestSourceRights(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		id := sh.addPage(newWebsite(t, html(montagePage)).URL + "/a").ID.String()
		guest, stranger := sh.Guest(), s.Workspace("other").Owner
		for _, c := range []struct {
			method, path string
			body         any
		}{
			{"GET", "", nil},
			{"POST", "", map[string]any{"address": "https://example.com/"}},
			{"POST", "/files?filename=a.txt", "metin"},
			{"GET", "/" + id, nil},
			{"PATCH", "/" + id, map[string]any{"title": "x"}},
			{"POST", "/" + id + "/fetch", nil},
			{"DELETE", "/" + id, nil},
		} {
			guest.Do(c.method, sources+c.path, c.body).Refused(403, "forbidden")
			s.Client("").Do(c.method, sources+c.path, c.body).Want(401)
			if strings.HasPrefix(c.path, "/"+id) {
				stranger.Do(c.method, sources+c.path, c.body).Refused(404, "not_found")
			}
		}
		var none []source.Source
		if stranger.Get(sources).Want(200).Data(&none); len(none) != 0 {
			t.Errorf("a stranger sees %+v", none)
		}
		sh.Owner.Post(sources+"/"+id+"/fetch", nil).Want(200)
		sh.Owner.Do("PATCH", sources+"/"+id, map[string]any{"title": "Montaj"}).Want(200)
		sh.Owner.Delete(sources + "/" + id).Want(200)
		for _, action := range []string{"created", "fetched", "changed", "deleted"} {
			n, err := db.Read(t.Context(), s.DB.Tenant(sh.ID), func(r *db.Reader) (int, error) {
				return db.One(r, db.Scalar[int], `SELECT count(*) FROM audit_log WHERE tenant_id = $1 AND action = $2 AND object = $3`, sh.ID, "assistant_source."+action, id)
			})
			if err != nil || n != 1 {
				t.Errorf("%s: %d lines, %v", action, n, err)
			}
		}
	})
}

// Provisions are used for answers if the configuration allows it and the workspace has the
// licence.
func TestProvisionsAsSource(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		var corpus bytes.Buffer
		for no, p := range []struct{ heading, text string }{
			{"Cayma hakkı", "Tüketici, on dört gün içinde herhangi bir gerekçe göstermeksizin sözleşmeden cayma hakkına sahiptir."},
			{"Yıllık izin", "İşçiye yılda en az on dört gün ücretli izin verilir."},
			{"Kira bedeli", "Kira bedelinin artışı bir önceki yılın oranını geçemez."},
		} {
			if err := json.NewEncoder(&corpus).Encode(advisor.Provision{
				ID: fmt.Sprintf("kanun-9001:m%d", no+1), LawID: "kanun-9001", LawNo: "9001", LawTitle: "ÖRNEK KANUN", LawStatus: "in_force", LawKind: "kanun",
				Kind: "madde", No: fmt.Sprint(no + 1), Heading: p.heading, Text: p.text, Status: "in_force", GazetteDate: "2020-03-01", GazetteNo: "31000",
				SourceURL: "https://example.com/9001", Order: no,
			}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Advisor.Import(t.Context(), advisor.BytesSource("test", corpus.Bytes()), advisor.ImportOptions{}); err != nil {
			t.Fatal(err)
		}
		s.Settle()
		const asked = "Tüketicinin sözleşmeden cayma hakkı kaç gün?"
		without, with := sh.configure(map[string]any{"name": "Kapalı"}), sh.configure(map[string]any{"name": "Mevzuat", "provisions": true})
		if !with.Provisions || without.Provisions {
			t.Fatalf("%+v, %+v", without, with)
		}
		if sh.try(asked, nil).Answered || sh.try(asked, &without.ID).Answered {
			t.Error("answered although the switch is off")
		}
		got := sh.try(asked, &with.ID)
		if !got.Answered || got.Candidates[0].Kind != "provision" || got.Candidates[0].URL != "https://example.com/9001" || !strings.Contains(got.Text, "on dört gün içinde") {
			t.Errorf("got %+v", got)
		}
		if got := sh.try("Kargo ücretini kim öder ve sigorta yapılır mı?", &with.ID); got.Answered {
			t.Errorf("invented %+v", got)
		}
		if got := sh.try("How many days is the right of withdrawal?", &with.ID); got.Answered {
			t.Errorf("in English: %+v", got)
		}
		if err := s.Identity.SetLicences(t.Context(), sh.Slug, []string{"crm", "ai"}); err != nil {
			t.Fatal(err)
		}
		if sh.try(asked, &with.ID).Answered {
			t.Error("answered without the licence")
		}
	})
}
