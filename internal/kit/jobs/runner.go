package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/trace"
)

// Config is what a runner needs.
type Config struct {
	DB    *db.DB
	Log   *slog.Logger
	Kinds []Kind
	// Node is the id of this process; its successor uses it to find the jobs it held.
	Node uuid.UUID
	// Accounts shows held accounts to users; nil to show them to nobody.
	Accounts AccountStatus
	// Random varies the pauses before retries; it returns numbers in [0, 1).
	Random func() float64
	// Metrics gets the runner's gauges; nil for none.
	Metrics prometheus.Registerer
	// Traces records each attempt; nil for none.
	Traces *trace.Tracer
	// Lease is how long a worker may be silent: a minute by default.
	Lease time.Duration
	// Drain is how long running jobs may continue after a stop before their context ends:
	// five seconds by default.
	Drain time.Duration
}

// Runner claims jobs and does them.
type Runner struct {
	cfg    Config
	kinds  map[string]*Kind
	names  []string // in the order of dueSQL's parameters
	dueSQL string

	mu      sync.Mutex
	cursors map[string]uuid.UUID // by kind: the first tenant of the next turn
	running usage
	full    bool // the last claim left due jobs because of a limit
}

// maxLost is the number of processes that may die with a job before it is dead.
const maxLost = 3

// New returns a runner. It fails if a kind is declared wrongly or twice.
func New(c Config) (*Runner, error) {
	c.Lease, c.Drain = cmp.Or(c.Lease, time.Minute), cmp.Or(c.Drain, 5*time.Second)
	if c.DB == nil || c.Log == nil || c.Random == nil {
		return nil, errors.New("jobs: a runner needs a database, a log and a source of randomness")
	}
	r := &Runner{cfg: c, kinds: map[string]*Kind{}, cursors: map[string]uuid.UUID{}, running: usage{}}
	for _, k := range c.Kinds {
		if err := k.check(); err != nil {
			return nil, err
		}
		if r.kinds[k.Name] != nil || strings.Contains(k.Name, "'") {
			return nil, fmt.Errorf("jobs: kind %q is declared twice or cannot be a name", k.Name)
		}
		k.Timeout = cmp.Or(k.Timeout, time.Hour)
		r.kinds[k.Name], r.names = &k, append(r.names, k.Name)
	}
	r.dueSQL = dueQueuesSQL(c.DB.Dialect(), r.names)
	if c.Metrics != nil {
		if err := c.Metrics.Register(collector{r}); err != nil {
			return nil, fmt.Errorf("jobs: metrics: %w", err)
		}
	}
	return r, nil
}

// Kinds lists the names of the kinds, sorted.
func (r *Runner) Kinds() []string { return slices.Sorted(slices.Values(r.names)) }

// Step claims due jobs and does them, those of a tenant one after the other, and returns
// the number claimed. Tests call Step; Run does not wait for slow jobs.
func (r *Runner) Step(ctx context.Context) (int, error) {
	claimed, err := r.claim(ctx)
	if err != nil {
		return 0, err
	}
	slices.SortStableFunc(claimed, func(a, b Job) int { return slices.Compare(a.ID[:], b.ID[:]) })
	byTenant := map[uuid.UUID][]*Job{}
	for i := range claimed {
		byTenant[claimed[i].TenantID] = append(byTenant[claimed[i].TenantID], &claimed[i])
	}
	var wg sync.WaitGroup
	for _, list := range byTenant {
		wg.Go(func() {
			for _, j := range list {
				// A job whose lease ended while it waited for the others may belong to
				// another worker now.
				if r.cfg.DB.Clock().Now().Before(j.claimedAt.Add(j.lease)) {
					r.do(ctx, j)
				}
				r.release(j)
			}
		})
	}
	wg.Wait()
	return len(claimed), nil
}

// Run does jobs until ctx ends. Jobs that are running then have the drain time to end by
// themselves before their context ends too; Run returns once they have ended.
func (r *Runner) Run(ctx context.Context) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(r.cfg.Drain, cancel) })()
	var wg sync.WaitGroup
	defer wg.Wait()
	Loop{
		Name: "jobs", DB: r.cfg.DB, Topics: []string{Topic}, Log: r.cfg.Log, Full: 1,
		Step: func(ctx context.Context) (int, error) {
			claimed, err := r.claim(ctx)
			for i := range claimed {
				wg.Go(func() {
					r.do(work, &claimed[i])
					if r.release(&claimed[i]) {
						r.cfg.DB.Wake(Topic)
					}
				})
			}
			return len(claimed), err
		},
	}.Run(ctx)
}

// release returns the job's share of the limits and reports whether others may be waiting
// for it.
func (r *Runner) release(j *Job) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running.add(j, -1)
	return r.full
}

// do does a job, prolongs its lease meanwhile and records the result. A job that ended
// because stop ended is due again at once.
func (r *Runner) do(stop context.Context, j *Job) {
	k := r.kinds[j.Kind]
	stop = caller.With(stop, &caller.Caller{Kind: caller.System, TenantID: j.TenantID, Test: j.Test})
	stop, span := r.cfg.Traces.StartUnder(stop, j.trace, "job "+j.Kind, trace.Consumer,
		trace.Text("konak.job.kind", j.Kind), trace.Text(trace.Tenant, j.TenantID.String()), trace.Number(trace.Attempt, j.Attempts))
	failure := ""
	defer func() { span.End(failure) }()
	ctx, cancel := context.WithTimeout(stop, k.Timeout)
	defer cancel()
	done := make(chan struct{})
	go r.prolongUntil(ctx, done, cancel, j)
	err := r.handle(ctx, k, j)
	close(done)
	if _, isLater := errors.AsType[later](err); err != nil && !isLater {
		failure = "failed"
	}
	if err != nil && j.AccountID != uuid.Nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("%w: %w", ErrHold, err)
	}
	interrupted := err != nil && stop.Err() != nil && !errors.Is(err, ErrDrop)
	if err := r.finish(context.WithoutCancel(stop), k, j, err, interrupted); err != nil {
		r.cfg.Log.Error("the result of a job could not be saved; its lease will expire", "kind", j.Kind, "job", j.ID, "error", err)
	}
}

// prolongUntil prolongs a job's lease until done is closed. It cancels the job if another
// worker has claimed it.
func (r *Runner) prolongUntil(ctx context.Context, done <-chan struct{}, cancel func(), j *Job) {
	tick := time.NewTicker(r.cfg.Lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
			if ours, err := j.prolong(ctx); err == nil && !ours {
				cancel()
				return
			}
		}
	}
}

// handle calls the job's handler. A job with which too many processes died is dropped
// without starting.
func (r *Runner) handle(ctx context.Context, k *Kind, j *Job) error {
	if j.lost >= maxLost {
		return fmt.Errorf("%w: %d processes died while running it", ErrDrop, j.lost)
	}
	return recoverPanic(func() error { return k.Handler(ctx, j) })
}

// recoverPanic calls fn and turns a panic into an error.
func recoverPanic(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("jobs: panic: %v\n%s", p, debug.Stack())
		}
	}()
	return fn()
}

// finish records the result of a job.
func (r *Runner) finish(ctx context.Context, k *Kind, j *Job, err error, interrupted bool) error {
	again, isLater := errors.AsType[later](err)
	switch {
	case err == nil:
		return r.inTx(ctx, j, func(tx *db.Tx) error {
			ours, err := r.change(tx, j, `DELETE FROM job WHERE tenant_id = $1 AND id = $2 AND claim_id = $3`)
			if err != nil || !ours {
				return err
			}
			return r.endHold(tx, k, j)
		})
	case errors.Is(err, ErrLost):
		r.cfg.Log.Warn("another worker has taken over the job", "kind", j.Kind, "job", j.ID, "tenant", j.TenantID)
		return nil
	case isLater && again.done:
		return r.inTx(ctx, j, func(tx *db.Tx) error {
			ours, err := r.change(tx, j, `UPDATE job SET next_at = $4, attempts = 0, lost = 0, last_error = NULL, claim_id = NULL, traceparent = NULL
				WHERE tenant_id = $1 AND id = $2 AND claim_id = $3`, clock.At(again.at))
			if err != nil || !ours {
				return err
			}
			return r.endHold(tx, k, j)
		})
	case isLater:
		return r.putOff(ctx, j, again.at)
	case interrupted:
		return r.putOff(ctx, j, r.cfg.DB.Clock().Now())
	case errors.Is(err, ErrHold) && j.AccountID != uuid.Nil && !errors.Is(err, ErrDrop) && !r.tooOld(k, j):
		r.cfg.Log.Warn("an account is on hold: its server does not answer, or asked to wait", "kind", j.Kind, "tenant", j.TenantID, "account", j.AccountID, "error", err)
		return r.hold(ctx, k, j, err)
	}
	r.cfg.Log.Warn("job failed", "kind", j.Kind, "job", j.ID, "tenant", j.TenantID, "attempt", j.Attempts, "error", err)
	return r.fail(ctx, k, j, err)
}

func (r *Runner) tooOld(k *Kind, j *Job) bool {
	return k.MaxAge > 0 && r.cfg.DB.Clock().Now().Sub(j.CreatedAt.Time) >= k.MaxAge
}

// putOff makes a job due at a given time without counting an attempt.
func (r *Runner) putOff(ctx context.Context, j *Job, until time.Time) error {
	return r.inTx(ctx, j, func(tx *db.Tx) error {
		_, err := r.change(tx, j, `UPDATE job SET next_at = $4, claim_id = NULL WHERE tenant_id = $1 AND id = $2 AND claim_id = $3`, clock.At(until))
		return err
	})
}

// fail counts a failed attempt. The job is tried again later or becomes dead.
func (r *Runner) fail(ctx context.Context, k *Kind, j *Job, cause error) error {
	now := r.cfg.DB.Clock().Now()
	next := now.Add(r.spread(min(time.Second<<min(j.Attempts, 12), time.Hour)))
	if asked, ok := errors.AsType[retryAt](cause); ok {
		next = asked.at
	}
	var dead *clock.Time
	if errors.Is(cause, ErrDrop) || j.Attempts >= k.MaxAttempts || errors.Is(cause, ErrHold) && r.tooOld(k, j) {
		dead = clock.Ptr(now)
		if k.OnDead != nil {
			if err := recoverPanic(func() error { return k.OnDead(ctx, j, cause.Error()) }); err != nil {
				r.cfg.Log.Error("a dead job could not be reported", "kind", j.Kind, "job", j.ID, "error", err)
			}
		}
	}
	return r.inTx(ctx, j, func(tx *db.Tx) error {
		_, err := r.change(tx, j, `UPDATE job SET next_at = $4, last_error = $5, dead_at = $6, attempts = attempts + 1, claim_id = NULL
			WHERE tenant_id = $1 AND id = $2 AND claim_id = $3`, clock.At(next), cause.Error(), dead)
		return err
	})
}

// spread shortens a pause by up to a quarter, so that jobs that failed together are not
// retried together.
func (r *Runner) spread(d time.Duration) time.Duration {
	return d - time.Duration(r.cfg.Random()*float64(d)/4)
}

// inTx runs fn in a transaction of the job's tenant. For jobs without an account or a
// tenant it uses a transaction across tenants.
func (r *Runner) inTx(ctx context.Context, j *Job, fn func(tx *db.Tx) error) error {
	if j.AccountID == uuid.Nil || j.TenantID == uuid.Nil {
		return r.cfg.DB.System("job claim").InTx(ctx, fn)
	}
	return r.cfg.DB.Tenant(j.TenantID).InTx(ctx, fn)
}

// change runs a statement on a job if its claim is still valid, and reports whether it is.
func (r *Runner) change(tx *db.Tx, j *Job, query string, args ...any) (ours bool, err error) {
	return tx.ExecAny(query, append([]any{j.TenantID, j.ID, j.claim}, args...)...)
}

// TakeOver releases the jobs of a process that is known to be gone: they are due at once
// instead of at the end of their lease. A job that was already lost once waits for the end
// of its lease: it may be what kills the process, and the other jobs should get a turn
// first.
func (r *Runner) TakeOver(ctx context.Context, previous uuid.UUID) error {
	var n int64
	err := r.cfg.DB.System("job claim").InTx(ctx, func(tx *db.Tx) (err error) {
		n, err = tx.ExecCount(`UPDATE job SET claim_id = NULL, lost = lost + 1, next_at = CASE WHEN lost = 0 THEN $2 ELSE next_at END
			WHERE node_id = $1 AND claim_id IS NOT NULL AND dead_at IS NULL`, previous, clock.At(tx.Now()))
		if n > 0 {
			tx.Wake(Topic)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("jobs: take over: %w", err)
	}
	if n > 0 {
		r.cfg.Log.Info("released the jobs of the previous process", "jobs", n)
	}
	return nil
}
