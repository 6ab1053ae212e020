package search

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"konak/internal/kit/trtext"
)

// Synonyms adds words with the same meaning to queries. Phrases are sequences of stems,
// found in a query if its words occur in the same order with only stop words between them.
type Synonyms struct {
	rules map[string][]synonym // by first stem
}

type synonym struct {
	from []string
	to   [][]string
}

// ParseSynonyms reads lines of the form "a, b => c, d" (a or b may mean c or d) and "a ==
// b" (both ways). Empty lines and lines that start with # are skipped; a line without
// effect is an error, so that such lines are noticed.
func ParseSynonyms(r io.Reader) (*Synonyms, error) {
	s := &Synonyms{rules: map[string][]synonym{}}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		var said bool
		if from, to, ok := strings.Cut(line, "=>"); ok {
			said = s.add(from, to)
		} else if a, b, ok := strings.Cut(line, "=="); ok {
			said = s.add(a, b)
			said = s.add(b, a) && said
		}
		if !said {
			return nil, fmt.Errorf("synonyms: line %d defines no synonyms: %q", n, line)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("synonyms: %w", err)
	}
	return s, nil
}

func (s *Synonyms) add(from, to string) bool {
	var targets [][]string
	for part := range strings.SplitSeq(to, ",") {
		if stems := phrase(part); len(stems) > 0 {
			targets = append(targets, stems)
		}
	}
	added := false
	for part := range strings.SplitSeq(from, ",") {
		stems := phrase(part)
		useful := slices.DeleteFunc(slices.Clone(targets), func(t []string) bool { return slices.Equal(t, stems) })
		if len(stems) == 0 || len(useful) == 0 {
			continue
		}
		s.rules[stems[0]] = append(s.rules[stems[0]], synonym{stems, useful})
		added = true
	}
	return added
}

func phrase(text string) []string {
	var out []string
	for _, w := range queryWords(text) {
		if !trtext.IsStop(w) {
			out = append(out, analyze([]byte(w)).stem)
		}
	}
	return out
}

// expand calls add for every synonym stem that the query does not contain itself.
func (s *Synonyms) expand(sequence []string, add func(stem string)) {
	for i, stem := range sequence {
		for _, rule := range s.rules[stem] {
			if len(rule.from) > len(sequence)-i || !slices.Equal(rule.from, sequence[i:i+len(rule.from)]) {
				continue
			}
			for _, to := range rule.to {
				for _, t := range to {
					if !slices.Contains(sequence, t) {
						add(t)
					}
				}
			}
		}
	}
}
