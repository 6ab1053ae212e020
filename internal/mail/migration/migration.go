// Package migration records which mailboxes are to be copied from other servers.
//
// Invariants:
//   - A job records a request. It stays queued: nothing is copied until mailboxes here
//     can be read by IMAP.
//   - No password of another server is stored while nothing uses it.
//   - Cancelling a job twice has the same effect as once.
package migration

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// The states of a job.
const (
	Queued    = "queued"
	Cancelled = "cancelled"
)

// maxJobs is the maximum number of waiting jobs of a workspace.
const maxJobs = 1000

// Source is the server that mail is copied from.
type Source struct {
	Host string `json:"host" minLength:"1" maxLength:"253" pattern:"^[^\\p{Cc}\\p{Zl}\\p{Zp}]*$" example:"imap.eski.example"`
	Port int    `json:"port" minimum:"1" maximum:"65535" example:"993"`
	TLS  string `json:"tls" enum:"tls,starttls" example:"tls"`
	User string `json:"user" minLength:"1" maxLength:"200" pattern:"^[^\\p{Cc}\\p{Zl}\\p{Zp}]*$" example:"destek@kaya.example"`
	Auth string `json:"auth" enum:"password" example:"password" doc:"How to sign in at the source. The password is requested when copying starts"`
}

// Counts is the progress of a job.
type Counts struct {
	Folders       int64 `json:"folders"`
	MessagesTotal int64 `json:"messages_total"`
	Copied        int64 `json:"copied"`
	Skipped       int64 `json:"skipped"`
	Failed        int64 `json:"failed"`
	Bytes         int64 `json:"bytes"`
}

// Job is a request to copy a mailbox from another server.
type Job struct {
	ID        uuid.UUID   `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Mailbox   string      `json:"mailbox" example:"destek@kaya.example" doc:"Mailbox that receives the mail"`
	Source    Source      `json:"source"`
	State     string      `json:"state" enum:"queued,cancelled" example:"queued" doc:"queued: waiting. Copying starts once this installation can read mailboxes over IMAP"`
	Progress  Counts      `json:"progress"`
	CreatedBy *uuid.UUID  `json:"created_by" nullable:"true" format:"uuid"`
	CreatedAt clock.Time  `json:"created_at"`
	EndedAt   *clock.Time `json:"ended_at" nullable:"true"`
}

// Mailboxes gives access to the workspace's mailboxes.
type Mailboxes interface {
	// HasMailbox reports whether the workspace has a mailbox with this address.
	HasMailbox(r *db.Reader, addr string) (bool, error)
}

// Service manages the migrations of workspaces.
type Service struct {
	db    *db.DB
	boxes Mailboxes
}

// New creates the service.
func New(d *db.DB, boxes Mailboxes) *Service { return &Service{d, boxes} }

// Jobs lists the jobs, newest first.
func (s *Service) Jobs(ctx context.Context, p db.Page) (db.List[Job], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[Job], error) { return list(r, p) })
}

// Add records that a mailbox is to be copied. It returns conflict if a job for the same
// mailbox and source is already waiting.
func (s *Service) Add(ctx context.Context, mailbox string, from Source) (j Job, err error) {
	from.Host = strings.TrimSpace(from.Host)
	if from.Host == "" || strings.ContainsAny(from.Host, " /:@") {
		return j, fault.Invalid("source.host", "invalid_host")
	}
	addr, ok := address.ParseEmail(mailbox)
	if !ok {
		return j, fault.Invalid("mailbox", "invalid_address")
	}
	err = idempotency.Do(ctx, s.db.TenantOf(ctx), &j, func(tx *db.Tx) error {
		known, err := s.boxes.HasMailbox(&tx.Reader, addr.Key)
		if err != nil {
			return err
		}
		if !known {
			return fault.Invalid("mailbox", "unknown")
		}
		waiting, err := runningJobs(tx)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(waiting, func(w Job) bool { return w.Mailbox == addr.Key && w.Source == from }) {
			return fault.New(fault.Conflict).Because("migration_runs").Field("mailbox", "taken")
		}
		if len(waiting) >= maxJobs {
			return fault.New(fault.LimitReached, maxJobs).Because("migration_jobs")
		}
		j = Job{ID: tx.NewID(), Mailbox: addr.Key, Source: from, State: Queued, CreatedBy: caller.From(ctx).Actor(), CreatedAt: clock.At(tx.Now())}
		if err := insert(tx, j); err != nil {
			return err
		}
		return audit.Write(tx, "mail.migration.added", j.ID.String(), map[string]string{"mailbox": j.Mailbox, "host": from.Host})
	})
	return j, err
}

// Cancel ends a job. Cancelling it again changes nothing.
func (s *Service) Cancel(ctx context.Context, id uuid.UUID) (j Job, err error) {
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if j, err = lock(tx, id); err != nil {
			return db.NotFound(err)
		}
		if j.State == Cancelled {
			return nil
		}
		if j, err = cancel(tx, id); err != nil {
			return err
		}
		return audit.Write(tx, "mail.migration.cancelled", id.String(), map[string]string{"mailbox": j.Mailbox})
	})
	return j, err
}
