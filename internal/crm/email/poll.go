package email

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-imap/v2"
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

// Trial is how an attempt to sign in went.
type Trial struct {
	OK      bool   `json:"ok"`
	Class   string `json:"class" enum:",dns,connect,tls,timeout,refused_address,sign_in,folder,protocol" example:"sign_in" doc:"What kind of failure; empty when it worked"`
	Message string `json:"message" example:"535 5.7.8 Authentication failed" doc:"In the server's own words where it spoke"`
}

// testIMAP signs in to a mailbox and opens its folder.
func (s *Service) testIMAP(ctx context.Context, to *Server, password string) Trial {
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	c, err := s.imap(ctx, to, password)
	if err != nil {
		return failedTrial(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := c.open(to.Folder); err != nil {
		if _, refused := errors.AsType[*imap.Error](err); refused {
			return Trial{Class: "folder", Message: printable(err.Error())}
		}
		return failedTrial(err)
	}
	return Trial{OK: true}
}

// testSMTP signs in to a mail server.
func (s *Service) testSMTP(ctx context.Context, to *Server, password string) Trial {
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	c, err := s.smtp(ctx, to, password)
	if err != nil {
		return failedTrial(err)
	}
	defer func() { _ = c.Close() }()
	c.quit()
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
	if class == outbound.ClassBody || strings.Contains(text, "imap") || strings.Contains(text, "smtp") {
		class = "protocol"
	}
	return Trial{Class: class, Message: printable(text)}
}
