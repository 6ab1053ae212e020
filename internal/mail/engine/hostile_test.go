package engine_test

import (
	"fmt"
	"net/smtp"
	"strings"
	"testing"

	"konak/internal/app"
	"konak/internal/mail/engine"
)

// Invalid addresses are refused permanently, whatever bytes they contain: nobody is told to
// try again, and nothing is logged.
func TestHostileAddresses(t *testing.T) {
	t.Parallel()
	run(t, func(c *app.Config) { c.MailDomain = "posta.example" }, func(t *testing.T, o *office) {
		say := func(line string) int {
			t.Helper()
			c, err := smtp.Dial(o.server)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			if err := c.Hello("peer.example"); err != nil {
				t.Fatal(err)
			}
			if len(line) > 4 && line[:4] == "RCPT" {
				if err := c.Mail("ayse@third.example"); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := c.Text.Cmd("%s", line); err != nil {
				t.Fatal(err)
			}
			_, _, err = c.Text.ReadResponse(250)
			return codeOf(t, err)
		}
		for line, want := range map[string]int{
			"MAIL FROM:<ayse@third.example>":         250,
			"MAIL FROM:ayse@third.example":           250,
			"MAIL FROM:<\"ayse k\"@third.example>":   250,
			"MAIL FROM:<çağ@third.example> SMTPUTF8": 250,
			"MAIL FROM:<>":                              250,
			"MAIL FROM:Ayse<ayse@third.example>":        501,
			"MAIL FROM:<ayse@third.example (x)>":        501,
			"MAIL FROM:<ayse@third.example,b@c.example": 501,
			"MAIL FROM:<ayse\x00@third.example>":        501,
			"MAIL FROM:<çağ@third.example>":             553,
			"MAIL FROM:<\xfc@third.example>":            553,
			"MAIL FROM:<\xfc@third.example> SMTPUTF8":   501,
			"RCPT TO:<info@firma.example>":              250,
			"RCPT TO:<info\x00@firma.example>":          550,
			"RCPT TO:<info@firma.example\x00>":          550,
			"RCPT TO:<\xfc@firma.example>":              550,
			"RCPT TO:<info@\xfcfirma.example>":          550,
			"RCPT TO:<a\x00+b@posta.example>":           550,
			"RCPT TO:<a+\x00@posta.example>":            550,
			"RCPT TO:<\xfc@posta.example>":              550,
			"RCPT TO:<\x00@posta.example>":              550,
			"RCPT TO:<abuse\x00@firma.example>":         550,
			"RCPT TO:<info@acme.example@firma.example>": 550,
			"RCPT TO:<elif%other.example@firma.example": 501,
			"RCPT TO:<fwd-\xff@firma.example>":          550,
		} {
			if code := say(line); code != want {
				t.Errorf("%q: said %d, want %d", line, code, want)
			}
		}
		for _, user := range []string{"info\xff@firma.example", "\xff", "info@\xfffirma.example"} {
			if _, err := o.signIn(user, password); codeOf(t, err) != 535 {
				t.Errorf("%q signs in: %v", user, err)
			}
		}
		c := o.dial("info@firma.example")
		if err := c.Mail("info@firma.example"); err != nil {
			t.Fatal(err)
		}
		for _, to := range []string{"elif\x00@other.example", "\xfc@other.example", "elif@other.example (x)"} {
			if code := codeOf(t, c.Rcpt(to)); code != 553 {
				t.Errorf("a mailbox's mail to %q: said %d", to, code)
			}
		}
	})
}

// Mail to other servers contains no NUL: a server that drops it could find the end of the
// mail too early. Mail that stays here may contain it.
func TestNULIsNotForwarded(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.addMailbox(map[string]any{"address": "ekip@firma.example", "kind": "forward", "targets": []string{"elif@other.example"}})
		mail := text("ayse@third.example", "soru", "") + "\x00.\r\nMAIL FROM:<evil@third.example>\r\n"
		for to, want := range map[string]int{"ekip@firma.example": 554, "info@firma.example": 250} {
			if code := o.bring("ayse@third.example", mail, to); code != want {
				t.Errorf("to %s: said %d, want %d", to, code, want)
			}
		}
		if code := o.submit(text("info@firma.example", "plan", "")+"\x00.\r\n", "elif@other.example"); code != 554 {
			t.Errorf("a mailbox's mail: said %d", code)
		}
		o.s.Settle()
		if n := len(o.out.got()); n != 0 {
			t.Errorf("%d mails left", n)
		}
	})
}

// A header that is not valid text is accepted like any other in every path: into an inbox,
// when forwarded, out of a mailbox, to addresses that nobody reads, into the journal and by
// the rules.
func TestHostileHeaders(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.Owner.Put(base+"/settings/journaling", map[string]any{"enabled": true, "retention_days": 10}).Want(200)
		o.addRule("log", nil)
		o.addMailbox(map[string]any{"address": "ekip@firma.example", "kind": "forward", "targets": []string{"elif@other.example", "info@firma.example"}})
		for i, junk := range []string{"\xff\xfe", "=?utf-8?b?/////w==?=", "=?utf-8?q?a=00b?=", "=?x-none?q?a?=", "\x1b[31m\x07", strings.Repeat("\xff", 5000), "\x00"} {
			mail := func(from string) string {
				return fmt.Sprintf("From: %s\r\nSubject: gizli %s\r\nMessage-ID: <%d%s@x.example>\r\nReferences: %s\r\nX-A: %s\r\n\r\ngizli %s\r\n", from, junk, i, junk, junk, junk, junk)
			}
			wants := map[string]int{"inbox": 250, "forward": 250, "report": 250, "mailbox": 250}
			if junk == "\x00" {
				wants["forward"], wants["mailbox"] = 554, 554
			}
			for name, got := range map[string]int{
				"inbox":   o.bring("ayse@third.example", mail("ayse@third.example"), "info@firma.example"),
				"forward": o.bring("ayse@third.example", mail("ayse@third.example"), "ekip@firma.example"),
				"report":  o.bring("ayse@third.example", mail("ayse@third.example"), "dmarc@firma.example"),
				"mailbox": o.submit(mail("info@firma.example"), "elif@other.example", "info@firma.example"),
			} {
				if got != wants[name] {
					t.Errorf("%.20q, %s: said %d, want %d", junk, name, got, wants[name])
				}
			}
		}
		o.s.Settle()
		for _, m := range o.queue() {
			want := engine.StateDone
			if strings.Contains(m.Subject, "x-none") {
				want = engine.StateHeld // an unknown charset cannot be scanned
			}
			if m.State != want {
				t.Errorf("got %+v", m)
			}
		}
	})
}
