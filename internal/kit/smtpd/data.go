package smtpd

import (
	"bufio"
	"errors"
	"io"
)

var (
	errBareLF = &Error{554, "5.6.11", "Lines must end in CR LF"}
	errCutOff = &Error{451, "4.4.2", "The mail has no end"}
	errNUL    = &Error{554, "5.6.0", "A mail that is sent on must not have NUL in it"}
)

// dataReader reads a mail up to the line with a dot and takes off the dots that
// the sender doubled. A line may have any length. More than left bytes is
// ErrTooLarge, a line feed without its carriage return errBareLF, and so is the
// other way round in a strict one: a mail that goes on to servers that may take it for
// the end of a line. Nor may such a mail have NUL in it (errNUL): servers that drop it would
// find a line with a dot that is none. The mail can be read on after each of them, so that
// its end is found.
type dataReader struct {
	in      *bufio.Reader
	left    int64
	last    byte // 0 at the beginning
	inLine  bool // something of the line was read
	ended   bool
	lenient bool // a bare line feed is no error, and no end of a line either
	strict  bool // a carriage return without its line feed is an error too, and NUL
}

// Read implements io.Reader.
func (d *dataReader) Read(b []byte) (n int, err error) {
	for n < len(b) && (n == 0 || d.in.Buffered() > 0) {
		c, err := d.next()
		if err != nil {
			return n, err
		}
		b[n] = c
		n++
	}
	return n, nil
}

// next is the next byte of the mail; io.EOF behind the last.
func (d *dataReader) next() (byte, error) {
	if d.ended {
		return 0, io.EOF
	}
	c, err := d.in.ReadByte()
	if err != nil {
		return 0, cutOff(err)
	}
	if c == '.' && !d.inLine {
		end, err := d.in.Peek(2)
		if err != nil {
			return 0, cutOff(err)
		}
		if string(end) == "\r\n" {
			d.ended = true
			if _, err := d.in.Discard(2); err != nil {
				return 0, err
			}
			return 0, io.EOF
		}
		d.last, d.inLine = '.', true
		return d.next()
	}
	if d.left <= 0 {
		if err := d.in.UnreadByte(); err != nil {
			return 0, err
		}
		return 0, ErrTooLarge
	}
	d.left--
	bare := c == '\n' && d.last != '\r'
	bareCR := d.strict && d.last == '\r' && c != '\n'
	d.inLine, d.last = c != '\n' || bare, c
	switch {
	case d.lenient:
	case bare || bareCR:
		return 0, errBareLF
	case d.strict && c == 0:
		return 0, errNUL
	}
	return c, nil
}

// cutOff is what became of a mail whose end is missing, because the sender is gone, says
// nothing, or was sent away. That is a matter of the sender's: nobody here has to look.
func cutOff(err error) error {
	if said, ok := errors.AsType[*Error](err); ok {
		return said
	}
	return errCutOff
}
