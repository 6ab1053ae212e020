package jobs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const (
	maxTenantsScanned  = 1000 // of one kind per query
	maxAccountsScanned = 1000 // of one kind and tenant
	tenantsPerRound    = 64   // queues per claim
)

// slot is what a limit applies to: all jobs of a kind, those of a tenant, or those of an
// account.
type slot struct {
	level           level
	kind            string
	tenant, account uuid.UUID
}

type level uint8

const (
	ofKind level = iota
	ofTenant
	ofAccount
)

// usage counts running jobs by slot.
type usage map[slot]int

func kindSlot(kind string) slot { return slot{level: ofKind, kind: kind} }
func tenantSlot(kind string, tenant uuid.UUID) slot {
	return slot{level: ofTenant, kind: kind, tenant: tenant}
}
func accountSlot(kind string, t, a uuid.UUID) slot { return slot{ofAccount, kind, t, a} }

func (u usage) add(j *Job, n int) {
	for _, s := range []slot{kindSlot(j.Kind), tenantSlot(j.Kind, j.TenantID), accountSlot(j.Kind, j.TenantID, j.AccountID)} {
		if u[s] += n; u[s] == 0 {
			delete(u, s)
		}
	}
}

// queue is the jobs of one kind and tenant.
type queue struct {
	kind   string
	tenant uuid.UUID
}

// dueQueuesSQL steps through the index from tenant to tenant within each kind and looks up
// each one's first due job, so that its cost depends on the number of tenants with jobs and
// not on the length of their queues: a million jobs of next month are never read. The jobs
// of a suspended workspace wait. It also returns where the steps of a kind ended, so that
// the next query continues there. $1 is the time, $2 the maximum number of rows; the others
// are the first tenant of each kind.
func dueQueuesSQL(d db.Dialect, kinds []string) string {
	var first []string
	for n, kind := range kinds {
		first = append(first, fmt.Sprintf(`('%s', %s)`, kind, d.IDParam(n+3)))
	}
	return `WITH RECURSIVE k(kind, first) AS (VALUES ` + strings.Join(first, ", ") + fmt.Sprintf(`),
		t(kind, tenant_id, n) AS (
		SELECT kind, (SELECT j.tenant_id FROM job j WHERE j.kind = k.kind AND j.dead_at IS NULL AND j.tenant_id >= k.first
			ORDER BY j.tenant_id LIMIT 1), 1 FROM k
		UNION ALL
		SELECT kind, (SELECT j.tenant_id FROM job j WHERE j.kind = t.kind AND j.dead_at IS NULL AND j.tenant_id > t.tenant_id
			ORDER BY j.tenant_id LIMIT 1), n + 1 FROM t WHERE t.tenant_id IS NOT NULL AND n < %[1]d)
		SELECT kind, tenant_id, due FROM (SELECT kind, tenant_id, n, EXISTS (SELECT 1 FROM job j
			WHERE j.kind = t.kind AND j.tenant_id = t.tenant_id AND j.dead_at IS NULL AND j.next_at <= $1) AND `+db.NotSuspended("t")+` AS due
			FROM t WHERE tenant_id IS NOT NULL) q
		WHERE due OR n = %[1]d LIMIT $2`, maxTenantsScanned)
}

// dueQueues returns queues with due jobs, in each kind beginning after the tenant that had
// the last turn. The caller must hold r.mu.
func (r *Runner) dueQueues(ctx context.Context) (due []queue, err error) {
	err = r.cfg.DB.System("job claim").Read(ctx, func(tx *db.Reader) error {
		due = nil
		seen := map[string]bool{}
		if err := r.lookForQueues(tx, seen, &due); err != nil {
			return err
		}
		// If no tenant after the last turn is due, start again from the first.
		again := false
		for kind, cursor := range r.cursors {
			if cursor != uuid.Nil && !seen[kind] {
				r.cursors[kind], again = uuid.Nil, true
			}
		}
		if again {
			return r.lookForQueues(tx, seen, &due)
		}
		return nil
	})
	return due, err
}

func (r *Runner) lookForQueues(tx *db.Reader, seen map[string]bool, due *[]queue) error {
	args := []any{clock.At(r.cfg.DB.Clock().Now()), tenantsPerRound}
	for _, kind := range r.names {
		args = append(args, r.cursors[kind])
	}
	_, err := db.All(tx, func(row db.Row) (q queue, err error) {
		var isDue bool
		if err = row.Scan(&q.kind, &q.tenant, &isDue); err == nil {
			seen[q.kind], r.cursors[q.kind] = true, following(q.tenant)
			if isDue {
				*due = append(*due, q)
			}
		}
		return q, err
	}, r.dueSQL, args...)
	if err != nil {
		return fmt.Errorf("jobs: due: %w", err)
	}
	return nil
}

// dueAccount is an account with due jobs.
type dueAccount struct {
	id uuid.UUID
	// failing reports that its last hold has ended and no job has succeeded since.
	failing bool
}

// dueAccountsSQL steps from account to account within a kind and tenant and returns those
// that have due jobs and are not held, the longest waiting first.
var dueAccountsSQL = fmt.Sprintf(`WITH RECURSIVE a(account_id, n) AS (
		SELECT * FROM (SELECT account_id, 1 FROM job WHERE kind = $1 AND tenant_id = $2 AND dead_at IS NULL ORDER BY account_id LIMIT 1) first
		UNION ALL
		SELECT (SELECT j.account_id FROM job j WHERE j.kind = $1 AND j.tenant_id = $2 AND j.dead_at IS NULL AND j.account_id > a.account_id
			ORDER BY j.account_id LIMIT 1), n + 1 FROM a WHERE a.account_id IS NOT NULL AND n < %d)
	SELECT account_id, failing FROM (SELECT a.account_id, h.account_id IS NOT NULL AS failing, h.until,
			(SELECT j.next_at FROM job j WHERE j.kind = $1 AND j.tenant_id = $2 AND j.dead_at IS NULL AND j.account_id = a.account_id
				ORDER BY j.next_at LIMIT 1) AS due_at
		FROM a LEFT JOIN job_hold h ON h.tenant_id = $2 AND h.kind = $1 AND h.account_id = a.account_id
		WHERE a.account_id IS NOT NULL) q
	WHERE due_at <= $3 AND (until IS NULL OR until <= $3) ORDER BY due_at`, maxAccountsScanned)

func dueAccounts(tx *db.Tx, q queue) ([]dueAccount, error) {
	list, err := db.All(&tx.Reader, func(row db.Row) (a dueAccount, err error) {
		err = row.Scan(&a.id, &a.failing)
		return a, err
	}, dueAccountsSQL, q.kind, q.tenant, clock.At(tx.Now()))
	if err != nil {
		return nil, fmt.Errorf("jobs: due accounts: %w", err)
	}
	return list, nil
}

// claimSQL claims due jobs of a queue, only those of one account if ofAccount is set. A job
// that still has a claim was lost by its worker.
func claimSQL(d db.Dialect, ofAccount bool) string {
	account := ""
	if ofAccount {
		account = " AND account_id = $8"
	}
	return `WITH due AS MATERIALIZED (SELECT id FROM job
			WHERE kind = $1 AND tenant_id = $2 AND dead_at IS NULL AND next_at <= $3` + account + ` AND ` + db.NotSuspended("job") + `
			ORDER BY next_at LIMIT $4` + d.SkipLocked() + `)
		UPDATE job SET claim_id = $5, node_id = $6, next_at = $7, lost = lost + CASE WHEN claim_id IS NULL THEN 0 ELSE 1 END
		WHERE tenant_id = $2 AND id IN (SELECT id FROM due)
		RETURNING id, account_id, payload, test, attempts, lost, created_at, receipt, COALESCE(traceparent, '')`
}

// claim claims due jobs: of each kind, of the tenants whose turn it is, as many as the
// limits allow.
func (r *Runner) claim(ctx context.Context) ([]Job, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	queues, err := r.dueQueues(ctx)
	if err != nil || len(queues) == 0 {
		return nil, err
	}
	var c *claiming
	err = r.cfg.DB.System("job claim").InTx(ctx, func(tx *db.Tx) error {
		c = &claiming{tx: tx, id: tx.NewID(), r: r, taken: usage{}}
		for _, q := range queues {
			if err := c.take(q); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range c.jobs {
		r.running.add(&c.jobs[i], 1)
	}
	r.full = c.full
	return c.jobs, nil
}

// claiming is one claim in progress.
type claiming struct {
	tx    *db.Tx
	id    uuid.UUID
	r     *Runner
	taken usage
	jobs  []Job
	full  bool // a limit kept due jobs from being claimed
}

// free returns how many more jobs of a slot may run.
func (c *claiming) free(most int, s slot) int { return most - c.r.running[s] - c.taken[s] }

func (c *claiming) take(q queue) error {
	k := c.r.kinds[q.kind]
	free := min(c.free(k.PerNode, kindSlot(q.kind)), c.free(k.PerTenant, tenantSlot(q.kind, q.tenant)))
	if free <= 0 {
		c.full = true
		return nil
	}
	if k.PerAccount == 0 {
		_, err := c.takeRows(q, nil, free)
		return err
	}
	accounts, err := dueAccounts(c.tx, q)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		most := k.PerAccount
		if a.failing {
			most = 1 // one job tests whether the server answers again
		}
		n := min(free, c.free(most, accountSlot(q.kind, q.tenant, a.id)))
		if n <= 0 {
			c.full = true
			continue
		}
		taken, err := c.takeRows(q, &a.id, n)
		if err != nil {
			return err
		}
		free -= taken
	}
	return nil
}

func (c *claiming) takeRows(q queue, account *uuid.UUID, most int) (int, error) {
	now, until := c.tx.Now(), c.tx.Now().Add(c.r.cfg.Lease)
	args := []any{q.kind, q.tenant, clock.At(now), most, c.id, c.r.cfg.Node, clock.At(until)}
	if account != nil {
		args = append(args, *account)
	}
	list, err := db.All(&c.tx.Reader, func(row db.Row) (Job, error) {
		j := Job{TenantID: q.tenant, Kind: q.kind, claim: c.id, claimedAt: now, lease: c.r.cfg.Lease, db: c.r.cfg.DB, log: c.r.cfg.Log}
		err := row.Scan(&j.ID, &j.AccountID, &j.Payload, &j.Test, &j.Attempts, &j.lost, &j.CreatedAt, &j.receipt, &j.trace)
		j.Attempts++ // the row counts failed attempts
		return j, err
	}, claimSQL(c.tx.Dialect(), account != nil), args...)
	if err != nil {
		return 0, fmt.Errorf("jobs: claim: %w", err)
	}
	// The databases return changed rows in no particular order.
	slices.SortFunc(list, func(a, b Job) int { return slices.Compare(a.ID[:], b.ID[:]) })
	for i := range list {
		c.taken.add(&list[i], 1)
	}
	c.jobs = append(c.jobs, list...)
	c.full = c.full || len(list) == most
	return len(list), nil
}

// following returns the smallest id above id, or the zero id after the last.
func following(id uuid.UUID) uuid.UUID {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	return id
}
