// Package transfer decodes the transfer encodings of mail parts. The decoders are as
// lenient as mail programs: of damaged input they return what can be decoded.
package transfer

import "io"

// Decode decodes an encoding given by its lower-case name. Bytes in any other encoding are
// returned unchanged.
func Decode(r io.Reader, encoding string) io.Reader {
	switch encoding {
	case "base64":
		return Base64(r)
	case "quoted-printable":
		return QuotedPrintable(r)
	}
	return r
}

// Base64 decodes base64.
func Base64(r io.Reader) io.Reader { return &base64Reader{r: r} }

// QuotedPrintable decodes quoted-printable.
func QuotedPrintable(r io.Reader) io.Reader { return &quotedReader{r: r} }

// base64Reader decodes base64 and skips anything else, including padding in the middle.
type base64Reader struct {
	r    io.Reader
	buf  [4096]byte
	bits uint32
	have uint
	out  []byte
	err  error
}

func (b *base64Reader) Read(p []byte) (int, error) {
	for len(b.out) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		var n int
		n, b.err = b.r.Read(b.buf[:])
		out := b.buf[:0] // the output is shorter than the input
		for _, c := range b.buf[:n] {
			v := base64Value(c)
			if v < 0 {
				if c == '=' {
					b.bits, b.have = 0, 0
				}
				continue
			}
			b.bits, b.have = b.bits<<6|uint32(v), b.have+6
			if b.have >= 8 {
				b.have -= 8
				out = append(out, byte(b.bits>>b.have))
			}
		}
		b.out = out
	}
	n := copy(p, b.out)
	b.out = b.out[n:]
	return n, nil
}

func base64Value(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case isDigit(c):
		return int(c-'0') + 52
	case c == '+' || c == '-':
		return 62
	case c == '/' || c == '_':
		return 63
	}
	return -1
}

// quotedReader decodes quoted-printable. An = that starts no escape is kept.
type quotedReader struct {
	r    io.Reader
	buf  [4096]byte
	kept []byte // an = near the end of the input read so far, and what follows it
	out  []byte
	err  error
}

func (q *quotedReader) Read(p []byte) (int, error) {
	for len(q.out) == 0 {
		if q.err != nil {
			return 0, q.err
		}
		var n int
		n, q.err = q.r.Read(q.buf[:])
		in := append(q.kept, q.buf[:n]...)
		q.kept = nil
		q.out = q.decode(in, q.err != nil)
	}
	n := copy(p, q.out)
	q.out = q.out[n:]
	return n, nil
}

func (q *quotedReader) decode(in []byte, last bool) []byte {
	out := make([]byte, 0, len(in))
	for i := 0; i < len(in); i++ {
		if in[i] != '=' {
			out = append(out, in[i])
			continue
		}
		j := i + 1
		for j < len(in) && j-i < 80 && (in[j] == ' ' || in[j] == '\t' || in[j] == '\r') {
			j++
		}
		switch {
		case !last && (j >= len(in) || i+2 >= len(in)):
			q.kept = append([]byte(nil), in[i:]...)
			return out
		case j < len(in) && in[j] == '\n':
			i = j
		case i+2 < len(in) && hexValue(in[i+1]) >= 0 && hexValue(in[i+2]) >= 0:
			out = append(out, byte(hexValue(in[i+1])<<4|hexValue(in[i+2])))
			i += 2
		default:
			out = append(out, '=')
		}
	}
	return out
}

func hexValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
