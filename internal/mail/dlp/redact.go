package dlp

import (
	"slices"
	"strings"
)

// redactedRune replaces each character of a match in a redacted text.
const redactedRune = '█'

// Redact masks all matches of the rules in text. If only is not nil, just the rules with
// these ids apply. Rules that need several matches, or certain fields, are masked from
// their first match in any field: the caller has already decided that the rule applies.
func (s *Scanner) Redact(text string, only []string) string {
	spans := s.spans(text, only)
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, span := range spans {
		b.WriteString(text[at:span[0]])
		coverText(&b, text[span[0]:span[1]])
		at = span[1]
	}
	b.WriteString(text[at:])
	return b.String()
}

// coverText writes one redactedRune for each character, and keeps white space.
func coverText(b *strings.Builder, text string) {
	for _, r := range text {
		if r == ' ' || r == '\n' || r == '\r' || r == '\t' {
			b.WriteRune(r)
		} else if !isInvisible(r) {
			b.WriteRune(redactedRune)
		}
	}
}

// spans returns the positions of the matches in text, sorted and without overlap.
func (s *Scanner) spans(text string, only []string) [][2]int {
	t := newTextScanner(newCollector(s))
	t.text.wantPos = true
	t.begin(Where{})
	t.text.append(text)
	t.find()
	var spans [][2]int
	for _, h := range t.hits {
		if only != nil && !slices.Contains(only, s.rules[h.rule].ID) {
			continue
		}
		pos := t.text.foldedPos
		if h.inClean {
			pos = t.text.cleanPos
		}
		end := len(text)
		if h.end < len(pos) {
			end = int(pos[h.end])
		}
		spans = append(spans, [2]int{int(pos[h.start]), end})
	}
	slices.SortFunc(spans, func(a, b [2]int) int { return a[0] - b[0] })
	merged := spans[:0]
	for _, span := range spans {
		if n := len(merged); n > 0 && span[0] < merged[n-1][1] {
			merged[n-1][1] = max(merged[n-1][1], span[1])
		} else if span[1] > span[0] {
			merged = append(merged, span)
		}
	}
	return merged
}
