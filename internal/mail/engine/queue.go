package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/blob"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/perm"
	"konak/internal/kit/policy"
	"konak/internal/mail"
)

// lifetime is the time for which delivery of a mail is tried.
const lifetime = 5 * 24 * time.Hour

// The states of a mail in the queue and of its recipients.
const (
	StateHeld      = "held"   // waiting for a review
	StateQueued    = "queued" // delivery is being tried
	StateDone      = "done"   // every recipient has a final outcome
	StateDelivered = "delivered"
	StateFailed    = "failed"
	StateDropped   = "dropped" // by an administrator
)

// The origins of a mail in the queue.
const (
	OriginSubmission = "submission" // a mailbox's mail program
	OriginForward    = "forward"    // a mailbox that forwards
	OriginReport     = "report"     // a report or a warning from this server
	OriginReturn     = "return"     // another server's report on a forwarded mail
)

// queued is a mail in the queue.
type queued struct {
	ID uuid.UUID
	// root is the mail that all copies come from, so that each mailbox forwards it only
	// once.
	root      uuid.UUID
	MailboxID *uuid.UUID
	Origin    string
	// Sender is the envelope sender, ReportTo the address that receives failure reports; ""
	// for nobody.
	Sender, ReportTo string
	MessageID        string
	Subject          string
	State            string
	CreatedAt        clock.Time
	ExpiresAt        clock.Time
	DelayedAt        *clock.Time
	FinishedAt       *clock.Time
	blob             blob.Blob
	// tenant is set if the mail was found across workspaces.
	tenant uuid.UUID
}

// Recipient is a recipient of a mail in the queue.
type Recipient struct {
	Address  string      `json:"address" example:"elif@example.com"`
	State    string      `json:"state" enum:"queued,delivered,failed,dropped" example:"queued"`
	Attempts int64       `json:"attempts" example:"2"`
	Answer   string      `json:"answer" example:"451 4.7.1 Greylisted" doc:"The other server's last reply, or Konak's own message, which starts with an enhanced status code (RFC 3463) instead of a reply code"`
	At       *clock.Time `json:"at" nullable:"true" doc:"When that happened"`
	// For waiting recipients only:
	NextTryAt  *clock.Time `json:"next_try_at" nullable:"true" doc:"Time of the next attempt, if the mail is waiting"`
	HoldReason string      `json:"hold_reason" example:"" doc:"Why there is no attempt before that: destination_unreachable if the domain's server does not answer in time; all mail to the domain then waits. Empty if only this mail waits"`

	destination string
}

// QueueItem is a mail in the queue as the API shows it.
type QueueItem struct {
	ID         uuid.UUID   `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	MailboxID  *uuid.UUID  `json:"mailbox_id" nullable:"true" format:"uuid" doc:"Mailbox the mail belongs to"`
	Origin     string      `json:"origin" enum:"submission,forward,report,return" example:"submission" doc:"submission: from a mail program. forward: from a forwarding mailbox. report: tells a sender which recipients cannot be reached. return: another server's report on a forwarded mail"`
	Sender     string      `json:"sender" example:"destek@kaya.example" doc:"Envelope sender; empty for a report"`
	MessageID  string      `json:"message_id" example:"<a1b2@kaya.example>"`
	Subject    string      `json:"subject" example:"Teklif"`
	Size       int64       `json:"size" example:"2048"`
	State      string      `json:"state" enum:"held,queued,done" example:"queued" doc:"held: in quarantine until someone reviews it. queued: delivery is being attempted. done: every recipient has received it or never will"`
	Recipients []Recipient `json:"recipients" nullable:"false"`
	CreatedAt  clock.Time  `json:"created_at"`
	ExpiresAt  clock.Time  `json:"expires_at" doc:"Until when delivery is retried"`
	FinishedAt *clock.Time `json:"finished_at" nullable:"true"`
}

func (m *queued) item(recipients []Recipient) QueueItem {
	return QueueItem{
		ID: m.ID, MailboxID: m.MailboxID, Origin: m.Origin, Sender: m.Sender, MessageID: m.MessageID, Subject: m.Subject, Size: m.blob.Size, State: m.State,
		Recipients: db.OrEmpty(recipients), CreatedAt: m.CreatedAt, ExpiresAt: m.ExpiresAt, FinishedAt: m.FinishedAt,
	}
}

// destinationOf returns the domain of an address in its DNS form.
func destinationOf(addr string) string {
	_, name, _ := strings.Cut(address.Fold(addr), "@")
	if parsed, ok := address.ParseDomain(name); ok {
		return parsed
	}
	return name
}

// destinations is the namespace of destination ids.
var destinations = uuid.MustParse("6f0c4a51-9b0e-5d7c-8a7f-0d2f6c1be7a4")

// destinationID returns the job account of a destination.
func destinationID(name string) uuid.UUID { return uuid.NewSHA1(destinations, []byte(name)) }

// deliverPayload is the payload of a deliverJob.
type deliverPayload struct {
	MailID      uuid.UUID `json:"mail_id"`
	Destination string    `json:"destination"`
}

const (
	deliverJob = "mail.deliver"
	reviewJob  = "mail.review"
)

// enqueue puts a mail into the queue with its jobs, in the transaction that accepts it. It
// returns false if the mail is already there.
func (s *Service) enqueue(tx *db.Tx, m queued, to []string) (bool, error) {
	m.CreatedAt, m.ExpiresAt = clock.At(tx.Now()), clock.At(tx.Now().Add(lifetime))
	fresh, err := insertMail(tx, &m)
	if err != nil || !fresh {
		return false, err
	}
	if err := blob.Hold(tx, m.blob.ID); err != nil {
		return false, err
	}
	for _, addr := range to {
		if err := insertRecipient(tx, m.ID, addr, destinationOf(addr)); err != nil {
			return false, err
		}
	}
	if m.State == StateHeld {
		_, err := jobs.Enqueue(tx, reviewJob, tx.Now().Add(reviewPause), reviewPayload{m.ID})
		return true, err
	}
	return true, enqueueJobs(tx, m.ID, to)
}

// enqueueJobs adds a job for each destination of a mail.
func enqueueJobs(tx *db.Tx, mail uuid.UUID, to []string) error {
	var names []string
	for _, addr := range to {
		if name := destinationOf(addr); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if _, err := jobs.EnqueueForAccount(tx, deliverJob, destinationID(name), tx.Now(), deliverPayload{mail, name}); err != nil {
			return err
		}
	}
	return nil
}

// Queue lists the queued mails, newest first.
func (s *Service) Queue(ctx context.Context, state string, p db.Page) (list db.List[QueueItem], err error) {
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		if list, err = listQueue(r, state, p); err != nil {
			return err
		}
		for i := range list.Rows {
			if err := s.coverSubject(r, &list.Rows[i]); err != nil {
				return err
			}
		}
		return s.showWaiting(r, list.Rows)
	})
	return list, err
}

// maxWaitingShown is the maximum number of waiting mails looked up for one destination.
const maxWaitingShown = 1000

// showWaiting fills in the next attempt and the hold reason of waiting recipients.
func (s *Service) showWaiting(r *db.Reader, items []QueueItem) error {
	known := map[string]jobs.Waiting{}
	for i := range items {
		for n := range items[i].Recipients {
			to := &items[i].Recipients[n]
			if items[i].State != StateQueued || to.State != StateQueued {
				continue
			}
			w, ok := known[to.destination]
			if !ok {
				var err error
				if w, err = jobs.FindWaiting(r, deliverJob, destinationID(to.destination), s.DB.Clock().Now(), maxWaitingShown); err != nil {
					return err
				}
				known[to.destination] = w
			}
			to.NextTryAt = nextTry(w, items[i].ID)
			if w.HeldUntil != nil {
				to.HoldReason = w.HoldReason
			}
		}
	}
	return nil
}

// nextTry returns the time of a mail's next attempt, nil if it is not known.
func nextTry(w jobs.Waiting, mail uuid.UUID) *clock.Time {
	for _, j := range w.Jobs {
		var p deliverPayload
		if json.Unmarshal(j.Payload, &p) != nil || p.MailID != mail {
			continue
		}
		if w.HeldUntil != nil && w.HeldUntil.After(j.NextAt.Time) {
			return w.HeldUntil
		}
		return &j.NextAt
	}
	return w.HeldUntil
}

// coverSubject masks the rules' matches in the subject of a mail for callers who may not
// see incidents.
func (s *Service) coverSubject(r *db.Reader, item *QueueItem) error {
	if caller.From(r.Context()).Can(perm.DLPView) {
		return nil
	}
	covered, found, err := s.Mail.CoveredSubject(r, item.ID.String())
	if found {
		item.Subject = covered
	}
	return err
}

// Retry retries the remaining copies of a mail at once, together with all mail waiting for
// the same destinations. It returns conflict if the mail is held or no longer in the queue.
func (s *Service) Retry(ctx context.Context, id uuid.UUID) (item QueueItem, err error) {
	err = s.changeMail(ctx, id, "mail.queue.retried", &item, func(tx *db.Tx, m *queued, left []Recipient) error {
		if m.State != StateQueued {
			return fault.New(fault.Conflict).Because(m.State)
		}
		for _, r := range left {
			if err := jobs.RunNow(tx, deliverJob, destinationID(r.destination)); err != nil {
				return err
			}
		}
		return nil
	})
	return item, err
}

// Drop removes the remaining copies of a mail from the queue without notifying anybody. For
// a held mail it also closes the incident as rejected, which requires the permission for
// that. It returns conflict if the mail is no longer in the queue.
func (s *Service) Drop(ctx context.Context, id uuid.UUID) (item QueueItem, err error) {
	err = s.changeMail(ctx, id, "mail.queue.dropped", &item, func(tx *db.Tx, m *queued, left []Recipient) error {
		if m.State == StateDone {
			return fault.New(fault.Conflict).Because(m.State)
		}
		if m.State == StateHeld {
			if err := s.rejectHeld(tx, m); err != nil {
				return err
			}
		}
		for _, r := range left {
			if _, err := settleRecipient(tx, m.ID, r.Address, outcome{State: StateDropped}); err != nil {
				return err
			}
		}
		return finish(tx, m)
	})
	return item, err
}

// rejectHeld closes the incident of a held mail as rejected. It returns forbidden if the
// caller may not manage incidents.
func (s *Service) rejectHeld(tx *db.Tx, m *queued) error {
	if !caller.From(tx.Context()).Can(perm.DLPManage) {
		return fault.Lacking(perm.DLPManage)
	}
	return s.Mail.RejectHeld(tx, m.ID.String())
}

// changeMail locks a mail, changes it, and reads it again into item.
func (s *Service) changeMail(ctx context.Context, id uuid.UUID, action string, item *QueueItem, change func(*db.Tx, *queued, []Recipient) error) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		m, err := lockMail(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		left, err := recipientsLeft(&tx.Reader, id)
		if err != nil {
			return err
		}
		if err := change(tx, &m, left); err != nil {
			return err
		}
		if m, err = lockMail(tx, id); err != nil {
			return err
		}
		all, err := recipientsOf(&tx.Reader, id)
		if err != nil {
			return err
		}
		*item = m.item(all)
		if err := s.coverSubject(&tx.Reader, item); err != nil {
			return err
		}
		if err := s.showWaiting(&tx.Reader, []QueueItem{*item}); err != nil {
			return err
		}
		return audit.Write(tx, action, id.String(), map[string]any{"sender": m.Sender, "recipients": addressesOf(left)})
	})
}

func addressesOf(list []Recipient) []string {
	return each.Map(list, func(r Recipient) string { return r.Address })
}

// checkHeld returns conflict for a quarantined mail, of the queue or of the CRM, that can
// no longer be sent.
func (s *Service) checkHeld(ctx context.Context, source, ref string, job *uuid.UUID) error {
	if source == policy.SourceCRM && job != nil {
		return s.Inbox.CheckHeld(ctx, *job)
	}
	id, err := uuid.Parse(ref)
	if err != nil || source == policy.SourceCRM {
		return nil // not from the queue
	}
	m, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (queued, error) { return findMail(r, id) })
	if err != nil {
		return db.IfNoRow(err, fault.New(fault.Conflict).Because(mail.ReasonContentGone))
	}
	owned, err := s.ownsSender(ctx, &m)
	switch {
	case fault.Is(err, fault.FileMissing), fault.Is(err, fault.FileDamaged):
		return fault.New(fault.Conflict).Because(mail.ReasonContentGone)
	case err == nil && !owned:
		return fault.New(fault.Conflict).Because("sender_gone")
	}
	return err
}

// ownsSender reports whether the workspace still owns the domains that a mail is from: the
// one of the envelope and, if a mailbox wrote the mail, those in From.
func (s *Service) ownsSender(ctx context.Context, m *queued) (bool, error) {
	text, err := s.Blobs.OpenFile(ctx, caller.From(ctx).TenantID, m.blob.ID)
	if err != nil {
		return false, err
	}
	defer func() { _ = text.Close() }()
	h, err := readHeader(text)
	if err != nil {
		return false, err
	}
	var from []string
	if m.Origin == OriginSubmission {
		from, _ = h.Addresses("from")
	}
	if m.Sender != "" {
		from = append(from, m.Sender)
	}
	for _, addr := range from {
		owner, err := s.Domains.FindOwner(ctx, destinationOf(addr))
		if err != nil || owner != caller.From(ctx).TenantID {
			return false, err
		}
	}
	return true, nil
}

// finish marks a mail as done if no recipients are left, and releases its content.
func finish(tx *db.Tx, m *queued) error {
	left, err := recipientsLeft(&tx.Reader, m.ID)
	if err != nil || len(left) > 0 {
		return err
	}
	changed, err := finishMail(tx, m.ID)
	if err != nil || !changed {
		return err
	}
	return blob.Drop(tx, m.blob.ID)
}

// keepFinished is how long finished mails stay in the queue. Bounces of forwarded mail can
// be returned for as long.
const keepFinished = 14 * 24 * time.Hour

// cleanBatch is the maximum number of rows of each kind deleted per transaction.
const cleanBatch = 100

// CleanQueue deletes mails that finished long ago and expired policies of other domains,
// and returns how many it deleted.
func (s *Service) CleanQueue(ctx context.Context) (n int, err error) {
	err = s.DB.System("janitor").InTx(ctx, func(tx *db.Tx) error {
		mails, err := deleteFinished(tx, clock.At(tx.Now().Add(-keepFinished)), cleanBatch)
		if err != nil {
			return err
		}
		policies, err := deleteExpiredPolicies(tx, cleanBatch)
		n = mails + policies
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("engine: clean: %w", err)
	}
	return n, nil
}

// Waiting returns the number of unfinished mails in the queue, at most ten thousand.
func (s *Service) Waiting(ctx context.Context) (int, error) {
	return db.Read(ctx, s.DB.System("metrics"), countWaiting)
}
