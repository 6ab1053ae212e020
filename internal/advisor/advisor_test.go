package advisor

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"konak/internal/kit/search"
)

// prov returns a provision of a small corpus written for these tests.
func prov(lawID, no, title, kind, provKind, article, heading, text string) *Provision {
	prefix := map[string]string{KindArticle: "m", KindTemporary: "gec", KindAdditional: "ek", KindRepeated: "muk"}[provKind]
	return &Provision{
		ID: lawID + ":" + prefix + strings.ReplaceAll(article, "/", ""), LawID: lawID, LawNo: no, LawTitle: title,
		LawStatus: StatusInForce, LawKind: kind, Kind: provKind, No: article, Heading: heading, Text: text, Status: StatusInForce,
	}
}

func corpus() []*Provision {
	tbk := func(no, h, t string) *Provision {
		return prov("kanun-6098", "6098", "TÜRK BORÇLAR KANUNU", "kanun", KindArticle, no, h, t)
	}
	vuk := func(kind, no, h, t string) *Provision {
		return prov("kanun-213", "213", "VERGİ USUL KANUNU", "kanun", kind, no, h, t)
	}
	khk := prov("khk-375", "375", "MEMURLARIN AYLIKLARI HAKKINDA KANUN HÜKMÜNDE KARARNAME", "khk", KindAdditional, "30", "Ek ödeme", "Memura ek ödeme yapılır.")
	old := prov("mulga-375", "375", "ESKİ BİR KANUN", "kanun", KindArticle, "1", "Amaç", "Eski amaç yürürlükten kalktı.")
	old.LawStatus, old.Status = StatusRepealed, StatusRepealed
	return []*Provision{
		tbk("49", "Sorumluluk", "Kusurlu bir fiille başkasına zarar veren, bu zararı gidermekle yükümlüdür."),
		tbk("50", "Zararın ispatı", "Zarar gören, zararını ispat yükü altındadır."),
		tbk("315", "Kiracının temerrüdü", "Kiracı kira bedelini ödemezse kiraya veren süre verip sözleşmeyi feshedebilir."),
		prov("kanun-5237", "5237", "TÜRK CEZA KANUNU", "kanun", KindArticle, "141", "Hırsızlık", "Başkasının taşınır malını alan kimse cezalandırılır."),
		prov("kanun-6102", "6102", "TÜRK TİCARET KANUNU", "kanun", KindArticle, "376", "Sermayenin kaybı", "Sermayenin yarısı karşılıksız kalırsa genel kurul toplanır."),
		prov("kanun-2004", "2004", "İCRA VE İFLAS KANUNU", "kanun", KindArticle, "68/A", "İtirazın kaldırılması", "İmzası inkâr edilen senette itirazın kaldırılması istenir."),
		prov("kanun-2709", "2709", "TÜRKİYE CUMHURİYETİ ANAYASASI", "anayasa", KindArticle, "10", "Kanun önünde eşitlik", "Herkes kanun önünde eşittir."),
		prov("kanun-193", "193", "GELİR VERGİSİ KANUNU", "kanun", KindTemporary, "67", "Menkul kıymetler", "Kazançlardan tevkifat yapılır."),
		vuk(KindArticle, "257", "Diğer ödevler", "Defter ve belgeler ibraz edilir."),
		vuk(KindRepeated, "257", "Yetki", "Bakanlık usul belirlemeye yetkilidir."),
		vuk(KindAdditional, "1", "Uzlaşma", "Vergi ziyaı cezasında 6098 sayılı Kanun saklı kalmak üzere uzlaşma yapılır."),
		khk, old,
		prov("teblig-kdv", "9", "KDV UYGULAMA TEBLİĞİ", "teblig", KindArticle, "1", "Hırsızlık hali", "Çalınan taşınır malın vergisi indirilemez."),
	}
}

func seq(list []*Provision) iter.Seq2[*Provision, error] {
	return func(yield func(*Provision, error) bool) {
		for _, p := range list {
			if !yield(p, nil) {
				return
			}
		}
	}
}

func engine(t testing.TB, rules Rules, list []*Provision) *Engine {
	t.Helper()
	e, err := Build(rules, 1, seq(list))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func find(t testing.TB, e *Engine, r Request) []string {
	t.Helper()
	a, err := e.Search(r)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, h := range a.Hits {
		out = append(out, h.ID)
	}
	return out
}

func first(t testing.TB, e *Engine, text, want string) {
	t.Helper()
	if got := find(t, e, Request{Text: text}); len(got) == 0 || got[0] != want {
		t.Errorf("%q: got %v, want %s first", text, got, want)
	}
}

func TestReadCitations(t *testing.T) {
	t.Parallel()
	laws := engine(t, DefaultRules(), corpus()).state.Load().laws
	for text, want := range map[string]string{
		"5237 sayılı kanun 141":                            "kanun-5237:m141",
		"5237 sayılı Türk Ceza Kanunu'nun 141. maddesi":    "kanun-5237:m141",
		"5237 sayili turk ceza kanununun 141 inci maddesi": "kanun-5237:m141",
		"TCK 141":                    "kanun-5237:m141",
		"TCK m.141/1-b":              "kanun-5237:m141",
		"T.C.K. md. 141":             "kanun-5237:m141",
		"tck'nın 141'inci maddesi":   "kanun-5237:m141",
		"Türk Ceza Kanunu madde 141": "kanun-5237:m141",
		"141. madde TCK":             "kanun-5237:m141",
		"6102/376":                   "kanun-6102:m376",
		"6102 376":                   "kanun-6102:m376",
		"TTK m. 376":                 "kanun-6102:m376",
		"VUK mük. 257":               "kanun-213:muk257",
		"VUK mükerrer madde 257":     "kanun-213:muk257",
		"213 sayılı Kanunun mükerrer 257 nci maddesi": "kanun-213:muk257",
		"213 mük. 257":                     "kanun-213:muk257",
		"VUK 257":                          "kanun-213:m257",
		"VUK ek madde 1":                   "kanun-213:ek1",
		"Anayasa 10. madde":                "kanun-2709:m10",
		"Anayasa'nın 10. maddesi":          "kanun-2709:m10",
		"GVK geçici 67":                    "kanun-193:gec67",
		"193 sayılı kanun geçici madde 67": "kanun-193:gec67",
		"375 sayılı KHK ek 30":             "khk-375:ek30",
		"375 sayılı Kanun Hükmünde Kararname ek madde 30": "khk-375:ek30",
		"İİK 68/a":     "kanun-2004:m68A",
		"TBK 49 ve 50": "kanun-6098:m49 kanun-6098:m50",
		"TBK m. 315 uyarınca kiracı temerrüdü nasıl olur": "kanun-6098:m315",
		"TBK'nın kira sözleşmesine ilişkin 315. maddesi":  "kanun-6098:m315",
		"Anayasa Mahkemesi 10. madde":                     "",
		"TTK 2024 yılında değişti mi":                     "",
		"kira 3 ay ödenmezse":                             "",
		"5237":                                            "",
		"madde 141":                                       "",
		"":                                                "",
	} {
		var got []string
		for _, c := range laws.Read(text).Citations {
			got = append(got, c.Provision)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %v, want %q", text, got, want)
		}
	}
}

func TestReadNamesLaws(t *testing.T) {
	t.Parallel()
	laws := engine(t, DefaultRules(), corpus()).state.Load().laws
	for text, want := range map[string]string{
		"TBK'ya göre kira":                 "kanun-6098",
		"borçlar kanununda kira":           "kanun-6098",
		"213 sayılı Kanunda uzlaşma":       "kanun-213",
		"Anayasa Mahkemesi üyeleri":        "",
		"6102 lira ceza":                   "",
		"türk ceza kanunu ve tbk farkı":    "kanun-5237 kanun-6098",
		"657 sayılı Kanun'un 126. maddesi": "",
	} {
		if got := strings.Join(laws.Read(text).Laws, " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestDecreeAndStatuteWithSameNumber(t *testing.T) {
	t.Parallel()
	laws := engine(t, DefaultRules(), corpus()).state.Load().laws
	if got := laws.Read("375 sayılı KHK").Laws; len(got) != 1 || got[0] != "khk-375" {
		t.Errorf("decree: %v", got)
	}
	if got := laws.Read("375 sayılı Kanun").Laws; len(got) != 1 || got[0] != "mulga-375" {
		t.Errorf("statute: %v", got)
	}
}

func FuzzRead(f *testing.F) {
	laws := engine(f, DefaultRules(), corpus()).state.Load().laws
	for _, s := range []string{"TCK m.141/1-b", "5237 sayılı kanun 141", "ek geçici madde", "6102/376/a-1", "mük.", "\xff 1/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range laws.Read(text).Citations {
			if laws.Law(c.LawID) == nil || c.No == "" {
				t.Fatalf("%q: %+v", text, c)
			}
		}
	})
}

func TestCitedArticleRanksFirst(t *testing.T) {
	t.Parallel()
	e := engine(t, DefaultRules(), corpus())
	first(t, e, "TBK m. 50", "kanun-6098:m50")
	first(t, e, "VUK mük. 257 metni", "kanun-213:muk257")
	first(t, e, "TBK m. 315 uyarınca kira bedelini ödemeyen kiracıya hangi süre verilir", "kanun-6098:m315")
	off := DefaultRules()
	off.Citations = false
	if got := find(t, engine(t, off, corpus()), Request{Text: "TBK m. 50"}); len(got) > 0 && got[0] == "kanun-6098:m50" {
		t.Error("found by citation although the rule is off")
	}
}

func TestNamedLawRanksFirst(t *testing.T) {
	t.Parallel()
	first(t, engine(t, DefaultRules(), corpus()), "KDV uygulama tebliği taşınır mal", "teblig-kdv:m1")
}

func TestStatuteComesBeforeCommunique(t *testing.T) {
	t.Parallel()
	first(t, engine(t, DefaultRules(), corpus()), "hırsızlık taşınır mal", "kanun-5237:m141")
	p := &Provision{LawKind: "teblig", Kind: KindArticle}
	if r := DefaultRules(); r.prior(p, 0) >= r.prior(&Provision{LawKind: "kanun", Kind: KindArticle}, 0) {
		t.Error("a communiqué weighs as much as a statute")
	}
}

func TestPrior(t *testing.T) {
	t.Parallel()
	r := DefaultRules()
	plain := r.prior(&Provision{LawKind: "kanun", Kind: KindArticle}, 0)
	if r.prior(&Provision{LawKind: "kanun", Kind: KindArticle}, 50) <= plain {
		t.Error("a law that others cite must weigh more")
	}
	if r.prior(&Provision{LawKind: "anayasa", Kind: KindArticle}, 0) <= plain {
		t.Error("the constitution must weigh more")
	}
	if r.prior(&Provision{LawKind: "kanun", Kind: KindArticle, Stub: true}, 0) >= plain {
		t.Error("a stub must weigh less")
	}
	if r.prior(&Provision{LawKind: "kanun", Kind: KindTemporary}, 0) >= plain {
		t.Error("a temporary article must weigh less")
	}
}

func TestCitedLawsAreCounted(t *testing.T) {
	t.Parallel()
	st := engine(t, DefaultRules(), corpus()).state.Load()
	if st.cited["6098"] != 1 || st.cited["213"] != 0 {
		t.Errorf("cited %v", st.cited)
	}
}

func TestCutNotes(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"(Değişik: 9/11/1983 - 2943/1 md.) Metin (a) bendi.": " Metin (a) bendi.",
		"A (Ek fıkra:30/3/2023-7447/1 md.) B":                "A  B",
		"( Mülga: 1/1/2000) C":                               " C",
		"D (31/5/2006-5510/106 md.) E":                       "D  E",
		"F ((iç içe) G":                                      "F ((iç içe) G",
		"H (kapanmayan":                                      "H (kapanmayan",
		"":                                                   "",
	} {
		if got := cutNotes(in); got != want {
			t.Errorf("cutNotes(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSynonymsFileIsUsed(t *testing.T) {
	t.Parallel()
	first(t, engine(t, DefaultRules(), corpus()), "stopaj", "kanun-193:gec67")
	off := DefaultRules()
	off.Synonyms = false
	if got := find(t, engine(t, off, corpus()), Request{Text: "stopaj", Exact: true}); len(got) != 0 {
		t.Errorf("without synonyms got %v", got)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	list := corpus()
	list[3].GazetteDate = "2004-10-12"
	e := engine(t, DefaultRules(), list)
	if got := find(t, e, Request{Text: "amaç", Status: []string{StatusInForce}}); len(got) != 0 {
		t.Errorf("repealed text found: %v", got)
	}
	if got := find(t, e, Request{Text: "taşınır mal", LawKinds: []string{"teblig"}}); len(got) != 1 {
		t.Errorf("kind: %v", got)
	}
	if got := find(t, e, Request{Text: "taşınır mal", From: "2004-01-01", To: "2004-12-31"}); len(got) != 1 || got[0] != "kanun-5237:m141" {
		t.Errorf("days: %v", got)
	}
	a, err := e.Search(Request{Text: "taşınır mal", Facets: true})
	if err != nil || len(a.Facets[AttrLawKind]) != 2 {
		t.Errorf("facets %v, %v", a.Facets, err)
	}
}

func TestAppliedProvisionIsFoundAtOnce(t *testing.T) {
	t.Parallel()
	e := engine(t, DefaultRules(), corpus())
	added := prov("kanun-9999", "9999", "UZAY TURİZMİ KANUNU", "kanun", KindArticle, "3", "Yolcu", "Uzay yolcusuna bilet verilir.")
	changed := *corpus()[2]
	changed.Text = "Kiracı gecikirse kiraya veren otuz gün mehil verir."
	if err := e.Apply(2, []*Provision{added, &changed}, []string{"kanun-6098:m50"}); err != nil {
		t.Fatal(err)
	}
	first(t, e, "9999 sayılı kanun 3", "kanun-9999:m3")
	first(t, e, "uzay turizmi kanunu yolcu bileti", "kanun-9999:m3")
	first(t, e, "otuz gün mehil", "kanun-6098:m315")
	if got := find(t, e, Request{Text: "TBK m. 50"}); len(got) > 0 && got[0] == "kanun-6098:m50" {
		t.Error("removed provision is still found")
	}
	before := find(t, e, Request{Text: "kiracı zarar"})
	e.Compact()
	if after := find(t, e, Request{Text: "kiracı zarar"}); fmt.Sprint(after) != fmt.Sprint(before) || e.Rev() != 2 {
		t.Errorf("compaction changed %v to %v", before, after)
	}
	if s := e.Stats(); s.Provisions != len(corpus()) || s.Revision != 2 {
		t.Errorf("stats %+v", s)
	}
}

func TestEngineFile(t *testing.T) {
	t.Parallel()
	e := engine(t, DefaultRules(), corpus())
	var b bytes.Buffer
	if _, err := e.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	again, err := Open(DefaultRules(), 1, bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"VUK mük. 257", "kira bedeli", "stopaj"} {
		if x, y := find(t, e, Request{Text: q}), find(t, again, Request{Text: q}); fmt.Sprint(x) != fmt.Sprint(y) {
			t.Errorf("%q: %v before, %v after", q, x, y)
		}
	}
	if _, err := Open(DefaultRules(), 2, bytes.NewReader(b.Bytes())); !errors.Is(err, search.ErrFile) {
		t.Errorf("other revision: %v", err)
	}
	for _, n := range []int{0, 5, 100, b.Len() / 2, b.Len() - 1} {
		if _, err := Open(DefaultRules(), 1, bytes.NewReader(b.Bytes()[:n])); !errors.Is(err, search.ErrFile) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	bad := bytes.Clone(b.Bytes())
	bad[60] ^= 1
	if _, err := Open(DefaultRules(), 1, bytes.NewReader(bad)); !errors.Is(err, search.ErrFile) {
		t.Errorf("damaged: %v", err)
	}
}

func TestReadCorpus(t *testing.T) {
	t.Parallel()
	good, err := json.Marshal(corpus()[0])
	if err != nil {
		t.Fatal(err)
	}
	plain := string(good) + "\n\nnot json\n{\"id\":\"x\"}\n" + string(good) + "\n"
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write([]byte(plain)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{"plain": []byte(plain), "gzip": z.Bytes()} {
		read, lines := 0, []int{}
		for p, err := range ReadCorpus(bytes.NewReader(file)) {
			var row *RowError
			switch {
			case errors.As(err, &row):
				lines = append(lines, row.Line)
			case err != nil:
				t.Fatal(err)
			case p.ID == corpus()[0].ID:
				read++
			}
		}
		if read != 2 || fmt.Sprint(lines) != "[3 4]" {
			t.Errorf("%s: %d rows, bad lines %v", name, read, lines)
		}
	}
	broken := z.Bytes()[:len(z.Bytes())-9]
	var failed error
	for _, err := range ReadCorpus(bytes.NewReader(broken)) {
		failed = err
	}
	if failed == nil {
		t.Error("a cut file was read without an error")
	}
}

func TestDayAndLabel(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int32{"2026-11-15": 20261115, "": 0, "2001-06-39": 0, "20011-6-3": 0, "abcd-ef-gh": 0} {
		if got := day(in); got != want {
			t.Errorf("day(%q) = %d", in, got)
		}
	}
	p := corpus()[9]
	if got := p.Label("VUK"); got != "VUK mük. m. 257" {
		t.Error(got)
	}
	if got := p.Label(""); got != "213 sayılı Kanun mük. m. 257" {
		t.Error(got)
	}
}

func TestDataFilesAreValid(t *testing.T) {
	t.Parallel()
	if _, err := newEngine(DefaultRules()); err != nil {
		t.Error(err)
	}
	if _, err := parseAliases(strings.NewReader("TTK kanun 6102")); err == nil {
		t.Error("a line without = was accepted")
	}
}
