package advisor

import (
	"math"
	"strings"

	"konak/internal/kit/search"
)

// Rules are the constants for ranking provisions, in addition to those of kit/search. Each
// is a separate rule that can be switched off to measure its effect.
type Rules struct {
	Tuning search.Tuning
	Fields FieldWeights

	Cited      float64 // weight of the logarithm of the number of citing laws
	Stub       float64 // factor of provisions that only point elsewhere
	Temporary  float64 // factor of temporary articles
	Subsidiary float64 // factor of regulations and communiqués: the statute comes first
	NamedLaw   float64 // share of the best score for provisions of a law that is named
	Cite       float64 // share for a cited provision among other words
	CutNotes   bool    // leave amendment notes out of the index
	Synonyms   bool
	Citations  bool
}

// FieldWeights are the weights of a word in each field.
type FieldWeights struct{ Text, Heading, Path, Title float64 }

// DefaultRules are the constants measured in docs/advisor-ranking.md.
func DefaultRules() Rules {
	return Rules{
		Tuning: search.DefaultTuning(),
		Fields: FieldWeights{Text: 1, Heading: 5, Path: 3, Title: 2},
		Cited:  .2, Stub: .3, Temporary: .7, Subsidiary: .7,
		NamedLaw: .8, Cite: 1, CutNotes: true, Synonyms: true, Citations: true,
	}
}

// pinShare ranks a provision above everything else: the question is its citation.
const pinShare = 20

// fewWords is the maximum number of other words in a question that counts as a citation.
const fewWords = 2

// Attributes and numbers of provision documents.
const (
	AttrLaw      = "law"
	AttrLawKind  = "kind"
	AttrStatus   = "status"
	NumberIssued = "issued" // gazette day as 20261115, 0 if unknown
)

func (r Rules) schema() search.Schema {
	return search.Schema{
		Fields: []search.Field{
			{Name: "text", Weight: r.Fields.Text, B: .5},
			{Name: "heading", Weight: r.Fields.Heading, B: .75},
			{Name: "path", Weight: r.Fields.Path, B: .75},
			{Name: "title", Weight: r.Fields.Title, B: .5},
		},
		Attrs:   []string{AttrLaw, AttrLawKind, AttrStatus},
		Numbers: []string{NumberIssued},
		Group:   AttrLaw,
		Tuning:  r.Tuning,
	}
}

// document converts a provision into a document for the index.
func (r Rules) document(p *Provision, cited int) search.Document {
	text := p.Text
	if r.CutNotes {
		text = cutNotes(text)
	}
	return search.Document{
		ID:      p.ID,
		Fields:  []string{text, p.Heading, strings.Join(p.Path, "\n"), p.LawTitle},
		Attrs:   []string{p.LawID, p.LawKind, p.Status},
		Numbers: []int32{day(p.GazetteDate)},
		Prior:   r.prior(p, cited),
	}
}

// constitutionCited is used as the citation count of the constitution, since laws obey it
// without citing it by number.
const constitutionCited = 30

func (r Rules) prior(p *Provision, cited int) float64 {
	if p.LawKind == "anayasa" {
		cited = max(cited, constitutionCited)
	}
	prior := 1 + r.Cited*math.Log(1+float64(cited))
	if p.Stub {
		prior *= r.Stub
	}
	switch p.Kind {
	case KindTemporary, KindAdditionalTemporary:
		prior *= r.Temporary
	}
	switch p.LawKind {
	case "teblig", "yonetmelik":
		prior *= r.Subsidiary
	}
	return prior
}

// maxNote is the maximum length of an amendment note in bytes.
const maxNote = 240

// cutNotes removes amendment notes, "(Değişik: 9/11/1983 - 2943/1 md.)": they are about the
// history of the text, not about its subject.
func cutNotes(text string) string {
	open := strings.IndexByte(text, '(')
	if open < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	from := 0
	for open >= 0 {
		rest := text[open+1:]
		end := strings.IndexAny(rest, "()")
		if end >= 0 && end <= maxNote && rest[end] == ')' && isNote(rest[:end]) {
			b.WriteString(text[from:open])
			from = open + 1 + end + 1
		}
		next := strings.IndexByte(text[max(from, open+1):], '(')
		if next < 0 {
			break
		}
		open = max(from, open+1) + next
	}
	b.WriteString(text[from:])
	return b.String()
}

func isNote(inside string) bool {
	s := strings.TrimSpace(inside)
	for _, word := range []string{"Değişik", "Mülga", "Ek:", "Ek fıkra", "Ek bent", "Ek cümle", "Ek paragraf", "İptal", "Yeniden düzenleme"} {
		if strings.HasPrefix(s, word) {
			return true
		}
	}
	return strings.HasSuffix(s, " md.") || strings.HasSuffix(s, " md") || strings.HasSuffix(s, "/md.")
}

// countCited calls note with each law number that the text of a provision cites.
func countCited(p *Provision, note func(no string)) {
	const word = " sayılı"
	for at := 0; ; {
		i := strings.Index(p.Text[at:], word)
		if i < 0 {
			return
		}
		end := at + i
		start := end
		for start > 0 && '0' <= p.Text[start-1] && p.Text[start-1] <= '9' {
			start--
		}
		if start < end {
			note(p.Text[start:end])
		}
		at = end + len(word)
	}
}
