package prefilter

import "regexp"

// MayMatch asks the automaton of an expression. It returns true if the expression has no
// automaton.
func MayMatch(re *regexp.Regexp, text []byte) bool {
	p := NewProgram(re)
	return p == nil || New(p).MayMatch(text)
}
