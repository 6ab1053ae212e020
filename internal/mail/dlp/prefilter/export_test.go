package prefilter

import "regexp"

// MayMatch asks the automaton of an expression. It returns true where the expression
// has none.
func MayMatch(re *regexp.Regexp, text []byte) bool {
	p := NewProgram(re)
	return p == nil || New(p).MayMatch(text)
}
