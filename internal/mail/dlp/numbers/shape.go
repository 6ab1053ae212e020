package numbers

import "bytes"

// shape is how people and programs group the digits of a kind of number.
type shape struct {
	shortest, longest int
	check             func([]byte) bool
	// sizes are the usual group sizes.
	sizes [][]int
	// fours is true if groups of four, which tables have as well, are usual.
	fours bool
	// mixed is true if the separators between groups may differ.
	mixed bool
}

var (
	cardShape = shape{shortest: 12, longest: 19, check: isCard, fours: true, mixed: true, sizes: [][]int{
		{4, 4, 4, 4}, {4, 4, 4, 4, 3}, {4, 6, 5}, {4, 6, 4}, {4, 3, 3, 3},
	}}
	tcknShape = shape{shortest: 11, longest: 11, check: isTCKN, sizes: [][]int{{3, 3, 3, 2}, {3, 3, 5}, {3, 4, 4}, {5, 6}, {6, 5}}}
	vknShape  = shape{shortest: 10, longest: 10, check: isVKN, sizes: [][]int{{3, 3, 4}, {3, 3, 2, 2}, {5, 5}}}
)

func (n *Scanner) size(g int) int { return int(n.groups[g].end - n.groups[g].start) }

// gap returns the text between a group and the previous one.
func (n *Scanner) gap(g int) []byte { return n.text[n.groups[g-1].end:n.groups[g].start] }

func isPoint(gap []byte) bool { return len(gap) == 1 && gap[0] == '.' }

// joined reports whether a group follows another one in the same line and cell.
func (n *Scanner) joined(g int) bool {
	return g > 0 && g < len(n.groups) && n.groups[g].before == breakNone
}

// fits reports whether the groups from g to h can be one number and not pieces of several.
func (n *Scanner) fits(s *shape, g, h int) bool {
	if h > g && (n.joined(g) || n.joined(h+1)) && !n.isUsual(s, g, h) {
		return false
	}
	if n.inHash(int(n.groups[g].start), int(n.groups[h].end)) {
		return false
	}
	if g == h {
		return !n.isFraction(g)
	}
	lines, cells := 0, 0
	for i := g + 1; i <= h; i++ {
		switch n.groups[i].before {
		case breakLine:
			lines++
		case breakCell:
			cells++
		}
	}
	if lines+cells > 0 {
		return n.fitsOverBreaks(s, g, h, lines, cells)
	}
	dots, same := n.gaps(g, h)
	switch {
	case !same && (!s.mixed || dots), same && dots && (h-g == 1 || n.isMachine(g, h)):
		return false // decimals, dates and IP addresses
	case n.joined(g) || n.joined(h+1):
		return same
	case n.isUsual(s, g, h):
		return true
	case n.isEven(g, h):
		return !n.inTable(g, h, s.check)
	}
	// Several numbers in each of several lines are a table.
	return !(g > 1 && n.joined(g-1)) && !n.joined(h+2) && !n.endsInPhone(g, h)
}

// fitsOverBreaks reports the same for groups in several lines or cells: they must be all
// that is there, or a card number with a single line end in it.
func (n *Scanner) fitsOverBreaks(s *shape, g, h, lines, cells int) bool {
	dots, same := n.gaps(g, h)
	if dots || !same || !n.standsAlone(g, h) {
		return false
	}
	if g == 0 && h == len(n.groups)-1 {
		return !n.endsInPhone(g, h) && (lines == 0 || !n.besideOthers(g, h))
	}
	return s.fours && lines == 1 && cells == 0 && n.isUsual(s, g, h) && !n.joined(g) && !n.joined(h+1) &&
		!(g > 0 && n.size(g-1) == 4) && !(h+1 < len(n.groups) && n.size(h+1) == 4)
}

// standsAlone reports whether the groups are not directly next to letters.
func (n *Scanner) standsAlone(g, h int) bool {
	return isWordStart(n.text, int(n.groups[g].start)) && isWordEnd(n.text, int(n.groups[h].end))
}

// gaps reports whether any two of the groups are separated by just a point, and whether all
// separators are the same. Line ends and cells are ignored.
func (n *Scanner) gaps(g, h int) (dots, same bool) {
	var first []byte
	same = true
	for i := g + 1; i <= h; i++ {
		if n.groups[i].before != breakNone {
			continue
		}
		gap := n.gap(i)
		dots = dots || isPoint(gap)
		if first == nil {
			first = gap
		}
		same = same && bytes.Equal(gap, first)
	}
	return dots, same
}

// isFraction reports whether a group follows a decimal point.
func (n *Scanner) isFraction(g int) bool { return n.joined(g) && isPoint(n.gap(g)) }

// isMachine reports whether groups are an IP address.
func (n *Scanner) isMachine(g, h int) bool {
	for i := g; i <= h; i++ {
		if n.size(i) > 3 || n.size(i) == 3 && string(n.text[n.groups[i].start:n.groups[i].end]) > "255" {
			return false
		}
	}
	return h-g == 3
}

// isEven reports whether all groups have the same size; the last may be shorter.
func (n *Scanner) isEven(g, h int) bool {
	for i := g + 1; i < h; i++ {
		if n.size(i) != n.size(g) {
			return false
		}
	}
	return n.size(h) <= n.size(g)
}

// isUsual reports whether the groups have usual sizes. Groups of four within a longer row
// of them must begin where a number would.
func (n *Scanner) isUsual(s *shape, g, h int) bool {
	usual := false
	for _, sizes := range s.sizes {
		usual = usual || n.hasSizes(g, h, sizes)
	}
	if !usual || !s.fours || n.size(h) != 4 || n.size(g+1) != 4 {
		return usual
	}
	gap := n.gap(g + 1)
	four := func(i int) bool { return n.joined(i) && bytes.Equal(n.gap(i), gap) }
	before, after := 0, 0
	for i := g; before < maxFours && four(i) && n.size(i-1) == 4; i-- {
		before++
	}
	for i := h + 1; after < maxFours && four(i) && n.size(i) == 4; i++ {
		after++
	}
	return before%4 == 0 && after%4 == 0
}

// inTable reports whether the groups from g to h, which fill their line or cell, are a row
// of a table: the rows above and below have as many groups, and several of them fail the
// check.
func (n *Scanner) inTable(g, h int, check func([]byte) bool) bool {
	size, others := h-g+1, 0
	for last, rows := g-1, 0; last >= size-1 && rows < tableReach; last, rows = last-size, rows+1 {
		first := last - size + 1
		if n.joined(first) || n.endOfUnit(first, last) != last {
			break
		}
		if !check(n.digits(first, last, maxDigits)) {
			others++
		}
	}
	for first, rows := h+1, 0; first+size <= len(n.groups) && rows < tableReach; first, rows = first+size, rows+1 {
		last := first + size - 1
		if n.endOfUnit(first, last) != last || n.joined(last+1) {
			break
		}
		if !check(n.digits(first, last, maxDigits)) {
			others++
		}
	}
	return others >= tableRows
}

const (
	// tableReach is the number of rows checked above and below; in a table, at least
	// tableRows of them fail the check.
	tableReach = 4
	tableRows  = 2
	// maxDigits is above the length of any number.
	maxDigits = 24
)

// besideOthers reports whether a list separator precedes or follows the groups.
func (n *Scanner) besideOthers(g, h int) bool {
	before := bytes.TrimRight(n.text[max(0, int(n.groups[g].start)-maxSeparators):n.groups[g].start], " ")
	after := bytes.TrimLeft(n.text[n.groups[h].end:min(len(n.text), int(n.groups[h].end)+maxSeparators)], " ")
	return len(before) > 0 && isFieldMark(before[len(before)-1]) || len(after) > 0 && isFieldMark(after[0])
}

func isFieldMark(c byte) bool { return c == ',' || c == ';' || c == '|' }

// maxFours limits how far a row of groups of four is followed.
const maxFours = 40

func (n *Scanner) hasSizes(g, h int, sizes []int) bool {
	if h-g+1 != len(sizes) || h >= len(n.groups) {
		return false
	}
	for i, size := range sizes {
		if n.size(g+i) != size {
			return false
		}
	}
	return true
}

// endsInPhone reports whether the last groups are a telephone number.
func (n *Scanner) endsInPhone(g, h int) bool {
	for i := g + 1; i <= h; i++ {
		if n.text[n.groups[i].start] != '0' {
			continue
		}
		var digits []byte
		for j := i; j <= h; j++ {
			digits = append(digits, n.text[n.groups[j].start:n.groups[j].end]...)
		}
		if isPhone(digits, false) {
			return true
		}
	}
	return false
}

const (
	// minHash is the minimum number of digits and letters of a hash.
	minHash = 24
	// minHashLetters is the minimum number of letters among them.
	minHashLetters = 4
	maxHash        = 256 // how far a hash is followed
	uuidLength     = 36
)

func isHex(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' }

// inHash reports whether a range lies within a hash or a hexadecimal id.
func (n *Scanner) inHash(start, end int) bool {
	if start > 0 && !isHex(n.text[start-1]) && n.text[start-1] != '-' && end < len(n.text) && !isHex(n.text[end]) && n.text[end] != '-' {
		return false
	}
	from, to := start, end
	for from > 0 && start-from < maxHash && isHex(n.text[from-1]) {
		from--
	}
	for to < len(n.text) && to-end < maxHash && isHex(n.text[to]) {
		to++
	}
	letters, marks := 0, 0
	for _, c := range n.text[from:to] {
		switch {
		case c >= 'a' && c <= 'f':
			letters++
		case !isDigit(c):
			marks++
		}
	}
	if marks == 0 && to-from >= minHash && letters >= minHashLetters {
		return true
	}
	for from > 0 && start-from < uuidLength && (isHex(n.text[from-1]) || n.text[from-1] == '-') {
		from--
	}
	for to < len(n.text) && to-end < uuidLength && (isHex(n.text[to]) || n.text[to] == '-') {
		to++
	}
	return isUUID(n.text[from:to])
}

// isUUID reports whether a word is an id such as 0b1f6a0c-7a0e-4c1c-9a55-2c963f66afa6.
func isUUID(word []byte) bool {
	if len(word) != uuidLength {
		return false
	}
	letters := 0
	for i, c := range word {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') {
			return false
		}
		if c >= 'a' {
			letters++
		}
	}
	return letters > 0
}
