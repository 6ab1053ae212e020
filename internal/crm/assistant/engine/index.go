package engine

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"konak/internal/kit/trtext"
)

// Kinds of texts.
const (
	Article     = "article"
	CannedReply = "canned_reply"
	Website     = "website"
	File        = "file"
	Provision   = "provision"
)

// Text is something that a workspace released for answers.
type Text struct {
	Kind     string
	Title    string
	URL      string
	Language string // "" where it is not known
	Summary  string
	Sections []Section
}

// Section is a part of a text. Its lines are paragraphs, list items or rows.
type Section struct {
	Heading string
	Body    string
}

// Index holds the texts of a workspace for Answer. It never changes.
type Index struct {
	texts     []indexedText
	size      int
	frequency map[string]int // in how many texts of a language a word is, by language and word
	count     map[string]int // how many texts a language has
}

type indexedText struct {
	*Text
	language string
	title    map[string]bool // words of title and summary
	all      map[string]bool // words of the whole text
	passages []indexedSection
}

type indexedSection struct {
	*Section
	words map[string]bool
}

// NewIndex makes an index.
func NewIndex(texts []Text) *Index {
	x := &Index{frequency: map[string]int{}, count: map[string]int{}}
	for i := range texts {
		t := indexedText{Text: &texts[i], language: texts[i].Language}
		if t.language != Turkish && t.language != English {
			t.language = DetectLanguage(t.Title+" "+t.firstBody(), Turkish)
		}
		t.title = setOf(subjectWords(t.Title+" "+t.Summary, t.language))
		t.all = maps.Clone(t.title)
		for j := range t.Sections {
			s := indexedSection{&t.Sections[j], setOf(subjectWords(t.Sections[j].Heading+" "+t.Sections[j].Body, t.language))}
			t.passages = append(t.passages, s)
			x.size += len(s.Heading) + len(s.Body)
			for w := range s.words {
				t.all[w] = true
			}
		}
		for w := range t.all {
			x.frequency[t.language+" "+w]++
		}
		x.count[t.language]++
		x.texts = append(x.texts, t)
	}
	return x
}

// Size is how many bytes of text the index holds.
func (x *Index) Size() int { return x.size }

func (t *Text) firstBody() string {
	if len(t.Sections) == 0 {
		return ""
	}
	return t.Sections[0].Body
}

func setOf(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// Candidate is a passage that was considered for an answer.
type Candidate struct {
	Kind       string
	Title      string
	URL        string
	Excerpt    string
	Confidence float64
}

// Reply is what the engine makes of a question.
type Reply struct {
	Language string
	// Candidates are the best passages, the best first.
	Candidates []Candidate
	// Confident says that the first candidate answers the question.
	Confident bool
}

// Bounds of an answer. DefaultBound was chosen by the evaluation; see
// docs/assistant.md.
const (
	DefaultBound  = 0.56
	maxCandidates = 3
	maxWords      = 40  // of a question
	quoteBytes    = 700 // of a passage
)

// Weights of how a word of the question stands in a passage.
const (
	sameWord  = 1.0
	similar   = 0.8 // its first five letters, or a synonym
	alike     = 0.6 // its first four letters
	elsewhere = 0.6 // it is in another passage of the text
	// singleWordLimit is the most that one word of several is worth.
	singleWordLimit = 0.5
	titleShare      = 0.3 // of the confidence: how much of the question its title has
)

// Answer finds the passage that answers a question, in the question's language;
// otherwise, where that cannot be told, in the given one.
func (x *Index) Answer(question, otherwise string, bound float64) Reply {
	language := DetectLanguage(question, otherwise)
	if language != Turkish && language != English {
		language = Turkish
	}
	out := Reply{Language: language}
	words := questionWords(question, language)
	if len(words) == 0 {
		return out
	}
	for i := range x.texts {
		if t := &x.texts[i]; t.language == language {
			if c, ok := x.score(t, words); ok {
				out.Candidates = append(out.Candidates, c)
			}
		}
	}
	slices.SortStableFunc(out.Candidates, func(a, b Candidate) int { return cmp.Compare(b.Confidence, a.Confidence) })
	out.Candidates = out.Candidates[:min(len(out.Candidates), maxCandidates)]
	out.Confident = len(out.Candidates) > 0 && out.Candidates[0].Confidence >= bound
	return out
}

// weight is how much a word tells the texts of a language apart.
func (x *Index) weight(word, language string) float64 {
	n := float64(x.count[language])
	return math.Log(1 + (n+1)/(float64(x.frequency[language+" "+word])+0.5))
}

// score finds the best passage of a text; false where it shares no word with
// the question.
func (x *Index) score(t *indexedText, words []string) (best Candidate, ok bool) {
	var total, inTitle float64
	shared := 0
	weights, titles, anywhere := make([]float64, len(words)), make([]float64, len(words)), make([]float64, len(words))
	for i, w := range words {
		weights[i], titles[i] = x.weight(w, t.language), matchWord(w, t.title, t.language)
		anywhere[i] = matchWord(w, t.all, t.language)
		total += weights[i]
		inTitle += weights[i] * titles[i]
		if anywhere[i] > 0 {
			shared++
		}
	}
	limit := 1.0
	if shared == 1 && len(words) > 1 {
		limit = singleWordLimit
	}
	highest := 0.0
	for _, p := range t.passages {
		var covered, own float64
		for i, w := range words {
			m := matchWord(w, p.words, t.language)
			covered += weights[i] * max(m, titles[i], elsewhere*anywhere[i])
			own += weights[i] * m
		}
		if covered == 0 {
			continue
		}
		confidence := (1-titleShare)*covered/total + titleShare*min(1, inTitle/total*1.5)
		// Of two passages of one text the one with more of the words is better.
		if ranked := confidence + 0.001*own/total; !ok || ranked > highest {
			best = Candidate{Kind: t.Kind, Title: t.Title, URL: t.URL, Excerpt: quote(p, words, t.language), Confidence: min(limit, ranked)}
			highest, ok = ranked, true
		}
	}
	return best, ok
}

// matchWord says how well a word stands in a set: 0 where it does not.
func matchWord(word string, set map[string]bool, language string) float64 {
	if set[word] {
		return sameWord
	}
	for _, s := range synonyms[language][word] {
		if set[s] {
			return similar
		}
	}
	best := 0.0
	for other := range set {
		switch n := sharedLetters(word, other); {
		case n >= 5:
			return similar
		case n == 4 && best == 0:
			best = alike
		}
	}
	return best
}

// sharedLetters counts the letters that two words begin with.
func sharedLetters(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// quote cuts what is shown of a passage: all of it where it is short, else the
// lines from the one that has most of the question's words.
func quote(p indexedSection, words []string, language string) string {
	if len(p.Body) <= quoteBytes {
		return p.Body
	}
	lines := strings.Split(p.Body, "\n")
	best, most := 0, -1.0
	for i, line := range lines {
		set, have := setOf(subjectWords(line, language)), 0.0
		for _, w := range words {
			have += matchWord(w, set, language)
		}
		if have > most {
			best, most = i, have
		}
	}
	out := lines[best]
	for _, line := range lines[best+1:] {
		if len(out)+1+len(line) > quoteBytes {
			break
		}
		out += "\n" + line
	}
	return trtext.Cut(out, quoteBytes)
}
