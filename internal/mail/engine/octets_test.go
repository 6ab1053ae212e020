package engine_test

import (
	"bufio"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"konak/internal/app"
	"konak/internal/mail/engine"
)

// startOld runs a proxy for a mail server that hides some of its extensions.
func startOld(t *testing.T, behind string, without ...string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", behind)
			if err != nil {
				_ = client.Close()
				continue
			}
			go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
			go func() {
				defer func() { _ = client.Close() }()
				for in := bufio.NewReader(server); ; {
					line, err := in.ReadString('\n')
					if err != nil {
						return
					}
					if !slices.Contains(without, strings.TrimPrefix(strings.TrimSpace(line), "250-")) {
						_, _ = io.WriteString(client, line)
					}
				}
			}()
		}
	}()
	return ln.Addr().String()
}

// addOldServers routes the mail of some domains to servers without extensions.
func addOldServers(t *testing.T) func(c *app.Config) {
	return func(c *app.Config) {
		_, sink, _ := strings.Cut(c.MailRoutes[0], "=")
		c.MailRoutes = append(c.MailRoutes,
			"no-utf8.example="+startOld(t, sink, "SMTPUTF8"), "no-8bit.example="+startOld(t, sink, "8BITMIME"),
			"old.example="+startOld(t, sink, "SMTPUTF8", "8BITMIME"),
		)
	}
}

// A mail with octets that a server does not accept is returned: a header beyond ASCII needs
// SMTPUTF8, a body 8BITMIME.
func TestOctetsBeyondASCII(t *testing.T) {
	t.Parallel()
	run(t, addOldServers(t), func(t *testing.T, o *office) {
		servers := []string{"other.example", "no-utf8.example", "no-8bit.example", "old.example"}
		for _, c := range []struct {
			name, more, body string
			want             map[string]string // prefixes of the answers
		}{
			{"neither", "", "Merhaba", map[string]string{}},
			{"header", "X-Not: ş\r\n", "Merhaba", map[string]string{"no-utf8.example": "5.6.7", "old.example": "5.6.7"}},
			{"body", "", "Günaydın", map[string]string{"no-8bit.example": "5.6.3", "old.example": "5.6.3"}},
			{"end of a long body", "", strings.Repeat("Merhaba\r\n", 10_000) + "ş", map[string]string{"no-8bit.example": "5.6.3", "old.example": "5.6.3"}},
			{"both", "X-Not: \xfe\r\n", "Günaydın", map[string]string{"no-utf8.example": "5.6.7", "no-8bit.example": "5.6.3", "old.example": "5.6.7"}},
		} {
			before := len(o.out.got())
			var to []string
			for _, name := range servers {
				to = append(to, "elif@"+name)
			}
			if code := o.submit(text("info@firma.example", c.name, c.more)+c.body+"\r\n", to...); code != 250 {
				t.Fatalf("%s: said %d", c.name, code)
			}
			o.s.Settle()
			list := o.queue()
			i := slices.IndexFunc(list, func(m engine.QueueItem) bool { return m.Origin == engine.OriginSubmission && m.Subject == c.name })
			for _, r := range list[i].Recipients {
				_, name, _ := strings.Cut(r.Address, "@")
				state, answer := engine.StateDelivered, "250"
				if c.want[name] != "" {
					state, answer = engine.StateFailed, c.want[name]+" "
				}
				if r.State != state || !strings.HasPrefix(r.Answer, answer) {
					t.Errorf("%s to %s: %s, %s", c.name, name, r.State, r.Answer)
				}
			}
			if n := len(o.out.got()) - before; n != len(servers)-len(c.want) {
				t.Errorf("%s: %d mails arrived", c.name, n)
			}
			if returned := slices.ContainsFunc(list, func(m engine.QueueItem) bool { return m.Origin == engine.OriginReport }); returned != (c.name != "neither") {
				t.Errorf("%s: the sender is told: %t", c.name, returned)
			}
		}
		var suppressed []engine.Suppression
		o.Owner.Get(base + "/suppressions").Want(200).Data(&suppressed)
		if len(suppressed) != 0 {
			t.Errorf("suppressed are %+v", suppressed)
		}
	})
}

// A report on a mail beyond ASCII is itself in ASCII, so that every server accepts it.
func TestReportInASCII(t *testing.T) {
	t.Parallel()
	run(t, addOldServers(t), func(t *testing.T, o *office) {
		o.allowForwarding("old.example")
		o.addMailbox(map[string]any{"address": "ekip@firma.example", "kind": "forward", "targets": []string{"elif@old.example"}})
		mail := "From: ayse@old.example\r\nTo: ekip@firma.example\r\nSubject: çağrı\r\nMessage-ID: <ş@old.example>\r\n\r\nGünaydın\r\n"
		if code := o.bring("ayse@old.example", mail, "ekip@firma.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		o.s.Settle()
		got := o.out.got()
		if len(got) != 1 || got[0].from != "" || !slices.Equal(got[0].to, []string{"ayse@old.example"}) {
			t.Fatalf("got %+v", got)
		}
		if strings.ContainsFunc(got[0].text, func(r rune) bool { return r >= 0x80 }) {
			t.Errorf("beyond ASCII: %s", got[0].text)
		}
		for _, want := range []string{"Status: 5.6.7\r\n", "Subject: =C3=A7a=C4=9Fr=C4=B1\r\n", "Postan=C4=B1z"} {
			if !strings.Contains(got[0].text, want) {
				t.Errorf("%q is not in %s", want, got[0].text)
			}
		}
	})
}
