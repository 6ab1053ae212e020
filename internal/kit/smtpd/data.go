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

// dataReader reads a mail up to the line with a dot and removes the dots that the sender
// doubled. A line may have any length. More than left bytes are ErrTooLarge, and a bare
// line feed is errBareLF. A strict reader is for mail that goes on to other servers: it
// also refuses a bare carriage return, which they may take for the end of a line, and NUL
// (errNUL), because servers that drop it would find a false line with a dot. Reading can
// continue after each of these errors, so that the mail's end is found.
type dataReader struct {
	in      *bufio.Reader
	left    int64
	last    byte // 0 at the beginning
	inLine  bool // part of the line was read
	ended   bool
	lenient bool // a bare line feed is neither an error nor the end of a line
	strict  bool // a bare carriage return and NUL are errors too
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

// next returns the next byte of the mail; io.EOF after the last.
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

// cutOff returns the error for a mail whose end is missing because the sender is gone,
// silent, or was disconnected. The cause is on the sender's side: nobody here has to look
// into it.
func cutOff(err error) error {
	if said, ok := errors.AsType[*Error](err); ok {
		return said
	}
	return errCutOff
}
