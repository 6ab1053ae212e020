package email

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"konak/internal/kit/jobs"
	"konak/internal/kit/mailer"
	"konak/internal/kit/outbound"
)

// Time limits for talking to a mail server: handing over a large mail, ending the
// connection, and a trial that a person waits for.
const (
	handOverTime = 5 * time.Minute
	quitTime     = 5 * time.Second
	trialTime    = 12 * time.Second
)

// smtpClient is a connection to a mail server.
type smtpClient struct {
	*smtp.Client
	conn *outbound.Conn
}

// submit sends a mail through a mailbox's own server, and returns the recipients of copies
// that the server did not accept. If the server refuses the mail permanently, it returns an
// ErrDrop; any other failure is tried again.
func (s *Service) submit(ctx context.Context, to *Server, password string, envelope mailer.Envelope, raw []byte) ([]mailer.Refusal, error) {
	// A wrong password is no fault of the mail: it waits until somebody corrects the
	// password.
	c, err := s.smtp(ctx, to, password)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	refused, err := c.handOver(envelope, raw)
	if err != nil {
		return nil, c.conn.Explain(err)
	}
	// The mail is accepted; errors while closing the connection no longer matter.
	c.quit()
	return refused, nil
}

func (c *smtpClient) handOver(envelope mailer.Envelope, raw []byte) ([]mailer.Refusal, error) {
	c.conn.Renew(outbound.MaxAnswer, outbound.AnswerTime)
	options := smtp.MailOptions{UTF8: mailer.IsForeign(raw, slices.Concat([]string{envelope.From}, envelope.To, envelope.Cc)...)}
	if ok, _ := c.Extension("SMTPUTF8"); options.UTF8 && !ok {
		return nil, errors.Join(jobs.ErrDrop, mailer.ErrForeign)
	}
	if err := c.Mail(envelope.From, &options); err != nil {
		return nil, permanentError(err)
	}
	refused, err := envelope.NameRecipients(func(address string) (*mailer.Refusal, error) {
		c.conn.Renew(outbound.MaxAnswer, outbound.AnswerTime)
		err := c.Rcpt(address, nil)
		if reply, ok := errors.AsType[*smtp.SMTPError](err); ok {
			return &mailer.Refusal{Address: address, Reason: err.Error(), Final: reply.Code >= 500}, permanentError(fmt.Errorf("%s: %w", address, err))
		}
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	c.conn.Renew(outbound.MaxAnswer, handOverTime)
	w, err := c.Data()
	if err != nil {
		return nil, permanentError(err)
	}
	if _, err := bytes.NewReader(raw).WriteTo(w); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, permanentError(err)
	}
	return refused, nil
}

// quit sends QUIT and does not wait long for the answer.
func (c *smtpClient) quit() {
	c.conn.Renew(outbound.MaxAnswer, quitTime)
	_ = c.Quit()
}

// permanentError adds an ErrDrop to a permanent refusal.
func permanentError(err error) error {
	if reply, ok := errors.AsType[*smtp.SMTPError](err); ok && reply.Code >= 500 {
		return errors.Join(jobs.ErrDrop, err)
	}
	return err
}

// smtp connects to a mail server and signs in. The connection ends with ctx.
func (s *Service) smtp(ctx context.Context, to *Server, password string) (*smtpClient, error) {
	conn, secure, err := s.dial(ctx, to)
	if err != nil {
		return nil, err
	}
	c, err := signInSMTP(secure, to, password)
	if err != nil {
		return nil, errors.Join(conn.Explain(err), conn.Close())
	}
	return &smtpClient{c, conn}, nil
}

func signInSMTP(conn net.Conn, to *Server, password string) (c *smtp.Client, err error) {
	if to.Security == StartTLS {
		if c, err = smtp.NewClientStartTLS(conn, tlsConfig(to)); err != nil {
			return nil, err
		}
	} else {
		c = smtp.NewClient(conn)
	}
	// The connection itself limits the time.
	c.CommandTimeout, c.SubmissionTimeout = handOverTime, handOverTime
	if to.User == "" {
		return c, c.Noop()
	}
	var login sasl.Client = sasl.NewPlainClient("", to.User, password)
	if !c.SupportsAuth(sasl.Plain) && c.SupportsAuth(sasl.Login) {
		login = sasl.NewLoginClient(to.User, password)
	}
	return c, c.Auth(login)
}

func tlsConfig(to *Server) *tls.Config {
	return &tls.Config{ServerName: to.Host, MinVersion: tls.VersionTLS12}
}

// dial connects to a server if outbound rules allow it, and closes the connection when ctx
// ends. An unencrypted connection is allowed only within the installation's allowed ranges.
// It returns the connection, whose budget the protocol renews, and the one to speak over,
// which is encrypted if the server begins with TLS.
func (s *Service) dial(ctx context.Context, to *Server) (*outbound.Conn, net.Conn, error) {
	conn, err := s.Out.Dial(ctx, to.address(), to.Security == Plain)
	if err != nil {
		return nil, nil, err
	}
	if to.Security != TLS {
		return conn, conn, nil
	}
	secure := tls.Client(conn, tlsConfig(to))
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, nil, errors.Join(conn.Explain(err), conn.Close())
	}
	return conn, secure, nil
}

func isSMTP(err error) bool {
	_, ok := errors.AsType[*smtp.SMTPError](err)
	return ok
}
