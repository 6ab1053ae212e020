package numbers

import "bytes"

// phoneSizes are the usual group sizes of a Turkish telephone number after the groups of
// the country code.
var phoneSizes = [][]int{{4, 3, 2, 2}, {4, 3, 4}, {4, 7}, {4, 4, 3}, {4, 2, 2, 3}, {3, 3, 2, 2}, {3, 3, 4}, {3, 7}, {3, 4, 3}, {3, 2, 2, 3}}

// maxPhone is the maximum number of digits of a telephone number, 00 included.
const maxPhone = 17

// scanPhones finds telephone numbers: with + or 00 and 8 to 15 digits, or Turkish ones with
// 0, with 90, or a bare mobile number.
func (n *Scanner) scanPhones() {
	after := -1 // the last group of the last match
	for g := 0; g < len(n.groups); g++ {
		if last := n.lastOfPhone(g, after >= 0 && after == g-1); last >= 0 {
			n.report(n.Rules.Phone, g, last)
			g, after = last, last
		}
	}
}

// lastOfPhone returns the last group of the longest telephone number that begins with group
// g, or -1. behind is true if another telephone number ends right before group g.
func (n *Scanner) lastOfPhone(g int, behind bool) int {
	if n.groups[g].taken {
		return -1
	}
	start := int(n.groups[g].start)
	plus := n.afterPlus(g)
	first := n.text[start]
	if !plus && !behind && first != '0' && first != '5' && first != '9' {
		return -1
	}
	last, size := -1, 0
	for h := g; h < len(n.groups) && size <= maxPhone; h++ {
		size += n.size(h)
		if n.groups[h].taken || size > maxPhone || h > g && n.afterPlus(h) {
			break
		}
		if h > g && n.groups[h].before != breakNone {
			if last < 0 {
				last = n.lastOverBreak(g, h, plus)
			}
			break
		}
		if size >= 8 && isPhone(n.digits(g, h, maxPhone), plus) && n.fitsPhone(g, h, plus || behind) {
			last = h
		}
	}
	return last
}

// afterPlus reports whether a + precedes a group.
func (n *Scanner) afterPlus(g int) bool {
	start := n.groups[g].start
	return start > 0 && n.text[start-1] == '+' || start > 1 && n.text[start-1] == '(' && n.text[start-2] == '+'
}

// lastOverBreak returns the last group of a telephone number that begins with group g and
// continues in another line or cell with group next, or -1. Such a number must begin with +
// or 0 and have groups of usual sizes; one with + may have any groups if it contains a line
// end.
func (n *Scanner) lastOverBreak(g, next int, plus bool) int {
	if !plus && n.text[n.groups[g].start] != '0' {
		return -1
	}
	lines, size := 0, 0
	for h := g; h < len(n.groups) && h-g < maxBroken+1; h++ {
		if size += n.size(h); size > maxPhone || n.groups[h].taken {
			break
		}
		if h > g && n.groups[h].before == breakLine {
			lines++
		}
		wrapped := plus && next > g+1 && lines == 1 && n.endOfUnit(next, h) == h
		if h < next || !isPhone(n.digits(g, h, maxPhone), plus) || !wrapped && !n.hasPhoneSizes(g, h) {
			continue
		}
		if _, same := n.gaps(g, h); same && n.standsAlone(g, h) && !n.inHash(int(n.groups[g].start), int(n.groups[h].end)) {
			return h
		}
	}
	return -1
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

// fitsPhone reports whether the groups from g to h, which are in one line and cell, can be
// a telephone number. begins is true if a number certainly begins here.
func (n *Scanner) fitsPhone(g, h int, begins bool) bool {
	if n.inHash(int(n.groups[g].start), int(n.groups[h].end)) {
		return false
	}
	dots, same := n.gaps(g, h)
	switch {
	case g == h:
		return !n.isFraction(g)
	case dots && (!same || h-g == 1 || n.isMachine(g, h)):
		return false
	case begins:
		return true
	}
	free := !n.joined(g) || !bytes.Equal(n.gap(g), n.gap(g+1)) && !isPoint(n.gap(g))
	first := n.text[n.groups[g].start]
	if n.hasPhoneSizes(g, h) {
		return free || same && first == '0'
	}
	// Groups of other sizes are one number only if they are all that is there.
	ends := !n.joined(h+1) || !bytes.Equal(n.gap(h), n.gap(h+1))
	return free && ends && (first != '5' || n.size(g) == 1 && n.isEven(g, h)) && !n.inTable(g, h, isBarePhone)
}

func isBarePhone(d []byte) bool { return isPhone(d, false) }

// hasPhoneSizes reports whether the groups from g to h have the usual sizes of a telephone
// number.
func (n *Scanner) hasPhoneSizes(g, h int) bool {
	switch string(n.text[n.groups[g].start:n.groups[g].end]) {
	case "0", "90", "090", "0090":
		if g++; g > h || g == h && n.size(g) == 10 {
			return g == h
		}
	case "00":
		if g+1 < h && string(n.text[n.groups[g+1].start:n.groups[g+1].end]) == "90" {
			g += 2
		}
	}
	for _, sizes := range phoneSizes {
		if n.hasSizes(g, h, sizes) {
			return true
		}
	}
	return false
}
