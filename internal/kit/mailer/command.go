package mailer

import (
	"bytes"
	"errors"
	"net/smtp"
	"strings"
	"unicode/utf8"
)

// ErrForeign reports that a mail has a non-ASCII address and that the server does not
// accept such addresses. Trying again is useless.
var ErrForeign = errors.New("address_beyond_ascii")

// MailFrom sends the sender of a mail to a server. SMTPUTF8 is requested only if foreign is
// set: a mail that requires it is refused by every server on its way that does not support
// it.
func MailFrom(c *smtp.Client, from string, foreign bool) error {
	if strings.ContainsAny(from, "\r\n") {
		return errors.New("mailer: the sender contains a line break")
	}
	command := "MAIL FROM:<" + from + ">"
	if ok, _ := c.Extension("8BITMIME"); ok {
		command += " BODY=8BITMIME"
	}
	if ok, _ := c.Extension("SMTPUTF8"); ok && foreign {
		command += " SMTPUTF8"
	}
	id, err := c.Text.Cmd("%s", command)
	if err != nil {
		return err
	}
	c.Text.StartResponse(id)
	defer c.Text.EndResponse(id)
	_, _, err = c.Text.ReadResponse(250)
	return err
}

// IsForeign reports whether a mail needs SMTPUTF8: its header, which ends at the first
// empty line, or an address of the envelope contains non-ASCII characters.
func IsForeign(mail []byte, addresses ...string) bool {
	head := mail
	if i := bytes.Index(mail, []byte("\r\n\r\n")); i >= 0 {
		head = mail[:i]
	}
	return bytes.ContainsFunc(head, beyondASCII) || strings.ContainsFunc(strings.Join(addresses, ""), beyondASCII)
}

func beyondASCII(r rune) bool { return r >= utf8.RuneSelf }
