package search

import (
	"html"
	"strings"

	"konak/internal/kit/trtext"
)

// Matcher marks the words of a query in source text. It belongs to the answer that contains
// it: corrected words and synonyms are marked as well.
type Matcher struct {
	stems map[string]bool
	begin string // "" if every word is whole
}

func newMatcher(p parsed) *Matcher {
	m := &Matcher{stems: map[string]bool{}, begin: p.begin}
	for _, s := range p.sequence {
		m.stems[s] = true
	}
	for _, s := range p.synonyms {
		m.stems[s] = true
	}
	return m
}

type span struct {
	start, end int
	match      bool
}

func (m *Matcher) spans(text string) []span {
	var scan trtext.Scanner
	scan.Reset(text)
	var out []span
	known := map[string]bool{}
	for scan.Next() {
		match, ok := known[string(scan.Term())]
		if !ok {
			word := string(scan.Term())
			match = m.stems[string(trtext.Stem([]byte(word)))] || m.begin != "" && strings.HasPrefix(word, m.begin)
			known[word] = match
		}
		out = append(out, span{scan.Start(), scan.End(), match})
	}
	return out
}

// Highlight returns the whole text, escaped for HTML, with matches in <em>.
func (m *Matcher) Highlight(text string) string {
	var b strings.Builder
	mark(&b, text, 0, len(text), m.spans(text))
	return b.String()
}

// Snippet returns the passage of about words words with the most different matches, escaped
// for HTML, with matches in <em> and an ellipsis where text was left out. Without a match
// it is the beginning of the text.
func (m *Matcher) Snippet(text string, words int) string {
	spans := m.spans(text)
	if len(spans) == 0 {
		return ""
	}
	first := m.window(text, spans, words)
	last := min(first+words, len(spans))
	from, to := spans[first].start, spans[last-1].end
	if first == 0 {
		from = 0
	}
	if last == len(spans) {
		to = len(text)
	}
	var b strings.Builder
	if from > 0 {
		b.WriteString("… ")
	}
	mark(&b, text, from, to, spans[first:last])
	if to < len(text) {
		b.WriteString(" …")
	}
	return strings.TrimSpace(b.String())
}

// window returns the first word of the best passage. A stem counts in full once and a
// little for every repetition.
func (m *Matcher) window(text string, spans []span, words int) int {
	stem := make([]string, len(spans))
	for i, s := range spans {
		if s.match {
			stem[i] = string(trtext.Stem([]byte(trtext.Fold(text[s.start:s.end]))))
		}
	}
	in := map[string]int{}
	score, best, at := 0, 0, 0
	for i := range spans {
		if stem[i] != "" {
			if in[stem[i]]++; in[stem[i]] == 1 {
				score += 10
			} else {
				score++
			}
		}
		if out := i - words; out >= 0 && stem[out] != "" {
			if in[stem[out]]--; in[stem[out]] == 0 {
				score -= 10
			} else {
				score--
			}
		}
		if score > best {
			best, at = score, i
		}
	}
	if best == 0 {
		return 0
	}
	// at is the last word of the best passage; leave some words after the match.
	return max(0, min(at-words*3/4, len(spans)-words))
}

func mark(b *strings.Builder, text string, from, to int, spans []span) {
	for _, s := range spans {
		if !s.match {
			continue
		}
		b.WriteString(html.EscapeString(text[from:s.start]))
		b.WriteString("<em>")
		b.WriteString(html.EscapeString(text[s.start:s.end]))
		b.WriteString("</em>")
		from = s.end
	}
	b.WriteString(html.EscapeString(text[from:to]))
}
