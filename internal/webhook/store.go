package webhook

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const endpointColumns = `e.id, e.keyless_id, e.address, e.description, e.events, e.status, e.strict_order, e.rate_limit, e.secret_last4,
	e.old_secret_until, e.created_at, e.disabled_at, e.disabled_code, e.disabled_class, e.disabled_reason, e.failures,
	CASE WHEN l.claim_id IS NULL THEN l.run_at ELSE l.hold_until END`

const endpointTables = ` FROM webhook_endpoint e JOIN webhook_lane l ON l.tenant_id = e.tenant_id AND l.id = e.id `

func scanEndpoint(row db.Row) (e Endpoint, err error) {
	var rate int
	var probe *clock.Time // while a node holds the lane its run_at is the end of a lease
	err = row.Scan(&e.ID, &e.keyless, &e.Address, &e.Description, db.FromJSON(&e.Events), &e.Status, &e.StrictOrder, &rate, &e.SecretLast4,
		&e.OldSecretEnds, &e.CreatedAt, &e.DisabledAt, &e.DisabledStatusCode, &e.DisabledErrorClass, &e.DisabledReason, &e.Failures, &probe)
	if rate > 0 {
		e.RateLimit = &rate
	}
	if e.Status != Disabled { // the trace of an attempt that did not disable it
		e.DisabledAt, e.DisabledStatusCode, e.DisabledErrorClass, e.DisabledReason = nil, nil, nil, nil
	} else if probe != nil && probe.Before(never) {
		e.NextProbeAt = probe
	}
	return e, err
}

func listEndpoints(r *db.Reader, module string, p db.Page) (db.List[Endpoint], error) {
	rows, err := db.All(r, scanEndpoint, `SELECT `+endpointColumns+endpointTables+`
		WHERE e.tenant_id = $1 AND e.module = $2 AND e.deleted_at IS NULL AND (e.created_at, e.id) < ($3, $4)
		ORDER BY e.created_at DESC, e.id DESC LIMIT $5`, r.Tenant(), module, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(e Endpoint) db.Key { return db.Key{Sort: e.CreatedAt.UnixMicro(), ID: e.ID} }), err
}

func endpointByID(r *db.Reader, module string, id uuid.UUID) (Endpoint, error) {
	return db.One(r, scanEndpoint, `SELECT `+endpointColumns+endpointTables+`
		WHERE e.tenant_id = $1 AND e.id = $2 AND e.module = $3 AND e.deleted_at IS NULL`, r.Tenant(), id, module)
}

// lockEndpoint locks an endpoint until the transaction ends, so that senders of other nodes
// cannot change it.
func lockEndpoint(tx *db.Tx, module string, id uuid.UUID) (Endpoint, error) {
	return db.One(&tx.Reader, scanEndpoint, `SELECT `+endpointColumns+endpointTables+`
		WHERE e.tenant_id = $1 AND e.id = $2 AND e.module = $3 AND e.deleted_at IS NULL`+tx.Dialect().ForUpdate("l, e"), tx.Tenant(), id, module)
}

// countEndpoints counts a module's endpoints before another is added. A concurrent addition
// waits.
func countEndpoints(tx *db.Tx, module string) (int, error) {
	if _, err := db.One(&tx.Reader, db.Scalar[uuid.UUID], `SELECT id FROM tenant WHERE id = $1`+tx.Dialect().ForUpdate("tenant"), tx.Tenant()); err != nil {
		return 0, err
	}
	return db.One(&tx.Reader, db.Scalar[int], `SELECT count(*) FROM (SELECT 1 FROM webhook_endpoint
		WHERE tenant_id = $1 AND module = $2 AND deleted_at IS NULL LIMIT 1000) AS few`, tx.Tenant(), module)
}

func putEndpoint(tx *db.Tx, module string, id uuid.UUID, s settings, sealed []byte, last4 string, by *uuid.UUID) error {
	err := tx.Exec(`INSERT INTO webhook_endpoint (tenant_id, id, keyless_id, module, address, description, events, status,
			strict_order, rate_limit, secret_sealed, secret_last4, created_by, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)`,
		tx.Tenant(), id, tx.NewCapability(), module, s.address, s.description, db.AsJSON(s.events), Active, s.strict, s.rate,
		sealed, last4, by, clock.At(tx.Now()))
	if err == nil {
		err = tx.Exec(`INSERT INTO webhook_lane (tenant_id, id) VALUES ($1, $2)`, tx.Tenant(), id)
	}
	return err
}

func updateEndpoint(tx *db.Tx, id uuid.UUID, s settings) error {
	return tx.Exec(`UPDATE webhook_endpoint SET address = $3, description = $4, events = $5, strict_order = $6,
			rate_limit = $7, updated_at = $8
		WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), id, s.address, s.description, db.AsJSON(s.events), s.strict, s.rate, clock.At(tx.Now()))
}

// setStatus stores the status that a person set and clears the endpoint's failure history.
func setStatus(tx *db.Tx, id uuid.UUID, status string) error {
	if err := tx.Exec(`UPDATE webhook_endpoint SET status = $3, failures = 0, failing_since = NULL, disabled_at = NULL,
			disabled_code = NULL, disabled_class = NULL, disabled_reason = NULL, probes = 0, dead_at = NULL, mails = 0, updated_at = $4
		WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id, status, clock.At(tx.Now())); err != nil {
		return err
	}
	k, hold := laneKey{tx.Tenant(), id}, clock.Time{Time: time.UnixMicro(0)}
	if status == Paused {
		hold = clock.At(never)
	} else if err := retryFailedNow(tx, k); err != nil {
		return err
	}
	return holdLane(tx, k, hold)
}

func rotateSecret(tx *db.Tx, id uuid.UUID, sealed []byte, last4 string, oldUntil *clock.Time) error {
	return tx.Exec(`UPDATE webhook_endpoint SET
			old_secret_sealed = CASE WHEN CAST($5 AS bigint) IS NOT NULL THEN secret_sealed END, old_secret_until = $5,
			secret_sealed = $3, secret_last4 = $4, updated_at = $6
		WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id, sealed, last4, oldUntil, clock.At(tx.Now()))
}

// forgetSecret removes the secret before the last rotation if its time is over: a later
// rotation may have set another that is still valid.
func forgetSecret(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`UPDATE webhook_endpoint SET old_secret_sealed = NULL, old_secret_until = NULL
		WHERE tenant_id = $1 AND id = $2 AND old_secret_until <= $3`, tx.Tenant(), id, clock.At(tx.Now()))
}

// dropEndpoint hides an endpoint and takes it out of the queue at once; a job removes its
// rows, which may be millions.
func dropEndpoint(tx *db.Tx, id uuid.UUID) error {
	if err := tx.Exec(`DELETE FROM webhook_lane WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id); err != nil {
		return err
	}
	return tx.Exec(`UPDATE webhook_endpoint SET deleted_at = $3, updated_at = $3, old_secret_sealed = NULL
		WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id, clock.At(tx.Now()))
}

// purgeEndpoint removes a batch of a deleted endpoint's rows, and finally the endpoint
// itself. It returns the number of deliveries removed.
func purgeEndpoint(tx *db.Tx, id uuid.UUID, limit int) (int, error) {
	ids, err := db.All(&tx.Reader, db.Scalar[uuid.UUID], `SELECT id FROM webhook_delivery
		WHERE tenant_id = $1 AND endpoint_id = $2 ORDER BY created_at, id LIMIT $3`, tx.Tenant(), id, limit)
	if err != nil {
		return 0, err
	}
	if len(ids) > 0 {
		return len(ids), dropDeliveries(tx, ids)
	}
	if err := tx.Exec(`DELETE FROM webhook_recovery WHERE tenant_id = $1 AND endpoint_id = $2`, tx.Tenant(), id); err != nil {
		return 0, err
	}
	return 0, tx.Exec(`DELETE FROM webhook_endpoint WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NOT NULL`, tx.Tenant(), id)
}

type subscription struct {
	tenant uuid.UUID
	id     uuid.UUID
	module string
	events []string
	// licences are the tenant's.
	licences []string
}

// subscriptions returns the endpoints of some tenants for which deliveries are recorded:
// the active ones, and the disabled ones that may still recover.
func subscriptions(r *db.Reader, tenants ...uuid.UUID) ([]subscription, error) {
	in, arg := db.In(r.Dialect(), 2, tenants)
	return db.All(r, func(row db.Row) (s subscription, err error) {
		err = row.Scan(&s.tenant, &s.id, &s.module, db.FromJSON(&s.events), db.FromJSON(&s.licences))
		return s, err
	}, `SELECT e.tenant_id, e.id, e.module, e.events, t.licences`+endpointTables+` JOIN tenant t ON t.id = e.tenant_id
		WHERE e.tenant_id `+in+` AND e.status <> 'paused' AND e.deleted_at IS NULL AND l.hold_until < $1`,
		clock.At(never), arg)
}

// findLicences returns the licences of a tenant.
func findLicences(r *db.Reader) ([]string, error) {
	list, err := db.One(r, db.Scalar[db.JSON[[]string]], `SELECT licences FROM tenant WHERE id = $1`, r.Tenant())
	return list.V, err
}

// owner identifies the record that a call without a credential refers to, and its tenant.
type owner struct {
	record   uuid.UUID
	tenant   uuid.UUID
	slug     string
	licences []string
	keyless  *bool
}

func scanOwner(row db.Row) (o owner, err error) {
	err = row.Scan(&o.record, &o.tenant, &o.slug, db.FromJSON(&o.licences), &o.keyless)
	return o, err
}

const (
	ownerColumns = `SELECT x.id, t.id, t.slug, t.licences, s.keyless FROM `
	ownerTables  = ` x JOIN tenant t ON t.id = x.tenant_id LEFT JOIN webhook_setting s ON s.tenant_id = t.id WHERE `
)

// findEndpointOwner finds an endpoint by its keyless id; its ordinary id finds nothing.
func findEndpointOwner(r *db.Reader, keyless uuid.UUID) (owner, error) {
	return db.One(r, scanOwner, ownerColumns+`webhook_endpoint`+ownerTables+`x.keyless_id = $1 AND x.deleted_at IS NULL`, keyless)
}

func findDeliveryOwner(r *db.Reader, id uuid.UUID) (owner, error) {
	return db.One(r, scanOwner, ownerColumns+`webhook_delivery`+ownerTables+`x.id = $1`, id)
}

func isKeylessAllowed(r *db.Reader) (bool, error) {
	return db.OneOr(r, true, db.Scalar[bool], `SELECT keyless FROM webhook_setting WHERE tenant_id = $1`, r.Tenant())
}

func setKeyless(tx *db.Tx, on bool) error {
	return tx.Exec(`INSERT INTO webhook_setting (tenant_id, keyless) VALUES ($1, $2)
		ON CONFLICT (tenant_id) DO UPDATE SET keyless = excluded.keyless`, tx.Tenant(), on)
}
