package engine

import (
	"cmp"
	"maps"
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
	Language string // "" if unknown
	Summary  string
	Sections []Section
}

// Section is a part of a text. Its lines are paragraphs, list items or rows.
type Section struct {
	Heading string
	Body    string
}

// Index holds the texts of a workspace for Answer. It is immutable.
type Index struct {
	texts []indexedText
	size  int
	words map[string]map[string]int // by language: number of texts with each word
	count map[string]int            // number of texts in each language
}

type indexedText struct {
	*Text
	language string
	title    []string // words of the title, in order
	// titleWords is the same as a set, and titleWeights holds the weight of each word.
	titleWords   map[string]bool
	titleWeights []float64
	summary      map[string]bool
	all          map[string]bool // words of the whole text
	heads        map[string]bool // words of title, summary and headings
	asks         string          // what the title asks for
	trouble      bool            // the title is about a problem
	thing        string          // the title's general word for the faulty thing
	passages     []indexedSection
}

type indexedSection struct {
	*Section
	heading map[string]bool
	lines   []indexedLine
	all     map[string]bool
}

type indexedLine struct {
	words  map[string]bool
	folded []string // every word, in order
}

// NewIndex builds an index.
func NewIndex(texts []Text) *Index {
	x := &Index{words: map[string]map[string]int{}, count: map[string]int{}}
	for i := range texts {
		t := indexText(&texts[i])
		for _, p := range t.passages {
			x.size += len(p.Heading) + len(p.Body)
		}
		if x.words[t.language] == nil {
			x.words[t.language] = map[string]int{}
		}
		for w := range t.all {
			x.words[t.language][w]++
		}
		x.count[t.language]++
		x.texts = append(x.texts, t)
	}
	x.weighTitles()
	return x
}

// weighTitles weighs each title word by the number of texts that contain its stem.
func (x *Index) weighTitles() {
	stems := map[string]int{}
	for i := range x.texts {
		t, seen := &x.texts[i], map[string]bool{}
		for w := range t.all {
			if key := t.language + " " + stemOf(w, t.language); !seen[key] {
				seen[key] = true
				stems[key]++
			}
		}
	}
	for i := range x.texts {
		t := &x.texts[i]
		for _, w := range t.title {
			t.titleWeights = append(t.titleWeights, x.weight(t.language, stems[t.language+" "+stemOf(w, t.language)]))
		}
	}
}

func indexText(text *Text) indexedText {
	t := indexedText{Text: text, language: text.Language}
	if t.language != Turkish && t.language != English {
		if t.language = DetectLanguage(t.Title+" "+t.firstBody(), Turkish); t.language == Other {
			t.language = Turkish
		}
	}
	t.title, t.summary = subjects(joinPhrases(foldedWords(t.Title), t.language), t.language), setOf(subjectWords(t.Summary, t.language))
	t.asks = cmp.Or(asksFor(t.Title, t.language), asksFor(t.Summary, t.language))
	t.titleWords, t.all = setOf(t.title), setOf(t.title)
	maps.Copy(t.all, t.summary)
	t.heads, t.trouble = maps.Clone(t.all), oneOf(t.title, troubles[t.language], t.language) != ""
	if oneOf(t.title, faults[t.language], t.language) != "" {
		t.thing = oneOf(t.title, things[t.language], t.language)
	}
	for i := range t.Sections {
		s := indexedSection{Section: &t.Sections[i], heading: setOf(subjectWords(t.Sections[i].Heading, t.language))}
		s.all = maps.Clone(s.heading)
		maps.Copy(t.heads, s.heading)
		for line := range strings.SplitSeq(s.Body, "\n") {
			l := indexedLine{setOf(subjectWords(withoutPaths(line), t.language)), foldedWords(line)}
			maps.Copy(s.all, l.words)
			s.lines = append(s.lines, l)
		}
		maps.Copy(t.all, s.all)
		t.passages = append(t.passages, s)
	}
	return t
}

// Language returns the language whose texts have most of a message's words; "" if that is
// undecided. If all texts are in one language, it returns that one.
func (x *Index) Language(message string) string {
	if len(x.count) == 1 {
		return slices.Collect(maps.Keys(x.count))[0]
	}
	count := func(language string) (n int) {
		for _, w := range subjectWords(withoutLetter(message), language) {
			if x.words[language][w] > 0 {
				n++
			}
		}
		return n
	}
	switch turkish, english := count(Turkish), count(English); {
	case turkish > english:
		return Turkish
	case english > turkish:
		return English
	}
	return ""
}

// Size returns the number of bytes of text in the index.
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
	whole      bool // the text has every heavy word of the question
	// otherIntent means that the question wants something other than what the text is
	// about.
	otherIntent bool
}

// Reply is the engine's result for a question.
type Reply struct {
	Language string
	// Candidates are the best passages, best first.
	Candidates []Candidate
	// Confident means that the first candidate answers the question.
	Confident bool
}

// Suggested returns texts that a customer can read when nothing answers the question: the
// best one, and another that is hardly worse.
func (r *Reply) Suggested() (out []Candidate) {
	if r.Confident {
		return nil
	}
	for _, c := range r.Candidates {
		twice := slices.ContainsFunc(out, func(o Candidate) bool { return o.URL == c.URL })
		if c.URL != "" && !twice && len(out) < maxSuggested && c.Confidence >= max(leastSuggested, hardlyWorse*r.Candidates[0].Confidence) {
			out = append(out, c)
		}
	}
	return out
}

// quote returns the part of a passage that is shown: all of it if it is short, else the
// lines from the one with most of the question's words.
func quote(p indexedSection, words []asked) string {
	if len(p.Body) <= quoteBytes {
		return p.Body
	}
	lines := strings.Split(p.Body, "\n")
	best, most := 0, -1.0
	for i := range lines {
		have := 0.0
		for _, w := range words {
			have += w.in(p.lines[i].words)
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
