package search

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

func testSchema() Schema {
	return Schema{
		Fields:  []Field{{"text", 1, .5}, {"heading", 5, .75}},
		Attrs:   []string{"work", "status"},
		Numbers: []string{"day"},
		Group:   "work",
		Tuning:  DefaultTuning(),
	}
}

func doc(id, heading, text string) Document {
	work, _, _ := strings.Cut(id, ":")
	return Document{ID: id, Fields: []string{text, heading}, Attrs: []string{work, "open"}, Numbers: []int32{20260101}}
}

func build(t testing.TB, docs ...Document) *Index {
	t.Helper()
	return buildWith(t, testSchema(), docs...)
}

func buildWith(t testing.TB, schema Schema, docs ...Document) *Index {
	t.Helper()
	i := 0
	x, err := Build(schema, 1, func() (Document, bool) {
		if i == len(docs) {
			return Document{}, false
		}
		i++
		return docs[i-1], true
	})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func ids(t testing.TB, x *Index, q Query) []string {
	t.Helper()
	a, err := x.Search(q)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, h := range a.Hits {
		out = append(out, h.ID)
	}
	return out
}

func wantFirst(t testing.TB, x *Index, q Query, want string) {
	t.Helper()
	if got := ids(t, x, q); len(got) == 0 || got[0] != want {
		t.Errorf("%q: got %v, want %s first", q.Text, got, want)
	}
}

func sample() []Document {
	return []Document{
		doc("tbk:1", "Kira bedeli", "Kiracı, kira bedelini ödemekle yükümlüdür."),
		doc("tbk:2", "Kiracının temerrüdü", "Kiracı kira bedelini ödemezse kiraya veren sözleşmeyi feshedebilir."),
		doc("tbk:3", "Satış", "Satıcı, satılanı alıcıya devretmekle yükümlüdür."),
		doc("ik:1", "Ücret", "İşveren, işçiye ücretini öder. Ücret ayda bir ödenir."),
		doc("ik:2", "Yıllık izin", "İşçiye yıllık ücretli izin verilir."),
		doc("ttk:1", "Defter tutma", "Her tacir ticari defterleri tutmak zorundadır."),
	}
}

func TestFindsInflectedAndUndiacriticForms(t *testing.T) {
	t.Parallel()
	x := build(t, sample()...)
	wantFirst(t, x, Query{Text: "kiracının kira bedeli"}, "tbk:1")
	for _, q := range []string{"işçinin yıllık izni", "iscinin yillik izni", "İŞÇİNİN YILLIK İZNİ"} {
		wantFirst(t, x, Query{Text: q}, "ik:2")
	}
}

func TestHeadingOutweighsText(t *testing.T) {
	t.Parallel()
	x := build(t, doc("a:1", "Bağış", "Konu burada geçmez, başka söz vardır."), doc("a:2", "Konu", "Bağış burada geçer, başka söz vardır."))
	wantFirst(t, x, Query{Text: "bağış"}, "a:1")
}

func TestSurfaceFormBreaksTies(t *testing.T) {
	t.Parallel()
	x := build(t, doc("a:1", "", "sözleşmelerin süresi belirlidir"), doc("a:2", "", "sözleşmenin süresi belirlidir"))
	wantFirst(t, x, Query{Text: "sözleşmenin"}, "a:2")
	off := testSchema()
	off.Tuning.Surface = 0
	y := buildWith(t, off, doc("a:1", "", "sözleşmelerin süresi belirlidir"), doc("a:2", "", "sözleşmenin süresi belirlidir"))
	wantFirst(t, y, Query{Text: "sözleşmenin"}, "a:1")
}

func TestPrefixJoinsVerbAndNoun(t *testing.T) {
	t.Parallel()
	docs := []Document{doc("a:1", "", "tutuklama kararı verilir"), doc("a:2", "", "başka bir konu vardır")}
	if got := ids(t, build(t, docs...), Query{Text: "tutuklanabilir"}); len(got) != 1 || got[0] != "a:1" {
		t.Errorf("got %v", got)
	}
	off := testSchema()
	off.Tuning.Prefix = 0
	if got := ids(t, buildWith(t, off, docs...), Query{Text: "tutuklanabilir", Exact: true}); len(got) != 0 {
		t.Errorf("without prefixes got %v", got)
	}
}

func TestAdjacentWordsRankHigher(t *testing.T) {
	t.Parallel()
	apart := doc("a:1", "", "ihtiyati karar verildi ve mal için sonra haciz yapıldı")
	together := doc("a:2", "", "karar verildi ve mal için sonra ihtiyati haciz yapıldı")
	wantFirst(t, build(t, apart, together), Query{Text: "ihtiyati haciz"}, "a:2")
	off := testSchema()
	off.Tuning.Near = 0
	wantFirst(t, buildWith(t, off, apart, together), Query{Text: "ihtiyati haciz"}, "a:1")
}

func TestGroupContextRanksHigher(t *testing.T) {
	t.Parallel()
	docs := []Document{
		doc("b:1", "", "başvuru süresi otuz gündür"), doc("b:2", "", "gemi sicili tutulur"), doc("b:3", "", "liman harcı alınır"),
		doc("a:1", "", "başvuru süresi otuz gündür"), doc("a:2", "", "marka tescil edilir"), doc("a:3", "", "marka hakkı korunur"),
	}
	wantFirst(t, build(t, docs...), Query{Text: "marka başvuru süresi", Filters: []Filter{{"work", []string{"a", "b"}}}}, "a:1")
	first := ids(t, build(t, docs...), Query{Text: "marka süresi"})
	if len(first) == 0 || !strings.HasPrefix(first[0], "a:") {
		t.Errorf("got %v", first)
	}
}

func TestPriorMultipliesScore(t *testing.T) {
	t.Parallel()
	low, high := doc("a:1", "", "vergi dairesi"), doc("a:2", "", "vergi dairesi")
	high.Prior = 1.5
	wantFirst(t, build(t, low, high), Query{Text: "vergi"}, "a:2")
}

func TestStopWordsAloneStillSearch(t *testing.T) {
	t.Parallel()
	x := build(t, doc("a:1", "", "bu kadar"), doc("a:2", "", "kira"))
	wantFirst(t, x, Query{Text: "bu kadar"}, "a:1")
	if got := ids(t, x, Query{Text: "bu kira ne kadar"}); len(got) != 1 || got[0] != "a:2" {
		t.Errorf("stop words were searched: %v", got)
	}
}

func TestPersonalEndings(t *testing.T) {
	t.Parallel()
	var docs []Document
	for i := range 4 {
		docs = append(docs, doc(fmt.Sprint("a:", i), "", "marka tescil edilir"), doc(fmt.Sprint("b:", i), "", "makam atama yapar"))
	}
	if got := ids(t, build(t, docs...), Query{Text: "markamı"}); len(got) != 4 || got[0] != "a:0" {
		t.Errorf("got %v", got)
	}
}

func TestSpellerOnlyWhenNeeded(t *testing.T) {
	t.Parallel()
	x := build(t, sample()...)
	for _, q := range []string{"kriacı temerrüdü", "kiracı temrrüdü", "kiracı temerrüddü", "kiracı temerrüdx"} {
		wantFirst(t, x, Query{Text: q}, "tbk:2")
	}
	a, err := x.Search(Query{Text: "defterlwri"})
	if err != nil || a.Corrected["defterlwri"] != "defterleri" {
		t.Errorf("corrected %v, %v", a.Corrected, err)
	}
	a, _ = x.Search(Query{Text: "kiracı defterleri"})
	if len(a.Corrected) != 0 {
		t.Errorf("known words were corrected: %v", a.Corrected)
	}
	if got := ids(t, x, Query{Text: "satxş", Exact: true}); len(got) != 0 {
		t.Errorf("exact query was corrected: %v", got)
	}
}

func TestSynonyms(t *testing.T) {
	t.Parallel()
	syn, err := ParseSynonyms(strings.NewReader("# people say\nmaaş => ücret\nev sahibi => kiraya veren\nsatış == alım satım\n"))
	if err != nil {
		t.Fatal(err)
	}
	x := build(t, sample()...)
	if got := ids(t, x, Query{Text: "maaş"}); len(got) != 0 {
		t.Errorf("found without synonyms: %v", got)
	}
	wantFirst(t, x, Query{Text: "maaşım", Synonyms: syn}, "ik:1")
	wantFirst(t, x, Query{Text: "ev sahibi", Synonyms: syn}, "tbk:2")
	for _, bad := range []string{"maaş => maaş", "only one side", "=> x", "a ="} {
		if _, err := ParseSynonyms(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestFiltersRangesFacets(t *testing.T) {
	t.Parallel()
	docs := sample()
	docs[1].Attrs[1] = "closed"
	docs[1].Numbers[0] = 20200101
	x := build(t, docs...)
	if got := ids(t, x, Query{Text: "kira bedeli", Filters: []Filter{{"status", []string{"closed"}}}}); len(got) != 1 || got[0] != "tbk:2" {
		t.Errorf("filter: %v", got)
	}
	if got := ids(t, x, Query{Text: "kira bedeli", Ranges: []Range{{"day", 20250101, 20270101}}}); len(got) != 1 || got[0] != "tbk:1" {
		t.Errorf("range: %v", got)
	}
	a, err := x.Search(Query{Text: "kira bedeli ücret", Facets: []string{"work", "status"}})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, c := range a.Facets["work"] {
		sum += c.Hits
	}
	if sum != a.Total || a.Facets["work"][0] != (Count{"tbk", 2}) {
		t.Errorf("facets %v of %d", a.Facets, a.Total)
	}
	for _, q := range []Query{
		{Text: "a", Filters: []Filter{{"nope", nil}}},
		{Text: "a", Ranges: []Range{{"nope", 0, 1}}},
		{Text: "a", Facets: []string{"nope"}},
		{Text: "a", Boosts: []Boost{{"nope", "x", 1}}},
	} {
		if _, err := x.Search(q); !errors.Is(err, ErrFilter) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

func TestBoostsAndPins(t *testing.T) {
	t.Parallel()
	x := build(t, sample()...)
	wantFirst(t, x, Query{Text: "yükümlüdür kira bedeli", Boosts: []Boost{{"work", "tbk", .5}}, Pins: []Pin{{"tbk:3", 5}}}, "tbk:3")
	wantFirst(t, x, Query{Text: "zzzz", Pins: []Pin{{"ttk:1", 1}}}, "ttk:1")
	if got := ids(t, x, Query{Text: "zzzz", Pins: []Pin{{"ttk:1", 1}}, Filters: []Filter{{"work", []string{"ik"}}}}); len(got) != 0 {
		t.Errorf("a pin passed the filter: %v", got)
	}
}

func TestCursorWalksThroughAll(t *testing.T) {
	t.Parallel()
	x := build(t, randomDocs(500, 1)...)
	q := Query{Text: "kira ceza", Limit: 7}
	all := ids(t, x, Query{Text: q.Text, Limit: 1000})
	a, err := x.Search(q)
	var walked []string
	for err == nil {
		for _, h := range a.Hits {
			walked = append(walked, h.ID)
		}
		if a.Next == "" {
			break
		}
		q.Cursor = a.Next
		a, err = x.Search(q)
	}
	if err != nil || strings.Join(walked, " ") != strings.Join(all, " ") || len(all) != a.Total {
		t.Errorf("walked %d of %d (total %d), %v", len(walked), len(all), a.Total, err)
	}
	for _, bad := range []string{"!", "AAAA", "AgQ", a.Next + "x"} {
		if _, err := x.Search(Query{Text: "kira", Cursor: bad}); bad != "x" && !errors.Is(err, ErrCursor) {
			t.Errorf("cursor %q: %v", bad, err)
		}
	}
	if _, err := x.Search(Query{Text: "kira", Limit: maxLimit + 1}); !errors.Is(err, ErrLimit) {
		t.Errorf("limit: %v", err)
	}
}

var vocabularyOfTests = strings.Fields("kira ceza vergi mahkeme sözleşme işveren ücret tazminat dava süre hak borç fesih temerrüt haciz defter marka tescil izin prim")

func randomDocs(n int, seed uint64) []Document {
	rng := rand.New(rand.NewPCG(seed, 2))
	var out []Document
	for i := range n {
		var b strings.Builder
		for range 5 + rng.IntN(30) {
			b.WriteString(vocabularyOfTests[rng.IntN(len(vocabularyOfTests))] + []string{"", "lar", "nin", "da"}[rng.IntN(4)] + " ")
		}
		out = append(out, doc(fmt.Sprintf("w%d:%d", rng.IntN(9), i), vocabularyOfTests[rng.IntN(len(vocabularyOfTests))], b.String()))
	}
	return out
}

func TestSnippetEscapesAndMarks(t *testing.T) {
	t.Parallel()
	x := build(t, sample()...)
	a, err := x.Search(Query{Text: "kiracının bedeli"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := a.Matcher.Highlight("<b>Kiracı</b> & bedelin"), "&lt;b&gt;<em>Kiracı</em>&lt;/b&gt; &amp; <em>bedelin</em>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	long := strings.Repeat("boş söz ", 100) + "kiracı bedel öder " + strings.Repeat("son söz ", 100)
	s := a.Matcher.Snippet(long, 20)
	if !strings.Contains(s, "<em>kiracı</em> <em>bedel</em>") || !strings.HasPrefix(s, "… ") || !strings.HasSuffix(s, " …") {
		t.Errorf("snippet %q", s)
	}
	if s := a.Matcher.Snippet("hiçbiri geçmez", 20); s != "hiçbiri geçmez" {
		t.Errorf("snippet without match %q", s)
	}
	if s := a.Matcher.Snippet("", 20); s != "" {
		t.Errorf("snippet of nothing %q", s)
	}
}

// answers returns the results of a set of queries, for comparing two indexes.
func answers(t testing.TB, x *Index) string {
	t.Helper()
	var b strings.Builder
	for _, q := range []string{"kira ceza", "vergi mahkemesi", "marka tescili izin", "haciz"} {
		a, err := x.Search(Query{Text: q, Limit: 50, Facets: []string{"status"}})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, q, a.Total, a.Facets, a.Hits)
	}
	return b.String()
}

func TestApplyReplacesAndDeletes(t *testing.T) {
	t.Parallel()
	x := build(t, sample()...)
	if err := x.Apply(2, Change{Put: []Document{doc("tbk:3", "Bağışlama", "Bağışlayan karşılıksız verir.")}, Delete: []string{"ttk:1", "none"}}); err != nil {
		t.Fatal(err)
	}
	wantFirst(t, x, Query{Text: "bağışlama"}, "tbk:3")
	for _, gone := range []string{"satıcı alıcıya", "ticari defter tacir"} {
		for _, id := range ids(t, x, Query{Text: gone, Exact: true}) {
			if id == "ttk:1" {
				t.Errorf("%q finds a deleted document", gone)
			}
		}
	}
	s := x.Snapshot()
	if s.Revision() != 2 || s.Len() != 5 || s.Has("ttk:1") || !s.Has("tbk:3") {
		t.Errorf("revision %d, %d documents", s.Revision(), s.Len())
	}
	if err := x.Apply(3, Change{Put: []Document{{ID: "x"}}}); err == nil || x.Rev() != 2 {
		t.Error("a document against the schema was taken")
	}
}

func TestCompactKeepsScores(t *testing.T) {
	t.Parallel()
	schema := testSchema()
	schema.Tuning.Context = 0 // context is refreshed by a merge on purpose
	docs := randomDocs(300, 4)
	x := buildWith(t, schema, docs[:200]...)
	for i := 200; i < 300; i += 7 {
		if err := x.Apply(int64(i), Change{Put: docs[i:min(i+7, 300)]}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(x.Snapshot().segments); n > maxSmall+1 {
		t.Errorf("%d segments", n)
	}
	if !x.Fragmented() {
		t.Error("a third of the documents is loose, yet nothing to compact")
	}
	before := answers(t, x)
	x.Compact()
	if after := answers(t, x); after != before {
		t.Errorf("answers changed:\n%s\n%s", before, after)
	}
	if len(x.Snapshot().segments) != 1 || x.Fragmented() {
		t.Error("not compact")
	}
}

func TestSearchWhileWriting(t *testing.T) {
	t.Parallel()
	x := build(t, randomDocs(300, 6)...)
	var readers, writers sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			for {
				select {
				case <-stop:
					return
				default:
				}
				a, err := x.Search(Query{Text: "sürüm kira", Limit: 5})
				if err != nil || len(a.Hits) == 0 {
					t.Errorf("%d hits, %v", len(a.Hits), err)
					return
				}
			}
		}()
	}
	writers.Add(2)
	go func() {
		defer writers.Done()
		for rev := int64(2); rev < 60; rev++ {
			d := doc("v:1", "Sürüm", fmt.Sprintf("sürüm%d kira", rev))
			if err := x.Apply(rev, Change{Put: []Document{d}}); err != nil {
				t.Error(err)
			}
			a, err := x.Search(Query{Text: fmt.Sprintf("sürüm%d", rev), Exact: true})
			if err != nil || a.Revision < rev || len(a.Hits) == 0 || a.Hits[0].ID != "v:1" {
				t.Errorf("revision %d is not found at once: %+v, %v", rev, a.Hits, err)
			}
		}
	}()
	go func() {
		defer writers.Done()
		for range 20 {
			x.Compact()
		}
	}()
	writers.Wait()
	close(stop)
	readers.Wait()
	if x.Snapshot().Len() != 301 {
		t.Errorf("%d documents, want 301", x.Snapshot().Len())
	}
}

func TestEmptyIndex(t *testing.T) {
	t.Parallel()
	x := build(t)
	if got := ids(t, x, Query{Text: "kira"}); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	if err := x.Apply(1, Change{Put: sample()}); err != nil {
		t.Fatal(err)
	}
	wantFirst(t, x, Query{Text: "kira bedeli"}, "tbk:1")
}

func TestBuildKeepsLastDuplicate(t *testing.T) {
	t.Parallel()
	x := build(t, doc("a:1", "", "eski metin"), doc("a:1", "", "yepyeni söz"))
	if got := ids(t, x, Query{Text: "eski metin", Exact: true}); len(got) != 0 || x.Snapshot().Len() != 1 {
		t.Errorf("got %v, %d documents", got, x.Snapshot().Len())
	}
	wantFirst(t, x, Query{Text: "yepyeni"}, "a:1")
}

// While a word is being typed, its possible completions are found and marked.
func TestTypingMatchesWordPrefixes(t *testing.T) {
	t.Parallel()
	x := build(t, doc("a:1", "Elif Kaya", "kargom nerede"), doc("a:2", "Kayahan", "elma"), doc("a:3", "Ka", "tek"))
	if got := ids(t, x, Query{Text: "eli", Typing: true}); len(got) != 1 || got[0] != "a:1" {
		t.Errorf("got %v", got)
	}
	a, err := x.Search(Query{Text: "kargom kay", Typing: true})
	if err != nil || len(a.Hits) != 2 || a.Hits[0].ID != "a:1" {
		t.Fatalf("got %+v, %v", a.Hits, err)
	}
	if got := a.Matcher.Highlight("Kayahan Elif <Kaya>"); got != "<em>Kayahan</em> Elif &lt;<em>Kaya</em>&gt;" {
		t.Errorf("marked %s", got)
	}
	if got := ids(t, x, Query{Text: "kay kargom", Typing: true}); len(got) != 1 || got[0] != "a:1" {
		t.Errorf("a word before the last was taken for a beginning: %v", got)
	}
}

// Pages that continue after a place give the same list as a single page.
func TestPagesContinueAfterCursorPlace(t *testing.T) {
	t.Parallel()
	var docs []Document
	for i := range 57 {
		docs = append(docs, doc(fmt.Sprintf("a:%02d", i), "", strings.Repeat("kira ", i%5+1)+strings.Repeat("söz ", i%7)))
	}
	x := build(t, docs...)
	whole, err := x.Search(Query{Text: "kira", Limit: 100})
	if err != nil || len(whole.Hits) != len(docs) || whole.More {
		t.Fatalf("%d hits, %v", len(whole.Hits), err)
	}
	var got []Hit
	for q := (Query{Text: "kira", Limit: 10}); ; {
		page, err := x.Search(q)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page.Hits...)
		if !page.More {
			break
		}
		last := page.Hits[len(page.Hits)-1]
		q.After = &Place{last.Score, last.ID}
	}
	if !slices.Equal(whole.Hits, got) {
		t.Errorf("got %v\nwant %v", got, whole.Hits)
	}
}
