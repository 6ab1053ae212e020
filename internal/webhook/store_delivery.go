package webhook

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
)

// newDelivery is a row to be inserted.
type newDelivery struct {
	tenant, id, endpoint, event uuid.UUID
	module, eventType           string
	nextAt, createdAt           clock.Time
	offset                      int // among those that are queued with it
}

var newDeliveryTypes = []string{"uuid", "uuid", "text", "uuid", "uuid", "text", "text", "bigint", "bigint"}

// putDeliveries inserts rows; an existing one becomes due if it was never tried.
func putDeliveries(tx *db.Tx, list []newDelivery) error {
	rows := each.Map(list, func(d newDelivery) []any {
		return []any{d.tenant, d.id, d.module, d.endpoint, d.event, d.eventType, Pending, d.nextAt, d.createdAt}
	})
	_, err := db.Each(tx, db.Scalar[uuid.UUID], newDeliveryTypes, rows, func(source string) string {
		return `WITH m(tenant_id, id, module, endpoint_id, event_id, event_type, status, next_at, created_at) AS (` + source + `)
			INSERT INTO webhook_delivery (tenant_id, id, module, endpoint_id, event_id, event_type, status, next_at, created_at)
			SELECT tenant_id, id, module, endpoint_id, event_id, event_type, status, next_at, created_at FROM m WHERE true
			ON CONFLICT (tenant_id, id) DO UPDATE SET next_at = excluded.next_at
			WHERE webhook_delivery.attempts = 0 AND webhook_delivery.status = 'pending' RETURNING id`
	})
	return err
}

const deliveryColumns = `d.id, d.endpoint_id, d.event_id, d.event_type, d.status, d.attempts, d.status_code, d.error_class,
	d.error_text, d.attempted_at, d.next_at, d.created_at, d.delivered_at, l.hold_until,
	CASE WHEN e.status = 'disabled' THEN d.id = (SELECT h.id FROM webhook_delivery h
		WHERE h.tenant_id = d.tenant_id AND h.endpoint_id = d.endpoint_id AND h.status IN ('pending', 'failed')
		ORDER BY h.next_at, h.event_id LIMIT 1) ELSE false END AS probe`

const deliveryTables = ` FROM webhook_delivery d JOIN webhook_lane l ON l.tenant_id = d.tenant_id AND l.id = d.endpoint_id
	JOIN webhook_endpoint e ON e.tenant_id = d.tenant_id AND e.id = d.endpoint_id `

func scanDelivery(row db.Row) (d Delivery, err error) {
	var event uuid.UUID
	var next, hold clock.Time
	var probe *bool // the first one waiting for a disabled endpoint, tried when its hold ends; null if none waits
	err = row.Scan(&d.ID, &d.EndpointID, &event, &d.EventType, &d.Status, &d.Attempts, &d.LastStatusCode, &d.LastErrorClass,
		&d.LastError, &d.LastAttemptAt, &next, &d.CreatedAt, &d.DeliveredAt, &hold, &probe)
	d.EventID = "evt_" + event.String()
	if probe != nil && *probe || hold.After(next.Time) {
		next = hold
	}
	if (d.Status == Pending || d.Status == Failed) && next.Before(never) {
		d.NextAttemptAt = &next
	}
	return d, err
}

func deliveryKey(d Delivery) db.Key { return db.Key{Sort: d.CreatedAt.UnixMicro(), ID: d.ID} }

// historyFilter narrows a history; empty fields do not narrow.
type historyFilter struct{ status, eventType string }

// maxPendingSorted is the maximum number of waiting deliveries that are sorted for a page.
const maxPendingSorted = 10_000

// where returns the condition for the deliveries of the endpoint at the given argument
// number, and the arguments with those it adds. Failed and exhausted ones have their own
// index, which is small: most deliveries are never in it. Pending ones are found by the
// index of the queue, and delivered ones among all: they are nearly all.
func (n historyFilter) where(endpoint int, args []any) (string, []any) {
	text := fmt.Sprintf(` WHERE d.tenant_id = $1 AND d.endpoint_id = $%d`, endpoint)
	if n.status != "" {
		args = append(args, n.status)
		text += fmt.Sprintf(` AND d.status = $%d`, len(args))
	}
	switch n.status {
	case Failed, Exhausted:
		text += ` AND d.status IN ('failed', 'exhausted')`
	case Pending:
		args = append(args, maxPendingSorted)
		text += fmt.Sprintf(` AND d.id IN (SELECT id FROM webhook_delivery WHERE tenant_id = $1 AND endpoint_id = $%d
			AND status IN ('pending', 'failed') ORDER BY next_at, event_id LIMIT $%d)`, endpoint, len(args))
	}
	if n.eventType != "" {
		args = append(args, n.eventType)
		text += fmt.Sprintf(` AND d.event_type = $%d`, len(args))
	}
	return text, args
}

// maxScanned is the number of an endpoint's deliveries that are scanned for a page of a
// narrowed history without an index.
const maxScanned = 5000

// horizon returns how far back a page of a narrowed history searches; nil means to the end.
func (n historyFilter) horizon(r *db.Reader, endpoints []uuid.UUID, p db.Page) (*clock.Time, error) {
	if n.eventType == "" && n.status != Delivered {
		return nil, nil
	}
	args := []any{r.Tenant(), p.After.Sort, p.After.ID, maxScanned}
	parts := make([]string, len(endpoints))
	for i, id := range endpoints {
		args = append(args, id)
		parts[i] = fmt.Sprintf(`SELECT min(created_at) AS from_time, count(*) AS looked FROM (SELECT created_at FROM webhook_delivery
			WHERE tenant_id = $1 AND endpoint_id = $%d AND (created_at, id) < ($2, $3)
			ORDER BY created_at DESC, id DESC LIMIT $4) AS w%d`, len(args), i)
	}
	return db.One(r, db.Scalar[*clock.Time], `SELECT max(from_time) FROM (`+strings.Join(parts, ` UNION ALL `)+`) AS e WHERE looked = $4`, args...)
}

// listDeliveries returns the history of some endpoints, newest first: it takes the newest
// of each and merges them. So the deliveries need no index by module, whose endpoints are
// few. A page may have fewer rows than requested although others follow.
func listDeliveries(r *db.Reader, endpoints []uuid.UUID, n historyFilter, p db.Page) (db.List[Delivery], error) {
	if len(endpoints) == 0 {
		return db.List[Delivery]{Rows: []Delivery{}}, nil
	}
	horizon, err := n.horizon(r, endpoints, p)
	if err != nil {
		return db.List[Delivery]{}, err
	}
	until := clock.At(time.UnixMicro(0))
	if horizon != nil {
		until = *horizon
	}
	args := []any{r.Tenant(), p.After.Sort, p.After.ID, p.Limit + 1, until}
	var text strings.Builder
	for i, id := range endpoints {
		if i > 0 {
			text.WriteString(` UNION ALL `)
		}
		var where string
		args = append(args, id)
		where, args = n.where(len(args), args)
		fmt.Fprintf(&text, `SELECT * FROM (SELECT `+deliveryColumns+deliveryTables+where+` AND (d.created_at, d.id) < ($2, $3) AND d.created_at >= $5
			ORDER BY d.created_at DESC, d.id DESC LIMIT $4) AS e%d`, i)
	}
	rows, err := db.All(r, scanDelivery, text.String()+` ORDER BY created_at DESC, id DESC LIMIT $4`, args...)
	list := db.Cut(rows, p, deliveryKey)
	if horizon != nil && list.Next == nil {
		list.Next = &db.Key{Sort: horizon.UnixMicro()}
	}
	return list, err
}

// endpointIDs returns the ids of a module's endpoints.
func endpointIDs(r *db.Reader, module string) ([]uuid.UUID, error) {
	return db.All(r, db.Scalar[uuid.UUID], `SELECT id FROM webhook_endpoint
		WHERE tenant_id = $1 AND module = $2 AND deleted_at IS NULL ORDER BY id LIMIT $3`, r.Tenant(), module, maxEndpoints)
}

func deliveryByID(r *db.Reader, module string, id uuid.UUID) (Delivery, error) {
	return db.One(r, scanDelivery, `SELECT `+deliveryColumns+deliveryTables+`
		WHERE d.tenant_id = $1 AND d.id = $2 AND d.module = $3`, r.Tenant(), id, module)
}

// findEventID returns the id of a delivery's event.
func findEventID(r *db.Reader, id uuid.UUID) (uuid.UUID, error) {
	return db.One(r, db.Scalar[uuid.UUID], `SELECT event_id FROM webhook_delivery WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

// findExisting returns those of some deliveries that exist, with their status.
func findExisting(r *db.Reader, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	if len(ids) == 0 {
		return map[uuid.UUID]string{}, nil
	}
	in, arg := db.In(r.Dialect(), 2, ids)
	return db.Map[uuid.UUID, string](r, `SELECT id, status FROM webhook_delivery WHERE tenant_id = $1 AND id `+in, r.Tenant(), arg)
}

func scanAttempt(row db.Row) (a Attempt, err error) {
	var us int64
	var answer []byte
	err = row.Scan(&a.Number, &a.At, &us, &a.StatusCode, &a.ErrorClass, &a.Error, &answer)
	a.DurationMS, a.Answer = float64(us)/1000, strings.ToValidUTF8(string(answer), "\uFFFD")
	return a, err
}

// listAttempts returns all attempts of a delivery, oldest first: those before the newest
// have rows of their own.
func listAttempts(r *db.Reader, id uuid.UUID) ([]Attempt, error) {
	list, err := db.All(r, scanAttempt, `SELECT number, attempted_at, duration_us, status_code, error_class, error_text, answer
		FROM webhook_attempt WHERE tenant_id = $1 AND delivery_id = $2 ORDER BY number`, r.Tenant(), id)
	if err != nil {
		return nil, err
	}
	last, err := db.All(r, scanAttempt, `SELECT attempts, attempted_at, duration_us, status_code, error_class, error_text, answer
		FROM webhook_delivery WHERE tenant_id = $1 AND id = $2 AND attempted_at IS NOT NULL`, r.Tenant(), id)
	return append(list, last...), err
}

// queuePosition is the position in the queue of a delivery that is queued again.
type queuePosition struct {
	id uuid.UUID
	at clock.Time
}

var requeuedTypes = []string{"uuid", "uuid", "bigint"}

// requeueAt makes deliveries due again at their positions, whatever their status.
func requeueAt(tx *db.Tx, list []queuePosition) error {
	rows := each.Map(list, func(q queuePosition) []any { return []any{tx.Tenant(), q.id, q.at} })
	_, err := db.Each(tx, db.Scalar[uuid.UUID], requeuedTypes, rows, func(source string) string {
		return `WITH m(tenant_id, id, next_at) AS (` + source + `)
			UPDATE webhook_delivery SET status = 'pending', next_at = m.next_at, delivered_at = NULL, base = attempts
			FROM m WHERE webhook_delivery.tenant_id = m.tenant_id AND webhook_delivery.id = m.id RETURNING webhook_delivery.id`
	})
	return err
}

// requeue makes deliveries due again, in their order, up to the last reserved position.
func requeue(tx *db.Tx, last clock.Time, ids []uuid.UUID) error {
	list := make([]queuePosition, len(ids))
	for i, id := range ids {
		list[i] = queuePosition{id, nthPosition(last, i, len(ids))}
	}
	return requeueAt(tx, list)
}

// maxRetriedNow is the maximum number of failed deliveries that are retried at once when
// their endpoint is back; the others keep their own time.
const maxRetriedNow = 1000

// retryFailedNow makes failed deliveries due now because their endpoint answers again. The
// attempt is in addition to the schedule.
func retryFailedNow(tx *db.Tx, k laneKey) error {
	last, err := wakeLanes(tx, []uuid.UUID{k.id}, 1)
	if err != nil {
		return err
	}
	return tx.Exec(`UPDATE webhook_delivery SET next_at = $3, base = base + 1 WHERE tenant_id = $1 AND id IN (SELECT id FROM webhook_delivery
		WHERE tenant_id = $1 AND endpoint_id = $2 AND status IN ('pending', 'failed') AND status = 'failed' AND next_at > $5
		ORDER BY next_at, event_id LIMIT $4)`, k.tenant, k.id, last[k.id], maxRetriedNow, clock.At(tx.Now()))
}

// dropDeliveries deletes deliveries with their attempts.
func dropDeliveries(tx *db.Tx, ids []uuid.UUID) error {
	in, arg := db.In(tx.Dialect(), 2, ids)
	args := []any{tx.Tenant(), arg}
	if err := tx.Exec(`DELETE FROM webhook_attempt WHERE tenant_id = $1 AND delivery_id `+in, args...); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM webhook_delivery WHERE tenant_id = $1 AND id `+in, args...)
}

// findOldDeliveries finds some deliveries that have been listed long enough.
func findOldDeliveries(r *db.Reader, before clock.Time, limit int) ([]uuid.UUID, error) {
	return db.All(r, db.Scalar[uuid.UUID], `SELECT id FROM webhook_delivery
		WHERE tenant_id = $1 AND endpoint_id IN (SELECT id FROM webhook_endpoint WHERE tenant_id = $1) AND created_at < $2
		LIMIT $3`, r.Tenant(), before, limit)
}

// findLostDeliveries finds some deliveries whose event is gone. Their endpoint was deleted
// while they were written, so nothing else finds them.
func findLostDeliveries(r *db.Reader, kept time.Time, limit int) ([]uuid.UUID, error) {
	return db.All(r, db.Scalar[uuid.UUID], `SELECT id FROM webhook_delivery WHERE tenant_id = $1 AND id < $2 ORDER BY id LIMIT $3`,
		r.Tenant(), clock.FirstID(kept), limit)
}

// countWaiting returns the number of deliveries that wait for an attempt, up to a limit.
func countWaiting(r *db.Reader, most int) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM (SELECT 1 FROM webhook_delivery
		WHERE status IN ('pending', 'failed') LIMIT $1) AS few`, most)
}

func listTenants(r *db.Reader, after uuid.UUID, limit int) ([]uuid.UUID, error) {
	return db.All(r, db.Scalar[uuid.UUID], `SELECT id FROM tenant WHERE id > $1 ORDER BY id LIMIT $2`, after, limit)
}

// failedDeliveries lists deliveries of an endpoint that failed or were given up, oldest
// first.
func failedDeliveries(r *db.Reader, endpoint uuid.UUID, limit int) ([]uuid.UUID, error) {
	return db.All(r, db.Scalar[uuid.UUID], `SELECT id FROM webhook_delivery
		WHERE tenant_id = $1 AND endpoint_id = $2 AND status IN ('failed', 'exhausted') ORDER BY created_at, id LIMIT $3`,
		r.Tenant(), endpoint, limit)
}

// exhaustedDelivery is a delivery that was given up with its endpoint.
type exhaustedDelivery struct {
	event             uuid.UUID
	module, eventType string
	lastError         string
}

// exhaustDeliveries gives up a batch of an endpoint's waiting deliveries if it is off for
// good. It locks the lane first, as does enabling the endpoint.
func exhaustDeliveries(tx *db.Tx, endpoint uuid.UUID, limit int) ([]exhaustedDelivery, error) {
	n, err := tx.ExecCount(`UPDATE webhook_lane SET hold_until = hold_until WHERE tenant_id = $1 AND id = $2 AND hold_until >= $3`,
		tx.Tenant(), endpoint, clock.At(never))
	if err != nil || n == 0 {
		return nil, err
	}
	return db.All(&tx.Reader, func(row db.Row) (g exhaustedDelivery, err error) {
		err = row.Scan(&g.event, &g.module, &g.eventType, &g.lastError)
		return g, err
	}, `UPDATE webhook_delivery SET status = 'exhausted' WHERE tenant_id = $1 AND id IN (
			SELECT id FROM webhook_delivery WHERE tenant_id = $1 AND endpoint_id = $2 AND status IN ('pending', 'failed')
			ORDER BY next_at, event_id LIMIT $3)
		RETURNING event_id, module, event_type, COALESCE(error_text, '')`, tx.Tenant(), endpoint, limit)
}
