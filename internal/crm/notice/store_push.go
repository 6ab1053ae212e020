package notice

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// findKey returns the workspace's key, its private part sealed, or db.ErrNoRow.
func findKey(r *db.Reader) (public string, sealed []byte, err error) {
	_, err = db.One(r, func(row db.Row) (any, error) {
		return nil, row.Scan(&public, &sealed)
	}, `SELECT public_key, private_key FROM push_key WHERE tenant_id = $1`, r.Tenant())
	return public, sealed, err
}

// putKey stores a key unless the workspace has one.
func putKey(tx *db.Tx, public string, sealed []byte) error {
	return tx.Exec(`INSERT INTO push_key (tenant_id, public_key, private_key, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant_id) DO NOTHING`, tx.Tenant(), public, sealed, clock.At(tx.Now()))
}

// putDevice stores a subscription. One with the same address is replaced: it is the same
// browser, whoever uses it now.
func putDevice(tx *db.Tx, d device, hash []byte) error {
	if err := tx.Exec(`DELETE FROM push_subscription WHERE tenant_id = $1 AND endpoint_hash = $2`, tx.Tenant(), hash); err != nil {
		return err
	}
	return tx.Exec(`INSERT INTO push_subscription (tenant_id, id, agent_id, session_id, service_id, endpoint_hash, sealed, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, tx.Tenant(), d.id, d.agent, d.session, d.service, hash, d.sealed, clock.At(tx.Now()))
}

// dropOldest removes an agent's oldest subscriptions and keeps the newest keep.
func dropOldest(tx *db.Tx, agent uuid.UUID, keep int) error {
	return tx.Exec(`DELETE FROM push_subscription WHERE tenant_id = $1 AND agent_id = $2 AND id NOT IN (
		SELECT id FROM push_subscription WHERE tenant_id = $1 AND agent_id = $2 ORDER BY created_at DESC, id DESC LIMIT $3)`,
		tx.Tenant(), agent, keep)
}

// dropDevice removes a subscription and reports whether it existed. If agent is not nil,
// only that agent's subscription is removed.
func dropDevice(tx *db.Tx, id uuid.UUID, agent *uuid.UUID) (bool, error) {
	query, args := `DELETE FROM push_subscription WHERE tenant_id = $1 AND id = $2`, []any{tx.Tenant(), id}
	if agent != nil {
		query, args = query+` AND agent_id = $3`, append(args, *agent)
	}
	return tx.ExecAny(query, args...)
}

// findDevice returns a subscription, or db.ErrNoRow.
func findDevice(r *db.Reader, id uuid.UUID) (device, error) {
	return db.One(r, scanDevice, `SELECT `+deviceColumns+` FROM push_subscription WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

const deviceColumns = `id, agent_id, session_id, service_id, sealed`

var scanDevice = db.Fields(func(d *device) []any { return []any{&d.id, &d.agent, &d.session, &d.service, &d.sealed} })

// maxDevices is the maximum number of subscriptions that one event is sent to.
const maxDevices = 10_000

// devicesOf returns the subscriptions of the given agents, or all if none are given.
func devicesOf(r *db.Reader, agents []uuid.UUID) ([]device, error) {
	only, args := "", []any{r.Tenant(), maxDevices}
	if len(agents) > 0 {
		in, arg := db.In(r.Dialect(), 3, agents)
		only, args = " AND agent_id "+in, append(args, arg)
	}
	return db.All(r, scanDevice, `SELECT `+deviceColumns+` FROM push_subscription
		WHERE tenant_id = $1`+only+` ORDER BY id LIMIT $2`, args...)
}

// subscribedTenants returns those of the workspaces that have a subscription.
func subscribedTenants(r *db.Reader, tenants []uuid.UUID) ([]uuid.UUID, error) {
	in, arg := db.In(r.Dialect(), 1, tenants)
	return db.All(r, db.Scalar[uuid.UUID], `SELECT DISTINCT tenant_id FROM push_subscription WHERE tenant_id `+in, arg)
}
