// Package numbers finds card, account, identity, tax and telephone numbers and e-mail
// addresses in a text in lower case. Numbers are told from tables, decimals, addresses of
// machines and hashes by how their digits are grouped.
package numbers

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// Rules are the rules of each type, by their index.
type Rules struct {
	Card, IBAN, TCKN, VKN, Phone, Email []int
}

// Any says whether there is a rule.
func (n *Rules) Any() bool {
	return len(n.Card)+len(n.IBAN)+len(n.TCKN)+len(n.VKN)+len(n.Phone)+len(n.Email) > 0
}

// Scanner finds numbers and addresses in one pass over a folded text and gives each to
// Found.
type Scanner struct {
	Rules  *Rules
	Found  func(rules []int, start, end int, value []byte)
	text   []byte
	groups []digitGroup
	// accountEnd is where the last account number ends.
	accountEnd int32
	buf        [40]byte
}

// digitGroup is a run of digits without anything between them. It is taken where
// it belongs to an account number, and then to no other number.
type digitGroup struct {
	start, end int32
	taken      bool
	before     breakKind
	used       bool // by a match of the present kind
}

// breakKind says what stands between a group and the one before it: nothing that ends a
// line or a cell, a cell of a table, or a line end.
type breakKind byte

const (
	breakNone breakKind = iota
	breakCell
	breakLine
)

const (
	// maxSeparators is how many characters may stand between two groups of one
	// number.
	maxSeparators = 3
	// maxBreak is how many may be between two lines or cells, spaces included.
	maxBreak = 80
	// maxBroken is how many groups a number may have that goes over lines or cells:
	// tables of small numbers are no numbers of cards.
	maxBroken = 5
)

// gapAt returns where what separates two groups of one number at position i ends, and
// whether a line or a cell ends in it.
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

// isSeparator says whether people write a character between the digits of one
// number. Commas separate numbers instead.
func isSeparator(c byte) bool {
	switch c {
	case ' ', '-', '.', '/', '_', '*', '(', ')':
		return true
	}
	return false
}

// isBreak says whether a character ends a line or a cell.
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

// scanRun reads the groups of digits from position i on, looks for numbers in
// them, and returns where to go on.
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

// match looks for numbers of whole groups that have a shape and pass its check. The
// longest at a place wins; matches do not overlap. Those in one line come before those
// that go on in another.
func (n *Scanner) match(rules []int, s *shape) {
	anyBroken := false
	for g := range n.groups {
		n.groups[g].used = false
		anyBroken = anyBroken || n.groups[g].before != breakNone && g > 0
	}
	n.matchIn(rules, s, false)
	if anyBroken {
		n.matchIn(rules, s, true)
	}
}

func (n *Scanner) matchIn(rules []int, s *shape, overBreaks bool) {
	for g := 0; g < len(n.groups); g++ {
		digits, last, broken := n.buf[:0], -1, false
		for h := g; h < len(n.groups); h++ {
			group := &n.groups[h]
			broken = broken || h > g && group.before != breakNone
			size := int(group.end - group.start)
			if group.taken || group.used || len(digits)+size > s.longest || broken && (!overBreaks || h-g >= maxBroken) {
				break
			}
			digits = append(digits, n.text[group.start:group.end]...)
			if len(digits) >= s.shortest && broken == overBreaks && s.check(digits) && n.fits(s, g, h) {
				last = h
			}
		}
		if last >= 0 {
			for h := g; h <= last; h++ {
				n.groups[h].used = true
			}
			n.report(rules, g, last)
			g = last
		}
	}
}

// report gives the groups from g to last as one match.
func (n *Scanner) report(rules []int, g, last int) {
	start, end := n.groups[g].start, n.groups[last].end
	value := make([]byte, 0, 24)
	for _, group := range n.groups[g : last+1] {
		value = append(value, n.text[group.start:group.end]...)
	}
	n.Found(rules, int(start), int(end), value)
}

// scanIBANs looks for account numbers: two letters stand before a group whose
// first two digits are the check.
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

// scanPhones looks for telephone numbers: with + or 00 and 8 to 15 digits, or
// Turkish ones with 0, with 90, or a bare mobile number.
func (n *Scanner) scanPhones() {
	after := -1 // the last match
	for g := 0; g < len(n.groups); g++ {
		start := n.groups[g].start
		plus := start > 0 && n.text[start-1] == '+' || start > 1 && n.text[start-1] == '(' && n.text[start-2] == '+'
		// Over a line end only a number goes on that says how it begins.
		over := plus || n.text[start] == '0' && n.groups[g].end-start > 2
		digits, last, broken := n.buf[:0], -1, false
		for h := g; h < len(n.groups); h++ {
			broken = broken || h > g && n.groups[h].before != breakNone
			if h > g && n.text[n.groups[h].start-1] == '+' || broken && (!over || last >= 0 || h-g >= maxBroken) {
				break
			}
			size := int(n.groups[h].end - n.groups[h].start)
			if n.groups[h].taken || len(digits)+size > 17 {
				break
			}
			digits = append(digits, n.text[n.groups[h].start:n.groups[h].end]...)
			if isPhone(digits, plus) && n.fitsPhone(g, h, plus || after >= 0 && after == g-1) {
				last = h
			}
		}
		if last >= 0 {
			n.report(n.Rules.Phone, g, last)
			g, after = last, last
		}
	}
}

func isPhone(d []byte, plus bool) bool {
	if !plus && len(d) > 2 && d[0] == '0' && d[1] == '0' {
		d, plus = d[2:], true
	}
	switch {
	case plus && len(d) > 2 && d[0] == '9' && d[1] == '0':
		return len(d) == 12 && isTurkishArea(d[2])
	case plus:
		return len(d) >= 8 && len(d) <= 15 && d[0] != '0'
	case len(d) == 12:
		return d[0] == '9' && d[1] == '0' && d[2] == '5'
	case len(d) == 11:
		return d[0] == '0' && isTurkishArea(d[1])
	}
	return len(d) == 10 && d[0] == '5'
}

func isTurkishArea(c byte) bool { return c >= '2' && c <= '5' || c == '8' }

// scanEmail looks for an e-mail address around the @ at position at.
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

// isWordStart says whether no word goes on across position i.
func isWordStart(text []byte, i int) bool {
	before, _ := utf8.DecodeLastRune(text[:i])
	return i == 0 || !isWordRune(before)
}

// isWordEnd says whether no word goes on across position i.
func isWordEnd(text []byte, i int) bool {
	here, _ := utf8.DecodeRune(text[i:])
	return i == len(text) || !isWordRune(here)
}
