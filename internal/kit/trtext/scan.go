package trtext

import (
	"unicode"
	"unicode/utf8"
)

// MaxTerm is the length in bytes at which a term is cut. Longer runs are never words;
// cutting them keeps one hostile text from filling a vocabulary.
const MaxTerm = 48

// Scanner iterates over the words of a text. The zero value is ready for Reset; one Scanner
// serves any number of texts without allocating again.
type Scanner struct {
	text       string
	pos        int
	start, end int
	term       []byte
}

// Reset starts over on text.
func (s *Scanner) Reset(text string) {
	s.text, s.pos, s.start, s.end = text, 0, 0, 0
	s.term = s.term[:0]
}

// Term returns the folded word last found; it is valid until the next call of Next.
func (s *Scanner) Term() []byte { return s.term }

// Start returns the byte offset of the first letter of the word.
func (s *Scanner) Start() int { return s.start }

// End returns the byte offset after the word, including its apostrophe and suffix.
func (s *Scanner) End() int { return s.end }

// Next finds the next word. A word is a run of letters or a run of digits;
// initials with dots between them (A.Ş., K.D.V.) are one word, and so are
// digits grouped by dots (300.000), since people write both either way.
func (s *Scanner) Next() bool {
	s.term = s.term[:0]
	r, n := s.skip()
	if n == 0 {
		return false
	}
	s.start = s.pos
	if unicode.IsDigit(r) {
		s.digits()
	} else if !s.initials() {
		s.letters()
	}
	s.end = s.pos
	return true
}

// skip moves to the next letter or digit and returns it without consuming it.
func (s *Scanner) skip() (rune, int) {
	for s.pos < len(s.text) {
		r, n := s.peek(s.pos)
		if wordRune(r) {
			return r, n
		}
		s.pos += n
	}
	return 0, 0
}

func (s *Scanner) peek(at int) (rune, int) {
	if at >= len(s.text) {
		return 0, 0
	}
	if c := s.text[at]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(s.text[at:])
}

func (s *Scanner) add(r rune) {
	if len(s.term) < MaxTerm {
		s.term = utf8.AppendRune(s.term, foldRune(r))
	}
}

func (s *Scanner) digits() {
	for s.pos < len(s.text) {
		r, n := s.peek(s.pos)
		if unicode.IsDigit(r) {
			s.add(r)
			s.pos += n
			continue
		}
		if r == '.' && s.digitsAt(s.pos+1) == 3 {
			s.pos++
			continue
		}
		break
	}
	s.suffix()
}

// digitsAt counts the digits that start at offset at, four at most.
func (s *Scanner) digitsAt(at int) int {
	k := 0
	for at+k < len(s.text) && k < 4 && '0' <= s.text[at+k] && s.text[at+k] <= '9' {
		k++
	}
	return k
}

// initials consumes "A.Ş." or "K.D.V" and reports whether it was one.
func (s *Scanner) initials() bool {
	at, letters := s.pos, 0
	for {
		r, n := s.peek(at)
		if n == 0 || !unicode.IsLetter(r) {
			break
		}
		next, m := s.peek(at + n)
		if next != '.' {
			// The last initial may lack its dot, but then no letter may follow.
			if letters > 0 && !wordRune(next) {
				s.add(r)
				letters++
				at += n
			}
			break
		}
		s.add(r)
		letters++
		at += n + m
	}
	if letters < 2 {
		s.term = s.term[:0]
		return false
	}
	s.pos = at
	s.suffix()
	return true
}

func (s *Scanner) letters() {
	for s.pos < len(s.text) {
		r, n := s.peek(s.pos)
		switch {
		case isMark(r):
		case unicode.IsLetter(r):
			s.add(r)
		default:
			s.suffix()
			return
		}
		s.pos += n
	}
}

// suffix skips an apostrophe and the letters after it: what follows the apostrophe is
// always inflection in Turkish. A closing quote has no letter after it and stays outside
// the word.
func (s *Scanner) suffix() {
	r, n := s.peek(s.pos)
	if !apostrophe(r) {
		return
	}
	at := s.pos + n
	r, n = s.peek(at)
	if n == 0 || !unicode.IsLetter(r) {
		return
	}
	for n > 0 && (unicode.IsLetter(r) || isMark(r)) {
		at += n
		r, n = s.peek(at)
	}
	s.pos = at
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func apostrophe(r rune) bool {
	switch r {
	case '\'', '’', '‘', 'ʼ', '´', '`', '′':
		return true
	}
	return false
}
