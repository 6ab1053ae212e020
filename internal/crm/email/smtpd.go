package email

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/mail"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"

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

// What strangers may send to a workspace by SMTP in a day, as parts of its
// storage quota: from one network, and in all. One mail of the largest size
// always fits.
const (
	networkPart   = 20
	workspacePart = 4
)

// NewSession begins a conversation with a sender who connects from a network.
func (s *Service) NewSession(ctx context.Context, from netip.Prefix) smtpd.Session {
	return &session{s: s, ctx: ctx, network: from}
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
	if err != nil {
		return c.s.refusal(err)
	}
	if err := c.s.Blobs.CheckRoom(c.ctx, h.tenant, blob.Workspace); err != nil {
		return c.s.refusal(err)
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
	tenants := make([]uuid.UUID, len(c.to))
	for i, to := range c.to {
		tenants[i] = to.tenant
	}
	text, release, err := c.s.Spool(c.ctx, c.network, tenants, r)
	if err != nil {
		return err
	}
	defer release()
	for _, to := range c.to {
		if err := c.s.accept(c.ctx, to.home, c.from, to.addr, "", text); err != nil {
			return err
		}
	}
	return nil
}

// accept makes a mail durable for one mailbox. Its errors are what is said to the
// sender.
func (s *Service) accept(ctx context.Context, h home, from, to, key string, text io.ReadSeeker) error {
	head, err := readHead(text)
	if err != nil {
		s.Log.Error("mail could not be read", "error", err)
		return errLater
	}
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: h.tenant})
	_, err = s.Accept(context.WithoutCancel(ctx), Arrival{
		AccountID: h.account, Route: "smtp", From: from, To: to, Key: key, Raw: text,
		Kept: func(tx *db.Tx, b blob.Blob) error {
			if err := s.Mailboxes.CountMail(tx, to, b.Size); err != nil {
				return err
			}
			return s.Journal.RecordInbound(tx, from, []string{to}, head, b)
		},
	})
	switch {
	case errors.Is(err, blob.ErrTooLarge):
		return smtpd.ErrTooLarge
	case fault.Is(err, fault.StorageFull):
		return errFull
	case err != nil:
		s.Log.Error("mail could not be stored", "tenant", h.tenant, "error", err)
		return errLater
	}
	return nil
}

// maxJournalHead is how much of a mail is read for the journal: more than most headers
// have.
const maxJournalHead = 64 << 10

// readHead returns the beginning of a mail and goes back to it.
func readHead(text io.ReadSeeker) ([]byte, error) {
	if _, err := text.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	head, err := io.ReadAll(io.LimitReader(text, maxJournalHead))
	if err == nil {
		_, err = text.Seek(0, io.SeekStart)
	}
	return head, err
}

// Deliver makes a mail durable that another part of the installation sends to an
// address here. The same key delivers once. Its errors are those that a sender
// would be told by SMTP.
func (s *Service) Deliver(ctx context.Context, from, to, key string, text io.ReadSeeker) error {
	h, err := s.find(ctx, to)
	if err != nil {
		return s.refusal(err)
	}
	return s.accept(ctx, h, cmp.Or(from, "<>"), to, key, text)
}

// refusal is what a sender is told where a recipient cannot be found.
func (s *Service) refusal(err error) error {
	switch {
	case fault.Is(err, fault.NotFound):
		return errUnknown
	case fault.Is(err, fault.ChannelUnavailable):
		return errPaused
	case fault.Is(err, fault.StorageFull):
		return errFull
	}
	s.Log.Error("mail recipient look-up failed", "error", err)
	return errLater
}

// Spool writes a mail that comes in to the disk, and counts it against what the
// recipients' workspaces take in a day and against all unfinished mails. The caller
// calls release when the mail is durable or refused. Its errors are what is said to
// the sender.
func (s *Service) Spool(ctx context.Context, network netip.Prefix, tenants []uuid.UUID, r io.Reader) (text *os.File, release func(), err error) {
	within, err := s.countBytes(ctx, network, tenants, r)
	if err != nil {
		s.Log.Error("mail could not be received", "error", err)
		return nil, nil, errLater
	}
	counted := &spooling{r: within, all: &s.spooled, limit: s.MaxSpooled}
	text, err = s.Blobs.Spool(counted, s.MaxSize)
	if err == nil {
		return text, func() { _ = text.Close(); counted.release() }, nil
	}
	counted.release()
	if _, refused := errors.AsType[*smtpd.Error](err); refused {
		return nil, nil, err
	}
	if errors.Is(err, blob.ErrTooLarge) {
		return nil, nil, smtpd.ErrTooLarge
	}
	s.Log.Error("mail could not be received", "error", err)
	return nil, nil, errLater
}

// countBytes returns a reader that counts what comes in against what the
// recipients' workspaces take in a day, from the sender's network and in all. It
// fails with errTooMuch where that is used up.
func (s *Service) countBytes(ctx context.Context, network netip.Prefix, tenants []uuid.UUID, r io.Reader) (io.Reader, error) {
	type budget struct {
		policy limit.Policy
		key    limit.Key
	}
	var budgets []budget
	seen := map[uuid.UUID]bool{}
	for _, tenant := range tenants {
		if seen[tenant] {
			continue
		}
		seen[tenant] = true
		use, err := s.Blobs.Use(ctx, tenant)
		if err != nil {
			return nil, err
		}
		budgets = append(budgets,
			budget{limit.BytesADay("mail-bytes-network", max(use.Quota/networkPart, s.MaxSize)), limit.OfText(tenant.String() + " " + network.String())},
			budget{limit.BytesADay("mail-bytes-workspace", max(use.Quota/workspacePart, s.MaxSize)), limit.Key(tenant)})
	}
	return limit.CountBytes(r, func() error {
		for _, b := range budgets {
			if !s.Limits.Take(ctx, b.policy, b.key).Allowed {
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
