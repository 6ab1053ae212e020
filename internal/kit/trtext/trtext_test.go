package trtext

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLower(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"ISPARTA": "ısparta", "İSTANBUL": "istanbul", "i\u0307l": "il", "ŞĞÜÖÇ": "şğüöç", "ÂÎÛ": "âîû", "": "", "Kârı": "kârı",
	} {
		if got := LowerString(in); got != want {
			t.Errorf("LowerString(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFoldIsTheSameWithAndWithoutDiacritics(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"İŞÇİ ÜCRETİ": "isci ucreti", "isci ucreti": "isci ucreti", "Işık": "isik", "ISIK": "isik",
		"hükmî şahıs": "hukmi sahis", "lâik": "laik", "s\u0327u\u0308kru\u0308": "sukru",
	} {
		if got := Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
}

func scanAll(text string) []string {
	var s Scanner
	s.Reset(text)
	var out []string
	for s.Next() {
		out = append(out, string(s.Term())+"|"+text[s.Start():s.End()])
	}
	return out
}

func TestScanner(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"words", "Kira bedeli, ödenir.", []string{"kira|Kira", "bedeli|bedeli", "odenir|ödenir"}},
		{"apostrophe", "TBK'nın Türkiye’de", []string{"tbk|TBK'nın", "turkiye|Türkiye’de"}},
		{"quotes are no apostrophe", "'Belge' tanımı", []string{"belge|Belge", "tanimi|tanımı"}},
		{"initials", "A.Ş. ile K.D.V tutarı", []string{"as|A.Ş.", "ile|ile", "kdv|K.D.V", "tutari|tutarı"}},
		{"no initials", "m.138 a. fıkra", []string{"m|m", "138|138", "a|a", "fikra|fıkra"}},
		{"grouped digits", "300.000 TL, 1.5", []string{"300000|300.000", "tl|TL", "1|1", "5|5"}},
		{"digits and letters", "36/A 141inci", []string{"36|36", "a|A", "141|141", "inci|inci"}},
		{"decomposed", "o\u0308deme", []string{"odeme|o\u0308deme"}},
		{"nothing", " …!? \xff\xfe", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := scanAll(c.text); strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestScannerCutsEndlessWords(t *testing.T) {
	t.Parallel()
	var s Scanner
	s.Reset(strings.Repeat("a", 10_000) + " b")
	if !s.Next() || len(s.Term()) != MaxTerm || s.End() != 10_000 {
		t.Fatalf("term of %d bytes ending at %d", len(s.Term()), s.End())
	}
	if !s.Next() || string(s.Term()) != "b" {
		t.Fatal("the word after an endless one is lost")
	}
}

func TestScannerDoesNotAllocate(t *testing.T) {
	var s Scanner
	text := "Kiracı, kira bedelini ödemekle yükümlüdür."
	s.Reset(text)
	for s.Next() {
	}
	if n := testing.AllocsPerRun(10, func() {
		s.Reset(text)
		for s.Next() {
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestStemJoinsForms(t *testing.T) {
	t.Parallel()
	for _, forms := range []string{
		"kanun kanunlar kanunlarda kanunlarinin kanununda",
		"sozlesme sozlesmesi sozlesmesinin sozlesmeler sozlesmede sozlesmelerden sozlesmeye",
		"isveren isverenlerin isverenlere isverenler",
		"kitap kitabi kitabin kitaplar",
		"alacak alacagi alacagin alacaklar",
		"mahkeme mahkemesi mahkemenin mahkemeler mahkemeye",
		"kiraci kiracinin kiraciya kiracilar kiracisi",
		"tazminat tazminati tazminatin tazminatlar tazminattan",
	} {
		var want string
		for i, f := range strings.Fields(forms) {
			got := string(Stem([]byte(f)))
			if i == 0 {
				want = got
			}
			if got != want {
				t.Errorf("Stem(%q) = %q, its first form gives %q", f, got, want)
			}
		}
	}
}

func TestStemKeepsShortWords(t *testing.T) {
	t.Parallel()
	for _, w := range []string{"", "a", "is", "kira", "dava", "ceza", "2023", "tbk"} {
		if got := string(Stem([]byte(w))); got != w {
			t.Errorf("Stem(%q) = %q", w, got)
		}
	}
}

func TestStemLeavesItsInputAlone(t *testing.T) {
	t.Parallel()
	in := []byte("kitabi")
	Stem(in)
	if string(in) != "kitabi" {
		t.Errorf("input became %q", in)
	}
}

func TestStripPerson(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"markam": "marka", "markami": "marka", "kiraciyim": "kiraci", "verirsem": "verir",
		"beyannamemi": "beyanname", "kira": "kira", "evim": "evim",
	} {
		if got := string(StripPerson([]byte(in))); got != want {
			t.Errorf("StripPerson(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestStopWordsAreFolded(t *testing.T) {
	t.Parallel()
	for w := range stopWords {
		if Fold(w) != w {
			t.Errorf("%q is not folded and can never match", w)
		}
	}
	if !IsStop("nedir") || IsStop("kira") {
		t.Error("nedir must be a stop word, kira must not")
	}
}

func FuzzScanner(f *testing.F) {
	for _, s := range []string{"TBK'nın 315. maddesi", "A.Ş.", "\xffı\u0307", "300.000,50", "’’a'", "K.D.V.'nin"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s Scanner
		s.Reset(text)
		last := 0
		for s.Next() {
			if s.Start() < last || s.End() <= s.Start() || s.End() > len(text) {
				t.Fatalf("span %d:%d after %d in %d bytes", s.Start(), s.End(), last, len(text))
			}
			if len(s.Term()) == 0 {
				t.Fatal("empty term")
			}
			if utf8.ValidString(text) && !utf8.ValidString(text[s.Start():s.End()]) {
				t.Fatal("span cuts a rune")
			}
			Stem(append([]byte(nil), s.Term()...))
			StripPerson(append([]byte(nil), s.Term()...))
			last = s.End()
		}
	})
}

func FuzzFold(f *testing.F) {
	f.Add("İŞÇİ")
	f.Add("\xc4")
	f.Fuzz(func(t *testing.T, s string) {
		if once := Fold(s); Fold(once) != once {
			t.Fatalf("folding twice differs: %q, %q", once, Fold(once))
		}
	})
}

func TestCutSplitsNoCharacter(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "düz", "şğıöç", "中文字", "a😀b😀c"} {
		for n := range len(s) + 2 {
			got := Cut(s, n)
			if len(got) > n || !strings.HasPrefix(s, got) || !utf8.ValidString(got) || len(got) < min(len(s), n)-3 {
				t.Errorf("Cut(%q, %d) is %q", s, n, got)
			}
		}
	}
}

// Everything that changes the direction of writing is found, and nothing else.
func TestDirectionMarks(t *testing.T) {
	t.Parallel()
	const marks = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
	for r := rune(0); r < 0x3000; r++ {
		if IsDirectionMark(r) != strings.ContainsRune(marks, r) {
			t.Errorf("wrong about %U", r)
		}
	}
	if got := Plain("a" + marks + "b\tc"); got != "ab c" {
		t.Errorf("got %q", got)
	}
}
