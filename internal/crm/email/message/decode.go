package message

import (
	"bytes"
	"io"
	"strings"
)

// decoder undoes a Content-Transfer-Encoding as far as it can be undone, a
// block at a time, so that a large file is never in memory twice. What has no
// meaning is left out of base64, and kept as it stands in quoted-printable.
type decoder struct {
	raw      []byte // what is left
	encoding string
	out      []byte // decoded and not read yet
	buf      []byte // where blocks are decoded to
	bits     uint32 // of base64 letters that do not make up whole bytes yet
	letters  int    // how many of them
	bad      int    // bytes without a meaning
}

func newDecoder(raw []byte, encoding string) *decoder {
	return &decoder{raw: raw, encoding: strings.ToLower(strings.TrimSpace(encoding))}
}

const decodeBlock = 32 << 10

// Read implements io.Reader.
func (d *decoder) Read(b []byte) (int, error) {
	for len(d.out) == 0 {
		if len(d.raw) == 0 {
			return 0, io.EOF
		}
		d.decodeBlock()
	}
	n := copy(b, d.out)
	d.out = d.out[n:]
	return n, nil
}

// decodeUpTo returns the first bytes of a content, at most limit, and how many
// of them have no meaning. What needs no decoding is not copied.
func decodeUpTo(raw []byte, encoding string, limit int) (out []byte, bad int) {
	d := newDecoder(raw, encoding)
	if d.encoding != "base64" && d.encoding != "quoted-printable" {
		return raw[:min(len(raw), limit)], 0
	}
	for len(d.raw) > 0 && len(out) < limit {
		d.decodeBlock()
		out = append(out, d.out...)
	}
	return out[:min(len(out), limit)], d.bad
}

// decodeBlock decodes the next block into out, whose bytes were read.
func (d *decoder) decodeBlock() {
	block, whole := d.raw[:min(len(d.raw), decodeBlock)], true
	d.out = d.buf[:0]
	switch d.encoding {
	case "base64":
		d.raw = d.raw[len(block):]
		d.decodeBase64(block)
		d.buf = d.out
	case "quoted-printable":
		block, whole = wholeLines(block, len(block) == len(d.raw))
		d.raw = d.raw[len(block):]
		d.decodeQuoted(block, whole)
		d.buf = d.out
	default:
		d.raw = d.raw[len(block):]
		d.out = block
	}
}

// wholeLines cuts a block behind its last line end. Where it has none, it cuts
// before an escape that may not be complete and says that the line goes on.
func wholeLines(block []byte, last bool) ([]byte, bool) {
	if last {
		return block, true
	}
	if n := bytes.LastIndexByte(block, '\n'); n >= 0 {
		return block[:n+1], true
	}
	if n := bytes.LastIndexByte(block, '='); n > len(block)-3 {
		block = block[:n]
	}
	return block, false
}

// base64Values holds the value of each letter of base64 and notLetter for all
// other bytes.
var base64Values = func() (values [256]byte) {
	for i := range values {
		values[i] = notLetter
	}
	for i, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" {
		values[c] = byte(i)
	}
	return values
}()

const notLetter = 0xff

// decodeBase64 passes over what is no letter. A "=" ends a run of letters, as
// in a content that was put together of several.
func (d *decoder) decodeBase64(block []byte) {
	for _, c := range block {
		switch v := base64Values[c]; {
		case v != notLetter:
			d.bits = d.bits<<6 | uint32(v)
			if d.letters++; d.letters == 4 {
				d.out = append(d.out, byte(d.bits>>16), byte(d.bits>>8), byte(d.bits))
				d.bits, d.letters = 0, 0
			}
		case c == '=':
			d.endRun()
		case c != '\r' && c != '\n' && c != ' ' && c != '\t':
			d.bad++
		}
	}
	if len(d.raw) == 0 {
		d.endRun()
	}
}

// endRun decodes the letters at the end of a run.
func (d *decoder) endRun() {
	switch d.letters {
	case 1:
		d.bad++
	case 2:
		d.out = append(d.out, byte(d.bits>>4))
	case 3:
		d.out = append(d.out, byte(d.bits>>10), byte(d.bits>>2))
	}
	d.bits, d.letters = 0, 0
}

// decodeQuoted reads quoted-printable. White space at the end of a line is
// dropped, as relays may have added it.
func (d *decoder) decodeQuoted(block []byte, whole bool) {
	if !whole {
		d.decodeEscapes(block)
		return
	}
	for line := range bytes.Lines(block) {
		text := bytes.TrimRight(line, " \t\r\n")
		if soft, ok := bytes.CutSuffix(text, []byte("=")); ok {
			d.decodeEscapes(soft)
			continue
		}
		d.decodeEscapes(text)
		switch {
		case bytes.HasSuffix(line, []byte("\r\n")):
			d.out = append(d.out, '\r', '\n')
		case bytes.HasSuffix(line, []byte("\n")):
			d.out = append(d.out, '\n')
		}
	}
}

// decodeEscapes reads a line without its end.
func (d *decoder) decodeEscapes(line []byte) {
	for {
		n := bytes.IndexByte(line, '=')
		if n < 0 {
			d.out = append(d.out, line...)
			return
		}
		d.out, line = append(d.out, line[:n]...), line[n:]
		high, low := byte(notHex), byte(notHex)
		if len(line) > 2 {
			high, low = hexValue(line[1]), hexValue(line[2])
		}
		if high == notHex || low == notHex {
			d.out, line = append(d.out, '='), line[1:]
			d.bad++
			continue
		}
		d.out, line = append(d.out, high<<4|low), line[3:]
	}
}

const notHex = 0xff

func hexValue(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	}
	return notHex
}
