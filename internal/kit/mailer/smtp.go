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
	"slices"
	"time"

	"konak/internal/kit/jobs"
	"konak/internal/kit/outbound"
	"konak/internal/kit/secret"
	"konak/internal/kit/setting"
)

// sending limits one conversation with the mail server, quitting limits the wait for its
// final answer.
const (
	sending  = 30 * time.Second
	quitting = 5 * time.Second
)

type server struct {
	out            *outbound.Client
	host, address  string
	implicitTLS    bool
	user           string
	password       secret.Text
	roots          *tls.Config
	plaintextAllow bool
}

func parseServer(raw, ca string) (*server, error) {
	u, err := url.Parse(raw)
	if err != nil || !setting.IsServer(u.Host) || u.Scheme != "smtp" && u.Scheme != "smtps" || u.RawQuery != "" && u.RawQuery != alwaysTLS {
		return nil, errors.New("--smtp-url: write smtp://user:password@host:port or smtps://user:password@host:port")
	}
	roots, err := outbound.LoadRoots("--smtp-ca", ca)
	if err != nil {
		return nil, err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"smtp": "587", "smtps": "465"}[u.Scheme]
	}
	ip, err := netip.ParseAddr(u.Hostname())
	s := &server{
		out:  outbound.New(outbound.Options{Operator: true}),
		host: u.Hostname(), address: net.JoinHostPort(u.Hostname(), port), implicitTLS: u.Scheme == "smtps",
		user:           u.User.Username(),
		roots:          &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12, RootCAs: roots},
		plaintextAllow: u.RawQuery != alwaysTLS && (u.Hostname() == "localhost" || err == nil && ip.IsLoopback()),
	}
	password, _ := u.User.Password()
	s.password = secret.Of(password)
	return s, nil
}

// alwaysTLS in the address requires STARTTLS even for a server on this machine.
const alwaysTLS = "tls=always"

// refusal is a server's answer about one mail. Its answers about us, such as a wrong
// password, must be solved by an operator, and mails wait for that.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// send sends a message and returns which of its copies were refused. A mail that the server
// refuses permanently is dropped, others are tried again.
func (s *server) send(ctx context.Context, to Envelope, body []byte) ([]Refusal, error) {
	ctx, cancel := context.WithTimeout(ctx, sending)
	defer cancel()
	refused, err := s.transmit(ctx, to, body)
	_, ofMail := errors.AsType[refusal](err)
	if errors.Is(err, ErrForeign) {
		return nil, errors.Join(jobs.ErrDrop, err)
	}
	if reply, ok := errors.AsType[*textproto.Error](err); ok && ofMail && reply.Code >= 500 {
		return nil, errors.Join(jobs.ErrDrop, fmt.Errorf("mailer: the mail server refused: %w", err))
	}
	if err != nil {
		return nil, fmt.Errorf("mailer: %w", err)
	}
	return refused, nil
}

func (s *server) transmit(ctx context.Context, to Envelope, body []byte) ([]Refusal, error) {
	dialled, err := s.out.Dial(ctx, s.address, !s.implicitTLS)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dialled.Close() }()
	var conn net.Conn = dialled
	if s.implicitTLS {
		safe := tls.Client(conn, s.roots)
		if err := safe.HandshakeContext(ctx); err != nil {
			return nil, fmt.Errorf("no safe connection to the mail server: %w", dialled.Explain(err))
		}
		conn = safe
	}
	refused, err := s.handOver(conn, dialled, to, body)
	return refused, dialled.Explain(err)
}

func (s *server) handOver(conn net.Conn, dialled *outbound.Conn, to Envelope, body []byte) ([]Refusal, error) {
	c, err := smtp.NewClient(conn, s.host)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	if err := s.secure(c); err != nil {
		return nil, err
	}
	if s.user != "" {
		if err := c.Auth(smtp.PlainAuth("", s.user, s.password.Reveal(), s.host)); err != nil {
			return nil, fmt.Errorf("the mail server does not accept the user and password of --smtp-url: %w", err)
		}
	}
	foreign := IsForeign(body, slices.Concat([]string{to.From}, to.To, to.Cc)...)
	if ok, _ := c.Extension("SMTPUTF8"); foreign && !ok {
		return nil, ErrForeign
	}
	if err := MailFrom(c, to.From, foreign); err != nil {
		return nil, err
	}
	refused, err := to.NameRecipients(func(address string) (*Refusal, error) {
		dialled.Renew(outbound.MaxAnswer, sending)
		err := c.Rcpt(address)
		if reply, ok := errors.AsType[*textproto.Error](err); ok {
			return &Refusal{Address: address, Reason: err.Error(), Final: reply.Code >= 500}, refusal{err}
		}
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	w, err := c.Data()
	if err != nil {
		return nil, refusal{err}
	}
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, refusal{err}
	}
	// The message is accepted; how the conversation ends no longer matters.
	dialled.Renew(outbound.MaxAnswer, quitting)
	_ = c.Quit()
	return refused, nil
}

func (s *server) secure(c *smtp.Client) error {
	if s.implicitTLS {
		return nil
	}
	if ok, _ := c.Extension("STARTTLS"); ok {
		if err := c.StartTLS(s.roots); err != nil {
			return fmt.Errorf("no safe connection to the mail server: %w", err)
		}
		return nil
	}
	if !s.plaintextAllow {
		return errors.New("the mail server offers no STARTTLS, and mails carry secrets")
	}
	return nil
}
