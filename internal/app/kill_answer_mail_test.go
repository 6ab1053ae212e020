package app_test

import (
	"fmt"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	gosmtp "github.com/emersion/go-smtp"
	"github.com/google/uuid"

	"konak/internal/crm/email/message"
)

// An answer that a mailbox's server accepted right before kill -9 is sent at most once
// more, and none is lost.
func TestKillMailbox(t *testing.T) {
	t.Parallel()
	onBoth(t, sharedPostgres, func(k *trial) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		k.must(err)
		in := ln.Addr().String()
		k.must(ln.Close())
		k.args = append(k.args, "--mail-listen="+in, "--mail-domain=in.konak.example")
		out := &killingMailServer{killingProvider: &killingProvider{}}
		c := &killedChannel{
			provider: out.killingProvider, connect: "email",
			with: map[string]any{"name": "Kutu", "address": "kutu@firma.example", "smtp": map[string]any{
				"host": "127.0.0.1", "port": out.serve(k), "security": "none", "user": "destek", "password": "geheim-1",
			}},
			say: func(_ *client, account string) {
				local := one[string](k, k.open(), `SELECT local_part FROM email_mailbox WHERE account_id = $1`, uuid.MustParse(account))
				mail := fmt.Sprintf("From: elif@kaya.example\r\nTo: kutu@firma.example\r\nSubject: Soru\r\nMessage-ID: <%s@kaya.example>\r\n\r\nMerhaba\r\n", account)
				k.must((&mailTrial{trial: k, smtpAddr: in, to: local + "@in.konak.example"}).hand("elif@kaya.example", mail))
			},
			texts: out.got,
		}
		c.run(k)
	})
}

// killingMailServer is a mail server that outlives the server. Once its provider is armed,
// it accepts the next mail and kills the server before it answers.
type killingMailServer struct {
	*killingProvider
	mu    sync.Mutex
	texts []string
}

// serve starts it and returns its port.
func (s *killingMailServer) serve(k *trial) int {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	k.must(err)
	server := gosmtp.NewServer(gosmtp.BackendFunc(func(*gosmtp.Conn) (gosmtp.Session, error) { return &killingSession{s: s}, nil }))
	server.AllowInsecureAuth, server.EnableSMTPUTF8, server.Domain = true, true, "mail.example"
	done := make(chan error, 1)
	go func() { done <- server.Serve(ln) }()
	k.t.Cleanup(func() { _ = server.Close(); <-done })
	return ln.Addr().(*net.TCPAddr).Port
}

// got returns the texts that it accepted.
func (s *killingMailServer) got() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.texts...)
}

type killingSession struct {
	s    *killingMailServer
	from string
}

func (c *killingSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (c *killingSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, _, _ string) error { return nil }), nil
}

func (c *killingSession) Mail(from string, _ *gosmtp.MailOptions) error {
	c.from = from
	return nil
}

func (c *killingSession) Rcpt(string, *gosmtp.RcptOptions) error { return nil }

func (c *killingSession) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	mail, err := message.ParseBytes(raw, c.from)
	if err != nil {
		return err
	}
	c.s.mu.Lock()
	c.s.texts = append(c.s.texts, mail.Text)
	c.s.mu.Unlock()
	c.s.strike()
	return nil
}

func (c *killingSession) Reset()        {}
func (c *killingSession) Logout() error { return nil }
