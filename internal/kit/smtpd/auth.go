package smtpd

import (
	"encoding/base64"
	"errors"
	"strings"
)

var (
	errCredentials = &Error{501, "5.5.2", "The credentials cannot be read"}
	errCancelled   = &Error{501, "5.7.0", "Not signed in"}
)

// signIn lets a mailbox sign in with PLAIN (RFC 4616) or LOGIN. A session with too many
// failed attempts is closed.
func (c *conn) signIn(arg string) bool {
	who, offered := c.session.(Authenticator)
	switch {
	case !offered:
		return c.refuse(&Error{502, "5.5.1", "Not offered"})
	case !c.secure:
		return c.refuse(&Error{538, "5.7.11", "Send STARTTLS first"})
	case !c.hello || c.mail || c.signedIn:
		return c.refuse(&Error{503, "5.5.1", "Not now"})
	}
	method, initial, _ := strings.Cut(arg, " ")
	var user, password string
	var err error
	switch strings.ToUpper(method) {
	case "PLAIN":
		user, password, err = c.readPlain(initial)
	case "LOGIN":
		user, password, err = c.readLogin(initial)
	default:
		return c.refuse(&Error{504, "5.5.4", "Use PLAIN or LOGIN"})
	}
	if _, readable := errors.AsType[*Error](err); err != nil && !readable {
		return false // the connection is gone
	}
	if err == nil {
		err = who.Authenticate(user, password)
	}
	if err != nil {
		if c.badSignIns++; c.badSignIns >= maxBadSignIns {
			c.refuse(err)
			return false
		}
		return c.refuse(err)
	}
	c.signedIn = true
	return c.say(235, "2.7.0", "Signed in")
}

// readPlain reads "identity NUL user NUL password". The identity must be empty or the user:
// nobody can act for somebody else.
func (c *conn) readPlain(initial string) (user, password string, err error) {
	text, err := c.ask(initial, "")
	parts := strings.Split(text, "\x00")
	if err == nil && (len(parts) != 3 || parts[0] != "" && parts[0] != parts[1]) {
		err = errCredentials
	}
	if err != nil {
		return "", "", err
	}
	return parts[1], parts[2], nil
}

func (c *conn) readLogin(initial string) (user, password string, err error) {
	if user, err = c.ask(initial, "Username:"); err != nil {
		return "", "", err
	}
	password, err = c.ask("", "Password:")
	return user, password, err
}

// ask returns the value that the sender gave with the command, or else asks for it.
func (c *conn) ask(given, prompt string) (string, error) {
	if given == "" {
		if !c.say(334, "", base64.StdEncoding.EncodeToString([]byte(prompt))) {
			return "", errors.New("smtpd: the answer could not be sent")
		}
		var err error
		if given, err = c.line(); err != nil {
			return "", err
		}
	}
	if given == "*" {
		return "", errCancelled
	}
	if given == "=" {
		return "", nil
	}
	text, err := base64.StdEncoding.DecodeString(given)
	if err != nil {
		return "", errCredentials
	}
	return string(text), nil
}
