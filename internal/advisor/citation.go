package advisor

import (
	"slices"
	"strings"

	"konak/internal/kit/trtext"
)

// Citation is a provision that a question names: "TTK m. 376".
type Citation struct {
	LawID     string
	Kind      string
	No        string
	Provision string // its id, "" if the law has no such provision
}

// Reading is what the parser understood of a question.
type Reading struct {
	Citations []Citation
	Laws      []string // ids of the laws named, cited or not, in order
	Rest      int      // number of meaningful words outside citations
}

// token is a word of the question with the separator before it.
type token struct {
	text   string // folded
	stem   string
	before string // separator in front, for "/" and "-"
	number bool
	used   bool
}

// lawRef is a law named by the tokens [from, to).
type lawRef struct {
	law      *Law
	from, to int
}

// articleRef is a provision named by the tokens [from, to). A bare number is an article
// only directly after a law.
type articleRef struct {
	kind, no string
	from, to int
	bare     bool
}

// maxGap is the maximum number of words between a law and its article: "TBK'nın kira
// sözleşmesine ilişkin 315. maddesi".
const maxGap = 6

// Read finds the laws and provisions that a question names.
func (l *Laws) Read(question string) Reading {
	tokens := tokenize(question)
	laws := l.findLaws(tokens)
	articles := findArticles(tokens, laws)
	var r Reading
	for _, ref := range laws {
		if !slices.Contains(r.Laws, ref.law.ID) {
			r.Laws = append(r.Laws, ref.law.ID)
		}
		markUsed(tokens, ref.from, ref.to)
	}
	for _, a := range articles {
		law := owner(laws, a)
		if law == nil {
			continue
		}
		markUsed(tokens, a.from, a.to)
		c := Citation{LawID: law.ID, Kind: a.kind, No: a.no, Provision: l.Provision(law.ID, a.kind, a.no)}
		if !slices.Contains(r.Citations, c) {
			r.Citations = append(r.Citations, c)
		}
	}
	for _, t := range tokens {
		if !t.used && !trtext.IsStop(t.text) && !filler(t) {
			r.Rest++
		}
	}
	return r
}

func tokenize(question string) []token {
	var scan trtext.Scanner
	scan.Reset(question)
	var out []token
	last := 0
	for scan.Next() {
		text := string(scan.Term())
		out = append(out, token{
			text: text, stem: citeStem([]byte(text)),
			before: question[last:scan.Start()], number: text[0] >= '0' && text[0] <= '9',
		})
		last = scan.End()
	}
	return out
}

func markUsed(tokens []token, from, to int) {
	for i := from; i < to; i++ {
		tokens[i].used = true
	}
}

// filler reports whether a word is part of how citations are phrased and asks for nothing
// else.
func filler(t token) bool {
	switch t.stem {
	case "kanun", "madde", "sayili", "sayi", "fikra", "bent", "cumle", "metn", "metin", "hukm", "hukum", "goster", "oku", "nokt", "turk":
		return true
	}
	return t.number || len(t.text) == 1
}

// findLaws finds "5237 sayılı … Kanun", abbreviations and titles, preferring the longest
// name.
func (l *Laws) findLaws(tokens []token) []lawRef {
	var out []lawRef
	for i := 0; i < len(tokens); {
		if ref, ok := l.lawAt(tokens, i); ok {
			out = append(out, ref)
			i = ref.to
		} else {
			i++
		}
	}
	return out
}

func (l *Laws) lawAt(tokens []token, i int) (lawRef, bool) {
	t := tokens[i]
	if t.number {
		return l.numberedAt(tokens, i)
	}
	for _, name := range l.names[t.stem] {
		if end := i + len(name.stems); end <= len(tokens) && matchesStems(tokens[i:end], name.stems) {
			if end < len(tokens) && institution(tokens[end]) {
				return lawRef{}, false // Anayasa Mahkemesi, Gümrük Kanunu Komisyonu …
			}
			return lawRef{name.law, i, end}, true
		}
	}
	return lawRef{}, false
}

func matchesStems(tokens []token, stems []string) bool {
	for i, s := range stems {
		if tokens[i].stem != s {
			return false
		}
	}
	return true
}

func institution(t token) bool {
	switch t.stem {
	case "mahkeme", "komisyon", "kurul", "degisiklik", "yargi":
		return true
	}
	return false
}

// numberedAt parses a law by its number: "5237 sayılı Türk Ceza Kanunu", "375 sayılı KHK",
// "6102/376", or "6102 376" if there are no other words.
func (l *Laws) numberedAt(tokens []token, i int) (lawRef, bool) {
	no := strings.TrimLeft(tokens[i].text, "0")
	if i+1 >= len(tokens) {
		return lawRef{}, false
	}
	next := tokens[i+1]
	switch next.text {
	case "sayili", "sayi", "nolu", "no", "numarali", "sk", "s":
		return l.titledAt(tokens, i, no)
	}
	// "213 mük. 257", "6102 madde 376": the provision must follow directly, otherwise the
	// number is an article itself ("126. maddesine göre").
	place := (placeWord(next.text) != "" || articleWord(next)) && i+2 < len(tokens) &&
		(tokens[i+2].number || articleWord(tokens[i+2]) && i+3 < len(tokens) && tokens[i+3].number)
	pair := next.number && (next.before == "/" || len(tokens) == 2)
	if len(no) >= 3 && (pair || place) && (i == 0 || !articleWord(tokens[i-1])) {
		if law := l.numbered(no, anyKind); law != nil {
			return lawRef{law, i, i + 1}, true
		}
	}
	return lawRef{}, false
}

// titledAt parses what follows "5237 sayılı": up to ten words of title that end with the
// word for a law, which also distinguishes a statute from a decree.
func (l *Laws) titledAt(tokens []token, i int, no string) (lawRef, bool) {
	end, kind := i+2, anyKind
	for k := i + 2; k < len(tokens) && k < i+12 && !tokens[k].number; k++ {
		if fits := kindOf(tokens, k); fits != nil {
			end, kind = k+1, fits
			if k+2 < len(tokens) && tokens[k].stem == "kanun" && tokens[k+2].stem == "kararname" {
				end = k + 3
			}
			break
		}
		if articleWord(tokens[k]) {
			break
		}
	}
	law := l.numbered(no, kind)
	if law == nil {
		law = l.numbered(no, anyKind)
	}
	if law == nil {
		return lawRef{}, false
	}
	return lawRef{law, i, end}, true
}

func anyKind(string) bool { return true }

// kindOf returns a test for the kinds of law that the word at k names; nil if it names
// none.
func kindOf(tokens []token, k int) func(string) bool {
	is := func(kinds ...string) func(string) bool {
		return func(kind string) bool { return slices.Contains(kinds, kind) }
	}
	switch tokens[k].stem {
	case "kanun", "yasa":
		if k+2 < len(tokens) && tokens[k+2].stem == "kararname" {
			return is("khk")
		}
		return is("kanun", "anayasa")
	case "anayasa":
		return is("anayasa")
	case "khk":
		return is("khk")
	case "cbk":
		return is("cbk")
	case "kararname":
		return is("cbk", "khk")
	case "yonetmelik":
		return is("yonetmelik")
	case "teblig":
		return is("teblig")
	}
	return nil
}

// articleWord reports whether a token is the word for an article.
func articleWord(t token) bool {
	switch t.text {
	case "m", "md", "mad":
		return true
	}
	return t.stem == "madde"
}

// placeWord returns the kind of provision that a word announces; "" for none.
func placeWord(word string) string {
	switch word {
	case "muk", "mukerrer":
		return KindRepeated
	case "gec", "gecici":
		return KindTemporary
	case "ek":
		return KindAdditional
	}
	return ""
}

func ordinal(word string) bool {
	switch word {
	case "inci", "nci", "ncu", "uncu":
		return true
	}
	return false
}
