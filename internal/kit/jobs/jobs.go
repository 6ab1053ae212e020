// Package jobs does work that must survive a crash. A job is a row: a worker
// claims it for a limited time (the lease), does it and removes it. When the
// worker dies, the lease ends and another one takes the job; a claim id keeps
// a worker that was only slow from finishing a job that it has lost.
// Wake-ups are hints: the row is the truth.
//
// Nobody waits for somebody else's server. Each kind of job has its own limits
// per node, per tenant and per account, and tenants take turns within a kind.
// An account whose server does not answer in time is held: none of its jobs of
// that kind starts until the hold ends, and no attempt of theirs is counted.
//
// A job that fails too often, or during which three processes died, is dead:
// its row stays with the reason until an operator retries or deletes it, or for
// 30 days.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Job is a claimed job.
type Job struct {
	TenantID uuid.UUID
	ID       uuid.UUID
	Kind     string
	// AccountID is the account whose server the job talks to, or the zero id.
	AccountID uuid.UUID
	Payload   []byte
	Test      bool
	// Attempts is the number of this attempt, beginning with one.
	Attempts  int
	CreatedAt clock.Time

	lost      int // processes that died with it
	claim     uuid.UUID
	claimedAt time.Time
	lease     time.Duration
	trace     string  // the span in which it was added, "" for none
	receipt   *string // what an outside server accepted, nil if nothing yet
	db        *db.DB
	log       *slog.Logger
}

// StillOurs reports whether the job's claim is still valid, in the transaction that depends
// on it. It locks the job, so that nobody else claims it meanwhile.
func (j *Job) StillOurs(tx *db.Tx) (bool, error) {
	return db.OneOr(&tx.Reader, false, db.Scalar[bool], `SELECT true FROM job j WHERE tenant_id = $1 AND id = $2 AND claim_id = $3`+
		tx.Dialect().ForUpdate("j"), j.TenantID, j.ID, j.claim)
}

// ErrLost reports that another worker has claimed the job.
var ErrLost = errors.New("jobs: another worker has the job")

// CheckClaim ensures that this worker keeps the job for a while. A handler calls it
// right before it sends an outside server something that must not be sent twice. It
// returns ErrLost if another worker has the job, and the database's error if that
// is unknown: a lease may end while the database is unreachable, and the worker
// that reaches it first again gets the job.
//
// In the first third of the lease it does not ask the database: no other worker can
// have claimed the job.
func (j *Job) CheckClaim(ctx context.Context) error {
	if j.db.Clock().Now().Before(j.claimedAt.Add(j.lease / 3)) {
		return nil
	}
	ours, err := j.prolong(ctx)
	if err == nil && !ours {
		err = ErrLost
	}
	return err
}

// prolong renews the lease and reports whether the claim is still valid.
func (j *Job) prolong(ctx context.Context) (ours bool, err error) {
	return db.Write(ctx, j.db.System("job claim"), func(tx *db.Tx) (bool, error) {
		return tx.ExecAny(`UPDATE job SET next_at = $4 WHERE tenant_id = $1 AND id = $2 AND claim_id = $3`,
			j.TenantID, j.ID, j.claim, clock.At(tx.Now().Add(j.lease)))
	})
}

// Progress records that the job has made progress, so that processes that died with it
// before no longer count: a job that kills its process makes none. It returns false if the
// job's claim is no longer valid; otherwise it locks the job as StillOurs does.
func (j *Job) Progress(tx *db.Tx) (ours bool, err error) {
	return tx.ExecAny(`UPDATE job SET lost = 0 WHERE tenant_id = $1 AND id = $2 AND claim_id = $3`, j.TenantID, j.ID, j.claim)
}

// Handler does a job. If it returns nil, the job is done and removed. An error means that
// it is tried again later; ErrDrop, ErrHold, Snooze and RunAgain mean what their comments
// say.
type Handler func(ctx context.Context, j *Job) error

// Kind is the configuration of one kind of job.
type Kind struct {
	Name    string
	Handler Handler
	// PerNode, PerTenant and PerAccount are the numbers of jobs that may run at the same
	// time. PerAccount is zero for jobs that use no outside server.
	PerNode, PerTenant, PerAccount int
	// MaxAttempts is the number of failures after which a job is dead.
	MaxAttempts int
	// Timeout ends the context of a job that takes longer; zero means an hour. For a job
	// with an account it is treated as a silent server.
	Timeout time.Duration
	// MaxAge is how long a job waits for a silent server before it is dead; zero for ever.
	MaxAge time.Duration
	// HoldReason is shown in the record of a held account, such as mailbox_unreachable. It
	// is required with PerAccount.
	HoldReason string
	// OnDead is called before a job becomes dead, so that its module can show the failure;
	// nil if nobody waits for the job.
	OnDead func(ctx context.Context, j *Job, reason string) error
}

func (k *Kind) check() error {
	switch {
	case k.Name == "" || k.Handler == nil:
		return fmt.Errorf("jobs: kind %q needs a name and a handler", k.Name)
	case k.PerNode < 1 || k.PerTenant < 1 || k.PerAccount < 0 || k.MaxAttempts < 1:
		return fmt.Errorf("jobs: kind %q needs bounds of one or more", k.Name)
	case (k.PerAccount > 0) != (k.HoldReason != ""):
		return fmt.Errorf("jobs: kind %q needs a reason to show for its held accounts, and only with PerAccount", k.Name)
	}
	return nil
}

// ErrDrop makes a job dead at once, however many attempts are left.
var ErrDrop = errors.New("jobs: drop")

// ErrHold reports that the server of the job's account does not answer in time. The account
// is held, and the attempt is not counted.
var ErrHold = errors.New("jobs: hold the account")

// HoldOnTimeout adds ErrHold to err if it is a time-out of the network or of a context, and
// returns any other err unchanged. Handlers call it with errors of outside servers, not
// with database errors.
func HoldOnTimeout(err error) error {
	timeout, ok := errors.AsType[net.Error](err)
	if err != nil && (errors.Is(err, context.DeadlineExceeded) || ok && timeout.Timeout()) && !errors.Is(err, ErrHold) {
		return fmt.Errorf("%w: %w", ErrHold, err)
	}
	return err
}

// HoldUntil reports that the server of the job's account answers but asks for a pause. The
// account is held until then, and the attempt is not counted. Users are not shown anything,
// since the server works.
func HoldUntil(at time.Time, err error) error {
	return heldUntil{fmt.Errorf("%w: %w", ErrHold, err), at}
}

// heldUntil is a hold whose end was set by the outside server.
type heldUntil struct {
	error
	at time.Time
}

func (h heldUntil) Unwrap() error { return h.error }

// later is an error with which a handler asks to run again at a given time.
type later struct {
	at   time.Time
	done bool
}

func (l later) Error() string { return "jobs: run again at " + l.at.Format(time.RFC3339) }

// RetryAt reports that an attempt failed with err and that the next one, if any are left,
// begins at a time that the outside server asked for.
func RetryAt(at time.Time, err error) error { return retryAt{err, at} }

// retryAt is a failure with a time for the next attempt.
type retryAt struct {
	error
	at time.Time
}

func (r retryAt) Unwrap() error { return r.error }

// Snooze postpones a job without counting an attempt.
func Snooze(until time.Time) error { return later{at: until} }

// RunAgain reports that a job is done for now and runs again at the given time. Earlier
// failures are forgotten, and a hold of its account ends.
func RunAgain(at time.Time) error { return later{at: at, done: true} }
