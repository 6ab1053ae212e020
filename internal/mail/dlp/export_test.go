package dlp

import "regexp"

// MayMatch asks the automaton of an expression. It returns true where the expression
// has none.
func MayMatch(re *regexp.Regexp, text []byte) bool {
	p := newProgram(re)
	return p == nil || newAutomaton(p).mayMatch(text)
}
