package mailer_test

import (
	"io"
	"net"
	"net/smtp"
	"strings"
	"testing"

	"konak/internal/kit/mailer"
)

// SMTPUTF8 is requested if the envelope or the header needs it and the server supports it.
func TestMailFrom(t *testing.T) {
	t.Parallel()
	const head = "Subject: =?utf-8?q?=C3=A7?=\r\nTo: b@d.example\r\n\r\nçok"
	for _, c := range []struct{ name, mail, from, to, offers, want string }{
		{"plain", head, "a@b.example", "b@d.example", "SMTPUTF8", "MAIL FROM:<a@b.example>"},
		{"8 bits", head, "a@b.example", "b@d.example", "8BITMIME\r\n250 SMTPUTF8", "MAIL FROM:<a@b.example> BODY=8BITMIME"},
		{"foreign sender", head, "ş@b.example", "b@d.example", "SMTPUTF8", "MAIL FROM:<ş@b.example> SMTPUTF8"},
		{"foreign recipient", head, "a@b.example", "ç@d.example", "SMTPUTF8", "MAIL FROM:<a@b.example> SMTPUTF8"},
		{"foreign header", "Subject: ç\r\n\r\nx", "a@b.example", "b@d.example", "SMTPUTF8", "MAIL FROM:<a@b.example> SMTPUTF8"},
		{"not offered", "Subject: ç\r\n\r\nx", "a@b.example", "b@d.example", "SIZE 1", "MAIL FROM:<a@b.example>"},
	} {
		near, far := net.Pipe()
		said := make(chan string, 1)
		go func() {
			defer func() { _ = far.Close() }()
			b := make([]byte, 1000)
			_, _ = io.WriteString(far, "220 d.example\r\n")
			_, _ = far.Read(b)
			offers := strings.ReplaceAll(c.offers, "250 ", "250-")
			_, _ = io.WriteString(far, "250-d.example\r\n250-"+offers+"\r\n250 HELP\r\n")
			n, _ := far.Read(b)
			said <- strings.TrimRight(string(b[:n]), "\r\n")
			_, _ = io.WriteString(far, "250 ok\r\n")
		}()
		client, err := smtp.NewClient(near, "d.example")
		if err != nil {
			t.Fatal(err)
		}
		if err := client.Hello("b.example"); err != nil {
			t.Fatal(err)
		}
		if err := mailer.MailFrom(client, c.from, mailer.IsForeign([]byte(c.mail), c.from, c.to)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := <-said; got != c.want {
			t.Errorf("%s: said %q, want %q", c.name, got, c.want)
		}
		_ = near.Close()
	}
	if err := mailer.MailFrom(nil, "a@b.example>\r\nRCPT TO:<c@d.example", false); err == nil {
		t.Error("a line end in the sender is sent")
	}
}
