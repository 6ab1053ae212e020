package hostile

import (
	"fmt"
	"strings"
	"testing"
)

// SMTPPhases returns the phases in which an SMTP peer can misbehave: the first three while
// a client signs in, the others while it hands over a mail.
func SMTPPhases() []string {
	return []string{"banner", "ehlo", "auth", "mail", "rcpt", "data", "accept", "quit"}
}

// SMTP starts a mail server that accepts every password and every mail up to the phase.
func SMTP(t testing.TB, phase string, manner Manner) *Peer {
	t.Helper()
	return Start(t, phase, manner, func(c *Conn) {
		if c.At("banner", "220-", "220-a greeting without an end\r\n") || !c.Say("220 hostile.example ESMTP\r\n") {
			return
		}
		for {
			line, ok := c.Line()
			if !ok || !answerSMTP(c, line) {
				return
			}
		}
	})
}

func answerSMTP(c *Conn, line string) bool {
	verb, _, _ := strings.Cut(strings.ToUpper(line), " ")
	switch verb {
	case "EHLO", "HELO":
		return !c.At("ehlo", "250-hostile.example\r\n", "250-X-A\r\n") && c.Say("250-hostile.example\r\n250 AUTH PLAIN LOGIN\r\n")
	case "AUTH":
		return !c.At("auth", "235-", "235-you are welcome\r\n") && c.Say("235 2.7.0 ok\r\n")
	case "MAIL":
		return !c.At("mail", "250-", "250-sender\r\n") && c.Say("250 2.1.0 ok\r\n")
	case "RCPT":
		return !c.At("rcpt", "250-", "250-recipient\r\n") && c.Say("250 2.1.5 ok\r\n")
	case "DATA":
		if c.At("data", "354-", "354-go on\r\n") || !c.Say("354 go on\r\n") {
			return false
		}
		for {
			switch line, ok := c.Line(); {
			case !ok:
				return false
			case line == ".":
				return !c.At("accept", "250-", "250-taken\r\n") && c.Say("250 2.0.0 taken\r\n")
			}
		}
	case "QUIT":
		if !c.At("quit", "221-", "221-bye\r\n") {
			c.Say("221 2.0.0 bye\r\n")
		}
		return false
	}
	return c.Say("250 2.0.0 ok\r\n")
}

// IMAPPhases returns the phases in which an IMAP peer can misbehave: the first four while a
// client signs in and opens a folder, the others while it fetches mail.
func IMAPPhases() []string {
	return []string{"greeting", "capability", "login", "select", "search", "numbers", "size", "literal", "many"}
}

// IMAP starts a server with a mailbox that accepts every password up to the phase; "short"
// with Cut is a mail whose end is missing. Its folder reports mails number 2 and above as
// new.
func IMAP(t testing.TB, phase string, manner Manner) *Peer {
	t.Helper()
	return Start(t, phase, manner, func(c *Conn) {
		if c.At("greeting", "* OK ", "a greeting without an end ") || !c.Say("* OK hostile.example\r\n") {
			return
		}
		for {
			line, ok := c.Line()
			if !ok || !answerIMAP(c, line) {
				return
			}
		}
	})
}

func answerIMAP(c *Conn, line string) bool {
	tag, rest, _ := strings.Cut(line, " ")
	command := strings.ToUpper(rest)
	answer := ""
	switch {
	case strings.HasPrefix(command, "CAPABILITY"):
		if c.At("capability", "* CAPABILITY IMAP4rev1", " X-A") {
			return false
		}
		answer = "* CAPABILITY IMAP4rev1\r\n"
	case strings.HasPrefix(command, "LOGIN"):
		if c.At("login", "", "* OK wait\r\n") {
			return false
		}
	case strings.HasPrefix(command, "SELECT"), strings.HasPrefix(command, "EXAMINE"):
		if c.At("select", `* FLAGS (\a`, ` \a`) {
			return false
		}
		answer = "* 3 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 5000] ok\r\n"
	case strings.HasPrefix(command, "UID SEARCH"):
		// A set of numbers can name four thousand million mails in 14 bytes.
		if c.At("search", "* SEARCH", " 4001 4003") || c.At("numbers", fmt.Sprintf("* ESEARCH (TAG %q) UID ALL 1:4294967295\r\n%s OK\r\n", tag, tag), "* OK \r\n") {
			return false
		}
		answer = "* SEARCH 4001\r\n"
	case strings.HasPrefix(command, "UID FETCH") && strings.Contains(command, "RFC822.SIZE"):
		if c.At("size", "* 1 FETCH (UID 4001 FLAGS (", `\a `) {
			return false
		}
		answer = "* 1 FETCH (UID 4001 RFC822.SIZE 100)\r\n"
	case strings.HasPrefix(command, "UID FETCH"):
		if c.At("literal", "* 1 FETCH (UID 4001 BODY[] {9223372036854775807}\r\n", "endless mail\r\n") ||
			c.At("short", "* 1 FETCH (UID 4001 BODY[] {9000}\r\n", strings.Repeat("a mail that is cut off\r\n", 100)) ||
			c.At("many", "", "* 1 FETCH (UID 4001 BODY[] {2}\r\nab)\r\n") {
			return false
		}
		answer = "* 1 FETCH (UID 4001 BODY[] {4}\r\na: b)\r\n"
	case strings.HasPrefix(command, "LOGOUT"):
		c.Say("* BYE\r\n" + tag + " OK\r\n")
		return false
	}
	return c.Say(answer + tag + " OK done\r\n")
}
