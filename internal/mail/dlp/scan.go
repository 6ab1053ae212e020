package dlp

import (
	"slices"
	"sort"
	"unicode/utf8"

	"konak/internal/mail/dlp/numbers"
	"konak/internal/mail/dlp/prefilter"
)

// The scanner reads a text in windows. Each window overlaps with the previous and the next
// one, so that a match or a context word across the edge is found exactly once.
const (
	windowSize = 256 << 10
	overlap    = 4 << 10
	// contextReach is the maximum distance of a context word from a match, in characters.
	contextReach = 300
	// maxWindowMatches limits the matches of one regex in one window.
	maxWindowMatches = 10_000
)

// textScanner scans one text after another and adds the matches to a collector.
type textScanner struct {
	c       *collector
	where   Where
	text    normalText
	front   [2]int // bytes of folded and clean that are already scanned
	numbers numbers.Scanner
	hits    []hit
	filters []*prefilter.Automaton // of each regex, nil for one without
	// context holds the positions of context words in the current window, by keyword.
	context map[int][]int
	// sink, if set, receives the text instead of the scanner.
	sink func(string)
}

// hit is a match in a window; rule is an index.
type hit struct {
	rule       int
	start, end int
	value      string
	inClean    bool
}

func newTextScanner(c *collector) *textScanner {
	t := &textScanner{c: c, context: map[int][]int{}}
	t.text.wantClean = len(c.s.regexes) > 0
	for _, r := range c.s.regexes {
		var a *prefilter.Automaton
		if r.program != nil {
			a = prefilter.New(r.program)
		}
		t.filters = append(t.filters, a)
	}
	t.numbers.Rules = &c.s.numbers
	t.numbers.Found = func(rules []int, start, end int, value []byte) {
		for _, r := range rules {
			t.hits = append(t.hits, hit{rule: r, start: start, end: end, value: string(value)})
		}
	}
	return t
}

// begin starts a text. The previous text must have been ended.
func (t *textScanner) begin(where Where) {
	t.where = where
	t.text.reset()
	t.front = [2]int{}
}

// write adds to the text. A character with its combining marks should not be split between
// two calls; if it is, only that character is affected.
func (t *textScanner) write(text string) {
	t.c.bytes += int64(len(text))
	if t.sink != nil {
		t.sink(text)
		return
	}
	for len(text) > 0 {
		n := len(text)
		if n > windowSize {
			n = windowSize
			for n > windowSize-utf8.UTFMax && !utf8.RuneStart(text[n]) {
				n--
			}
		}
		t.text.append(text[:n])
		text = text[n:]
		if len(t.text.folded) >= t.front[0]+windowSize+overlap {
			t.flush(false)
		}
	}
}

// end scans the rest of the text.
func (t *textScanner) end() {
	if t.sink != nil {
		t.sink("\n")
		return
	}
	t.flush(true)
}

// scanText scans a whole text.
func (t *textScanner) scanText(where Where, text string) {
	t.begin(where)
	t.write(text)
	t.end()
}

// flush scans the window. Matches that begin in its last part are left to the next window,
// unless this is the end of the text.
func (t *textScanner) flush(last bool) {
	folded, clean := t.text.folded, t.text.clean
	until := [2]int{len(folded), len(clean)}
	if !last {
		until = [2]int{max(len(folded)-overlap, t.front[0]), max(len(clean)-overlap, t.front[1])}
	}
	t.find()
	t.checkMarks(folded)
	for _, h := range t.hits {
		side := 0
		if h.inClean {
			side = 1
		}
		if h.start >= t.front[side] && h.start < until[side] && t.c.s.wantsField(h.rule, t.where.Field) {
			t.c.add(h.rule, t.where, h.value)
		}
	}
	if last {
		return
	}
	keep := [2]int{max(until[0]-overlap, 0), max(until[1]-overlap, 0)}
	t.front = [2]int{until[0] - keep[0], until[1] - keep[1]}
	if !t.text.wantClean {
		keep[1], t.front[1] = 0, 0
	}
	t.text.drop(keep[0], keep[1])
}

// find fills hits with all matches in the window.
func (t *textScanner) find() {
	s := t.c.s
	t.hits = t.hits[:0]
	clear(t.context)
	folded := t.text.folded
	s.keywords.scan(folded, func(word, start, end int) {
		w := &s.keywords.words[word]
		whole := isWordEnd(folded, end)
		inContext := false
		for _, u := range w.uses {
			switch {
			case !whole && !u.prefix:
			case u.context:
				inContext = true
			default:
				t.hits = append(t.hits, hit{rule: u.rule, start: start, end: end, value: w.text})
			}
		}
		if inContext {
			t.context[word] = append(t.context[word], start)
		}
	})
	if s.numbers.Any() {
		t.numbers.Scan(folded)
	}
	for i, r := range s.regexes {
		if a := t.filters[i]; a != nil && !a.MayMatch(t.text.clean) {
			continue
		}
		for _, at := range r.re.FindAllIndex(t.text.clean, maxWindowMatches) {
			if at[1] > at[0] {
				t.hits = append(t.hits, hit{rule: r.rule, start: at[0], end: at[1], value: string(t.text.clean[at[0]:min(at[1], at[0]+200)]), inClean: true})
			}
		}
	}
	t.hits = slices.DeleteFunc(t.hits, func(h hit) bool { return !t.hasContext(h) })
}

// hasContext reports whether a match is near one of its rule's context words, or the rule
// has none.
func (t *textScanner) hasContext(h hit) bool {
	words := t.c.s.keywords.context[h.rule]
	if len(words) == 0 {
		return true
	}
	text, start, end := t.text.folded, h.start, h.end
	if h.inClean {
		// The two forms differ by a few bytes only, so the position in the folded form is
		// close enough for a reach of 300 characters.
		start, end = min(start, len(text)), min(end, len(text))
	}
	for _, w := range words {
		at := t.context[w]
		i := sort.SearchInts(at, start)
		if i < len(at) && isNear(text, end, at[i]) {
			return true
		}
		if i > 0 && isNear(text, at[i-1]+len(t.c.s.keywords.words[w].text), start) {
			return true
		}
	}
	return false
}

// isNear reports whether at most contextReach characters lie between two positions.
func isNear(text []byte, from, to int) bool {
	if to-from <= contextReach {
		return true
	}
	return to-from <= contextReach*utf8.UTFMax && utf8.RuneCount(text[from:to]) <= contextReach
}
