// Package jobs is work that must survive a crash: a row that is claimed with a
// lease, done, and removed. A dead holder's row becomes due by itself when its
// lease ends; a claim id fences off a holder that was only slow. Tenants take
// turns, so one with a long queue does not starve another. Wake-ups are hints:
// the row is the truth.
package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Topic is woken when a job was added.
const Topic = "job"

// Enqueue adds a job in the transaction of what makes it necessary.
func Enqueue(tx *db.Tx, kind string, runAt time.Time, payload any) (uuid.UUID, error) {
	return EnqueueFor(tx, tx.Tenant(), kind, runAt, payload)
}

// EnqueueFor adds a job of one tenant in a transaction that crosses tenants.
func EnqueueFor(tx *db.Tx, tenant uuid.UUID, kind string, runAt time.Time, payload any) (uuid.UUID, error) {
	text, err := json.Marshal(payload)
	if err != nil {
		return uuid.Nil, fmt.Errorf("jobs: encode %s: %w", kind, err)
	}
	id := tx.NewID()
	err = tx.Later(`INSERT INTO job (tenant_id, id, kind, payload, test, next_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		tenant, id, kind, string(text), caller.From(tx.Context()).Test, clock.At(runAt), clock.At(tx.Now()))
	if err != nil {
		return uuid.Nil, fmt.Errorf("jobs: enqueue %s: %w", kind, err)
	}
	tx.Wake(Topic)
	return id, nil
}

// Job is a claimed row.
type Job struct {
	TenantID uuid.UUID
	ID       uuid.UUID
	Kind     string
	Payload  []byte
	Test     bool
	Attempts int
	claim    uuid.UUID
	until    time.Time // when the lease ends
}

// Handler does a job. An error means try again later; ErrDrop means never.
type Handler func(ctx context.Context, j *Job) error

// ErrDrop gives a job up at once; it stays as a dead row that shows why.
var ErrDrop = errors.New("jobs: drop")

// Runner works jobs off.
type Runner struct {
	DB       *db.DB
	Log      *slog.Logger
	Handlers map[string]Handler
	// Lease is how long a holder may be silent: a minute by default.
	Lease time.Duration
	// Node is this process, by which its successor finds what it held.
	Node uuid.UUID

	mu     sync.Mutex
	cursor uuid.UUID // the first tenant of the next turn; the zero id holds nobody's jobs
	held   map[uuid.UUID]int
	total  int
	full   bool // the last turn could have taken more
}

const (
	perTurn     = 8   // jobs of one tenant at a time
	perRound    = 32  // tenants in one round
	perNode     = 256 // jobs at a time; most of them wait for somebody else's server
	walk        = 1000
	maxAttempts = 20
	longest     = time.Hour // after which a job that never ends is taken for dead
)

// dueTenants steps through the index from tenant to tenant and asks each for
// its first due job, so its cost is that of the tenants with jobs and not of
// the queue: a million jobs of next month are never read.
const dueTenants = `WITH RECURSIVE t(tenant_id, n) AS (
		SELECT * FROM (SELECT tenant_id, 1 FROM job
			WHERE dead_at IS NULL AND tenant_id >= $1 ORDER BY tenant_id LIMIT 1) a
		UNION ALL
		SELECT (SELECT tenant_id FROM job WHERE dead_at IS NULL AND tenant_id > t.tenant_id
			ORDER BY tenant_id LIMIT 1), n + 1 FROM t WHERE t.tenant_id IS NOT NULL AND n < $3)
	SELECT tenant_id FROM t WHERE tenant_id IS NOT NULL AND EXISTS (
		SELECT 1 FROM job WHERE job.tenant_id = t.tenant_id AND dead_at IS NULL AND next_at <= $2)
	LIMIT $4`

func claimSQL(d db.Dialect) string {
	return `WITH due AS MATERIALIZED (SELECT id FROM job
			WHERE tenant_id = $3 AND dead_at IS NULL AND next_at <= $4
			ORDER BY next_at LIMIT $5` + d.SkipLocked() + `)
		UPDATE job SET claim_id = $1, node_id = $6, next_at = $2, attempts = attempts + 1
		WHERE tenant_id = $3 AND id IN (SELECT id FROM due)
		RETURNING tenant_id, id, kind, payload, test, attempts`
}

// Step claims a turn of due jobs and works them off, each tenant's one after
// the other.
func (r *Runner) Step(ctx context.Context) (int, error) {
	claimed, err := r.claim(ctx)
	if err != nil {
		return 0, err
	}
	var wg sync.WaitGroup
	byTenant := map[uuid.UUID][]Job{}
	for _, j := range claimed {
		byTenant[j.TenantID] = append(byTenant[j.TenantID], j)
	}
	for _, group := range byTenant {
		wg.Go(func() {
			for i := range group {
				// A job whose lease ended while others of its turn took their
				// time is somebody else's by now.
				if r.DB.Clock().Now().Before(group[i].until) {
					r.work(ctx, &group[i])
				}
				r.release(group[i].TenantID)
			}
		})
	}
	wg.Wait()
	return len(claimed), nil
}

// begin claims a turn of due jobs and starts all of them: one that is slow
// holds up no other, of its own tenant neither.
func (r *Runner) begin(ctx context.Context, wg *sync.WaitGroup) (int, error) {
	claimed, err := r.claim(ctx)
	for i := range claimed {
		wg.Go(func() {
			r.attend(ctx, &claimed[i])
			if r.release(claimed[i].TenantID) {
				r.DB.Wake(Topic)
			}
		})
	}
	return len(claimed), err
}

// attend works a job off and prolongs its lease meanwhile.
func (r *Runner) attend(ctx context.Context, j *Job) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	done := make(chan struct{})
	defer close(done)
	go func() {
		tick := time.NewTicker(r.lease() / 3)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-tick.C:
				if ours, err := r.prolong(ctx, j); err == nil && !ours {
					cancel() // another holder has it
					return
				}
			}
		}
	}()
	r.work(ctx, j)
}

func (r *Runner) prolong(ctx context.Context, j *Job) (ours bool, err error) {
	err = r.DB.System("job claim").InTx(ctx, func(tx *db.Tx) error {
		n, err := tx.Exec(`UPDATE job SET next_at = $4 WHERE tenant_id = $1 AND id = $2 AND claim_id = $3`,
			j.TenantID, j.ID, j.claim, clock.At(tx.Now().Add(r.lease())))
		ours = n > 0
		return err
	})
	return ours, err
}

// trusted is how many holders a job may lose before it is suspected of taking
// them down. It then waits its lease out, so that a process that dies with it
// again and again has some time for the others.
const trusted = 5

// Succeed frees the jobs of a process that is known to be gone: they are due
// at once instead of at the end of their lease.
func (r *Runner) Succeed(ctx context.Context, node uuid.UUID) error {
	var n int64
	err := r.DB.System("job claim").InTx(ctx, func(tx *db.Tx) (err error) {
		n, err = tx.Exec(`UPDATE job SET next_at = $2, claim_id = NULL
			WHERE node_id = $1 AND claim_id IS NOT NULL AND dead_at IS NULL AND attempts <= $3`, node, clock.At(tx.Now()), trusted)
		if n > 0 {
			tx.Wake(Topic)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("jobs: end leases: %w", err)
	}
	if n > 0 {
		r.Log.Info("jobs of the process before this one were freed", "jobs", n)
	}
	return nil
}

func (r *Runner) lease() time.Duration { return cmp.Or(r.Lease, time.Minute) }

// release gives a job's place back and says whether others may wait for it.
func (r *Runner) release(tenant uuid.UUID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total--
	if r.held[tenant]--; r.held[tenant] == 0 {
		delete(r.held, tenant)
	}
	return r.full
}

func (r *Runner) claim(ctx context.Context) ([]Job, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held == nil {
		r.held = map[uuid.UUID]int{}
	}
	lease := r.lease()
	var out []Job
	cursor, full := r.cursor, false
	err := r.DB.System("job claim").InTx(ctx, func(tx *db.Tx) error {
		out, cursor, full = nil, r.cursor, false
		now := clock.At(tx.Now())
		ids, err := db.All(&tx.Reader, db.Scalar[uuid.UUID], dueTenants, cursor, now, walk, perRound)
		if err != nil {
			return fmt.Errorf("jobs: due: %w", err)
		}
		if len(ids) == 0 {
			cursor = uuid.Nil
			ids, err = db.All(&tx.Reader, db.Scalar[uuid.UUID], dueTenants, cursor, now, walk, perRound)
			if err != nil {
				return fmt.Errorf("jobs: due: %w", err)
			}
		}
		claim := tx.NewID()
		scan := func(row db.Row) (Job, error) {
			j := Job{claim: claim, until: tx.Now().Add(lease)}
			err := row.Scan(&j.TenantID, &j.ID, &j.Kind, &j.Payload, &j.Test, &j.Attempts)
			return j, err
		}
		for _, id := range ids {
			room := min(perTurn-r.held[id], perNode-r.total-len(out))
			if room <= 0 {
				full, cursor = true, following(id)
				continue
			}
			js, err := db.All(&tx.Reader, scan, claimSQL(tx.Dialect()),
				claim, clock.At(tx.Now().Add(lease)), id, now, room, r.Node)
			if err != nil {
				return fmt.Errorf("jobs: claim: %w", err)
			}
			full = full || len(js) == room
			// The databases give changed rows back in an order of their own.
			slices.SortFunc(js, func(a, b Job) int { return slices.Compare(a.ID[:], b.ID[:]) })
			out, cursor = append(out, js...), following(id)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.cursor, r.full, r.total = cursor, full, r.total+len(out)
	for _, j := range out {
		r.held[j.TenantID]++
	}
	return out, nil
}

// following is the smallest id above id, or the zero id after the last.
func following(id uuid.UUID) uuid.UUID {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	return id
}

func (r *Runner) work(ctx context.Context, j *Job) {
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: j.TenantID, Test: j.Test})
	err := r.handle(ctx, j)
	if err == nil {
		err = r.settle(ctx, `DELETE FROM job WHERE tenant_id = $1 AND id = $2 AND claim_id = $3`, j.TenantID, j.ID, j.claim)
	} else {
		r.Log.Warn("job failed", "kind", j.Kind, "job", j.ID, "tenant", j.TenantID, "attempt", j.Attempts, "error", err)
		now := r.DB.Clock().Now()
		var dead *clock.Time
		if errors.Is(err, ErrDrop) || j.Attempts >= maxAttempts {
			dead = clock.Ptr(now)
		}
		next := now.Add(min(time.Second<<min(j.Attempts, 12), time.Hour))
		err = r.settle(ctx, `UPDATE job SET next_at = $4, last_error = $5, dead_at = $6, claim_id = NULL
			WHERE tenant_id = $1 AND id = $2 AND claim_id = $3`,
			j.TenantID, j.ID, j.claim, clock.At(next), err.Error(), dead)
	}
	if err != nil {
		r.Log.Error("job could not be settled; its lease will end", "job", j.ID, "error", err)
	}
}

// handle runs the job's handler. Neither a panic nor a job that takes its
// holder down with it may stop the other jobs for good.
func (r *Runner) handle(ctx context.Context, j *Job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("jobs: panic: %v\n%s", p, debug.Stack())
		}
	}()
	if j.Attempts > maxAttempts {
		return fmt.Errorf("jobs: %d holders were lost: %w", maxAttempts, ErrDrop)
	}
	h, ok := r.Handlers[j.Kind]
	if !ok {
		return fmt.Errorf("jobs: no handler for %q", j.Kind)
	}
	return h(ctx, j)
}

func (r *Runner) settle(ctx context.Context, query string, args ...any) error {
	return r.DB.System("job claim").InTx(context.WithoutCancel(ctx), func(tx *db.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	})
}

// Run works jobs off until ctx ends, and returns when those that were begun
// have ended too.
func (r *Runner) Run(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	Loop{
		Name: "jobs", DB: r.DB, Topics: []string{Topic}, Log: r.Log, Full: 1,
		Step: func(ctx context.Context) (int, error) { return r.begin(ctx, &wg) },
	}.Run(ctx)
}
