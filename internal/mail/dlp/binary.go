package dlp

import (
	"bytes"
	"compress/zlib"
	"io"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"konak/internal/mail/dlp/pictures"
)

// The minimum number of consecutive characters that count as text: in content of an unknown
// kind, and in pixels and samples, where short words occur by chance.
const (
	minString = 4
	minNoise  = 24
)

// runMode is the way bytes are read as characters.
type runMode int

const (
	runASCII runMode = iota
	// runTurkish also reads letters in UTF-8 and Windows-1254.
	runTurkish
	// runWide reads little-endian UTF-16 with Latin letters.
	runWide
)

// scanBinary scans the texts in content of an unknown kind.
func (x *extractor) scanBinary(where Where, content *spool) {
	stretches := pictures.Stretches(content, content.size)
	before := slices.Clone(x.c.counts)
	x.scanRuns(where, content, stretches, runASCII)
	between := slices.Clone(x.c.counts)
	x.scanRuns(where, content, stretches, runTurkish)
	x.c.keepMost(where, before, between)
	x.scanRuns(where, content, stretches, runWide)
}

// scanRuns scans the runs of characters in content.
func (x *extractor) scanRuns(where Where, content *spool, stretches []pictures.Stretch, mode runMode) {
	x.text.begin(where)
	w := &runWriter{write: x.text.write, mode: mode}
	for _, s := range stretches {
		w.least = minString
		if s.Noise {
			w.least = minNoise
		}
		x.failRead(where, x.copyBytes(io.NewSectionReader(content, s.From, s.To-s.From), w))
		if w.hasLow && w.letters > 0 && w.low >= ' ' && w.low < 0x7F {
			w.addRune(rune(w.low)) // the last character, in big-endian text
		}
		w.lead, w.hasLow = 0, false
		w.endRun()
	}
	w.flush()
	x.text.end()
}

// keepMost removes from the counts what a second reading of the same place found again, so
// that the reading with more matches counts. before and between are the counts before the
// first and before the second reading.
func (c *collector) keepMost(where Where, before, between []int) {
	for rule, now := range c.counts {
		again := min(between[rule]-before[rule], now-between[rule])
		if again == 0 {
			continue
		}
		c.counts[rule] -= again
		if i, ok := c.places[rule][where]; ok {
			c.found[i].count -= again
		}
	}
}

func (x *extractor) copyBytes(r io.Reader, w *runWriter) error {
	buf := make([]byte, 64<<10)
	for {
		if x.ctx.Err() != nil {
			return errTime
		}
		n, err := r.Read(buf)
		for _, c := range buf[:n] {
			w.add(c)
		}
		w.flushIfFull()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// turkishBytes maps bytes to the letters beyond ASCII that Turkish texts in Windows-1254
// use.
var turkishBytes = func() (out [256]rune) {
	for _, r := range "ÇçĞğİıÖöŞşÜüÂâÎîÛû" {
		b, _ := charmap.Windows1254.EncodeRune(r)
		out[b] = r
	}
	return out
}()

// runWriter collects runs of printable characters and writes each run on its own line.
type runWriter struct {
	write   func(string)
	mode    runMode
	least   int  // minimum number of characters in a run
	low     byte // of a wide character
	hasLow  bool
	lead    byte // the first byte of a letter in UTF-8
	run     []byte
	letters int
	out     []byte
}

func (w *runWriter) add(c byte) {
	switch w.mode {
	case runASCII:
		w.addNarrow(c)
	case runTurkish:
		w.addTurkish(c)
	case runWide:
		w.addWide(c)
	}
}

func (w *runWriter) addNarrow(c byte) {
	if c >= ' ' && c < 0x7F || c == '\t' {
		w.addRune(rune(c))
	} else {
		w.endRun()
	}
}

func (w *runWriter) addTurkish(c byte) {
	lead := w.lead
	w.lead = 0
	switch {
	case lead != 0 && c >= 0x80 && c < 0xC0:
		w.addRune(rune(lead&0x1F)<<6 | rune(c&0x3F))
		return
	case lead != 0:
		w.endRun()
	}
	switch {
	case c >= 0xC3 && c <= 0xC5: // the letters of Western Europe and Turkey
		w.lead = c
	case turkishBytes[c] != 0:
		w.addRune(turkishBytes[c])
	default:
		w.addNarrow(c)
	}
}

func (w *runWriter) addWide(c byte) {
	if !w.hasLow {
		w.low, w.hasLow = c, true
		return
	}
	r := rune(w.low) | rune(c)<<8
	if c <= 1 && (r >= ' ' && r < 0x7F || r >= 0xA0) {
		w.hasLow = false
		w.addRune(r)
		return
	}
	w.endRun()
	w.low = c // the pairs may begin at the other byte
}

// addRune adds a character to the run. Parts of a long run are moved to the output without
// ending it.
func (w *runWriter) addRune(r rune) {
	w.run = utf8.AppendRune(w.run, r)
	w.letters++
	if len(w.run) >= 4096 {
		w.out = append(w.out, w.run...)
		w.run = w.run[:0]
	}
}

func (w *runWriter) endRun() {
	if w.letters >= w.least {
		w.out = append(append(w.out, w.run...), '\n')
	}
	w.run, w.letters = w.run[:0], 0
}

func (w *runWriter) flushIfFull() {
	if len(w.out) >= 32<<10 {
		w.flush()
	}
}

func (w *runWriter) flush() {
	if len(w.out) > 0 {
		w.write(string(w.out))
		w.out = w.out[:0]
	}
}

// scanPackedTexts scans the compressed texts of a PNG.
func (x *extractor) scanPackedTexts(p part, content *spool, depth int) {
	pictures.PackedTexts(content, content.size, maxToken, func(text []byte) bool {
		z, err := zlib.NewReader(bytes.NewReader(text))
		if err != nil {
			x.c.fail(p.where, ReasonDamaged)
			return false
		}
		x.scanPart(part{where: inside(p.where, "text"), name: "text", kind: "text/plain"}, x.unpacked(z, int64(len(text))), depth+1)
		return true
	})
}
