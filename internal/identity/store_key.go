package identity

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const findKey = `SELECT k.tenant_id, k.id, t.slug, t.licences, k.environment, k.scopes, k.expires_at, k.last_used_at
	FROM api_key k JOIN tenant t ON t.id = k.tenant_id
	WHERE k.token_hash = $1 AND k.revoked_at IS NULL`

func keyByHash(r *db.Reader, hash []byte) (credentialRow, error) {
	return db.One(r, func(row db.Row) (c credentialRow, err error) {
		var expires, used *clock.Time
		err = row.Scan(&c.tenantID, &c.id, &c.slug, db.FromJSON(&c.licences), &c.environment, db.FromJSON(&c.scopes), &expires, &used)
		if expires != nil {
			c.expiresAt = expires.Time
		}
		if used != nil {
			c.lastSeenAt = used.Time
		}
		return c, err
	}, findKey, hash)
}

func touchKey(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`UPDATE api_key SET last_used_at = $2
		WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)`, id, clock.At(tx.Now()))
}

const keyColumns = `id, name, environment, scopes, last4, created_by, created_at, expires_at, last_used_at, rotated_at`

func scanKey(row db.Row) (k APIKey, err error) {
	err = row.Scan(&k.ID, &k.Name, &k.Environment, db.FromJSON(&k.Scopes), &k.Last4, &k.CreatedBy, &k.CreatedAt,
		&k.ExpiresAt, &k.LastUsedAt, &k.RotatedAt)
	return k, err
}

func listKeys(r *db.Reader, p db.Page) (db.List[APIKey], error) {
	rows, err := db.All(r, scanKey, `SELECT `+keyColumns+` FROM api_key
		WHERE tenant_id = $1 AND revoked_at IS NULL AND (created_at, id) < ($2, $3)
		ORDER BY created_at DESC, id DESC LIMIT $4`, r.Tenant(), p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(k APIKey) db.Key { return db.Key{Sort: k.CreatedAt.UnixMicro(), ID: k.ID} }), err
}

func countKeys(r *db.Reader) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM api_key WHERE tenant_id = $1 AND revoked_at IS NULL`, r.Tenant())
}

// keyByID locks the key until the transaction ends.
func keyByID(tx *db.Tx, id uuid.UUID) (APIKey, error) {
	return db.One(&tx.Reader, scanKey, `SELECT `+keyColumns+` FROM api_key
		WHERE tenant_id = $1 AND id = $2 AND revoked_at IS NULL`+tx.Dialect().ForUpdate("api_key"), tx.Tenant(), id)
}

func putKey(tx *db.Tx, tenant uuid.UUID, k APIKey, hash []byte) error {
	return tx.Exec(`INSERT INTO api_key
			(id, tenant_id, name, environment, scopes, token_hash, last4, created_by, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		k.ID, tenant, k.Name, k.Environment, db.AsJSON(k.Scopes), hash, k.Last4, k.CreatedBy, k.CreatedAt, k.ExpiresAt)
}

func saveKey(tx *db.Tx, k APIKey) error {
	return tx.Exec(`UPDATE api_key SET name = $3, scopes = $4, expires_at = $5 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), k.ID, k.Name, db.AsJSON(k.Scopes), k.ExpiresAt)
}

func rotateKey(tx *db.Tx, id uuid.UUID, hash []byte, last4 string) error {
	return tx.Exec(`UPDATE api_key SET token_hash = $3, last4 = $4, rotated_at = $5 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), id, hash, last4, clock.At(tx.Now()))
}

func revokeKey(tx *db.Tx, id uuid.UUID) (APIKey, error) {
	return db.One(&tx.Reader, scanKey, `UPDATE api_key SET revoked_at = $3
		WHERE tenant_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING `+keyColumns, tx.Tenant(), id, clock.At(tx.Now()))
}

// revokeKeysOf revokes the keys that a member created.
func revokeKeysOf(tx *db.Tx, membership uuid.UUID) (int64, error) {
	return tx.ExecCount(`UPDATE api_key SET revoked_at = $3
		WHERE tenant_id = $1 AND created_by = $2 AND revoked_at IS NULL`, tx.Tenant(), membership, clock.At(tx.Now()))
}
