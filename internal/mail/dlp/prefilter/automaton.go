// Package prefilter quickly rules out texts in which a regular expression has no match.
package prefilter

import (
	"encoding/binary"
	"regexp"
	"regexp/syntax"
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"
)

// An expression is searched for in two steps. An automaton reads the text once and decides
// whether it has a match at all. Only then does package regexp, which is slower by an order
// of magnitude, find the positions. Nearly all texts have none.

// Limits of an automaton. A larger expression is searched for by package regexp only.
const (
	maxInstructions = 500
	maxStates       = 500
)

// Program is a regular expression prepared for an automaton.
type Program struct {
	inst  []syntax.Inst
	start uint32
	// bounds are the first characters, in order, of ranges whose characters the expression
	// does not distinguish; kinds is the kind of each range. samples has one character of
	// each kind.
	bounds  []rune
	kinds   []uint16
	samples []rune
	// low has the kind of each character below 0x180.
	low [0x180]uint16
}

// NewProgram prepares an expression. It returns nil if the expression is too large for an
// automaton.
func NewProgram(re *regexp.Regexp) *Program {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > maxInstructions {
		return nil
	}
	p := &Program{inst: prog.Inst, start: uint32(prog.Start)} //nolint:gosec // bounded above
	p.divide()
	return p
}

// divide computes the ranges of characters and their kinds.
func (p *Program) divide() {
	p.bounds = []rune{0, '\n', '\n' + 1}
	for _, r := range []rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'} { // word characters, for \b
		p.bounds = append(p.bounds, r, r+1)
	}
	for i := range p.inst {
		for _, r := range p.inst[i].Rune {
			p.bounds = append(p.bounds, r, r+1)
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				p.bounds = append(p.bounds, f, f+1)
			}
		}
	}
	slices.Sort(p.bounds)
	p.bounds = slices.Compact(p.bounds)
	known := map[string]uint16{}
	for _, r := range p.bounds {
		key := []byte{contextOf(r)}
		for i := range p.inst {
			if isRune(p.inst[i].Op) && p.inst[i].MatchRune(r) {
				key = binary.AppendUvarint(key, uint64(i)) //nolint:gosec // an index
			}
		}
		kind, ok := known[string(key)]
		if !ok {
			kind = uint16(len(known)) //nolint:gosec // at most three for each instruction
			known[string(key)] = kind
			p.samples = append(p.samples, r)
		}
		p.kinds = append(p.kinds, kind)
	}
	for r := range p.low {
		p.low[r] = p.search(rune(r))
	}
}

// search returns the kind of a character.
func (p *Program) search(r rune) uint16 {
	return p.kinds[sort.Search(len(p.bounds), func(i int) bool { return p.bounds[i] > r })-1]
}

func isRune(op syntax.InstOp) bool {
	switch op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

// What an expression may require of the character before a position.
const (
	afterNothing = iota
	afterLine
	afterWord
	afterOther
)

func contextOf(r rune) byte {
	switch {
	case r == '\n':
		return afterLine
	case syntax.IsWordChar(r):
		return afterWord
	}
	return afterOther
}

// contextRunes has an example character for each context; -1 means the beginning of the
// text.
var contextRunes = [...]rune{afterNothing: -1, afterLine: '\n', afterWord: 'a', afterOther: ' '}

// Automaton decides whether an expression matches. It creates its states while it reads,
// and is not safe for concurrent use.
type Automaton struct {
	p      *Program
	states []autoState
	index  map[string]int32
	next   []int32 // state*kinds + kind → state
	seen   []bool  // instructions, while a state is being built
}

// autoState is a set of possible positions in the expression: instructions not yet
// followed, and the context.
type autoState struct {
	at     []uint32
	before byte
}

// The values in next that are not states.
const (
	stateUnknown = -1
	stateMatched = -2
	stateTooMany = -3
)

func New(p *Program) *Automaton {
	a := &Automaton{p: p, index: map[string]int32{}, seen: make([]bool, len(p.inst))}
	a.addState([]uint32{p.start}, afterNothing)
	return a
}

// MayMatch reports whether the text has a match. It also returns true if finding out takes
// too many states.
func (a *Automaton) MayMatch(text []byte) bool {
	state, kinds := int32(0), len(a.p.samples)
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		i += size
		var kind uint16
		if int(r) < len(a.p.low) {
			kind = a.p.low[r]
		} else {
			kind = a.p.search(r)
		}
		n := a.next[int(state)*kinds+int(kind)]
		if n == stateUnknown {
			n = a.step(state, kind)
		}
		if n < 0 {
			return true
		}
		state = n
	}
	_, matched := a.follow(state, -1)
	return matched
}

// step returns the state after a character of a kind.
func (a *Automaton) step(state int32, kind uint16) int32 {
	r := a.p.samples[kind]
	to, matched := a.follow(state, r)
	n := int32(stateMatched)
	if !matched {
		n = a.addState(to, contextOf(r))
	}
	a.next[int(state)*len(a.p.samples)+int(kind)] = n
	return n
}

// follow returns the instructions after character r, where -1 means the end of the text,
// and whether the expression matches before it. A match may begin at every character.
func (a *Automaton) follow(state int32, r rune) (to []uint32, matched bool) {
	s := &a.states[state]
	clear(a.seen)
	empty := syntax.EmptyOpContext(contextRunes[s.before], r)
	todo := slices.Clone(s.at)
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if a.seen[pc] {
			continue
		}
		a.seen[pc] = true
		switch in := &a.p.inst[pc]; in.Op {
		case syntax.InstMatch:
			return nil, true
		case syntax.InstFail:
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^empty == 0 { //nolint:gosec // the argument is an EmptyOp here
				todo = append(todo, in.Out)
			}
		default:
			if in.MatchRune(r) {
				to = append(to, in.Out)
			}
		}
	}
	to = append(to, a.p.start)
	slices.Sort(to)
	return slices.Compact(to), false
}

// addState returns the number of a state and adds the state if it is new. It returns
// stateTooMany if the maximum number of states exists already.
func (a *Automaton) addState(at []uint32, before byte) int32 {
	key := []byte{before}
	for _, pc := range at {
		key = binary.AppendUvarint(key, uint64(pc))
	}
	if n, ok := a.index[string(key)]; ok {
		return n
	}
	n := len(a.states)
	if n == maxStates {
		return stateTooMany
	}
	a.index[string(key)] = int32(n) //nolint:gosec // below maxStates
	a.states = append(a.states, autoState{at, before})
	for range a.p.samples {
		a.next = append(a.next, stateUnknown)
	}
	return int32(n) //nolint:gosec // below maxStates
}
