package email

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/mail"
	"strings"
	"time"

	"github.com/emersion/go-smtp"
	"golang.org/x/net/netutil"

	"konak/internal/crm/channel"
	"konak/internal/kit/address"
	"konak/internal/kit/blob"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Limits of the door.
const (
	maxSessions   = 200
	maxRecipients = 50
	maxLine       = 4096
	patience      = 2 * time.Minute
)

// Serve takes mail by SMTP on ln until ctx ends. With a certificate it offers
// STARTTLS.
func (s *Service) Serve(ctx context.Context, ln net.Listener, cert *tls.Certificate) error {
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &session{s: s, ctx: ctx, conn: c}, nil
	}))
	server.Domain, server.MaxMessageBytes, server.MaxRecipients, server.MaxLineLength = s.Domain, s.MaxSize, maxRecipients, maxLine
	server.ReadTimeout, server.WriteTimeout = patience, patience
	server.ErrorLog = slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug)
	if cert != nil {
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*cert}, MinVersion: tls.VersionTLS12}
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(netutil.LimitListener(ln, maxSessions)) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := server.Shutdown(stop)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	_ = <-failed // the error of Serve after Close says nothing
	return err
}

// What is said to senders. The second number tells their software the rest.
var (
	errUnknown = &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "No such mailbox here"}
	errPaused  = &smtp.SMTPError{Code: 450, EnhancedCode: smtp.EnhancedCode{4, 2, 1}, Message: "Mailbox is paused, try again later"}
	errBareLF  = &smtp.SMTPError{Code: 554, EnhancedCode: smtp.EnhancedCode{5, 6, 11}, Message: "Lines must end in CR LF"}
	errLater   = &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "Could not be stored, try again later"}
	errSender  = &smtp.SMTPError{Code: 501, EnhancedCode: smtp.EnhancedCode{5, 1, 7}, Message: "The sender's address cannot be read"}
)

type recipient struct {
	home
	addr string
}

// session is one conversation with a sender.
type session struct {
	s    *Service
	ctx  context.Context
	conn *smtp.Conn
	from string
	to   []recipient
}

// Mail implements smtp.Session.
func (c *session) Mail(from string, _ *smtp.MailOptions) error {
	if from != "" {
		if _, err := mail.ParseAddress(from); err != nil {
			return errSender
		}
	}
	if c.from = from; from == "" {
		c.from = "<>"
	}
	c.to = nil
	return nil
}

// Rcpt implements smtp.Session: only addresses that the house gave are known.
func (c *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	h, err := c.s.find(c.ctx, to)
	switch {
	case fault.Is(err, fault.NotFound):
		return errUnknown
	case fault.Is(err, fault.ChannelUnavailable):
		return errPaused
	case err != nil:
		c.s.Log.Error("mail recipient look-up failed", "error", err)
		return errLater
	}
	for _, has := range c.to {
		if has.home == h {
			return nil // one copy for a mailbox is enough
		}
	}
	c.to = append(c.to, recipient{h, to})
	return nil
}

// Data implements smtp.Session. When it returns without error the mail is
// durable for every recipient.
func (c *session) Data(r io.Reader) error {
	if len(c.to) == 0 {
		return errUnknown
	}
	text, err := io.ReadAll(&strictLines{r: r})
	if err != nil {
		return err
	}
	for _, to := range c.to {
		ctx := caller.With(c.ctx, &caller.Caller{Kind: caller.System, TenantID: to.tenant})
		_, err := c.s.Accept(context.WithoutCancel(ctx), Arrival{
			AccountID: to.account, Route: "smtp", From: c.from, To: to.addr, Raw: strings.NewReader(string(text)),
		})
		if errors.Is(err, blob.ErrTooLarge) {
			return smtp.ErrDataTooLarge
		}
		if err != nil {
			c.s.Log.Error("mail could not be stored", "tenant", to.tenant, "error", err)
			return errLater
		}
	}
	return nil
}

// Reset implements smtp.Session.
func (c *session) Reset() { c.from, c.to = "", nil }

// Logout implements smtp.Session.
func (c *session) Logout() error { return nil }

// find looks a forwarding or a reply address up.
func (s *Service) find(ctx context.Context, addr string) (h home, err error) {
	local, domain, ok := strings.Cut(address.Fold(strings.TrimSpace(addr)), "@")
	if !ok || s.Domain == "" || domain != s.Domain {
		return h, fault.New(fault.NotFound)
	}
	base, _, _ := strings.Cut(local, "+")
	err = s.DB.System("channel look-up").Read(ctx, func(r *db.Reader) error {
		h, err = byLocal(r, base)
		return absent(err)
	})
	if err != nil {
		return h, err
	}
	err = s.DB.Tenant(h.tenant).Read(ctx, func(r *db.Reader) error {
		a, err := s.Channels.Find(r, Kind, h.account)
		switch {
		case err != nil:
			return err
		case a.Status == channel.Disconnected:
			return fault.New(fault.NotFound)
		case !a.Works():
			return fault.New(fault.ChannelUnavailable)
		}
		return nil
	})
	return h, err
}

// strictLines refuses a line feed without its carriage return: servers that
// disagree about the end of a mail let a second one be smuggled through.
type strictLines struct {
	r    io.Reader
	last byte
}

// Read implements io.Reader.
func (s *strictLines) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	for _, c := range b[:n] {
		if c == '\n' && s.last != '\r' {
			return 0, errBareLF
		}
		s.last = c
	}
	return n, err
}
