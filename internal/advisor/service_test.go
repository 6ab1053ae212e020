package advisor_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"konak/internal/advisor"
	"konak/internal/app/apptest"
	"konak/internal/kit/db"
)

const (
	arama     = "/api/musavir/v1/arama"
	kutuphane = "/api/musavir/v1/kutuphane"
	maddeler  = "/api/musavir/v1/maddeler/"
)

// answer is the body of a search.
type answer struct {
	Data       []advisor.Hit      `json:"data"`
	NextCursor *string            `json:"next_cursor"`
	Total      int                `json:"total"`
	Facets     *advisor.Facets    `json:"facets"`
	Query      advisor.Understood `json:"query"`
	CorpusRev  int64              `json:"corpus_rev"`
}

func (a answer) ids() []string {
	out := []string{}
	for _, h := range a.Data {
		out = append(out, h.ID)
	}
	return out
}

func ask(c *apptest.Client, params ...string) answer {
	v := url.Values{}
	for i := 0; i < len(params); i += 2 {
		v.Add(params[i], params[i+1])
	}
	var a answer
	if err := json.Unmarshal(c.Get(arama+"?"+v.Encode()).Want(200).Body, &a); err != nil {
		panic(err)
	}
	return a
}

func article(law, no, heading, text string) *advisor.Provision {
	return &advisor.Provision{
		ID: "kanun-" + law + ":m" + no, LawID: "kanun-" + law, LawNo: law, LawTitle: "ÖRNEK KANUN " + law, LawStatus: "in_force",
		LawKind: "kanun", Kind: "madde", No: no, Heading: heading, Path: []string{"BİRİNCİ BÖLÜM"}, Text: text, Status: "in_force",
		GazetteDate: "2020-03-01", GazetteNo: "31000", SourceURL: "https://example.com/" + law, Order: len(no)*100 + int(no[0]),
	}
}

func file(list ...*advisor.Provision) advisor.Source {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, p := range list {
		if err := enc.Encode(p); err != nil {
			panic(err)
		}
	}
	return advisor.BytesSource("test", b.Bytes())
}

func bring(t *testing.T, s *apptest.Server, partial bool, list ...*advisor.Provision) advisor.Report {
	t.Helper()
	r, err := s.Advisor.Import(t.Context(), file(list...), advisor.ImportOptions{Partial: partial})
	if err != nil {
		t.Fatal(err)
	}
	s.Settle()
	return r
}

func small() []*advisor.Provision {
	old := article("9001", "3", "Eski hüküm", "Kira bedeli hakkındaki bu hüküm kaldırılmıştır.")
	old.Status = "repealed"
	rule := article("9002", "1", "Yıllık izin", "İşçiye yılda en az on dört gün ücretli izin verilir.")
	rule.LawKind, rule.LawID, rule.ID, rule.GazetteDate = "yonetmelik", "yonetmelik-9002", "yonetmelik-9002:m1", "2024-05-05"
	return []*advisor.Provision{
		article("9001", "1", "Kira bedeli", "Kiracı, kira bedelini her ayın <son> gününe kadar öder."),
		article("9001", "2", "Depozito", "Kiraya veren en çok üç aylık kira bedeli kadar güvence isteyebilir."),
		old, rule,
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		if a := ask(w.Owner, "q", "kira"); len(a.Data) != 0 || a.CorpusRev != 0 || a.Total != 0 {
			t.Errorf("without a corpus: %+v", a)
		}
		if r := bring(t, s, false, small()...); r != (advisor.Report{Rev: 1, Rows: 4, Added: 4}) {
			t.Errorf("got %+v", r)
		}
		a := ask(w.Owner, "q", "kira bedelı", "facets", "true")
		if diff := cmp.Diff([]string{"kanun-9001:m1", "kanun-9001:m2"}, a.ids()); diff != "" || a.CorpusRev != 1 {
			t.Error(diff, a.CorpusRev)
		}
		h := a.Data[0]
		if !strings.Contains(h.Snippet, "<em>kira</em>") || !strings.Contains(h.Snippet, "&lt;son&gt;") || h.Match != "text" ||
			h.Provision.Label != "9001 sayılı Kanun m. 1" || h.ValidFrom != "2020-03-01" || h.Law.Title != "ÖRNEK KANUN 9001" {
			t.Errorf("got %+v", h)
		}
		if diff := cmp.Diff(&advisor.Facets{
			Kinds: []advisor.FacetCount{{Value: "kanun", Title: "Kanun", Count: 2}},
			Laws:  []advisor.FacetCount{{Value: "kanun-9001", Title: "ÖRNEK KANUN 9001", Count: 2}},
		}, a.Facets); diff != "" {
			t.Error(diff)
		}
		for _, tc := range []struct {
			params []string
			want   []string
		}{
			{[]string{"durum", "mulga"}, []string{"kanun-9001:m3"}},
			{[]string{"tur", "yonetmelik", "tur", "khk"}, []string{}},
			{[]string{"mevzuat", "kanun-9001", "mevzuat", "kanun-9002"}, []string{"kanun-9001:m1", "kanun-9001:m2"}},
			{[]string{"mevzuat", "kanun-1"}, []string{}},
			{[]string{"rg_from", "2021-01-01"}, []string{}},
			{[]string{"rg_to", "2021-01-01", "limit", "1"}, []string{"kanun-9001:m1"}},
			{[]string{"tarih", "2026-11-15"}, []string{"kanun-9001:m1", "kanun-9001:m2"}},
		} {
			if diff := cmp.Diff(tc.want, ask(w.Owner, append([]string{"q", "kira bedeli"}, tc.params...)...).ids()); diff != "" {
				t.Errorf("%v: %s", tc.params, diff)
			}
		}
		if all := ask(w.Owner, "q", "kira bedeli", "durum", "hepsi"); len(all.Data) != 3 || all.Facets != nil {
			t.Errorf("got %v", all.ids())
		}
		if a := ask(w.Owner, "q", "kira", "vurgu", "false"); strings.Contains(a.Data[0].Snippet, "<em>") {
			t.Errorf("got %q", a.Data[0].Snippet)
		}
		if a := ask(w.Owner, "q", "kelebek"); len(a.Data) != 0 || a.NextCursor != nil {
			t.Errorf("got %v", a.ids())
		}
		c := ask(w.Owner, "q", "9001 sayılı kanun m. 2")
		if c.Data[0].ID != "kanun-9001:m2" || c.Data[0].Match != "citation" || *c.Query.Citations[0].Provision != "kanun-9001:m2" {
			t.Errorf("got %+v", c)
		}
	})
}

func TestSearchRefusals(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		bring(t, s, false, small()...)
		for query, field := range map[string]string{
			"": "q", "q=": "q", "q=%20%20": "q", "q=" + strings.Repeat("x", 513): "q",
			"q=a&limit=0": "limit", "q=a&limit=101": "limit", "q=a&cursor=zz": "cursor", "q=a&cursor=zz.00": "cursor",
			"q=a&tur=sozlesme": "tur[0]", "q=a&durum=eski": "durum", "q=a&tarih=dun": "tarih", "q=a&tarih=2026-02-30": "tarih",
			"q=a&tarih=1999-01-01": "tarih", "q=a&rg_from=1": "rg_from", "q=a&rg_to=x": "rg_to",
			"q=a&rg_from=2024-01-02&rg_to=2024-01-01": "rg_to", "q=a&renk=mavi": "renk", "q=a&facets=belki": "facets",
		} {
			got := w.Owner.Get(arama+"?"+query).Refused(422, "validation_failed")
			if len(got.Fields[field]) != 1 {
				t.Errorf("%s: got %v", query, got.Fields)
			}
		}
		w.Owner.Get(arama + "?q=" + strings.Repeat("ş", 512)).Want(200)
		w.Owner.Get(maddeler+"kanun-1:m1").Refused(404, "not_found")
		w.Owner.Get(maddeler+strings.Repeat("x", 300)).Refused(404, "not_found")
		w.Owner.Get(maddeler+"a%00b").Refused(404, "not_found")
		w.Owner.Get(maddeler+"a%ffb").Refused(404, "not_found")
		w.Key(false).Get(arama+"?q=kira").Refused(401, "session_required")
	})
}

func TestSearchPages(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		var list []*advisor.Provision
		for i := range 25 {
			list = append(list, article("9100", fmt.Sprint(i+1), "", "Fatura düzenlenir."+strings.Repeat(" Sıradan sözcükler.", i%7)))
		}
		bring(t, s, false, list...)
		whole := ask(w.Owner, "q", "fatura", "limit", "100").ids()
		var got []string
		for cursor := ""; ; {
			a := ask(w.Owner, "q", "fatura", "limit", "10", "cursor", cursor)
			got = append(got, a.ids()...)
			if a.NextCursor == nil {
				break
			}
			cursor = *a.NextCursor
			w.Owner.Get(arama+"?q=izin&cursor="+url.QueryEscape(cursor)).Refused(422, "validation_failed")
		}
		if diff := cmp.Diff(whole, got); diff != "" || len(got) != 25 {
			t.Error(len(got), diff)
		}
	})
}

func TestLawsAndProvision(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		bring(t, s, false, small()...)
		var laws []advisor.ListedLaw
		first := w.Owner.Get(kutuphane + "?limit=1").Want(200).Data(&laws)
		if laws[0].ID != "yonetmelik-9002" || laws[0].LastUpdate != "2024-05-05" {
			t.Errorf("got %+v", laws)
		}
		rest := w.Owner.Get(kutuphane + "?limit=1&cursor=" + first.NextCursor()).Want(200).Data(&laws)
		if laws[0].ID != "kanun-9001" || laws[0].Provisions != 3 || rest.NextCursor() != "" {
			t.Errorf("got %+v", laws)
		}
		var p advisor.ProvisionPage
		w.Owner.Get(maddeler + "kanun-9001:m2").Want(200).Data(&p)
		if p.Previous.V.ID != "kanun-9001:m1" || p.Next.V.ID != "kanun-9001:m3" || len(p.Outline) != 3 || len(p.Versions) != 1 || p.CorpusRev != 1 {
			t.Errorf("got %+v", p)
		}
		w.Owner.Get(maddeler + "kanun-9001:m1").Want(200).Data(&p)
		bring(t, s, true, article("9001", "43/C", "Ek iş", "Eklenen madde."))
		w.Owner.Get(maddeler + "kanun-9001:m43%2FC").Want(200).Data(&p)
		if p.Provision.No != "43/C" {
			t.Errorf("got %+v", p.Provision)
		}
		w.Owner.Get(maddeler + "kanun-9001:m1").Want(200).Data(&p)
		if p.Previous.V != nil {
			t.Errorf("got %+v", p.Previous.V)
		}
	})
}

// Repeating an import changes nothing; a partial one changes only what it contains; a full
// one removes what it does not contain. Old texts are kept, and are found by day.
func TestImportVersions(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		list := small()
		bring(t, s, false, list...)
		if r := bring(t, s, false, list...); r != (advisor.Report{Rev: 1, Rows: 4, Unchanged: 4}) {
			t.Errorf("again: %+v", r)
		}
		s.Clock.Advance(48 * time.Hour)
		w.Owner = w.SignIn("owner@demo.example")
		list[1] = article("9001", "2", "Depozito", "Güvence bedeli bankaya zürafa hesabına yatırılır.")
		if r := bring(t, s, true, list[1]); r != (advisor.Report{Rev: 2, Rows: 1, Changed: 1}) {
			t.Errorf("partial: %+v", r)
		}
		if a := ask(w.Owner, "q", "zürafa"); a.CorpusRev != 2 || !slices.Equal(a.ids(), []string{"kanun-9001:m2"}) {
			t.Errorf("got %+v", a)
		}
		if a := ask(w.Owner, "q", "zürafa", "tarih", "2026-11-16"); len(a.Data) != 0 || a.CorpusRev != 1 {
			t.Errorf("the past knows the new text: %+v", a)
		}
		if a := ask(w.Owner, "q", "üç aylık güvence", "tarih", "2026-11-16"); len(a.Data) == 0 || !strings.Contains(a.Data[0].Snippet, "üç") {
			t.Errorf("the past forgot the old text: %+v", a)
		}
		var p advisor.ProvisionPage
		w.Owner.Get(maddeler + "kanun-9001:m2").Want(200).Data(&p)
		if len(p.Versions) != 2 || p.Versions[0].ValidFrom != "2026-11-17" || *p.Versions[1].ValidTo != "2026-11-17" ||
			!strings.Contains(p.Versions[1].Text, "üç aylık") {
			t.Errorf("got %+v", p.Versions)
		}
		if r := bring(t, s, false, list[0], list[1]); r != (advisor.Report{Rev: 3, Rows: 2, Unchanged: 2, Removed: 2}) {
			t.Errorf("whole: %+v", r)
		}
		w.Owner.Get(maddeler+"kanun-9001:m3").Refused(404, "not_found")
		if a := ask(w.Owner, "q", "yıllık izin"); len(a.Data) != 0 {
			t.Errorf("got %v", a.ids())
		}
		if a := ask(w.Owner, "q", "yıllık izin", "tarih", "2026-11-16"); len(a.Data) != 1 {
			t.Errorf("got %v", a.ids())
		}
		list[0].LawTitle, list[1].LawTitle = "YENİ ADLI KANUN", "YENİ ADLI KANUN"
		bring(t, s, true, list[0], list[1])
		if a := ask(w.Owner, "q", "zürafa", "facets", "true"); a.Facets.Laws[0].Title != "YENİ ADLI KANUN" {
			t.Errorf("got %+v", a.Facets)
		}
	})
}

func TestImportRefusals(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		bring(t, s, false, small()...)
		good, err := json.Marshal(article("9001", "1", "", "Metin"))
		if err != nil {
			t.Fatal(err)
		}
		for rows, want := range map[string]string{
			"":                                   "no provisions",
			string(good) + "\n{":                 "line 2: not a provision",
			string(good) + "\n\n" + string(good): "line 3: duplicate id \"kanun-9001:m1\"",
			strings.ReplaceAll(string(good), "kanun", "yasa"): "line 1: unknown kind",
		} {
			_, err := s.Advisor.Import(t.Context(), advisor.BytesSource("x", []byte(rows)), advisor.ImportOptions{})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: got %v", rows, err)
			}
		}
		if r := bring(t, s, false, small()...); r.Rev != 1 || r.Unchanged != 4 {
			t.Errorf("a refused file changed something: %+v", r)
		}
	})
}

// What an import that died wrote is visible to nobody and is undone by the next one; until
// the first counts as dead, a second one does not begin.
func TestDeadImportIsUndoneByNext(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		bring(t, s, false, small()...)
		err := s.DB.System("test").InTx(t.Context(), func(tx *db.Tx) error {
			for _, q := range []string{
				`INSERT INTO advisor_import (one, id, beat_at) VALUES (1, '0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c', 1794733200000000)`,
				`UPDATE provision_version SET rev_to = 2, valid_to = '2026-11-15' WHERE provision_id = 'kanun-9001:m1'`,
				`INSERT INTO provision_version (provision_id, rev_from, law_id, ord, valid_from, sha256, text, meta)
					SELECT provision_id, 2, law_id, ord, valid_from, sha256, 'yarım metin', meta FROM provision_version WHERE provision_id = 'kanun-9001:m1'`,
			} {
				if err := tx.Exec(q); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var p advisor.ProvisionPage
		w.Owner.Get(maddeler + "kanun-9001:m1").Want(200).Data(&p)
		if strings.Contains(p.Text, "yarım") || len(p.Versions) != 1 || p.Versions[0].ValidTo != nil {
			t.Errorf("an unfinished import is seen: %+v", p)
		}
		if _, err := s.Advisor.Import(t.Context(), file(small()...), advisor.ImportOptions{}); !errors.Is(err, advisor.ErrImporting) {
			t.Errorf("got %v", err)
		}
		s.Clock.Advance(61 * time.Second)
		if r := bring(t, s, false, small()...); r.Rev != 1 || r.Unchanged != 4 {
			t.Errorf("got %+v", r)
		}
	})
}

// A damaged, half-written or missing index file is rebuilt from the database.
func TestIndexFile(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		bring(t, s, false, small()...)
		folder := t.TempDir()
		start := func() string {
			logs := &apptest.Buffer{}
			svc := advisor.New(advisor.Config{DB: s.DB, Log: apptest.Logger(logs), Folder: folder})
			if svc.Ready(t.Context()) {
				t.Error("ready before the index is there")
			}
			if _, err := svc.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
			f, err := svc.Search(t.Context(), advisor.Question{Text: "kira bedeli", Limit: 10})
			if err != nil || len(f.Hits) != 3 || !svc.Ready(t.Context()) {
				t.Fatalf("got %+v, %v", f, err)
			}
			return logs.String()
		}
		if !strings.Contains(start(), "regulations indexed") || !strings.Contains(start(), "loaded from file") {
			t.Error("the file was not used")
		}
		files, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		good, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		flipped := bytes.Clone(good)
		flipped[len(flipped)*2/3] ^= 0x40
		for what, bad := range map[string][]byte{"cut": good[:len(good)/2], "empty": nil, "flipped": flipped, "noise": []byte("no index at all")} {
			if err := os.WriteFile(files[0], bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if log := start(); !strings.Contains(log, "cannot be used") || !strings.Contains(log, "regulations indexed") {
				t.Errorf("%s: %s", what, log)
			}
		}
	})
}

// Eight clients search while the corpus changes again and again: every answer is from one
// revision, and the new text is found once the node has it.
func TestUpdateWhileSearching(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		generation := func(gen int) []*advisor.Provision {
			var list []*advisor.Provision
			for i := range 40 {
				list = append(list, article("9300", fmt.Sprint(i+1), "", fmt.Sprintf("Ortak sözcük kuşak%d madde metni.", gen)))
			}
			return list
		}
		bring(t, s, false, generation(1)...)
		stop := t.Context()
		done := make(chan struct{})
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				last := int64(0)
				for n := 0; ; n++ {
					select {
					case <-done:
						return
					case <-stop.Done():
						return
					default:
					}
					a := ask(w.Owner, "q", "ortak sözcük", "limit", "100")
					if len(a.Data) != 40 || a.CorpusRev < last {
						t.Errorf("%d hits of revision %d after %d", len(a.Data), a.CorpusRev, last)
						return
					}
					last = a.CorpusRev
					for _, h := range a.Data {
						if !strings.Contains(h.Snippet, fmt.Sprintf("kuşak%d ", a.CorpusRev)) {
							t.Errorf("revision %d shows %q", a.CorpusRev, h.Snippet)
							return
						}
					}
				}
			})
		}
		for gen := 2; gen <= 4; gen++ {
			bring(t, s, gen%2 == 0, generation(gen)...)
			if a := ask(w.Owner, "q", fmt.Sprintf("kuşak%d", gen)); a.CorpusRev != int64(gen) || len(a.Data) == 0 {
				t.Errorf("the new text is not found: %d %d", a.CorpusRev, len(a.Data))
			}
		}
		close(done)
		wg.Wait()
		var p advisor.ProvisionPage
		w.Owner.Get(maddeler + "kanun-9300:m7").Want(200).Data(&p)
		if len(p.Versions) != 4 {
			t.Errorf("%d versions", len(p.Versions))
		}
	})
}

func TestUpdatesFile(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		bring(t, s, false, small()...)
		src, err := s.Advisor.Updates(t.Context(), advisor.BytesSource("u", []byte(
			`{"id":"kanun-9001:m1","op":"change","old":"x","new":"Kira çarşamba günü ödenir.","from_rev":"2026-08-12","to_rev":"2026-08-22"}
{"id":"kanun-9001:gec2","op":"add","new":"Eski sözleşmelere perşembe kuralı uygulanır."}
{"id":"kanun-9999:m1","op":"add","new":"Bu Kanunun amacı cuma gününü düzenlemektir."}`)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Advisor.Import(t.Context(), src, advisor.ImportOptions{Partial: true})
		if err != nil || r.Changed != 1 || r.Added != 2 {
			t.Fatalf("%+v, %v", r, err)
		}
		s.Settle()
		for q, id := range map[string]string{"çarşamba": "kanun-9001:m1", "perşembe": "kanun-9001:gec2", "9999 sayılı kanun": "kanun-9999:m1"} {
			if a := ask(w.Owner, "q", q); !slices.Contains(a.ids(), id) {
				t.Errorf("%s: %v", q, a.ids())
			}
		}
		_, err = s.Advisor.Updates(t.Context(), advisor.BytesSource("u", []byte(`{"id":"kanun-9001:m1","op":"drop","new":"x"}`)))
		if err == nil || !strings.Contains(err.Error(), `line 1: unknown op "drop"`) {
			t.Errorf("got %v", err)
		}
	})
}

// Whatever the question, the response is a list or a clear refusal.
func TestFuzzedQuestions(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.SQLite)
	w := s.Workspace("demo")
	bring(t, s, false, small()...)
	random := rand.New(rand.NewPCG(6, 11))
	letters := []rune("aeıiouüöçğşIİkm .,;:/'\"()<>*%-–0123456789\u0000\u0301\u200d€😀\ufffd")
	for range 400 {
		q := make([]rune, random.IntN(540))
		for i := range q {
			q[i] = letters[random.IntN(len(letters))]
		}
		r := w.Owner.Get(arama + "?facets=true&q=" + url.QueryEscape(string(q)))
		if r.Status != 200 && r.Status != 422 {
			t.Fatalf("%q: %d %s", string(q), r.Status, r.Body)
		}
	}
}

// The demo corpus is imported once, and answers common questions.
func TestDemoCorpus(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for range 2 {
			if err := s.Advisor.FillDemo(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.Settle()
		}
		for q, want := range map[string]string{
			"kıdem tazminatı":             "ornek-is:m14",
			"kidem tazminati":             "ornek-is:m14",
			"faturaya itiraz süresi":      "ornek-fatura:m5",
			"90106 sayılı kanun m. 6":     "ornek-kira:m6",
			"cayma hakkı kaç gün":         "ornek-mesafeli:m5",
			"veri ihlali kime bildirilir": "ornek-veri:m10",
		} {
			a := ask(w.Owner, "q", q, "limit", "3")
			if a.CorpusRev != 1 || !slices.Contains(a.ids(), want) {
				t.Errorf("%s: revision %d, %v", q, a.CorpusRev, a.ids())
			}
		}
	})
}
