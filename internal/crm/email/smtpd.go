package email

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/mail"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/address"
	"konak/internal/kit/blob"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/limit"
	"konak/internal/kit/smtpd"
)

// Limits of the server that takes mail.
const (
	maxSessions   = 200
	maxPerAddress = 50
	maxPerNetwork = 100
	maxRecipients = 50
	patience      = 2 * time.Minute
	maxIdle       = 5 * time.Minute
)

// What strangers may send to a workspace by SMTP in a day, as parts of its
// storage quota: from one network, and in all. One mail of the largest size
// always fits.
const (
	networkPart   = 20
	workspacePart = 4
)

// Serve takes mail by SMTP on ln until ctx ends. With a certificate it offers
// STARTTLS.
func (s *Service) Serve(ctx context.Context, ln net.Listener, cert *tls.Certificate) error {
	server := smtpd.Server{
		Domain: s.Domain, MaxSize: s.MaxSize, MaxRecipients: maxRecipients, MaxSessions: maxSessions, MaxPerAddress: maxPerAddress,
		MaxPerNetwork: maxPerNetwork, Patience: patience, MaxIdle: maxIdle, Log: s.Log,
		NewSession: func(ctx context.Context, from netip.Prefix) smtpd.Session {
			return &session{s: s, ctx: ctx, network: from}
		},
	}
	if cert != nil {
		server.TLS = &tls.Config{Certificates: []tls.Certificate{*cert}, MinVersion: tls.VersionTLS12}
	}
	return server.Serve(ctx, ln)
}

// What is said to senders. The second number tells their software the rest.
var (
	errUnknown = &smtpd.Error{Code: 550, Enhanced: "5.1.1", Message: "No such mailbox here"}
	errPaused  = &smtpd.Error{Code: 450, Enhanced: "4.2.1", Message: "Mailbox is paused, try again later"}
	errLater   = &smtpd.Error{Code: 451, Enhanced: "4.3.0", Message: "Could not be stored, try again later"}
	errBusy    = &smtpd.Error{Code: 452, Enhanced: "4.3.1", Message: "Too many mails are coming in, try again later"}
	errFull    = &smtpd.Error{Code: 452, Enhanced: "4.2.2", Message: "Mailbox is full, try again later"}
	errTooMuch = &smtpd.Error{Code: 452, Enhanced: "4.2.2", Message: "Too much mail for this mailbox today, try again later"}
	errSender  = &smtpd.Error{Code: 501, Enhanced: "5.1.7", Message: "The sender's address cannot be read"}
)

type recipient struct {
	home
	addr string
}

// session is one conversation with a sender.
type session struct {
	s   *Service
	ctx context.Context
	// network is where the sender connects from.
	network netip.Prefix
	from    string
	to      []recipient
}

// Mail implements smtpd.Session.
func (c *session) Mail(from string) error {
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

// Rcpt implements smtpd.Session: only addresses that were given to mailboxes are
// known.
func (c *session) Rcpt(to string) error {
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
	switch err := c.s.Blobs.CheckRoom(c.ctx, h.tenant, blob.Workspace); {
	case fault.Is(err, fault.StorageFull):
		return errFull
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

// Data implements smtpd.Session. The mail is written to disk while it comes.
// When Data returns without error the mail is durable for every recipient.
func (c *session) Data(r io.Reader) error {
	if len(c.to) == 0 {
		return errUnknown
	}
	within, err := c.countBytes(r)
	if err != nil {
		c.s.Log.Error("mail could not be received", "error", err)
		return errLater
	}
	counted := &spooling{r: within, all: &c.s.spooled, limit: c.s.MaxSpooled}
	defer counted.release()
	text, err := c.s.Blobs.Spool(counted, c.s.MaxSize)
	switch _, refused := errors.AsType[*smtpd.Error](err); {
	case refused:
		return err
	case errors.Is(err, blob.ErrTooLarge):
		return smtpd.ErrTooLarge
	case err != nil:
		c.s.Log.Error("mail could not be received", "error", err)
		return errLater
	}
	defer func() { _ = text.Close() }()
	for _, to := range c.to {
		if _, err := text.Seek(0, io.SeekStart); err != nil {
			return err
		}
		ctx := caller.With(c.ctx, &caller.Caller{Kind: caller.System, TenantID: to.tenant})
		_, err := c.s.Accept(context.WithoutCancel(ctx), Arrival{
			AccountID: to.account, Route: "smtp", From: c.from, To: to.addr, Raw: text,
		})
		if errors.Is(err, blob.ErrTooLarge) {
			return smtpd.ErrTooLarge
		}
		if fault.Is(err, fault.StorageFull) {
			return errFull
		}
		if err != nil {
			c.s.Log.Error("mail could not be stored", "tenant", to.tenant, "error", err)
			return errLater
		}
	}
	return nil
}

// countBytes returns a reader that counts what comes in against what the
// recipients' workspaces take in a day, from the sender's network and in all. It
// fails with errTooMuch where that is used up.
func (c *session) countBytes(r io.Reader) (io.Reader, error) {
	type budget struct {
		policy limit.Policy
		key    limit.Key
	}
	var budgets []budget
	seen := map[uuid.UUID]bool{}
	for _, to := range c.to {
		if seen[to.tenant] {
			continue
		}
		seen[to.tenant] = true
		use, err := c.s.Blobs.Use(c.ctx, to.tenant)
		if err != nil {
			return nil, err
		}
		budgets = append(budgets,
			budget{limit.BytesADay("mail-bytes-network", max(use.Quota/networkPart, c.s.MaxSize)), limit.OfText(to.tenant.String() + " " + c.network.String())},
			budget{limit.BytesADay("mail-bytes-workspace", max(use.Quota/workspacePart, c.s.MaxSize)), limit.Key(to.tenant)})
	}
	return limit.CountBytes(r, func() error {
		for _, b := range budgets {
			if !c.s.Limits.Take(c.ctx, b.policy, b.key).Allowed {
				return errTooMuch
			}
		}
		return nil
	}), nil
}

// Reset implements smtpd.Session.
func (c *session) Reset() { c.from, c.to = "", nil }

// find looks an address up: a forwarding or a reply address, or one at a
// workspace's own domain. It returns not_found, and channel_unavailable where its
// account takes no mail for now.
func (s *Service) find(ctx context.Context, addr string) (h home, err error) {
	local, domain, _ := strings.Cut(address.Fold(strings.TrimSpace(addr)), "@")
	if s.Domain != "" && domain == s.Domain {
		base, _, _ := strings.Cut(local, "+")
		h, err = db.Read(ctx, s.DB.System("channel look-up"), func(r *db.Reader) (home, error) { return byLocal(r, base) })
		err = db.NotFound(err)
	} else {
		h.tenant, h.account, err = s.Mailboxes.FindInbox(ctx, addr)
	}
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

// spooling counts what comes in with the bytes of all unfinished mails.
type spooling struct {
	r     io.Reader
	all   *atomic.Int64
	limit int64
	mine  int64
}

// Read implements io.Reader; errBusy where there are too many of them.
func (s *spooling) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	s.mine += int64(n)
	if s.all.Add(int64(n)) > s.limit {
		return 0, errBusy
	}
	return n, err
}

func (s *spooling) release() { s.all.Add(-s.mine) }
