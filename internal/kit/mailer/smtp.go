package mailer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/smtp"
	"net/textproto"
	"net/url"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

// sending bounds one conversation with the mail server.
const sending = 30 * time.Second

type server struct {
	host, address  string
	implicitTLS    bool
	user           string
	password       secret.Text
	roots          *tls.Config
	plaintextAllow bool
}

func parseServer(raw string) (*server, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return nil, errors.New("--smtp-url: write smtp://user:password@host:port or smtps://user:password@host:port")
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"smtp": "587", "smtps": "465"}[u.Scheme]
	}
	ip, err := netip.ParseAddr(u.Hostname())
	s := &server{
		host: u.Hostname(), address: net.JoinHostPort(u.Hostname(), port), implicitTLS: u.Scheme == "smtps",
		user:           u.User.Username(),
		roots:          &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12},
		plaintextAllow: u.Hostname() == "localhost" || err == nil && ip.IsLoopback(),
	}
	password, _ := u.User.Password()
	s.password = secret.Of(password)
	return s, nil
}

// send hands a message over. What the server refuses for good is dropped, the
// rest is tried again.
func (s *server) send(ctx context.Context, from string, body []byte, to ...string) error {
	ctx, cancel := context.WithTimeout(ctx, sending)
	defer cancel()
	err := s.talk(ctx, from, body, to)
	if reply, ok := errors.AsType[*textproto.Error](err); ok && reply.Code >= 500 {
		return errors.Join(jobs.ErrDrop, fmt.Errorf("mailer: the mail server refuses: %w", err))
	}
	if err != nil {
		return fmt.Errorf("mailer: %w", err)
	}
	return nil
}

func (s *server) talk(ctx context.Context, from string, body []byte, to []string) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", s.address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(clock.Deadline(sending)); err != nil {
		return err
	}
	if s.implicitTLS {
		conn = tls.Client(conn, s.roots)
	}
	c, err := smtp.NewClient(conn, s.host)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if err := s.secure(c); err != nil {
		return err
	}
	if s.user != "" {
		if err := c.Auth(smtp.PlainAuth("", s.user, s.password.Reveal(), s.host)); err != nil {
			return err
		}
	}
	if err := c.Mail(from); err != nil {
		return err
	}
	for _, r := range to {
		if err := c.Rcpt(r); err != nil {
			return err
		}
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(body); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	// The message is accepted; how the conversation ends no longer matters.
	_ = c.Quit()
	return nil
}

func (s *server) secure(c *smtp.Client) error {
	if s.implicitTLS {
		return nil
	}
	if ok, _ := c.Extension("STARTTLS"); ok {
		return c.StartTLS(s.roots)
	}
	if !s.plaintextAllow {
		return errors.New("the mail server offers no STARTTLS, and letters carry secrets")
	}
	return nil
}
