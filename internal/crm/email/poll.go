package email

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/outbound"
)

// Pace of polling.
const (
	pollJob    = "email.poll"
	pollEvery  = time.Minute
	pollSlow   = 30 * time.Minute
	pollBatch  = 50
	alarmAfter = 3 // consecutive failures before people are notified
)

// Reasons why an external mailbox needs attention.
const (
	ReasonSignIn      = "sign_in_failed"
	ReasonUnreachable = "mailbox_unreachable"
	ReasonStorageFull = "storage_full"
	// ReasonPollsStopped means that processes died while polling the mailbox.
	ReasonPollsStopped = "polls_stopped"
)

// errNotOurs means that the poll lost its claim: the settings changed, or another node
// polls.
var errNotOurs = errors.New("email: another node polls the mailbox")

// runPoll is the handler of pollJob: it fetches new mail from the mailbox of the job's
// account and runs again later. It ends when the mailbox is no longer polled.
func (s *Service) runPoll(ctx context.Context, j *jobs.Job) error {
	st, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (state, error) { return mailboxState(r, j.AccountID) })
	if db.IsNoRow(err) || err == nil && !st.polls {
		return nil
	}
	if err != nil {
		return err
	}
	more, trouble := s.fetch(ctx, j, st)
	if errors.Is(trouble, errNotOurs) || trouble != nil && errors.Is(ctx.Err(), context.Canceled) {
		return trouble
	}
	return s.endPoll(ctx, j, more, trouble)
}

// endPoll records the result of a poll and returns when the next one is due.
func (s *Service) endPoll(ctx context.Context, j *jobs.Job, more bool, trouble error) error {
	next := s.DB.Clock().Now()
	err := s.DB.TenantOf(ctx).InTx(context.WithoutCancel(ctx), func(tx *db.Tx) error {
		if err := checkOurs(tx, j); err != nil {
			return err
		}
		failures, err := savePoll(tx, j.AccountID, trouble)
		if err != nil {
			return err
		}
		if !more {
			next = tx.Now().Add(backOff(failures))
		}
		return s.showPoll(tx, j.AccountID, failures, trouble)
	})
	switch {
	case err != nil:
		return err
	case errors.Is(trouble, jobs.ErrHold):
		return trouble
	case trouble != nil:
		return jobs.Snooze(next)
	}
	return jobs.RunAgain(next)
}

func checkOurs(tx *db.Tx, j *jobs.Job) error {
	ours, err := j.StillOurs(tx)
	if err == nil && !ours {
		err = errNotOurs
	}
	return err
}

// backOff returns the pause before the next poll: a minute while polls work, longer with
// each failure.
func backOff(failures int) time.Duration {
	return min(pollEvery<<min(failures, 6), pollSlow)
}

// showPoll updates the account's status with the result of a poll. A silent server is shown
// through the hold of its account.
func (s *Service) showPoll(tx *db.Tx, account uuid.UUID, failures int, trouble error) error {
	var err error
	switch {
	case trouble == nil:
		err = s.Channels.ClearAttention(tx, account, ReasonSignIn, ReasonUnreachable, ReasonStorageFull, ReasonPollsStopped)
	case errors.Is(trouble, errSignIn):
		err = s.Channels.RequireAttention(tx, account, ReasonSignIn)
	case fault.Is(trouble, fault.StorageFull):
		err = s.Channels.RequireAttention(tx, account, ReasonStorageFull)
	case failures >= alarmAfter:
		err = s.Channels.RequireAttention(tx, account, ReasonUnreachable)
	}
	return channel.IgnoreDeleted(err)
}

var errSignIn = errors.New("the server refuses the user name or the password")

// Trial is the result of an attempt to sign in.
type Trial struct {
	OK      bool   `json:"ok"`
	Class   string `json:"class" enum:",dns,connect,tls,timeout,refused_address,sign_in,folder,protocol" example:"sign_in" doc:"Kind of failure; empty if it worked"`
	Message string `json:"message" example:"535 5.7.8 Authentication failed" doc:"Error message, from the server if it sent one"`
}

// testIMAP signs in to a mailbox and opens its folder.
func (s *Service) testIMAP(ctx context.Context, to *Server, password string) Trial {
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	c, err := s.imap(ctx, to, password)
	if err != nil {
		return failedTrial(to, err)
	}
	defer func() { _ = c.Close() }()
	if _, err := c.open(to.Folder); err != nil {
		if _, refused := errors.AsType[*imap.Error](err); refused {
			return Trial{Class: "folder", Message: printable(err.Error())}
		}
		return failedTrial(to, err)
	}
	return Trial{OK: true}
}

// testSMTP signs in to a mail server.
func (s *Service) testSMTP(ctx context.Context, to *Server, password string) Trial {
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	c, err := s.smtp(ctx, to, password)
	if err != nil {
		return failedTrial(to, err)
	}
	defer func() { _ = c.Close() }()
	c.quit()
	return Trial{OK: true}
}

// failedTrial describes why a trial failed. It repeats the server's words only if they are
// an answer in its protocol; otherwise it uses our own words, which reveal nothing about
// the network of this process.
func failedTrial(to *Server, err error) Trial {
	if errors.Is(err, errSignIn) || isSMTP(err) {
		return Trial{Class: "sign_in", Message: printable(plainReason(err))}
	}
	class, text := outbound.Class(err)
	_, named := netip.ParseAddr(to.Host)
	switch _, refused := errors.AsType[*imap.Error](err); {
	case errors.Is(err, outbound.ErrTooMuch):
		class = classProtocol
	case refused || notUnderstood(class, err):
		class = classProtocol
	case class == outbound.ClassDNS || class == outbound.ClassRefused && named != nil:
		// Do not reveal which names exist inside the network.
		class, text = outbound.ClassDNS, "the host name cannot be resolved, or its address is not allowed"
	}
	return Trial{Class: class, Message: printable(text)}
}

const classProtocol = "protocol"

// pollError describes why a poll failed.
func pollError(err error) string {
	_, refused := errors.AsType[*imap.Error](err)
	_, ours := fault.As(err)
	if refused || ours || errors.Is(err, errSignIn) {
		return printable(plainReason(err))
	}
	_, text := outbound.Class(err)
	return printable(text)
}

// notUnderstood reports whether the connection worked but the data received is not a mail
// protocol.
func notUnderstood(class string, err error) bool {
	if class != outbound.ClassConnect {
		return false
	}
	_, broken := errors.AsType[net.Error](err)
	_, system := errors.AsType[syscall.Errno](err)
	return !broken && !system
}
