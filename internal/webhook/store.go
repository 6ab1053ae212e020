package webhook

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const endpointColumns = `id, address, description, events, status, disabled_reason, secret_last4, created_at`

func scanEndpoint(row db.Row) (Endpoint, error) {
	var e Endpoint
	var events db.JSON[[]string]
	err := row.Scan(&e.ID, &e.Address, &e.Description, &events, &e.Status, &e.DisabledReason, &e.SecretLast4, &e.CreatedAt)
	e.Events = events.V
	return e, err
}

func listEndpoints(r *db.Reader, module string, p db.Page) (db.List[Endpoint], error) {
	rows, err := db.All(r, scanEndpoint, `SELECT `+endpointColumns+` FROM webhook_endpoint
		WHERE tenant_id = $1 AND module = $2 AND (created_at, id) < ($3, $4)
		ORDER BY created_at DESC, id DESC LIMIT $5`, r.Tenant(), module, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(e Endpoint) db.Key { return db.Key{Sort: e.CreatedAt.UnixMicro(), ID: e.ID} }), err
}

func endpointByID(r *db.Reader, module string, id uuid.UUID) (Endpoint, error) {
	return db.One(r, scanEndpoint, `SELECT `+endpointColumns+` FROM webhook_endpoint
		WHERE tenant_id = $1 AND module = $2 AND id = $3`, r.Tenant(), module, id)
}

// tenantOfEndpoint finds whose a capability is, for calls without a credential.
func tenantOfEndpoint(r *db.Reader, id uuid.UUID) (tenant uuid.UUID, slug string, err error) {
	type found struct {
		tenant uuid.UUID
		slug   string
	}
	f, err := db.One(r, func(row db.Row) (found, error) {
		var f found
		err := row.Scan(&f.tenant, &f.slug)
		return f, err
	}, `SELECT t.id, t.slug FROM webhook_endpoint e JOIN tenant t ON t.id = e.tenant_id WHERE e.id = $1`, id)
	return f.tenant, f.slug, err
}

func countEndpoints(r *db.Reader, module string) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM (SELECT 1 FROM webhook_endpoint
		WHERE tenant_id = $1 AND module = $2 LIMIT 1000) AS few`, r.Tenant(), module)
}

func putEndpoint(tx *db.Tx, module string, e Endpoint, sealed []byte, by *uuid.UUID) error {
	_, err := tx.Exec(`INSERT INTO webhook_endpoint (tenant_id, id, module, address, description, events, status,
			secret_sealed, secret_last4, created_by, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`,
		tx.Tenant(), e.ID, module, e.Address, e.Description, db.AsJSON(e.Events), e.Status, sealed, e.SecretLast4, by, e.CreatedAt)
	return err
}

func dropEndpoint(tx *db.Tx, module string, id uuid.UUID) (Endpoint, error) {
	e, err := endpointByID(&tx.Reader, module, id)
	if err != nil {
		return e, err
	}
	if _, err := tx.Exec(`DELETE FROM webhook_delivery WHERE tenant_id = $1 AND endpoint_id = $2`, tx.Tenant(), id); err != nil {
		return e, err
	}
	_, err = tx.Exec(`DELETE FROM webhook_endpoint WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id)
	return e, err
}

type subscription struct {
	id     uuid.UUID
	events []string
}

func activeSubscriptions(r *db.Reader, tenant uuid.UUID) ([]subscription, error) {
	return db.All(r, func(row db.Row) (subscription, error) {
		var s subscription
		var events db.JSON[[]string]
		err := row.Scan(&s.id, &events)
		s.events = events.V
		return s, err
	}, `SELECT id, events FROM webhook_endpoint WHERE tenant_id = $1 AND status = 'active'`, tenant)
}

func putDelivery(tx *db.Tx, tenant, endpoint, event uuid.UUID, eventType string) (uuid.UUID, error) {
	id := tx.NewCapability()
	_, err := tx.Exec(`INSERT INTO webhook_delivery
			(tenant_id, id, endpoint_id, event_id, event_type, status, next_at, created_at)
		VALUES ($1, $2, $3, $4, $5, 'pending', $6, $6) ON CONFLICT (tenant_id, event_id, endpoint_id) DO NOTHING`,
		tenant, id, endpoint, event, eventType, clock.At(tx.Now()))
	return id, err
}

func listDeliveries(r *db.Reader, endpoint uuid.UUID, p db.Page) (db.List[Delivery], error) {
	rows, err := db.All(r, func(row db.Row) (Delivery, error) {
		var d Delivery
		var next clock.Time
		err := row.Scan(&d.ID, &d.EndpointID, &d.EventType, &d.Status, &d.Attempts, &d.LastStatusCode, &d.LastError,
			&next, &d.CreatedAt, &d.DeliveredAt)
		if d.Status == Pending || d.Status == Failed {
			d.NextAttemptAt = &next
		}
		return d, err
	}, `SELECT id, endpoint_id, event_type, status, attempts, last_status_code, last_error, next_at, created_at, delivered_at
		FROM webhook_delivery WHERE tenant_id = $1 AND endpoint_id = $2 AND (created_at, id) < ($3, $4)
		ORDER BY created_at DESC, id DESC LIMIT $5`, r.Tenant(), endpoint, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(d Delivery) db.Key { return db.Key{Sort: d.CreatedAt.UnixMicro(), ID: d.ID} }), err
}

type claimed struct {
	tenant, id, endpoint, event, claim uuid.UUID
	eventType                          string
	attempts                           int
}

func claimDeliveries(tx *db.Tx, lease time.Duration, limit int) ([]claimed, error) {
	claim := tx.NewID()
	return db.All(&tx.Reader, func(row db.Row) (claimed, error) {
		c := claimed{claim: claim}
		err := row.Scan(&c.tenant, &c.id, &c.endpoint, &c.event, &c.eventType, &c.attempts)
		return c, err
	}, `UPDATE webhook_delivery SET claim_id = $1, next_at = $2, attempts = attempts + 1
		WHERE (tenant_id, id) IN (
			SELECT tenant_id, id FROM webhook_delivery
			WHERE status IN ('pending', 'failed') AND next_at <= $3 ORDER BY next_at LIMIT $4`+tx.Dialect().SkipLocked()+`)
		RETURNING tenant_id, id, endpoint_id, event_id, event_type, attempts`,
		claim, clock.At(tx.Now().Add(lease)), clock.At(tx.Now()), limit)
}

// destination is where an endpoint's deliveries go and how they are signed.
type destination struct {
	id      uuid.UUID
	address string
	sealed  []byte
}

func destinations(r *db.Reader, ids []uuid.UUID) (map[uuid.UUID]destination, error) {
	out := make(map[uuid.UUID]destination, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	in, args := db.In(1, ids)
	rows, err := db.All(r, func(row db.Row) (destination, error) {
		var d destination
		err := row.Scan(&d.id, &d.address, &d.sealed)
		return d, err
	}, `SELECT id, address, secret_sealed FROM webhook_endpoint WHERE id IN `+in, args...)
	for _, d := range rows {
		out[d.id] = d
	}
	return out, err
}

func markDelivery(tx *db.Tx, c claimed, status string, next time.Time, code *int, errText *string) error {
	var delivered *clock.Time
	if status == Delivered {
		delivered = clock.Ptr(tx.Now())
	}
	_, err := tx.Exec(`UPDATE webhook_delivery SET status = $4, next_at = $5, last_status_code = $6, last_error = $7,
			delivered_at = $8, claim_id = NULL
		WHERE tenant_id = $1 AND id = $2 AND claim_id = $3`,
		c.tenant, c.id, c.claim, status, clock.At(next), code, errText, delivered)
	return err
}
