package engine

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// Bounds of an answer. DefaultBound was chosen by the evaluation; see
// docs/assistant.md.
const (
	DefaultBound  = 0.65
	maxCandidates = 3
	maxWords      = 40  // of a question
	quoteBytes    = 700 // of a passage
	// leastLead is how far the best text is ahead of the next; where two answer
	// equally well, neither is sure.
	leastLead = 0.015
	// A text that has every word of the question is sure below the bound, by so much, where
	// no other comes near it.
	wholeEase = 0.15
	wholeNext = 0.7 // the most that the next one has of its confidence
	// What is suggested instead of an answer.
	maxSuggested   = 2
	leastSuggested = 0.4
	hardlyWorse    = 0.85
)

// How well a word of the question stands in a text, by where it stands.
const (
	asSynonym  = 0.9
	asThing    = 0.8  // what is sold, for the word for all of it, and that one for an order
	inSummary  = 0.95 // and in headings
	inLine     = 0.9
	inPassage  = 0.75
	inRest     = 0.5
	sureForm   = 0.95 // of one word: see formsOfOne
	hintShare  = 0.5  // of the weight of a word
	lightShare = 0.3  // the same, of light words
	unseenText = 0.7  // in how many texts a word is that none has
)

// What the confidence is made of. Coverage is the share of the question's words that a
// passage has; it counts in full where the text is about them by its title, summary
// or heading.
const (
	coverageShare = 0.7
	topicShare    = 0.2 // how much of the question is the text's topic
	titleShare    = 0.1 // how much of the title is in the question
	offTopic      = 0.6 // what is left where no word is the topic
	someTopic     = 0.3 // how much of the question makes it a topic
	sameKind      = 0.05
	otherKind     = 0.75 // the title speaks of another thing of that name
	otherChoice   = 0.85 // the question wants one of several, the title does not
	otherCase     = 0.9  // the title speaks of trouble that the question does not have
	oneOfSeveral  = 0.5  // the most that one word of several is worth
	mostTitle     = 0.5  // how much of the title makes a single word the whole of it
)

// asked is a word of a question.
type asked struct {
	word   string
	weight float64
	beside bool // it stands right behind the word before it
	hint   bool // the form of the question asks for it
	heavy  bool // a text that answers has it: it is neither light nor a hint
	// known are the words of the texts that mean it, and how well they do.
	known map[string]float64
}

// in says how well the word stands in a set: 0 where it does not.
func (a *asked) in(set map[string]bool) (best float64) {
	for w, grade := range a.known {
		if grade > best && set[w] {
			best = grade
		}
	}
	return best
}

// Answer finds the passage that answers a question, in the question's language;
// otherwise, where that cannot be told, in the given one. Nothing answers a question in
// a language that the engine does not understand.
func (x *Index) Answer(question, otherwise string, bound float64) Reply {
	out := Reply{Language: DetectLanguage(question, otherwise)}
	q := x.ask(question, out.Language)
	if len(q.words) == 0 {
		return out
	}
	for i := range x.texts {
		if t := &x.texts[i]; t.language == q.language {
			if c, ok := q.score(t); ok {
				out.Candidates = append(out.Candidates, c)
			}
		}
	}
	slices.SortStableFunc(out.Candidates, func(a, b Candidate) int { return cmp.Compare(b.Confidence, a.Confidence) })
	if len(out.Candidates) > 0 && out.Candidates[0].otherIntent { // then nothing is shown as sure
		for i := range out.Candidates {
			c := &out.Candidates[i]
			c.Confidence, c.whole = min(c.Confidence, oneOfSeveral), false
		}
	}
	out.Confident = sure(out.Candidates, bound)
	out.Candidates = out.Candidates[:min(len(out.Candidates), maxCandidates)]
	return out
}

// sure says that the first candidate answers: it reaches the bound and is ahead of the others, or it
// has every word and is far ahead. A bound above the default is taken as it is.
func sure(list []Candidate, bound float64) bool {
	if len(list) == 0 {
		return false
	}
	first, next := list[0], secondOf(list)
	if first.Confidence >= bound {
		return first.Confidence-next >= leastLead
	}
	return first.whole && bound <= DefaultBound && first.Confidence >= bound-wholeEase && next <= wholeNext*first.Confidence
}

// secondOf is the confidence of the best candidate of another text. A long source is several texts
// of one name.
func secondOf(list []Candidate) float64 {
	for _, c := range list {
		if c.Title != list[0].Title || c.URL != list[0].URL {
			return c.Confidence
		}
	}
	return 0
}

// query is a question that was looked up in the words of an index.
type query struct {
	language string
	folded   []string
	words    []asked
	total    float64 // of the words' weights
	heavy    int     // how many of them are
	asks     string
	trouble  bool // it speaks of trouble
	fault    bool // it speaks of a thing with a fault
	// returnsOrder says that it asks for the return of an order and nothing else: of what was in it.
	returnsOrder bool
	wants        bool // it names a thing or wants one, and asks nothing of it
	gives        bool // it asks where its writer sends a thing
	givesBack    bool // the thing goes back or has a fault
}

func (x *Index) ask(question, language string) query {
	question = withoutLetter(question)
	q := query{language: language, folded: foldedWords(question), asks: asksFor(question, language)}
	words := subjects(joinPhrases(slices.Clone(q.folded), language), language)
	words = words[:min(len(words), maxWords)]
	q.folded = q.folded[:min(len(q.folded), 2*maxWords)]
	q.returnsOrder, q.wants = returnsOrder(words, language), wants(q.folded, language)
	for i, w := range words {
		if slices.ContainsFunc(words[:i], func(before string) bool { return sameWord(before, w, language) >= sureForm }) {
			continue
		}
		share := 1.0
		if isLight(w, language) {
			share = lightShare
		}
		x.add(&q, w, share)
		a := &q.words[len(q.words)-1]
		a.beside = i > 0 && q.adjacent(words[i-1], w)
		if a.heavy = share == 1; a.heavy {
			q.heavy++
		}
	}
	q.trouble, q.fault = oneOf(words, troubles[language], language) != "", oneOf(words, faults[language], language) != ""
	q.gives, q.givesBack = gives(q.folded, language), q.fault || oneOf(words, returns[language], language) != ""
	for _, w := range hinted(q.folded, words, language) {
		x.add(&q, w, hintShare)
		q.words[len(q.words)-1].hint = true
	}
	return q
}

// add looks a word up in the words of the texts. It weighs more the fewer texts have it.
func (x *Index) add(q *query, word string, share float64) {
	a := asked{word: word, known: map[string]float64{}}
	means := synonymsOf(word, q.language)
	for w := range x.words[q.language] {
		grade := sameWord(word, w, q.language)
		for _, s := range means {
			if grade >= asSynonym {
				break
			}
			grade = max(grade, asSynonym*sameWord(s, w, q.language))
		}
		if grade < asThing && q.returnsOrder && isOneOf(word, orders[q.language], q.language) && isOneOf(w, things[q.language], q.language) {
			grade = asThing
		}
		if grade > 0 {
			a.known[w] = grade
		}
	}
	own, any := 0, 0
	for i := range x.texts {
		if x.texts[i].language != q.language {
			continue
		}
		switch grade := a.in(x.texts[i].all); {
		case grade > asSynonym:
			own++
			any++
		case grade > 0:
			any++
		}
	}
	if own == 0 {
		own = any
	}
	a.weight = share * x.weight(q.language, own)
	q.words, q.total = append(q.words, a), q.total+a.weight
}

// weight is how much a word that so many texts have tells them apart.
func (x *Index) weight(language string, texts int) float64 {
	return math.Log(1 + float64(x.count[language]+1)/(float64(texts)+unseenText))
}

// evidence is how well each word of a question stands in a text.
type evidence struct {
	topic     []float64 // in title and summary
	anywhere  []float64
	shared    int     // words that it has
	whole     bool    // it has all heavy words, and a single one is most of its title
	title     float64 // how much of its title is in the question
	other     bool    // its title speaks of another thing of that name
	lacksHint bool    // a word that the form of the question asks for is not in it
}

func (q *query) weigh(t *indexedText) evidence {
	e := evidence{topic: make([]float64, len(q.words)), anywhere: make([]float64, len(q.words)), other: q.meansOther(t)}
	e.whole = q.heavy > 0 && !e.other && !q.otherChoice(t)
	for i := range q.words {
		w := &q.words[i]
		e.topic[i], e.anywhere[i] = max(w.in(t.titleWords), inSummary*w.in(t.summary)), w.in(t.all)
		if e.anywhere[i] > 0 {
			e.shared++
		} else if w.heavy {
			e.whole = false
		} else if w.hint {
			e.lacksHint = true
		}
	}
	var have, total float64
	for i, w := range t.title {
		have += t.titleWeights[i] * q.has(w)
		total += t.titleWeights[i]
	}
	if total > 0 {
		e.title = have / total
	}
	e.whole = e.whole && (q.heavy > 1 || e.title >= mostTitle)
	return e
}

// score finds the best passage of a text; false where it shares no word with
// the question.
func (q *query) score(t *indexedText) (best Candidate, ok bool) {
	q = q.about(t)
	e := q.weigh(t)
	if e.shared == 0 {
		return best, false
	}
	var passage indexedSection
	highest := 0.0
	for _, p := range t.passages {
		if c := q.scorePassage(t, &e, p); !ok || c > highest {
			passage, highest, ok = p, c, true
		}
	}
	if ok {
		best = Candidate{Kind: t.Kind, Title: t.Title, URL: t.URL, Excerpt: quote(passage, q.words), Confidence: min(1, highest), whole: e.whole, otherIntent: q.hasOtherIntent(t, &e)}
	}
	return best, ok
}

// scorePassage is the confidence of a passage's best line.
func (q *query) scorePassage(t *indexedText, e *evidence, p indexedSection) (best float64) {
	for _, l := range p.lines {
		run := q.run(l.folded)
		var covered, topic, own float64
		for i := range q.words {
			w := &q.words[i]
			here := w.in(l.words)
			about := max(e.topic[i], inSummary*w.in(p.heading), run*here)
			covered += w.weight * max(about, inLine*here, inPassage*w.in(p.all), inRest*e.anywhere[i])
			topic += w.weight * about
			own += w.weight * here
		}
		covered, topic, own = covered/q.total, topic/q.total, own/q.total
		c := covered * (coverageShare + topicShare*topic + titleShare*max(e.title, run))
		// Of two passages of one text the one with more of the words is better.
		best = max(best, q.correct(c, topic, t, e)+0.001*own)
	}
	return best
}

// correct lowers a confidence for what speaks against the text.
func (q *query) correct(c, topic float64, t *indexedText, e *evidence) float64 {
	c *= offTopic + (1-offTopic)*min(1, topic/someTopic)
	if e.shared == 1 && q.heavy > 1 {
		c = min(c, oneOfSeveral)
	}
	switch {
	case q.asks == "" || t.asks == "":
	case q.asks == t.asks:
		c += sameKind * topic
	default:
		c -= sameKind * topic
	}
	if e.other {
		c *= otherKind
	}
	if q.otherChoice(t) {
		c *= otherChoice
	}
	if t.trouble && !q.trouble {
		c *= otherCase
	}
	return min(1, c)
}

// about is the question as it is put to a text on faults: whatever the texts speak of is a thing that
// may have one.
func (q *query) about(t *indexedText) *query {
	if !q.fault || t.thing == "" {
		return q
	}
	out := *q
	out.words = slices.Clone(q.words)
	for i := range out.words {
		if w := &out.words[i]; w.heavy && len(w.known) > 0 && w.in(t.all) == 0 {
			w.known = maps.Clone(w.known)
			w.known[t.thing] = asThing
		}
	}
	return &out
}

// hasOtherIntent says that the question wants something else of what the text is about: a single word of it counts,
// and the text lacks what the question asks of it (“How much is the duvet?”), or the word is the smaller part of the
// text's title and the question names the thing (“What is your address?”), wants it (“I want to order”) or asks how, where
// or which, and the title does not. Where the writer sends a thing is answered by a text alone that says where,
// unless the thing goes back: then by any but one that says when.
func (q *query) hasOtherIntent(t *indexedText, e *evidence) bool {
	if q.gives {
		return t.asks != asksWhere && (!q.givesBack || t.asks == asksWhen)
	}
	if q.heavy != 1 {
		return false
	}
	how := q.asks == asksHow && t.asks == asksWhen
	where := (q.asks == asksWhere || q.asks == asksWhich) && t.asks == ""
	return e.lacksHint || e.title < mostTitle && (q.wants || how || where)
}

// otherChoice says that the question wants to know which of several, and the text does not say so of itself.
func (q *query) otherChoice(t *indexedText) bool { return q.asks == asksWhich && t.asks != asksWhich }

// has says how well the question has a word of a text.
func (q *query) has(word string) (best float64) {
	for i := range q.words {
		best = max(best, q.words[i].known[word])
	}
	return best
}

// run is the share of the question that stands in a line word for word; 0 where it is
// less than the greater part.
func (q *query) run(line []string) float64 {
	longest := 0
	for i := range q.folded {
		for j := range line {
			n := 0
			for i+n < len(q.folded) && j+n < len(line) && q.folded[i+n] == line[j+n] {
				n++
			}
			longest = max(longest, n)
		}
	}
	if longest < 2 || longest*5 < len(q.folded)*3 {
		return 0
	}
	return float64(longest) / float64(len(q.folded))
}

// meansOther says that the title has a word of the question behind another one, which
// tells things of that name apart: the delivery address is not the e-mail address. A number
// before it does not: "m. 1 Cayma hakkı" is about the right to withdraw.
func (q *query) meansOther(t *indexedText) bool {
	for i := 1; i < len(q.words); i++ {
		if !q.words[i].beside || q.words[i-1].in(t.heads) > 0 {
			continue
		}
		for j := 1; j < len(t.title); j++ {
			if q.words[i].known[t.title[j]] > asSynonym && q.has(t.title[j-1]) == 0 && strings.Trim(t.title[j-1], "0123456789") != "" {
				return true
			}
		}
	}
	return false
}

// adjacent says that two words of the question follow each other.
func (q *query) adjacent(a, b string) bool {
	for i := 1; i < len(q.folded); i++ {
		if normalize(q.folded[i-1], q.language) == a && normalize(q.folded[i], q.language) == b {
			return true
		}
	}
	return false
}
