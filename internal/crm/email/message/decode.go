package message

import (
	"bytes"
	"encoding/hex"
	"io"
)

// content is the location of a part's content, still encoded.
type content struct {
	from     io.ReaderAt
	at, size int64
	encoding string // in lower case
}

// decoder decodes a Content-Transfer-Encoding as far as possible. It reads and decodes
// block by block, so that a large file is never in memory as a whole. Invalid bytes are
// dropped in base64 and kept unchanged in quoted-printable.
type decoder struct {
	content        // the part that was not read yet
	block   []byte // buffer that blocks are read into
	rest    []byte // read but not decoded yet
	out     []byte // decoded but not returned yet
	buf     []byte // buffer that blocks are decoded into
	bits    uint32 // of base64 letters that do not make up whole bytes yet
	letters int    // number of letters in bits
	bad     int    // number of invalid bytes
}

const decodeBlock = 32 << 10

func newDecoder(c *content) *decoder {
	return &decoder{content: *c, block: make([]byte, min(c.size, decodeBlock))}
}

// done reports whether everything was decoded.
func (d *decoder) done() bool { return d.size == 0 && len(d.rest) == 0 }

// Read implements io.Reader. It returns the error of a failed read.
func (d *decoder) Read(b []byte) (int, error) {
	for len(d.out) == 0 {
		if d.done() {
			return 0, io.EOF
		}
		if err := d.decodeBlock(); err != nil {
			return 0, err
		}
	}
	n := copy(b, d.out)
	d.out = d.out[n:]
	return n, nil
}

// decodeUpTo returns at most limit decoded bytes from the start of a content, and the
// number of invalid bytes. It returns the error of a failed read.
func decodeUpTo(c *content, limit int64) (out []byte, bad int, err error) {
	limit = min(limit, c.size) // decoding never makes a content longer
	if c.encoding != "base64" && c.encoding != "quoted-printable" {
		out = make([]byte, limit)
		return out, 0, readFullAt(c.from, out, c.at)
	}
	d := newDecoder(c)
	for !d.done() && int64(len(out)) < limit {
		if err := d.decodeBlock(); err != nil {
			return nil, 0, err
		}
		out = append(out, d.out...)
	}
	return out[:min(int64(len(out)), limit)], d.bad, nil
}

// readBlock reads on and returns the next bytes to decode, and whether they are the last of
// the content.
func (d *decoder) readBlock() (block []byte, last bool, err error) {
	n := copy(d.block, d.rest)
	d.rest = d.block[:n]
	more := min(int64(len(d.block)-n), d.size)
	block = d.block[:n+int(more)]
	if err := readFullAt(d.from, block[n:], d.at); err != nil {
		return nil, false, err
	}
	d.at, d.size = d.at+more, d.size-more
	return block, d.size == 0, nil
}

// decodeBlock decodes the next block into out, whose previous bytes have been returned
// already.
func (d *decoder) decodeBlock() error {
	block, last, err := d.readBlock()
	if err != nil {
		return err
	}
	d.out, d.rest = d.buf[:0], nil
	switch d.encoding {
	case "base64":
		d.decodeBase64(block, last)
		d.buf = d.out
	case "quoted-printable":
		lines, whole := wholeLines(block, last)
		d.rest = block[len(lines):]
		d.decodeQuoted(lines, whole)
		d.buf = d.out
	default:
		d.out = block
	}
	return nil
}

// wholeLines cuts a block after its last line end. If it has none, it cuts before a
// possibly incomplete escape and returns false: the line continues.
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

// base64Values holds the value of each base64 letter, and notLetter for all other bytes.
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

// decodeBase64 skips all bytes that are not base64 letters. A "=" ends a run of letters,
// since a content may be concatenated from several; the last block ends one too.
func (d *decoder) decodeBase64(block []byte, last bool) {
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
	if last {
		d.endRun()
	}
}

// endRun decodes the remaining letters of a run.
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

// decodeQuoted decodes quoted-printable. Trailing white space on a line is dropped, because
// relays may have added it.
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

// decodeEscapes decodes a line without its line end.
func (d *decoder) decodeEscapes(line []byte) {
	for {
		n := bytes.IndexByte(line, '=')
		if n < 0 {
			d.out = append(d.out, line...)
			return
		}
		d.out, line = append(d.out, line[:n]...), line[n:]
		var decoded [1]byte
		if n, _ := hex.Decode(decoded[:], line[1:min(len(line), 3)]); n == 0 {
			d.out, line = append(d.out, '='), line[1:]
			d.bad++
			continue
		}
		d.out, line = append(d.out, decoded[0]), line[3:]
	}
}
