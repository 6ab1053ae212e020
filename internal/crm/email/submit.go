package email

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"konak/internal/kit/clock"
	"konak/internal/kit/jobs"
)

// talking bounds one conversation with a mail server.
const talking = time.Minute

// submit sends a mail over a mailbox's own server. What the server refuses for
// good is an ErrDrop, everything else is tried again.
func (s *Service) submit(ctx context.Context, to *Server, password, from string, rcpt []string, raw []byte) error {
	// A password that is wrong says nothing about the mail: it waits until
	// somebody has set it right.
	c, err := s.smtp(ctx, to, password)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if err := c.Mail(from, nil); err != nil {
		return lasting(err)
	}
	for _, r := range rcpt {
		if err := c.Rcpt(r, nil); err != nil {
			return lasting(fmt.Errorf("%s: %w", r, err))
		}
	}
	w, err := c.Data()
	if err != nil {
		return lasting(err)
	}
	if _, err := bytes.NewReader(raw).WriteTo(w); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return lasting(err)
	}
	// The mail is accepted; how the conversation ends no longer matters.
	_ = c.Quit()
	return nil
}

// lasting tells a refusal for good from one for now.
func lasting(err error) error {
	if reply, ok := errors.AsType[*smtp.SMTPError](err); ok && reply.Code >= 500 {
		return errors.Join(jobs.ErrDrop, err)
	}
	return err
}

// smtp connects to a mail server and signs in.
func (s *Service) smtp(ctx context.Context, to *Server, password string) (*smtp.Client, error) {
	conn, err := s.dial(ctx, to)
	if err != nil {
		return nil, err
	}
	var c *smtp.Client
	if to.Security == StartTLS {
		c, err = smtp.NewClientStartTLS(conn, &tls.Config{ServerName: to.Host, MinVersion: tls.VersionTLS12})
		if err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	} else {
		c = smtp.NewClient(conn)
	}
	c.CommandTimeout, c.SubmissionTimeout = talking, talking
	if to.User == "" {
		return c, c.Noop()
	}
	var login sasl.Client = sasl.NewPlainClient("", to.User, password)
	if !c.SupportsAuth(sasl.Plain) && c.SupportsAuth(sasl.Login) {
		login = sasl.NewLoginClient(to.User, password)
	}
	if err := c.Auth(login); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// dial connects where the outside may be reached. Only inside the ranges that
// the installation allows may it go unencrypted.
func (s *Service) dial(job context.Context, to *Server) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(job, talking)
	defer cancel()
	conn, err := s.Out.Dial(ctx, to.address(), to.Security == Plain)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(job, func() { _ = conn.Close() })
	if err := conn.SetDeadline(clock.Deadline(5 * talking)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if to.Security != TLS {
		return conn, nil
	}
	secure := tls.Client(conn, &tls.Config{ServerName: to.Host, MinVersion: tls.VersionTLS12})
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return secure, nil
}

func isSMTP(err error) bool {
	_, ok := errors.AsType[*smtp.SMTPError](err)
	return ok
}
