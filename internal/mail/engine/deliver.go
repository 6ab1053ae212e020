package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/jobs"
	"konak/internal/kit/trtext"
)

// outcome is the result for a recipient's copy. State is StateQueued if it must be tried
// again.
type outcome struct {
	State  string `json:"state"`
	Answer string `json:"answer"`
	// Here is true if this server gave the answer.
	Here bool `json:"here,omitempty"`
}

// Pauses between delivery attempts, and the time after which a mail is announced as
// delayed.
const (
	firstPause   = time.Minute
	longestPause = 4 * time.Hour
	lateAfter    = 4 * time.Hour
)

// maxAnswer is the maximum number of bytes kept of a server's answer.
const maxAnswer = 500

// deliver is the handler of deliverJob: it hands a mail over to the server of one
// destination.
func (s *Service) deliver(ctx context.Context, j *jobs.Job) error {
	m, left, err := s.readDelivery(ctx, j)
	if err != nil || len(left) == 0 {
		return err
	}
	known := map[string]outcome{}
	if _, err := j.ReadReceipt(&known); err != nil {
		return err
	}
	var to []string
	for _, r := range left {
		if _, done := known[r.Address]; !done {
			to = append(to, r.Address)
		}
	}
	var failed error
	if len(to) > 0 {
		t := &transfer{from: m.Sender, to: to}
		outcomes, err := s.attempt(ctx, j, &m, left[0].destination, t)
		// Sessions are counted only after the deliveries have been recorded.
		defer func() { s.countSessions(ctx, &m, left[0].destination, t) }()
		if failed = err; outcomes == nil {
			return err
		}
		maps.Copy(known, outcomes)
		if err := s.keepReceipt(ctx, j, known); err != nil {
			return err
		}
	}
	waiting, err := s.record(ctx, &m, known)
	if err != nil || !waiting {
		return err
	}
	if errors.Is(failed, jobs.ErrHold) {
		return failed
	}
	pause := min(firstPause<<min(j.Attempts-1, 20), longestPause)
	return jobs.RetryAt(s.DB.Clock().Now().Add(pause), errors.Join(errors.New("engine: delivery to some recipients is deferred"), failed))
}

// readDelivery returns the mail of a deliverJob and the recipients left at its destination.
func (s *Service) readDelivery(ctx context.Context, j *jobs.Job) (m queued, left []Recipient, err error) {
	var p deliverPayload
	if err := json.Unmarshal(j.Payload, &p); err != nil {
		return m, nil, errors.Join(jobs.ErrDrop, err)
	}
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		if m, err = findMail(r, p.MailID); err != nil {
			return err
		}
		all, err := recipientsLeft(r, p.MailID)
		for _, to := range all {
			if to.destination == p.Destination {
				left = append(left, to)
			}
		}
		return err
	})
	return m, left, db.IgnoreNoRow(err)
}

// attempt tries to hand a mail over and returns the outcome of each copy. An error with
// outcomes means that no server could be talked to and all copies wait; an error without
// outcomes means a failure on this side.
func (s *Service) attempt(ctx context.Context, j *jobs.Job, m *queued, destination string, t *transfer) (map[string]outcome, error) {
	to := t.to
	if !s.DB.Clock().Now().Before(m.ExpiresAt.Time) {
		return outcomeOfAll(to, StateFailed, answerLate), nil
	}
	text, err := s.Blobs.OpenFile(ctx, j.TenantID, m.blob.ID)
	if err != nil {
		return nil, err
	}
	defer func() { _ = text.Close() }()
	t.text = text
	local := destination == s.Domain
	if !local {
		owner, err := s.Domains.FindOwner(ctx, destination)
		if err != nil {
			return nil, err
		}
		local = owner != uuid.Nil
	}
	if err := j.CheckClaim(ctx); err != nil {
		return nil, err
	}
	if local {
		return s.deliverHere(ctx, m, to, text), nil
	}
	outcomes, err := s.handOver(ctx, destination, t)
	if err != nil {
		return outcomeOfAll(to, StateQueued, connectionAnswer(err)), jobs.HoldOnTimeout(err)
	}
	return outcomes, nil
}

func outcomeOfAll(to []string, state, answer string) map[string]outcome {
	out := map[string]outcome{}
	for _, addr := range to {
		out[addr] = outcome{State: state, Answer: trtext.Cut(answer, maxAnswer)}
	}
	return out
}

// keepReceipt stores the final outcomes with the job.
func (s *Service) keepReceipt(ctx context.Context, j *jobs.Job, known map[string]outcome) error {
	final := map[string]outcome{}
	for addr, o := range known {
		if o.State != StateQueued {
			final[addr] = o
		}
	}
	if len(final) == 0 {
		return nil
	}
	return j.KeepReceipt(ctx, final)
}

// record stores the outcomes for the copies of a mail and reports those that failed. It
// returns whether some must wait.
func (s *Service) record(ctx context.Context, m *queued, known map[string]outcome) (waiting bool, err error) {
	report, err := s.prepareReport(ctx, m, known)
	if err != nil {
		return false, err
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		waiting = false
		for addr, o := range known {
			if o.State != StateQueued {
				continue
			}
			waiting = true
			if err := noteAttempt(tx, m.ID, addr, o.Answer); err != nil {
				return err
			}
		}
		if waiting && tx.Now().Sub(m.CreatedAt.Time) >= lateAfter {
			if err := announceDelay(tx, m); err != nil {
				return err
			}
		}
		return s.storeOutcomes(tx, m, report)
	})
	return waiting, err
}

// noSuchAddress matches answers saying that an address or its domain does not exist.
var noSuchAddress = regexp.MustCompile(`\b5\.1\.(1|2|10)\b`)

// storeOutcomes stores final outcomes, each once, with their events and the report to the sender.
func (s *Service) storeOutcomes(tx *db.Tx, m *queued, r report) error {
	var delivered, failed []string
	for addr, o := range r.outcomes {
		if o.State == StateQueued {
			continue
		}
		fresh, err := settleRecipient(tx, m.ID, addr, o)
		if err != nil {
			return err
		}
		switch {
		case !fresh:
		case o.State == StateDelivered:
			delivered = append(delivered, addr)
		default:
			failed = append(failed, addr)
			if m.Origin == OriginSubmission && !o.Here && noSuchAddress.MatchString(o.Answer) {
				if err := putSuppression(tx, address.Fold(addr), o.Answer); err != nil {
					return err
				}
			}
		}
	}
	for name, list := range map[string][]string{Delivered: delivered, Bounced: failed} {
		if len(list) == 0 || m.Origin == OriginReport || m.Origin == OriginReturn {
			continue
		}
		if _, err := event.Emit(tx, event.Change{Type: name, Object: newProgress(m, list)}); err != nil {
			return err
		}
	}
	if len(failed) > 0 && r.mail != nil {
		if _, err := s.enqueue(tx, *r.mail, []string{m.ReportTo}); err != nil {
			return err
		}
	}
	return finish(tx, m)
}

// announceDelay announces once that a mail is delayed.
func announceDelay(tx *db.Tx, m *queued) error {
	fresh, err := markDelayed(tx, m.ID)
	if err != nil || !fresh {
		return err
	}
	left, err := recipientsLeft(&tx.Reader, m.ID)
	if err != nil {
		return err
	}
	_, err = event.Emit(tx, event.Change{Type: Delayed, Object: newProgress(m, addressesOf(left))})
	return err
}

// giveUp is called before a deliverJob becomes dead: the remaining copies of its mail have
// failed.
func (s *Service) giveUp(ctx context.Context, j *jobs.Job, _ string) error {
	m, left, err := s.readDelivery(ctx, j)
	if err != nil || len(left) == 0 {
		return err
	}
	known := outcomeOfAll(addressesOf(left), StateFailed, answerLate)
	accepted := map[string]outcome{}
	if _, err := j.ReadReceipt(&accepted); err != nil {
		return err
	}
	maps.Copy(known, accepted)
	_, err = s.record(ctx, &m, known)
	return err
}

// reviewPause is how long a held mail waits before the policy is asked again.
const reviewPause = time.Minute

type reviewPayload struct {
	MailID uuid.UUID `json:"mail_id"`
}

// review is the handler of reviewJob: it sends a held mail once somebody has released it.
func (s *Service) review(ctx context.Context, _ *jobs.Job, p reviewPayload) error {
	var m queued
	var left []Recipient
	err := s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if m, err = findMail(r, p.MailID); err != nil {
			return err
		}
		left, err = recipientsLeft(r, p.MailID)
		return err
	})
	if db.IsNoRow(err) || err == nil && m.State != StateHeld {
		return nil
	}
	if err != nil {
		return err
	}
	text, err := s.Blobs.OpenFile(ctx, caller.From(ctx).TenantID, m.blob.ID)
	if err != nil {
		return err
	}
	defer func() { _ = text.Close() }()
	verdict, err := s.askPolicy(ctx, &m, m.Sender, addressesOf(left), text, m.blob.Size)
	switch {
	case err != nil:
		return err
	case verdict.Hold:
		return jobs.Snooze(s.DB.Clock().Now().Add(reviewPause))
	case verdict.Refused != "":
		return s.refuse(ctx, &m, left, fmt.Sprintf("%s (%s)", ownAnswer(errPolicy), verdict.Refused))
	}
	// The workspace may have lost the domain since the mail was released.
	owned, err := s.ownsSender(ctx, &m)
	if err != nil {
		return err
	}
	if !owned {
		return s.refuse(ctx, &m, left, ownAnswer(errNotYours))
	}
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		held, err := releaseMail(tx, m.ID)
		if err != nil || !held {
			return err
		}
		return enqueueJobs(tx, m.ID, addressesOf(left))
	})
}

// refuse fails all remaining copies of a held mail and reports it.
func (s *Service) refuse(ctx context.Context, m *queued, left []Recipient, answer string) error {
	_, err := s.record(ctx, m, outcomeOfAll(addressesOf(left), StateFailed, answer))
	return err
}
