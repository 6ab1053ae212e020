package dlp

import (
	"math"
	"strconv"
)

// pdfPlace tracks the position at which a page writes, as far as needed to distinguish
// letters placed one by one from words and cells.
type pdfPlace struct {
	size   float64 // of the font, before any matrix
	known  bool
	x, y   float64 // of the text
	scale  float64
	cx, cy float64 // of the page
	saved  [][2]float64
	// The position and length of the last text.
	lastX, lastY float64
	lastKnown    bool
	lastRunes    int
}

const (
	// letterStep is the maximum distance to the next letter of a word, in font sizes, and
	// wordStep the one to the next word.
	letterStep = 0.95
	wordStep   = 3
	// letterWidth is the approximate width of most letters.
	letterWidth = 0.6
	// maxSaved limits the saved graphics states of a page.
	maxSaved = 64
)

func floats(args []pdfToken, n int) ([]float64, bool) {
	if len(args) < n {
		return nil, false
	}
	out := make([]float64, n)
	for i := range out {
		v, err := strconv.ParseFloat(string(args[len(args)-n+i].text), 64)
		if err != nil {
			return nil, false
		}
		out[i] = v
	}
	return out, true
}

func (p *pdfPlace) begin() { p.x, p.y, p.scale, p.known = 0, 0, 1, true }

func (p *pdfPlace) set(args []pdfToken) {
	m, ok := floats(args, 6)
	if p.known = ok && m[1] == 0 && m[2] == 0; p.known {
		p.scale, p.x, p.y = m[0], m[4], m[5]
	}
}

func (p *pdfPlace) move(args []pdfToken) {
	m, ok := floats(args, 2)
	if p.known = p.known && ok; p.known {
		p.x, p.y = p.x+m[0]*p.scale, p.y+m[1]*p.scale
	}
}

func (p *pdfPlace) shift(args []pdfToken) {
	if m, ok := floats(args, 6); ok && m[0] == 1 && m[3] == 1 {
		p.cx, p.cy = p.cx+m[4], p.cy+m[5]
	}
}

func (p *pdfPlace) push() {
	if len(p.saved) < maxSaved {
		p.saved = append(p.saved, [2]float64{p.cx, p.cy})
	}
}

func (p *pdfPlace) pop() {
	if n := len(p.saved); n > 0 {
		p.cx, p.cy = p.saved[n-1][0], p.saved[n-1][1]
		p.saved = p.saved[:n-1]
	}
}

// next returns the separator between the last text and the next one: the gap that the
// operators produced, reduced if letters are placed one by one, and a tab between cells.
func (p *pdfPlace) next(gap string, runes int) string {
	x, y := p.x+p.cx, p.y+p.cy
	step := math.Abs(x-p.lastX) / max(math.Abs(p.size*p.scale), 0.001)
	if gap != "" && p.known && p.lastKnown && y == p.lastY {
		single := runes == 1 && p.lastRunes == 1
		switch {
		case single && step <= letterStep:
			gap = ""
		case single && step <= wordStep:
			gap = " "
		case gap == " " && step > float64(p.lastRunes)*letterWidth+wordStep:
			gap = "\t"
		}
	}
	p.lastX, p.lastY, p.lastKnown, p.lastRunes = x, y, p.known, runes
	return gap
}
