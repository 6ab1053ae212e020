package engine

import (
	"bufio"
	"errors"
	"io"
	"math"
	"net/smtp"
	"unicode"
)

// octets records where a mail has octets beyond ASCII. The header and the body are each
// read once for all servers, the body only when a server does not accept such octets.
type octets struct {
	foreignHead, foreignBody bool
	headRead, bodyRead       bool
	bodyAt                   int64 // where the body begins
}

// checkOctets returns why a server does not accept the octets of a mail, or "" if it does
// (RFC 6152, RFC 6531). The mail is not converted, because that would break its signatures.
func (t *transfer) checkOctets(c *smtp.Client) (refusal string, err error) {
	if err := t.readHead(); err != nil {
		return "", err
	}
	if ok, _ := c.Extension("SMTPUTF8"); !ok && t.foreignHead {
		return answerHeader, nil
	}
	if ok, _ := c.Extension("8BITMIME"); ok {
		return "", nil
	}
	if err := t.readBody(); err != nil {
		return "", err
	}
	if t.foreignBody {
		return answerText, nil
	}
	return "", nil
}

// readHead reads the header, which ends with the first empty line, and records whether it
// has octets beyond ASCII.
func (t *transfer) readHead() error {
	if t.headRead {
		return nil
	}
	o, empty := octets{headRead: true}, true
	in := bufio.NewReader(io.NewSectionReader(t.text, 0, math.MaxInt64))
	for {
		c, err := in.ReadByte()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err == nil {
			o.bodyAt++
			o.foreignHead = o.foreignHead || c > unicode.MaxASCII
		}
		if err != nil || c == '\n' && empty {
			t.octets = o
			return nil
		}
		empty = c == '\n' || empty && c == '\r'
	}
}

// readBody reads the body and records whether it has octets beyond ASCII.
func (t *transfer) readBody() error {
	if t.bodyRead {
		return nil
	}
	foreign := foreignWriter(false)
	if _, err := io.Copy(&foreign, io.NewSectionReader(t.text, t.bodyAt, math.MaxInt64-t.bodyAt)); err != nil {
		return err
	}
	t.bodyRead, t.foreignBody = true, bool(foreign)
	return nil
}

// foreignWriter becomes true once an octet beyond ASCII is written.
type foreignWriter bool

// Write implements io.Writer.
func (f *foreignWriter) Write(b []byte) (int, error) {
	for _, c := range b {
		if c > unicode.MaxASCII {
			*f = true
			break
		}
	}
	return len(b), nil
}
