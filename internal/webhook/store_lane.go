package webhook

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// wakeLanes says that lanes of a tenant have something to do. It writes every
// row even where another node holds the lane: whoever gives a lane back takes
// the row's lock before it looks for what is left, so one of the two always
// sees the other.
func wakeLanes(tx *db.Tx, tenant uuid.UUID, endpoints []uuid.UUID) error {
	slices.SortFunc(endpoints, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	in, args := db.In(3, db.Padded(slices.Compact(endpoints)))
	_, err := tx.Exec(`UPDATE webhook_lane SET run_at = CASE
			WHEN claim_id IS NOT NULL THEN run_at
			WHEN hold_until > $2 THEN hold_until
			WHEN run_at < $2 THEN run_at
			ELSE $2 END
		WHERE tenant_id = $1 AND id IN `+in, append([]any{tenant, clock.At(tx.Now())}, args...)...)
	return err
}

// holdLane keeps a lane silent until a time. Whoever holds it goes by it when
// giving it back, at the latest.
func holdLane(tx *db.Tx, id uuid.UUID, until clock.Time) error {
	now := clock.At(tx.Now())
	run := &until
	if until.Before(now.Time) {
		run = &now
	}
	if !until.Before(never) {
		run = nil
	}
	_, err := tx.Exec(`UPDATE webhook_lane SET hold_until = $3, run_at = CASE WHEN claim_id IS NULL THEN $4 ELSE run_at END
		WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id, until, run)
	return err
}

type laneKey struct{ tenant, id uuid.UUID }

func scanLane(row db.Row) (k laneKey, err error) { return k, row.Scan(&k.tenant, &k.id) }

// claimLanes takes the lanes that have waited longest.
func claimLanes(tx *db.Tx, claim uuid.UUID, limit int) ([]laneKey, error) {
	return db.All(&tx.Reader, scanLane, `UPDATE webhook_lane SET claim_id = $1, run_at = $2
		WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM webhook_lane
			WHERE run_at <= $3 ORDER BY run_at LIMIT $4`+tx.Dialect().SkipLocked()+`)
		RETURNING tenant_id, id`, claim, clock.At(tx.Now().Add(lease)), clock.At(tx.Now()), limit)
}

// nextRun is when the first lane has something to do, for waiting until then.
func nextRun(r *db.Reader) (time.Time, error) {
	t, err := db.One(r, db.Scalar[*clock.Time], `SELECT min(run_at) FROM webhook_lane WHERE run_at IS NOT NULL`)
	if err != nil || t == nil {
		return never, err
	}
	return t.Time, nil
}

// renewLanes prolongs the leases of one holder and gives what it still holds
// of the given lanes. It never touches a lane that another has claimed.
func renewLanes(tx *db.Tx, claim uuid.UUID, lanes []uuid.UUID) ([]uuid.UUID, error) {
	in, args := db.In(3, db.Padded(lanes))
	return db.All(&tx.Reader, db.Scalar[uuid.UUID], `UPDATE webhook_lane SET run_at = $2 WHERE claim_id = $1 AND id IN `+in+`
		RETURNING id`, append([]any{claim, clock.At(tx.Now().Add(lease))}, args...)...)
}

// releaseLane gives a lane back, due when its next delivery is and not before
// hold. The caller has written the row in this transaction, so nobody adds to
// it meanwhile. Where something is due now it keeps the lane and says so.
func releaseLane(tx *db.Tx, k laneKey, claim uuid.UUID, hold time.Time) (kept bool, err error) {
	type state struct {
		hold clock.Time
		next *clock.Time
	}
	s, err := db.One(&tx.Reader, func(row db.Row) (s state, err error) { return s, row.Scan(&s.hold, &s.next) },
		`SELECT hold_until, (SELECT min(next_at) FROM webhook_delivery
			WHERE tenant_id = $1 AND endpoint_id = $2 AND status IN ('pending', 'failed'))
		FROM webhook_lane WHERE tenant_id = $1 AND id = $2`, k.tenant, k.id)
	if err != nil {
		return false, err
	}
	if s.hold.After(hold) {
		hold = s.hold.Time
	}
	if !hold.After(tx.Now()) {
		hold = time.UnixMicro(0)
		if s.next != nil && !s.next.After(tx.Now()) {
			return true, nil
		}
	}
	run := s.next
	if run != nil && run.Before(hold) {
		run = clock.Ptr(hold)
	}
	if !hold.Before(never) {
		run = nil
	}
	_, err = tx.Exec(`UPDATE webhook_lane SET claim_id = NULL, run_at = $4, hold_until = $5
		WHERE tenant_id = $1 AND id = $2 AND claim_id = $3`, k.tenant, k.id, claim, run, clock.At(hold))
	return false, err
}

// target is where a lane's deliveries go and how they are signed.
type target struct {
	module    string
	address   string
	secret    []byte
	oldSecret []byte
	oldUntil  *clock.Time
	strict    bool
	rate      int
	health
}

const targetColumns = `module, address, secret_sealed, old_secret_sealed, old_secret_until, strict_order, rate_limit,
	status, failures, failing_since, disabled_at, disabled_code, disabled_reason, probes, dead_at, mails`

func scanTarget(row db.Row) (t target, err error) {
	return t, row.Scan(&t.module, &t.address, &t.secret, &t.oldSecret, &t.oldUntil, &t.strict, &t.rate,
		&t.status, &t.failures, &t.failingSince, &t.disabledAt, &t.code, &t.reason, &t.probes, &t.deadAt, &t.mails)
}

func targetOf(r *db.Reader, k laneKey) (target, error) {
	return db.One(r, scanTarget, `SELECT `+targetColumns+` FROM webhook_endpoint WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL`,
		k.tenant, k.id)
}

// lockTarget reads an endpoint to change its health in the same transaction.
func lockTarget(tx *db.Tx, k laneKey) (target, error) {
	return db.One(&tx.Reader, scanTarget, `SELECT `+targetColumns+` FROM webhook_endpoint
		WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL`+tx.Dialect().ForUpdate("webhook_endpoint"), k.tenant, k.id)
}

func setHealth(tx *db.Tx, k laneKey, h *health) error {
	_, err := tx.Exec(`UPDATE webhook_endpoint SET status = $3, failures = $4, failing_since = $5, disabled_at = $6,
			disabled_code = $7, disabled_reason = $8, probes = $9, dead_at = $10, mails = $11
		WHERE tenant_id = $1 AND id = $2`,
		k.tenant, k.id, h.status, h.failures, h.failingSince, h.disabledAt, h.code, h.reason, h.probes, h.deadAt, h.mails)
	return err
}

// dueJobs reads what is due in a lane after a point in its order.
func dueJobs(r *db.Reader, k laneKey, now, afterTime clock.Time, afterEvent uuid.UUID, limit int) ([]job, error) {
	return db.All(r, func(row db.Row) (j job, err error) {
		return j, row.Scan(&j.id, &j.event, &j.eventType, &j.attempts, &j.base, &j.nextAt, &j.createdAt)
	}, `SELECT id, event_id, event_type, attempts, base, next_at, created_at FROM webhook_delivery
		WHERE tenant_id = $1 AND endpoint_id = $2 AND status IN ('pending', 'failed') AND next_at <= $3
			AND (next_at, event_id) > ($4, $5)
		ORDER BY next_at, event_id LIMIT $6`, k.tenant, k.id, now, afterTime, afterEvent, limit)
}

// mark is the new state of a delivery after an attempt.
type mark struct {
	tenant uuid.UUID
	result
	status string
	nextAt time.Time
}

var markTypes = []string{
	"uuid", "uuid", "bigint", "text", "bigint", "bigint", "bigint", "bigint", "bigint", "text", "text", "bytea",
}

// markRows is how many deliveries one statement marks at most.
const markRows = 32

// markDeliveries writes the outcome of attempts. What was the newest attempt
// of a delivery before moves into a row of its own.
func markDeliveries(tx *db.Tx, marks []mark) error {
	var again []mark
	for _, m := range marks {
		if m.attempts > 0 {
			again = append(again, m)
		}
	}
	for _, m := range again {
		if _, err := tx.Exec(`INSERT INTO webhook_attempt
				(tenant_id, delivery_id, number, attempted_at, duration_us, status_code, error_class, error_text, answer)
			SELECT tenant_id, id, attempts, attempted_at, duration_us, status_code, error_class, error_text, answer
			FROM webhook_delivery WHERE tenant_id = $1 AND id = $2 AND attempts = $3 AND attempted_at IS NOT NULL
			ON CONFLICT DO NOTHING`, m.tenant, m.id, m.attempts); err != nil {
			return err
		}
	}
	for len(marks) > 0 {
		n := 1
		for 2*n <= min(len(marks), markRows) {
			n *= 2
		}
		args := make([]any, 0, n*len(markTypes))
		for _, m := range marks[:n] {
			class, text := m.trouble()
			var delivered *clock.Time
			if m.status == Delivered {
				delivered = clock.Ptr(m.at)
			}
			args = append(args, m.tenant, m.id, m.attempts, m.status, clock.At(m.nextAt), delivered, clock.At(m.at),
				m.answer.Duration.Microseconds(), m.code(), class, text, m.answer.Body)
		}
		_, err := tx.Exec(`WITH m(tenant_id, id, before, status, next_at, delivered_at, attempted_at, duration_us, status_code,
				error_class, error_text, answer) AS (VALUES `+db.Rows(tx.Dialect(), 1, markTypes, n)+`)
			UPDATE webhook_delivery SET status = m.status, next_at = m.next_at, attempts = m.before + 1,
				delivered_at = m.delivered_at, attempted_at = m.attempted_at, duration_us = m.duration_us,
				status_code = m.status_code, error_class = m.error_class, error_text = m.error_text, answer = m.answer
			FROM m WHERE webhook_delivery.tenant_id = m.tenant_id AND webhook_delivery.id = m.id
				AND webhook_delivery.attempts = m.before`, args...)
		if err != nil {
			return err
		}
		marks = marks[n:]
	}
	return nil
}
