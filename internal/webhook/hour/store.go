package hour

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

var columnTypes = []string{"uuid", "uuid", "bigint", "bigint", "bigint", "bigint"}

// Add counts those of n attempts whose deliveries were marked. A counter of an earlier day
// in the same slot is reset; one of a later hour is kept.
func Add(tx *db.Tx, marked []uuid.UUID, n int, attempt func(i int) Attempt) error {
	counts := count(marked, n, attempt)
	rows := make([][]any, 0, len(counts))
	for k, h := range counts {
		rows = append(rows, []any{k.tenant, k.endpoint, k.slot(), clock.At(k.hour), h.Delivered, h.Failed})
	}
	_, err := db.Each(tx, db.Scalar[int], columnTypes, rows, func(source string) string {
		return `WITH m(tenant_id, endpoint_id, slot, hour, delivered, failed) AS (` + source + `)
			INSERT INTO webhook_hour (tenant_id, endpoint_id, slot, hour, delivered, failed)
			SELECT tenant_id, endpoint_id, slot, hour, delivered, failed FROM m WHERE true
			ON CONFLICT (tenant_id, endpoint_id, slot) DO UPDATE SET hour = excluded.hour,
				delivered = excluded.delivered + CASE WHEN webhook_hour.hour = excluded.hour THEN webhook_hour.delivered ELSE 0 END,
				failed = excluded.failed + CASE WHEN webhook_hour.hour = excluded.hour THEN webhook_hour.failed ELSE 0 END
			WHERE webhook_hour.hour <= excluded.hour RETURNING 1`
	})
	return err
}

// list returns the last 24 hours of an endpoint as of now, oldest first.
func list(r *db.Reader, endpoint uuid.UUID, now time.Time) ([]Requests, error) {
	first := now.UTC().Truncate(time.Hour).Add(-(shown - 1) * time.Hour)
	counted, err := db.All(r, func(row db.Row) (h Requests, err error) {
		err = row.Scan(&h.At, &h.Delivered, &h.Failed)
		return h, err
	}, `SELECT hour, delivered, failed FROM webhook_hour WHERE tenant_id = $1 AND endpoint_id = $2 AND hour >= $3`,
		r.Tenant(), endpoint, clock.At(first))
	out := make([]Requests, shown)
	for i := range out {
		out[i].At = clock.At(first.Add(time.Duration(i) * time.Hour))
	}
	for _, h := range counted {
		if i := int(h.At.Sub(first) / time.Hour); i < shown { // another node's clock may be ahead
			out[i] = h
		}
	}
	return out, err
}

// Drop deletes the counters of an endpoint.
func Drop(tx *db.Tx, endpoint uuid.UUID) error {
	return tx.Exec(`DELETE FROM webhook_hour WHERE tenant_id = $1 AND endpoint_id = $2`, tx.Tenant(), endpoint)
}
