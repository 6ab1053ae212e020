package email

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/outbound"
)

// Pace of polling.
const (
	pollEvery  = time.Minute
	pollLease  = 5 * time.Minute
	pollSlow   = 30 * time.Minute
	pollBatch  = 50
	pollRound  = 4
	alarmAfter = 3 // failures in a row before people are told
)

// Why a mailbox elsewhere needs attention.
const (
	ReasonSignIn      = "sign_in_failed"
	ReasonUnreachable = "mailbox_unreachable"
	ReasonStorageFull = "storage_full"
)

// Poller fetches mail from mailboxes elsewhere.
type Poller struct {
	Service *Service
	Log     *slog.Logger
	// Node is this process, by which its successor finds what it held.
	Node uuid.UUID
}

// Succeed frees the mailboxes of a process that is known to be gone.
func (p *Poller) Succeed(ctx context.Context, node uuid.UUID) error {
	var n int64
	err := p.Service.DB.System("mailbox poll").InTx(ctx, func(tx *db.Tx) (err error) {
		n, err = freeMailboxes(tx, node)
		return err
	})
	if err != nil {
		return fmt.Errorf("email: end leases: %w", err)
	}
	if n > 0 {
		p.Log.Info("mailboxes of the process before this one were freed", "mailboxes", n)
	}
	return nil
}

// Run polls until ctx ends.
func (p *Poller) Run(ctx context.Context) {
	jobs.Loop{Name: "mailboxes", DB: p.Service.DB, Log: p.Log, Step: p.Step, Full: 1, Every: 5 * time.Second}.Run(ctx)
}

// Step polls the mailboxes that are due, side by side: one that hangs takes its
// time, and not the others'. A claim keeps other nodes away from them for as
// long as its lease.
func (p *Poller) Step(ctx context.Context) (int, error) {
	var due []claim
	err := p.Service.DB.System("mailbox poll").InTx(ctx, func(tx *db.Tx) (err error) {
		due, err = claimMailboxes(tx, p.Node, pollLease, pollRound)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("email: claim: %w", err)
	}
	var wg sync.WaitGroup
	for _, c := range due {
		wg.Go(func() {
			ctx := caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: c.tenant})
			if err := p.Service.poll(ctx, c); err != nil {
				p.Log.Error("mailbox poll could not be settled; its lease will end", "account", c.account, "error", err)
			}
		})
	}
	wg.Wait()
	return len(due), nil
}

// poll fetches what is new and writes down how it went.
func (s *Service) poll(ctx context.Context, c claim) error {
	more, trouble := s.fetch(ctx, c)
	wait := backOff
	if more {
		wait = func(int) time.Duration { return 0 }
	}
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		failures, mine, err := settlePoll(tx, c, trouble, wait)
		if err != nil || !mine {
			return err
		}
		return s.tell(tx, c.account, failures, trouble)
	})
}

// backOff is when to look again: soon while it works, later and later while
// it does not.
func backOff(failures int) time.Duration {
	return min(pollEvery<<min(failures, 6), pollSlow)
}

// tell makes the account say how it is.
func (s *Service) tell(tx *db.Tx, account uuid.UUID, failures int, trouble error) error {
	var err error
	switch reason := ReasonUnreachable; {
	case trouble == nil:
		_, err = s.Channels.Set(tx, account, channel.Active, nil)
	case errors.Is(trouble, errSignIn):
		reason = ReasonSignIn
		_, err = s.Channels.Set(tx, account, channel.Attention, &reason)
	case fault.Is(trouble, fault.StorageFull):
		reason = ReasonStorageFull
		_, err = s.Channels.Set(tx, account, channel.Attention, &reason)
	case failures >= alarmAfter:
		_, err = s.Channels.Set(tx, account, channel.Attention, &reason)
	}
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

var errSignIn = errors.New("the server refuses the user name or the password")

// imap connects to a mailbox and signs in.
func (s *Service) imap(ctx context.Context, to *Server, password string) (*imapclient.Client, error) {
	conn, err := s.dial(ctx, to)
	if err != nil {
		return nil, err
	}
	c, err := openIMAP(conn, to)
	if err != nil {
		return nil, err
	}
	if err := c.Login(to.User, password).Wait(); err != nil {
		_ = c.Close()
		if refusal, ok := errors.AsType[*imap.Error](err); ok && refusal.Type == imap.StatusResponseTypeNo {
			return nil, fmt.Errorf("%w: %s", errSignIn, refusal.Text)
		}
		return nil, err
	}
	return c, nil
}

func openIMAP(conn net.Conn, to *Server) (*imapclient.Client, error) {
	options := &imapclient.Options{TLSConfig: &tls.Config{ServerName: to.Host, MinVersion: tls.VersionTLS12}}
	if to.Security == StartTLS {
		c, err := imapclient.NewStartTLS(conn, options)
		if err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return c, nil
	}
	c := imapclient.New(conn, options)
	if err := c.WaitGreeting(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// fetch accepts what came since the last time, each mail durable before the
// next, and says whether there is more. It changes nothing in the mailbox.
func (s *Service) fetch(ctx context.Context, c claim) (more bool, err error) {
	var set Settings
	var creds credentials
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if _, set, err = s.account(r, c.account); err != nil {
			return err
		}
		creds, err = s.credentials(r, c.account)
		return err
	})
	if err != nil || set.IMAP == nil {
		return false, err
	}
	box, err := s.imap(ctx, set.IMAP, creds.IMAP)
	if err != nil {
		return false, err
	}
	defer func() { _ = box.Close() }()
	data, err := box.Select(set.IMAP.Folder, &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		return false, fmt.Errorf("the folder %s: %w", set.IMAP.Folder, err)
	}
	uids, err := s.fresh(box, data, c)
	if err != nil {
		return false, err
	}
	if uids == nil {
		return false, s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
			return setPosition(tx, c, int64(data.UIDValidity), int64(data.UIDNext)-1)
		})
	}
	for _, uid := range uids {
		if err := s.fetchOne(ctx, box, c, data.UIDValidity, uid); err != nil {
			return false, err
		}
	}
	_ = box.Logout().Wait()
	return len(uids) == pollBatch, nil
}

// fresh lists the mails to fetch, the oldest first; nil means that the mailbox
// is looked at for the first time, and what lies in it is history. Where the
// server numbered its mails anew, those of the last days are fetched again:
// what came before is recognised.
func (s *Service) fresh(box *imapclient.Client, data *imap.SelectData, c claim) ([]imap.UID, error) {
	if c.uidValidity == nil || c.lastUID == nil {
		return nil, nil
	}
	criteria := &imap.SearchCriteria{}
	if *c.uidValidity == int64(data.UIDValidity) {
		if int64(data.UIDNext) <= *c.lastUID+1 && data.UIDNext > 0 {
			return []imap.UID{}, nil
		}
		var set imap.UIDSet
		set.AddRange(imap.UID(*c.lastUID+1), 0)
		criteria.UID = []imap.UIDSet{set}
	} else {
		since := s.DB.Clock().Now().AddDate(0, 0, -7)
		if c.lastPollAt != nil {
			since = c.lastPollAt.AddDate(0, 0, -2)
		}
		criteria.Since = since
	}
	found, err := box.UIDSearch(criteria, nil).Wait()
	if err != nil {
		return nil, err
	}
	out := []imap.UID{}
	for _, uid := range found.AllUIDs() {
		// "n:*" names the last mail even where its number is smaller.
		if *c.uidValidity != int64(data.UIDValidity) || int64(uid) > *c.lastUID {
			out = append(out, uid)
		}
	}
	return out[:min(len(out), pollBatch)], nil
}

// fetchOne accepts one mail and moves the position in the same transaction.
func (s *Service) fetchOne(ctx context.Context, box *imapclient.Client, c claim, validity uint32, uid imap.UID) error {
	size, err := box.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{UID: true, RFC822Size: true}).Collect()
	if err != nil {
		return err
	}
	refused := ""
	section := &imap.FetchItemBodySection{Peek: true}
	if len(size) > 0 && size[0].RFC822Size > s.MaxSize {
		refused, section.Specifier = ReasonTooLarge, imap.PartSpecifierHeader
	}
	list, err := box.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{section}}).Collect()
	if err != nil {
		return err
	}
	position := func(tx *db.Tx) error { return setPosition(tx, c, int64(validity), int64(uid)) }
	if len(list) == 0 {
		// Deleted meanwhile.
		return s.tenant(ctx).InTx(ctx, position)
	}
	_, err = s.Accept(ctx, Arrival{
		AccountID: c.account, Route: "imap", Key: fmt.Sprintf("imap:%d:%d", validity, uid),
		Raw: bytes.NewReader(list[0].FindBodySection(section)), Refused: refused, Also: position,
	})
	return err
}

// Trial is how an attempt to sign in went.
type Trial struct {
	OK      bool   `json:"ok"`
	Class   string `json:"class" enum:",dns,connect,tls,timeout,refused_address,sign_in,folder,protocol" example:"sign_in" doc:"What kind of failure; empty when it worked"`
	Message string `json:"message" example:"535 5.7.8 Authentication failed" doc:"In the server's own words where it spoke"`
}

// TestIMAP signs in to a mailbox and opens its folder.
func (s *Service) testIMAP(ctx context.Context, to *Server, password string) Trial {
	c, err := s.imap(ctx, to, password)
	if err != nil {
		return failedTrial(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Select(to.Folder, &imap.SelectOptions{ReadOnly: true}).Wait(); err != nil {
		return Trial{Class: "folder", Message: err.Error()}
	}
	return Trial{OK: true}
}

// TestSMTP signs in to a mail server.
func (s *Service) testSMTP(ctx context.Context, to *Server, password string) Trial {
	c, err := s.smtp(ctx, to, password)
	if err != nil {
		return failedTrial(err)
	}
	_ = c.Quit()
	return Trial{OK: true}
}

func failedTrial(err error) Trial {
	if errors.Is(err, errSignIn) || isSMTP(err) {
		return Trial{Class: "sign_in", Message: printable(plainReason(err))}
	}
	if _, ok := errors.AsType[*imap.Error](err); ok {
		return Trial{Class: "protocol", Message: printable(err.Error())}
	}
	class, text := outbound.Class(err)
	if strings.Contains(text, "imap") || strings.Contains(text, "smtp") {
		class = "protocol"
	}
	return Trial{Class: class, Message: printable(text)}
}
