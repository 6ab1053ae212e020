package engine

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// Limits of an answer. DefaultBound was chosen by the evaluation; see docs/assistant.md.
const (
	DefaultBound  = 0.65
	maxCandidates = 3
	maxWords      = 40  // of a question
	quoteBytes    = 700 // of a passage
	// leastLead is the lead that the best text needs over the next; if two answer equally
	// well, neither is sure.
	leastLead = 0.015
	// A text that has every word of the question is sure even this far below the bound, if
	// no other comes near it.
	wholeEase = 0.15
	wholeNext = 0.7 // maximum confidence of the next one, as a share
	// Limits for suggestions instead of an answer.
	maxSuggested   = 2
	leastSuggested = 0.4
	hardlyWorse    = 0.85
)

// How much a word of the question counts in a text, by how and where it occurs.
const (
	asSynonym  = 0.9
	asThing    = 0.8  // a thing for the general word for things, and that word for an order
	inSummary  = 0.95 // and in headings
	inLine     = 0.9
	inPassage  = 0.75
	inRest     = 0.5
	sureForm   = 0.95 // two forms of one word: see formsOfOne
	hintShare  = 0.5  // of the weight of a word
	lightShare = 0.3  // the same, of light words
	unseenText = 0.7  // assumed number of texts with a word that none has
)

// Factors of the confidence. Coverage is the share of the question's words that a passage
// has; it counts in full if the title, summary or heading is about them.
const (
	coverageShare = 0.7
	topicShare    = 0.2 // how much of the question is the text's topic
	titleShare    = 0.1 // how much of the title is in the question
	offTopic      = 0.6 // factor if no word is the topic
	someTopic     = 0.3 // share of the question that makes it the topic
	sameKind      = 0.05
	otherKind     = 0.75 // the title is about another thing with that name
	otherChoice   = 0.85 // the question asks which of several, the text does not
	otherCase     = 0.9  // the title is about a problem, the question is not
	oneOfSeveral  = 0.5  // maximum for a single matching word of several
	mostTitle     = 0.5  // share of the title that a single word must have
)

// asked is a word of a question.
type asked struct {
	word   string
	weight float64
	beside bool // it directly follows the previous word
	hint   bool // implied by the form of the question
	heavy  bool // an answer must have it: it is neither light nor a hint
	// known maps the words of the texts that mean the same to how well they match.
	known map[string]float64
}

// in returns how well the word matches a set of words: 0 if it does not.
func (a *asked) in(set map[string]bool) (best float64) {
	for w, grade := range a.known {
		if grade > best && set[w] {
			best = grade
		}
	}
	return best
}

// Answer finds the passage that answers a question, in the question's language, or in the
// given one if its language is undecided. A question in a language that the engine does not
// understand has no answer.
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
	if len(out.Candidates) > 0 && out.Candidates[0].otherIntent { // then nothing is sure
		for i := range out.Candidates {
			c := &out.Candidates[i]
			c.Confidence, c.whole = min(c.Confidence, oneOfSeveral), false
		}
	}
	out.Confident = sure(out.Candidates, bound)
	out.Candidates = out.Candidates[:min(len(out.Candidates), maxCandidates)]
	return out
}

// sure reports whether the first candidate answers: it reaches the bound with a lead over
// the others, or it has every word and is far ahead. The second case does not apply to a
// bound above the default.
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

// secondOf returns the confidence of the best candidate from another text. A long source is
// split into several texts with the same name.
func secondOf(list []Candidate) float64 {
	for _, c := range list {
		if c.Title != list[0].Title || c.URL != list[0].URL {
			return c.Confidence
		}
	}
	return 0
}

// query is a question matched against the words of an index.
type query struct {
	language string
	folded   []string
	words    []asked
	total    float64 // of the words' weights
	heavy    int     // number of heavy words
	asks     string
	trouble  bool // it is about a problem
	fault    bool // it is about a faulty thing
	// returnsOrder means that the question is only about returning an order, that is, what
	// was in it.
	returnsOrder bool
	wants        bool // it only names a thing or wants one
	gives        bool // it asks where to send a thing
	givesBack    bool // the thing goes back or has a fault
}

func (x *Index) ask(question, language string) query {
	question = withoutLetter(question)
	q := query{language: language, folded: foldedWords(question), asks: asksFor(question, language)}
	words := subjects(joinPhrases(slices.Clone(q.folded), language), language)
	words = words[:min(len(words), maxWords)]
	q.folded = q.folded[:min(len(q.folded), 2*maxWords)]
	q.returnsOrder, q.wants = returnsOrder(words, language), hasWantingForm(q.folded, language)
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
	q.gives, q.givesBack = asksWhereToSend(q.folded, language), q.fault || oneOf(words, returns[language], language) != ""
	for _, w := range hinted(q.folded, words, language) {
		x.add(&q, w, hintShare)
		q.words[len(q.words)-1].hint = true
	}
	return q
}

// add matches a word against the words of the texts. The fewer texts have it, the more it
// weighs.
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

// weight returns the weight of a word that occurs in this many texts: how well it
// distinguishes them.
func (x *Index) weight(language string, texts int) float64 {
	return math.Log(1 + float64(x.count[language]+1)/(float64(texts)+unseenText))
}

// evidence is how well each word of a question matches a text.
type evidence struct {
	topic     []float64 // in title and summary
	anywhere  []float64
	shared    int     // number of words that it has
	whole     bool    // it has all heavy words; a single one must be most of its title
	title     float64 // share of its title that is in the question
	other     bool    // its title is about another thing with that name
	lacksHint bool    // it lacks a word that the form of the question implies
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

// score returns the best passage of a text; false if it shares no word with the question.
func (q *query) score(t *indexedText) (best Candidate, ok bool) {
	q = q.adaptTo(t)
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

// scorePassage returns the confidence of a passage's best line.
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
		// Of two passages of one text, prefer the one with more of the words.
		best = max(best, q.correct(c, topic, t, e)+0.001*own)
	}
	return best
}

// correct adjusts a confidence, mostly downwards, for signs that the text does not fit.
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

// adaptTo returns the question adapted to a text on faults: any thing in the question may be
// the faulty one.
func (q *query) adaptTo(t *indexedText) *query {
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

// hasOtherIntent reports whether the question wants something other than what the text is
// about. A question where to send a thing is answered only by a text that says where, or,
// if the thing goes back, by any but one that says when. Otherwise only questions with a
// single heavy word qualify: the text lacks what their form asks for (“How much is the
// duvet?”), or the word is the smaller part of the title and the question names the thing
// (“What is your address?”), wants it (“I want to order”), or asks how, where or which and
// the title does not.
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

// otherChoice reports whether the question asks which of several, and the text does not.
func (q *query) otherChoice(t *indexedText) bool { return q.asks == asksWhich && t.asks != asksWhich }

// has returns how well the question matches a word of a text.
func (q *query) has(word string) (best float64) {
	for i := range q.words {
		best = max(best, q.words[i].known[word])
	}
	return best
}

// run returns the share of the question that a line contains word for word; 0 if it is less
// than three fifths.
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

// meansOther reports whether the title has a word of the question after a different
// qualifier, which makes it another thing: the delivery address is not the e-mail address.
// A preceding number is no qualifier: "m. 1 Cayma hakkı" is about the right to withdraw.
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

// adjacent reports whether two words are next to each other in the question.
func (q *query) adjacent(a, b string) bool {
	for i := 1; i < len(q.folded); i++ {
		if normalize(q.folded[i-1], q.language) == a && normalize(q.folded[i], q.language) == b {
			return true
		}
	}
	return false
}
