package dlp

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// keywordSet finds many keywords in one pass over a text (Aho-Corasick). The automaton is a
// dense table: a state has one successor per byte class, and all bytes that occur in no
// keyword form one class.
type keywordSet struct {
	words   []keyword
	class   [256]uint8
	classes int
	next    []int32 // state*classes + class → state
	first   []int32 // state → the keyword that ends there, -1 if none
	suffix  []int32 // state → the longest shorter state where a keyword ends, 0 if none
	context [][]int // rule → its context words
}

type keyword struct {
	text    string
	uses    []keywordUse
	asWords bool // used as a context word
}

// keywordUse is the use of a keyword by a rule.
type keywordUse struct {
	rule    int
	context bool
	prefix  bool // the word may continue
}

type keywordBuilder struct {
	words []keyword
	index map[string]int
	bytes int
}

func newKeywordBuilder() *keywordBuilder { return &keywordBuilder{index: map[string]int{}} }

// add adds a keyword of a rule and returns false for an empty one.
func (b *keywordBuilder) add(text string, rule int, context bool) bool {
	text = strings.Join(strings.Fields(foldString(text)), " ")
	text, prefix := strings.CutSuffix(text, "*")
	text = strings.TrimSpace(text)
	if text == "" {
		return false
	}
	i, ok := b.index[text]
	if !ok {
		i = len(b.words)
		b.index[text] = i
		b.words = append(b.words, keyword{text: text})
		b.bytes += len(text)
	}
	w := &b.words[i]
	w.uses = append(w.uses, keywordUse{rule: rule, context: context, prefix: prefix})
	w.asWords = w.asWords || context
	return true
}

func (b *keywordBuilder) build(rules int) *keywordSet {
	k := &keywordSet{words: b.words, classes: 1, context: make([][]int, rules)}
	for i, w := range b.words {
		for _, c := range []byte(w.text) {
			if k.class[c] == 0 {
				k.class[c] = uint8(k.classes)
				k.classes++
			}
		}
		for _, u := range w.uses {
			if u.context {
				k.context[u.rule] = append(k.context[u.rule], i)
			}
		}
	}
	for _, c := range "\t\n\v\f\r" {
		k.class[c] = k.class[' ']
	}
	k.addState()
	for i, w := range b.words {
		state := int32(0)
		for _, c := range []byte(w.text) {
			at := int(state)*k.classes + int(k.class[c])
			if k.next[at] == 0 {
				k.next[at] = k.addState()
			}
			state = k.next[at]
		}
		k.first[state] = int32(i)
	}
	k.link()
	return k
}

func (k *keywordSet) addState() int32 {
	k.next = append(k.next, make([]int32, k.classes)...)
	k.first = append(k.first, -1)
	k.suffix = append(k.suffix, 0)
	return int32(len(k.first) - 1)
}

// link fills in the successors that the trie lacks, shortest states first.
func (k *keywordSet) link() {
	failure := make([]int32, len(k.first))
	queue := make([]int32, 0, len(k.first))
	for _, s := range k.next[:k.classes] {
		if s != 0 {
			queue = append(queue, s)
		}
	}
	for i := 0; i < len(queue); i++ {
		state := queue[i]
		f := failure[state]
		if k.first[f] >= 0 {
			k.suffix[state] = f
		} else {
			k.suffix[state] = k.suffix[f]
		}
		row, failRow := int(state)*k.classes, int(f)*k.classes
		for c := range k.classes {
			if s := k.next[row+c]; s != 0 {
				failure[s] = k.next[failRow+c]
				queue = append(queue, s)
			} else {
				k.next[row+c] = k.next[failRow+c]
			}
		}
	}
}

// scan calls found with each keyword in text and its position. A run of white space counts
// as one space.
func (k *keywordSet) scan(text []byte, found func(word, start, end int)) {
	if len(k.words) == 0 {
		return
	}
	state, space := int32(0), false
	for i, c := range text {
		isSpace := c == ' ' || c >= '\t' && c <= '\r'
		if isSpace && space {
			continue
		}
		space = isSpace
		state = k.next[int(state)*k.classes+int(k.class[c])]
		if state == 0 {
			continue
		}
		s := state
		if k.first[s] < 0 {
			s = k.suffix[s]
		}
		for ; s != 0; s = k.suffix[s] {
			word := int(k.first[s])
			if start := keywordStart(text, i+1, k.words[word].text); isWordStart(text, start) {
				found(word, start, i+1)
			}
		}
	}
}

// keywordStart returns the position of a keyword's first byte, given its end.
func keywordStart(text []byte, end int, word string) int {
	i := end
	for j := len(word) - 1; j >= 0; j-- {
		i--
		if word[j] == ' ' {
			for i > 0 && (text[i-1] == ' ' || text[i-1] >= '\t' && text[i-1] <= '\r') {
				i--
			}
		}
	}
	return i
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isWordStart reports whether position i is not inside a word that began before it.
func isWordStart(text []byte, i int) bool {
	here, _ := utf8.DecodeRune(text[i:])
	if i == 0 || !isWordRune(here) {
		return true
	}
	before, _ := utf8.DecodeLastRune(text[:i])
	return !isWordRune(before)
}

// isWordEnd reports whether no word continues past position i.
func isWordEnd(text []byte, i int) bool {
	before, _ := utf8.DecodeLastRune(text[:i])
	if i == len(text) || !isWordRune(before) {
		return true
	}
	here, _ := utf8.DecodeRune(text[i:])
	return !isWordRune(here)
}
