package webhook

import (
	"bytes"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
)

// queueStart is how far in the past positions in a queue begin. They are a microsecond
// apart, and neither a burst of them nor a node whose clock is a little behind should have
// to wait for its positions.
const queueStart = 10 * time.Millisecond

// wakeLanes marks lanes as having something to do. It writes every row even if another node
// holds the lane: a node that gives a lane back locks the row before it checks what is
// left, so one of the two always sees the other. It reserves n consecutive positions in
// each queue, after all existing ones, whatever the nodes' clocks say, and returns the last
// of each: a lane that has read up to one never finds something new before it.
func wakeLanes(tx *db.Tx, endpoints []uuid.UUID, n int) (map[uuid.UUID]clock.Time, error) {
	endpoints = slices.SortedFunc(slices.Values(endpoints), func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	endpoints = slices.Compact(endpoints)
	in, arg := db.In(tx.Dialect(), 4, endpoints)
	return db.Map[uuid.UUID, clock.Time](&tx.Reader,
		`UPDATE webhook_lane SET queued_at = CASE WHEN queued_at + $2 > $3 THEN queued_at + $2 ELSE $3 END, run_at = CASE
			WHEN claim_id IS NOT NULL THEN run_at
			WHEN hold_until > $1 THEN hold_until
			WHEN run_at < $1 THEN run_at
			ELSE $1 END
		WHERE `+inOrder(tx, in)+` RETURNING id, queued_at`, clock.At(tx.Now()), int64(n), clock.At(tx.Now().Add(-queueStart)), arg)
}

// nthPosition returns position i of n, given the last of them.
func nthPosition(last clock.Time, i, n int) clock.Time {
	return clock.At(last.Add(time.Duration(i+1-n) * time.Microsecond))
}

// inOrder is the condition of a statement that writes several lanes. It locks them by id:
// statements that lock the same lanes in different orders would deadlock.
func inOrder(tx *db.Tx, in string) string {
	return `(tenant_id, id) IN (SELECT tenant_id, id FROM webhook_lane WHERE id ` + in + ` ORDER BY id` +
		tx.Dialect().ForUpdate("webhook_lane") + `)`
}

// holdLane silences a lane until a time. Its holder applies this when giving it back, at
// the latest.
func holdLane(tx *db.Tx, k laneKey, until clock.Time) error {
	now := clock.At(tx.Now())
	run := &until
	if until.Before(now.Time) {
		run = &now
	}
	if !until.Before(never) {
		run = nil
	}
	return tx.Exec(`UPDATE webhook_lane SET hold_until = $3, held_before = NULL,
			run_at = CASE WHEN claim_id IS NULL THEN $4 ELSE run_at END
		WHERE tenant_id = $1 AND id = $2`, k.tenant, k.id, until, run)
}

// probeNow has a disabled endpoint probed at once and stores the end of its pause, to
// restore it if the probe fails.
func probeNow(tx *db.Tx, k laneKey) error {
	return tx.Exec(`UPDATE webhook_lane SET hold_until = $3,
			held_before = COALESCE(held_before, CASE WHEN hold_until > $3 THEN hold_until END),
			run_at = CASE WHEN claim_id IS NULL THEN $3 ELSE run_at END
		WHERE tenant_id = $1 AND id = $2`, k.tenant, k.id, clock.At(tx.Now()))
}

// findHeldBefore returns the end of an endpoint's pause before a test had it probed; the
// zero time if no test did.
func findHeldBefore(tx *db.Tx, k laneKey) (time.Time, error) {
	t, err := db.One(&tx.Reader, db.Scalar[*clock.Time], `SELECT held_before FROM webhook_lane WHERE tenant_id = $1 AND id = $2`, k.tenant, k.id)
	if err != nil || t == nil {
		return time.Time{}, err
	}
	return t.Time, nil
}

type laneKey struct{ tenant, id uuid.UUID }

func scanLane(row db.Row) (k laneKey, err error) { return k, row.Scan(&k.tenant, &k.id) }

// claimLanes claims the lanes that have waited longest.
func claimLanes(tx *db.Tx, claim uuid.UUID, limit int, lease time.Duration) ([]laneKey, error) {
	return db.All(&tx.Reader, scanLane, `WITH due AS MATERIALIZED (SELECT tenant_id, id FROM webhook_lane
			WHERE run_at <= $3 AND `+db.NotSuspended("webhook_lane")+` ORDER BY run_at LIMIT $4`+tx.Dialect().SkipLocked()+`)
		UPDATE webhook_lane SET claim_id = $1, run_at = $2
		WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM due)
		RETURNING tenant_id, id`, claim, clock.At(tx.Now().Add(lease)), clock.At(tx.Now()), limit)
}

// nextRun returns when the first lane has something to do, for waiting until then.
func nextRun(r *db.Reader) (time.Time, error) {
	t, err := db.OneOr(r, clock.At(never), db.Scalar[clock.Time], `SELECT run_at FROM webhook_lane WHERE run_at IS NOT NULL AND `+db.NotSuspended("webhook_lane")+`
		ORDER BY run_at LIMIT 1`)
	return t.Time, err
}

// renewLanes extends the leases of one holder and returns which of the given lanes it still
// holds. It never touches a lane that another has claimed.
func renewLanes(tx *db.Tx, claim uuid.UUID, lanes []uuid.UUID, lease time.Duration) ([]uuid.UUID, error) {
	in, arg := db.In(tx.Dialect(), 3, lanes)
	return db.All(&tx.Reader, db.Scalar[uuid.UUID], `UPDATE webhook_lane SET run_at = $2 WHERE claim_id = $1 AND `+inOrder(tx, in)+`
		RETURNING id`, claim, clock.At(tx.Now().Add(lease)), arg)
}

// heldLanes returns which of some lanes a holder still has.
func heldLanes(r *db.Reader, claim uuid.UUID, lanes []uuid.UUID) ([]uuid.UUID, error) {
	in, arg := db.In(r.Dialect(), 2, lanes)
	return db.All(r, db.Scalar[uuid.UUID], `SELECT id FROM webhook_lane WHERE claim_id = $1 AND id `+in, claim, arg)
}

// endLeases makes the lanes of a holder that is known to be gone due at once.
func endLeases(tx *db.Tx, claim uuid.UUID) (int64, error) {
	return tx.ExecCount(`UPDATE webhook_lane SET run_at = $2 WHERE claim_id = $1 AND run_at > $2`, claim, clock.At(tx.Now()))
}

// release is a lane to be given back, not to be claimed before hold. With forGood its
// holder does not keep it even if something is due in it.
type release struct {
	id      uuid.UUID
	hold    time.Time
	forGood bool
}

var releaseTypes = []string{"uuid", "bigint", "bigint", "uuid"}

// releaseLanes gives lanes back, each due when its next delivery is and not before its
// hold: the lane of a disabled endpoint is due when its hold ends, when any waiting
// delivery is sent as a probe. The caller has written the rows in this transaction, so
// nothing is added to them meanwhile. Lanes in which something is due now are kept and
// returned.
func releaseLanes(tx *db.Tx, claim uuid.UUID, list []release) (kept map[uuid.UUID]bool, err error) {
	ids := each.Map(list, func(l release) uuid.UUID { return l.id })
	type state struct {
		id         uuid.UUID
		hold       clock.Time
		next       *clock.Time
		off, works bool // works is false if the workspace is suspended
	}
	in, arg := db.In(tx.Dialect(), 1, ids)
	states, err := db.All(&tx.Reader, func(row db.Row) (s state, err error) { return s, row.Scan(&s.id, &s.hold, &s.next, &s.off, &s.works) },
		`SELECT l.id, l.hold_until, (SELECT min(d.next_at) FROM webhook_delivery d
			WHERE d.tenant_id = l.tenant_id AND d.endpoint_id = l.id AND d.status IN ('pending', 'failed')), e.status = 'disabled', `+db.NotSuspended("l")+`
		FROM webhook_lane l JOIN webhook_endpoint e ON e.tenant_id = l.tenant_id AND e.id = l.id WHERE l.id `+in, arg)
	if err != nil {
		return nil, err
	}
	kept = map[uuid.UUID]bool{}
	var rows [][]any
	for _, s := range states {
		back := list[slices.Index(ids, s.id)]
		hold := laterOf(s.hold.Time, back.hold)
		run := s.next
		if s.off && run != nil {
			run = clock.Ptr(tx.Now())
		}
		if !hold.After(tx.Now()) {
			hold = time.UnixMicro(0)
			if run != nil && !run.After(tx.Now()) && !back.forGood && s.works {
				kept[s.id] = true
				continue
			}
		}
		if run != nil && run.Before(hold) {
			run = clock.Ptr(hold)
		}
		if !hold.Before(never) {
			run = nil
		}
		rows = append(rows, []any{s.id, run, clock.At(hold), claim})
	}
	_, err = db.Each(tx, db.Scalar[uuid.UUID], releaseTypes, rows, func(source string) string {
		return `WITH m(id, run_at, hold_until, claim_id) AS (` + source + `)
			UPDATE webhook_lane SET claim_id = NULL, run_at = m.run_at, hold_until = m.hold_until
			FROM m WHERE webhook_lane.id = m.id AND webhook_lane.claim_id = m.claim_id RETURNING webhook_lane.id`
	})
	return kept, err
}

// target is the address of a lane's deliveries and how they are signed.
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

func scanTarget(row db.Row) (t target, err error) {
	return t, row.Scan(&t.module, &t.address, &t.secret, &t.oldSecret, &t.oldUntil, &t.strict, &t.rate,
		&t.status, &t.failures, &t.failingSince, &t.disabledAt, &t.code, &t.class, &t.reason, &t.probes, &t.deadAt, &t.mails)
}

const selectTarget = `SELECT module, address, secret_sealed, old_secret_sealed, old_secret_until, strict_order, rate_limit, status,
	failures, failing_since, disabled_at, disabled_code, disabled_class, disabled_reason, probes, dead_at, mails
	FROM webhook_endpoint WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL`

func findTarget(r *db.Reader, k laneKey) (target, error) {
	return db.One(r, scanTarget, selectTarget, k.tenant, k.id)
}

// lockTarget reads and locks an endpoint to change its health in the same transaction.
func lockTarget(tx *db.Tx, k laneKey) (target, error) {
	return db.One(&tx.Reader, scanTarget, selectTarget+tx.Dialect().ForUpdate("webhook_endpoint"), k.tenant, k.id)
}

func setHealth(tx *db.Tx, k laneKey, h *health) error {
	return tx.Exec(`UPDATE webhook_endpoint SET status = $3, failures = $4, failing_since = $5, disabled_at = $6,
			disabled_code = $7, disabled_class = $8, disabled_reason = $9, probes = $10, dead_at = $11, mails = $12
		WHERE tenant_id = $1 AND id = $2`,
		k.tenant, k.id, h.status, h.failures, h.failingSince, h.disabledAt, h.code, h.class, h.reason, h.probes, h.deadAt, h.mails)
}

// dueJobs reads what is due in a lane after a point in its order.
func dueJobs(r *db.Reader, k laneKey, now, afterTime clock.Time, afterEvent uuid.UUID, limit int) ([]job, error) {
	return db.All(r, func(row db.Row) (j job, err error) {
		return j, row.Scan(&j.id, &j.event, &j.eventType, &j.status, &j.attempts, &j.base, &j.nextAt, &j.createdAt)
	}, `SELECT id, event_id, event_type, status, attempts, base, next_at, created_at FROM webhook_delivery
		WHERE tenant_id = $1 AND endpoint_id = $2 AND status IN ('pending', 'failed') AND next_at <= $3 AND `+db.NotSuspended("webhook_delivery")+`
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

var (
	markTypes = []string{"uuid", "uuid", "bigint", "bigint", "text", "bigint", "bigint", "bigint", "bigint", "text", "text", "bytea", "uuid", "uuid"}
	keptTypes = []string{"uuid", "uuid", "bigint"}
)

// markDeliveries writes the results of attempts and returns the ids of the deliveries that
// it marked. The others have moved on, or their lane has another holder. The previous
// newest attempt is moved into its own row.
//
// Deliveries are found by their id only: workspace and endpoint are compared with IS NOT
// DISTINCT FROM, which cannot use an index. Otherwise PostgreSQL, as long as it has no
// statistics of the table, reads the endpoint's whole history for each mark.
func markDeliveries(tx *db.Tx, claim uuid.UUID, marks []mark) ([]uuid.UUID, error) {
	var rows, before [][]any
	for i := range marks {
		m := &marks[i]
		class, text := m.trouble()
		rows = append(rows, []any{
			m.tenant, m.id, m.attempts, m.base, m.status, clock.At(m.nextAt), clock.At(m.at),
			m.answer.Duration.Microseconds(), m.code(), class, text, m.answer.Body, m.lane.id, claim,
		})
		if m.attempts > 0 {
			before = append(before, []any{m.tenant, m.id, m.attempts})
		}
	}
	if _, err := db.Each(tx, db.Scalar[int], keptTypes, before, func(source string) string {
		return `WITH m(tenant_id, id, before) AS (` + source + `)
			INSERT INTO webhook_attempt
				(tenant_id, delivery_id, number, attempted_at, duration_us, status_code, error_class, error_text, answer)
			SELECT d.tenant_id, d.id, d.attempts, d.attempted_at, d.duration_us, d.status_code, d.error_class, d.error_text, d.answer
			FROM m JOIN webhook_delivery d ON d.tenant_id IS NOT DISTINCT FROM m.tenant_id AND d.id = m.id
			WHERE d.attempts = m.before AND d.attempted_at IS NOT NULL
			ON CONFLICT DO NOTHING RETURNING number`
	}); err != nil {
		return nil, err
	}
	return db.Each(tx, db.Scalar[uuid.UUID], markTypes, rows, func(source string) string {
		return `WITH m(tenant_id, id, before, base, status, next_at, attempted_at, duration_us, status_code, error_class, error_text, answer, endpoint_id, claim_id)
				AS (` + source + `)
			UPDATE webhook_delivery SET status = m.status, next_at = m.next_at, attempts = m.before + 1, base = m.base,
				delivered_at = CASE WHEN m.status = 'delivered' THEN m.attempted_at END,
				attempted_at = m.attempted_at, duration_us = m.duration_us, status_code = m.status_code,
				error_class = m.error_class, error_text = m.error_text, answer = m.answer
			FROM m WHERE webhook_delivery.tenant_id IS NOT DISTINCT FROM m.tenant_id AND webhook_delivery.id = m.id
				AND webhook_delivery.endpoint_id IS NOT DISTINCT FROM m.endpoint_id AND webhook_delivery.attempts = m.before AND EXISTS (SELECT 1 FROM webhook_lane l
					WHERE l.tenant_id = m.tenant_id AND l.id = m.endpoint_id AND l.claim_id = m.claim_id)
			RETURNING webhook_delivery.id`
	})
}
