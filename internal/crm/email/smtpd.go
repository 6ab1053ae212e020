package email

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/email/message"
	"konak/internal/kit/address"
	"konak/internal/kit/blob"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/limit"
	"konak/internal/kit/smtpd"
)

// Divisors of a workspace's storage quota that give how much mail strangers may send to it
// by SMTP in a day: from one network, and in total. One mail of the maximum size always
// fits.
const (
	networkPart   = 20
	workspacePart = 4
)

// spoolPart gives the fraction (1/4) of the space for unfinished mails that one network may
// use, so that mails that never end do not block other senders. One mail of the maximum
// size always fits.
const spoolPart = 4

// Answers to senders. The enhanced code gives their software the details.
var (
	errUnknown = &smtpd.Error{Code: 550, Enhanced: "5.1.1", Message: "No such mailbox here"}
	errPaused  = &smtpd.Error{Code: 450, Enhanced: "4.2.1", Message: "Mailbox is paused, try again later"}
	errLater   = &smtpd.Error{Code: 451, Enhanced: "4.3.0", Message: "Could not be stored, try again later"}
	errBusy    = &smtpd.Error{Code: 452, Enhanced: "4.3.1", Message: "Too many mails are coming in, try again later"}
	errFull    = &smtpd.Error{Code: 452, Enhanced: "4.2.2", Message: "Mailbox is full, try again later"}
	errTooMuch = &smtpd.Error{Code: 452, Enhanced: "4.2.2", Message: "Too much mail for this mailbox today, try again later"}
)

// FindRecipient returns the workspace and the account for an address. Its errors are
// answers to the sender.
func (s *Service) FindRecipient(ctx context.Context, addr string) (tenant, account uuid.UUID, err error) {
	h, err := s.find(ctx, addr)
	if err == nil {
		err = s.Blobs.CheckRoom(ctx, h.tenant, blob.Workspace)
	}
	if err != nil {
		return tenant, account, s.refusal(err)
	}
	return h.tenant, h.account, nil
}

// Deliver stores a mail durably for an address here. A key is delivered only once. Its
// errors are answers to the sender.
func (s *Service) Deliver(ctx context.Context, d smtpd.Delivery) error {
	h, err := s.find(ctx, d.To)
	if err != nil {
		return s.refusal(err)
	}
	from := cmp.Or(d.From, "<>")
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: h.tenant})
	a := Arrival{
		AccountID: h.account, Route: "smtp", From: from, To: d.To, Key: d.Key, Raw: io.MultiReader(bytes.NewReader(d.Head), d.Body), Auth: d.Auth, Junk: d.Junk,
		Kept: func(tx *db.Tx, b blob.Blob) error {
			if err := s.Mailboxes.CountMail(tx, d.To, b.Size); err != nil {
				return err
			}
			return s.Journal.RecordInbound(tx, from, []string{d.To}, d.Head, b)
		},
	}
	if d.Junk != "" { // it is not parsed later
		if m, err := message.ParseBytes(append(slices.Clone(d.Head), '\n'), from); err == nil {
			a.Sender, a.Subject = m.From.Email, m.Subject
		}
	}
	_, err = s.Accept(context.WithoutCancel(ctx), a)
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

// refusal returns the answer to a sender whose recipient cannot be found.
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

// Spool writes an incoming mail to the disk. It counts the mail against the daily limits of
// the recipients' workspaces, and against the limits for unfinished mails in total and from
// its network. The caller calls release when the mail is durable or refused. Its errors are
// answers to the sender.
func (s *Service) Spool(ctx context.Context, network netip.Prefix, tenants []uuid.UUID, r io.Reader) (text *os.File, release func(), err error) {
	within, err := s.countBytes(ctx, network, tenants, r)
	if err != nil {
		s.Log.Error("mail could not be received", "error", err)
		return nil, nil, errLater
	}
	counted := &spooling{r: within, in: &s.spool, network: network, all: s.MaxSpooled, part: max(s.MaxSpooled/spoolPart, s.MaxSize)}
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

// countBytes returns a reader that counts the incoming bytes against the daily limits of
// the recipients' workspaces, for the sender's network and in total. Its reads fail with
// errTooMuch when a limit is used up.
func (s *Service) countBytes(ctx context.Context, network netip.Prefix, tenants []uuid.UUID, r io.Reader) (io.Reader, error) {
	var budgets []limit.Use
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
			limit.BytesADay("mail-bytes-network", max(use.Quota/networkPart, s.MaxSize)).By(limit.OfText(tenant.String()+" "+network.String())),
			limit.BytesADay("mail-bytes-workspace", max(use.Quota/workspacePart, s.MaxSize)).By(limit.Key(tenant)))
	}
	return limit.CountBytes(r, func() error {
		for _, b := range budgets {
			if !s.Limits.Take(ctx, b.Policy, b.Key).Allowed {
				return errTooMuch
			}
		}
		return nil
	}), nil
}

// find resolves an address: a forwarding or reply address, or one at a workspace's own
// domain. It returns not_found, or channel_unavailable if the account currently accepts no
// mail.
func (s *Service) find(ctx context.Context, addr string) (h home, err error) {
	local, domain, _ := strings.Cut(address.Fold(strings.TrimSpace(addr)), "@")
	if s.Domain != "" && domain == s.Domain {
		base, _, _ := strings.Cut(local, "+")
		if strings.ContainsFunc(base, unicode.IsControl) {
			return h, fault.New(fault.NotFound)
		}
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

// spool counts the bytes of unfinished mails on the disk, in total and per network.
type spool struct {
	mu   sync.Mutex
	all  int64
	from map[netip.Prefix]int64
}

// add counts n bytes from a network and returns the new totals.
func (s *spool) add(network netip.Prefix, n int64) (all, from int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.from == nil {
		s.from = map[netip.Prefix]int64{}
	}
	s.all += n
	s.from[network] += n
	from = s.from[network]
	if from == 0 {
		delete(s.from, network)
	}
	return s.all, from
}

// spooling is a reader that adds what it reads to the bytes of all unfinished mails and of
// those from its network.
type spooling struct {
	r         io.Reader
	in        *spool
	network   netip.Prefix
	all, part int64 // limits, in bytes
	mine      int64
}

// Read implements io.Reader; it returns errBusy if there are too many bytes.
func (s *spooling) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	s.mine += int64(n)
	if all, from := s.in.add(s.network, int64(n)); all > s.all || from > s.part {
		return 0, errBusy
	}
	return n, err
}

func (s *spooling) release() { s.in.add(s.network, -s.mine) }
