// Package numbers finds card, account, identity, tax and telephone numbers and e-mail
// addresses in a lower-case text. It uses the grouping of digits to distinguish numbers
// from tables, decimals, IP addresses and hashes.
package numbers

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// Rules are the indexes of the rules of each type.
type Rules struct {
	Card, IBAN, TCKN, VKN, Phone, Email []int
}

// Any reports whether there is any rule.
func (n *Rules) Any() bool {
	return len(n.Card)+len(n.IBAN)+len(n.TCKN)+len(n.VKN)+len(n.Phone)+len(n.Email) > 0
}

// Scanner finds numbers and addresses in one pass over a folded text and passes each to
// Found.
type Scanner struct {
	Rules  *Rules
	Found  func(rules []int, start, end int, value []byte)
	text   []byte
	groups []digitGroup
	// accountEnd is the end of the last account number.
	accountEnd int32
	buf        [40]byte
}

// digitGroup is an uninterrupted run of digits. It is taken if it belongs to an account
// number; then it can belong to no other number.
type digitGroup struct {
	start, end int32
	taken      bool
	before     breakKind
	used       bool // by a match of the current kind
}

// breakKind is the kind of break between a group and the previous one: none, a table cell,
// or a line end.
type breakKind byte

const (
	breakNone breakKind = iota
	breakCell
	breakLine
)

const (
	// maxSeparators is the maximum number of characters between two groups of one number.
	maxSeparators = 3
	// maxBreak is the maximum number of characters between two lines or cells, spaces
	// included.
	maxBreak = 80
	// maxBroken is the maximum number of groups of a number that continues across lines or
	// cells: tables of small numbers are not card numbers.
	maxBroken = 5
)

// gapAt returns the end of the separator at position i between two groups of one number,
// and whether it contains the end of a line or a cell.
func gapAt(text []byte, i int) (next int, kind breakKind) {
	marks := 0
	for next = i; next < len(text) && next-i < maxBreak && marks <= maxSeparators; next++ {
		switch c := text[next]; {
		case c == '\t':
			kind = max(kind, breakCell)
		case isBreak(c):
			kind = breakLine
		case c == ' ':
		case isSeparator(c):
			marks++
		default:
			if kind == breakNone && next-i > maxSeparators {
				kind = breakCell
			}
			return next, kind
		}
	}
	return next, breakLine
}

// isSeparator reports whether people write a character between the digits of one number.
// Commas are not included because they separate numbers.
func isSeparator(c byte) bool {
	switch c {
	case ' ', '-', '.', '/', '_', '*', '(', ')':
		return true
	}
	return false
}

// isBreak reports whether a character ends a line or a cell.
func isBreak(c byte) bool { return c == '\n' || c == '\r' || c == '\t' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// Scan calls Found for each number and address.
func (n *Scanner) Scan(text []byte) {
	n.text, n.accountEnd = text, 0
	emails := len(n.Rules.Email) > 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case isDigit(c):
			i = n.scanRun(i)
		case c == '@' && emails:
			n.scanEmail(i)
			i++
		default:
			i++
		}
	}
}

// scanRun reads the groups of digits from position i on, searches them for numbers, and
// returns the position after them.
func (n *Scanner) scanRun(i int) int {
	text := n.text
	n.groups = n.groups[:0]
	for kind := breakNone; ; {
		start := i
		for i < len(text) && isDigit(text[i]) {
			i++
		}
		n.groups = append(n.groups, digitGroup{start: int32(start), end: int32(i), before: kind})
		var next int
		next, kind = gapAt(text, i)
		if next == i || next == len(text) || !isDigit(text[next]) {
			break
		}
		i = next
	}
	n.scanIBANs()
	if len(n.Rules.Card) > 0 {
		n.match(n.Rules.Card, &cardShape)
	}
	if len(n.Rules.TCKN) > 0 {
		n.match(n.Rules.TCKN, &tcknShape)
	}
	if len(n.Rules.VKN) > 0 {
		n.match(n.Rules.VKN, &vknShape)
	}
	if len(n.Rules.Phone) > 0 {
		n.scanPhones()
	}
	return i
}

// match finds numbers of whole groups that have a shape and pass its check. The longest
// number at a position wins; matches do not overlap. Numbers within a line take precedence
// over those that continue on another.
func (n *Scanner) match(rules []int, s *shape) {
	joined, broken, fours, longest := false, false, false, 0
	for g := range n.groups {
		n.groups[g].used = false
		joined = joined || n.joined(g)
		broken = broken || n.groups[g].before != breakNone
		fours = fours || n.size(g) == 4
		longest = max(longest, n.size(g))
	}
	// Tables of short numbers are skipped as a whole.
	if joined || longest >= s.shortest {
		n.matchIn(rules, s, n.lastInLine)
	}
	if broken && (len(n.groups) <= maxBroken || fours && s.fours) {
		n.matchIn(rules, s, n.lastOverBreaks)
	}
}

// matchIn reports a number for each group that can begin one; lastOf returns its last
// group.
func (n *Scanner) matchIn(rules []int, s *shape, lastOf func(s *shape, g int) int) {
	for g := 0; g < len(n.groups); g++ {
		last := lastOf(s, g)
		if last < 0 {
			continue
		}
		for h := g; h <= last; h++ {
			n.groups[h].used = true
		}
		n.report(rules, g, last)
		g = last
	}
}

// lastInLine returns the last group of the longest number that begins with group g within
// one line and cell, or -1. The number is group g only, groups of usual sizes, or the whole
// line or cell.
func (n *Scanner) lastInLine(s *shape, g int) int {
	last, size := -1, n.size(g)
	if size >= s.shortest && n.isNumber(s, g, g) {
		last = g
	}
	for _, sizes := range s.sizes {
		if h := g + len(sizes) - 1; size == sizes[0] && h > last && n.hasSizes(g, h, sizes) && n.endOfUnit(g, h) >= h && n.isNumber(s, g, h) {
			last = h
		}
	}
	if !n.joined(g) {
		if h := n.endOfUnit(g, g+s.longest); h > max(g, last) && n.isNumber(s, g, h) {
			last = h
		}
	}
	return last
}

// lastOverBreaks returns the same for a number that continues across lines or cells.
func (n *Scanner) lastOverBreaks(s *shape, g int) int {
	last := -1
	if h := len(n.groups) - 1; g == 0 && h > 0 && h < maxBroken && n.isNumber(s, g, h) {
		last = h
	}
	if !s.fours || n.joined(g) {
		return last
	}
	for _, sizes := range s.sizes {
		if h := g + len(sizes) - 1; h > last && n.hasSizes(g, h, sizes) && n.endOfUnit(g, h) < h && n.isNumber(s, g, h) {
			last = h
		}
	}
	return last
}

// endOfUnit returns the last group in the same line and cell as group g, limited to most.
func (n *Scanner) endOfUnit(g, most int) int {
	for g < most && n.joined(g+1) {
		g++
	}
	return g
}

// isNumber reports whether the groups from g to h belong to no other number, pass the check
// of a shape and fit it.
func (n *Scanner) isNumber(s *shape, g, h int) bool {
	digits := n.digits(g, h, s.longest)
	if len(digits) < s.shortest || !s.check(digits) {
		return false
	}
	for _, group := range n.groups[g : h+1] {
		if group.taken || group.used {
			return false
		}
	}
	return n.fits(s, g, h)
}

// digits returns the digits of the groups from g to h, or nil if there are more than most.
// They are valid until the next call.
func (n *Scanner) digits(g, h, most int) []byte {
	digits := n.buf[:0]
	for _, group := range n.groups[g : h+1] {
		if len(digits)+int(group.end-group.start) > most {
			return nil
		}
		digits = append(digits, n.text[group.start:group.end]...)
	}
	return digits
}

// report passes the groups from g to last to Found as one match.
func (n *Scanner) report(rules []int, g, last int) {
	start, end := n.groups[g].start, n.groups[last].end
	value := make([]byte, 0, 24)
	for _, group := range n.groups[g : last+1] {
		value = append(value, n.text[group.start:group.end]...)
	}
	n.Found(rules, int(start), int(end), value)
}

// scanIBANs finds account numbers: two letters before a group whose first two digits are
// the check digits.
func (n *Scanner) scanIBANs() {
	for index := range n.groups {
		g := &n.groups[index]
		if g.start < n.accountEnd {
			g.taken = true
			continue
		}
		i := int(g.start)
		for back := 0; i > 0 && back < maxSeparators && (isSeparator(n.text[i-1]) || isBreak(n.text[i-1])); back++ {
			i--
		}
		if i < 2 || !isLetter(n.text[i-1]) || !isLetter(n.text[i-2]) || !isWordStart(n.text, i-2) && !bytes.HasSuffix(n.text[:i-2], []byte("iban")) {
			continue
		}
		want := ibanLengths[string(n.text[i-2:i])]
		if want == 0 {
			continue
		}
		value, end := append(n.buf[:0], n.text[i-2], n.text[i-1]), int(g.start)
		for end < len(n.text) && len(value) < want {
			if c := n.text[end]; isDigit(c) || isLetter(c) {
				value = append(value, c)
				end++
				continue
			}
			next, _ := gapAt(n.text, end)
			if next == end {
				break
			}
			end = next
		}
		if len(value) == want && isWordEnd(n.text, end) && isIBAN(value) && !n.inHash(i-2, i) {
			n.Found(n.Rules.IBAN, i-2, end, append([]byte(nil), value...))
			n.accountEnd, g.taken = int32(end), true
		}
	}
}

// scanEmail finds an e-mail address around the @ at position at.
func (n *Scanner) scanEmail(at int) {
	start := at
	for start > 0 && at-start < 64 && isLocalByte(n.text[start-1]) {
		start--
	}
	for start < at && (n.text[start] == '.' || !utf8.RuneStart(n.text[start])) {
		start++
	}
	end, dot := at+1, -1
	for end < len(n.text) && end-at < 254 && isDomainByte(n.text[end]) {
		if n.text[end] == '.' {
			dot = end
		}
		end++
	}
	for end > at+1 && (n.text[end-1] == '.' || n.text[end-1] == '-') {
		if end--; dot == end {
			dot = -1
			for j := at + 1; j < end; j++ {
				if n.text[j] == '.' {
					dot = j
				}
			}
		}
	}
	if start == at || dot <= at+1 || end-dot < 3 {
		return
	}
	n.Found(n.Rules.Email, start, end, append([]byte(nil), n.text[start:end]...))
}

func isLocalByte(c byte) bool {
	switch c {
	case '.', '_', '%', '+', '-', '\'', '&', '=', '!', '#', '$', '/', '?', '^', '{', '|', '}', '~':
		return true
	}
	return isDigit(c) || isLetter(c) || c >= utf8.RuneSelf
}

func isDomainByte(c byte) bool {
	return isDigit(c) || isLetter(c) || c == '.' || c == '-' || c >= utf8.RuneSelf
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isWordStart reports whether the character before position i is not part of a word.
func isWordStart(text []byte, i int) bool {
	before, _ := utf8.DecodeLastRune(text[:i])
	return i == 0 || !isWordRune(before)
}

// isWordEnd reports whether the character at position i is not part of a word.
func isWordEnd(text []byte, i int) bool {
	here, _ := utf8.DecodeRune(text[i:])
	return i == len(text) || !isWordRune(here)
}
