package mailer

import (
	"bytes"
	"errors"
	"net/smtp"
	"strings"
	"unicode/utf8"
)

// ErrForeign says that a mail has an address beyond ASCII, and that the server takes
// no such address. To try again is no use.
var ErrForeign = errors.New("address_beyond_ascii")

// MailFrom names the sender of a mail to a server. SMTPUTF8 is asked for only where
// foreign is set: a mail that needs it is refused by every server on its way that does
// not have it.
func MailFrom(c *smtp.Client, from string, foreign bool) error {
	if strings.ContainsAny(from, "\r\n") {
		return errors.New("mailer: the sender has a line end")
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

// IsForeign says whether a mail needs SMTPUTF8: an address of the envelope or the
// header, which ends at the first empty line, is beyond ASCII.
func IsForeign(mail []byte, addresses ...string) bool {
	head := mail
	if i := bytes.Index(mail, []byte("\r\n\r\n")); i >= 0 {
		head = mail[:i]
	}
	return bytes.ContainsFunc(head, beyondASCII) || strings.ContainsFunc(strings.Join(addresses, ""), beyondASCII)
}

func beyondASCII(r rune) bool { return r >= utf8.RuneSelf }
