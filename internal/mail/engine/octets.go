package engine

import (
	"bufio"
	"errors"
	"io"
	"math"
	"net/smtp"
	"unicode"
)

// octets is where a mail has octets beyond ASCII. The header and the body are each looked
// at once for all servers, the body only for one that does not take such.
type octets struct {
	foreignHead, foreignBody bool
	headRead, bodyRead       bool
	bodyAt                   int64 // where the body begins
}

// checkOctets returns why a server does not take a mail for the octets that it has, ""
// where it does (RFC 6152, RFC 6531). To convert a mail would break its signatures.
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

// readHead looks at the header, which ends with the first empty line.
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

// readBody looks at what follows the header.
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

// foreignWriter is set once an octet beyond ASCII was written.
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
