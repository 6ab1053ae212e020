package search

// A word is checked for a misspelling only if the snapshot does not know it, neither as
// written nor by its stem, or knows it so rarely that it may be a misprint itself.
const (
	minFix    = 5   // letters; shorter words have too many neighbours
	firstFix  = 7   // letters; in words of this length the first one may be wrong too
	rareWord  = 2   // documents
	muchMore  = 100 // how many times more frequent the neighbour of a rare word must be
	fixLetter = "abcdefghijklmnopqrstuvwxyz"
)

// unknown reports whether the snapshot has almost no documents with a word.
func (s *Snapshot) unknown(l levels) bool {
	return s.frequency(l.stem, nil) <= rareWord && s.frequency(l.surface, nil) <= rareWord
}

// correct finds the most frequent written word one edit away from w. All edits
// are tried against the sorted vocabulary: some hundred lookups, far fewer than
// words in it.
func (s *Snapshot) correct(w string, l levels) (string, bool) {
	if len(w) < minFix || w[0] <= '9' {
		return "", false
	}
	known, written := s.frequency(l.stem, nil), s.frequency(l.surface, nil)
	best, found := max(known, written)*muchMore, ""
	try := func(b []byte) {
		if n := s.frequency(string(b), nil); n > best {
			best, found = n, string(b[1:])
		}
	}
	b := make([]byte, 0, len(w)+2)
	first := 1
	if len(w) >= firstFix {
		first = 0
	}
	for i := first; i <= len(w); i++ {
		head, tail := w[:i], w[i:]
		make1 := func(middle, rest string) []byte {
			b = append(b[:0], surfaceMark)
			b = append(append(append(b, head...), middle...), rest...)
			return b
		}
		if len(tail) > 0 {
			try(make1("", tail[1:]))
		}
		if len(tail) > 1 {
			try(make1(string([]byte{tail[1], tail[0]}), tail[2:]))
		}
		for k := range fixLetter {
			letter := fixLetter[k : k+1]
			if len(tail) > 0 {
				try(make1(letter, tail[1:]))
			}
			try(make1(letter, tail))
		}
	}
	return found, found != ""
}
