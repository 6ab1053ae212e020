package identity

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

const findKey = `SELECT k.tenant_id, k.id, t.slug, t.licences, k.environment, k.scopes, k.expires_at
	FROM api_key k JOIN tenant t ON t.id = k.tenant_id
	WHERE k.token_hash = $1 AND k.revoked_at IS NULL`

func keyByHash(r *db.Reader, hash []byte) (credentialRow, error) {
	return db.One(r, func(row db.Row) (credentialRow, error) {
		var c credentialRow
		var licences db.JSON[[]string]
		var scopes db.JSON[[]perm.Permission]
		var expires *clock.Time
		err := row.Scan(&c.tenantID, &c.id, &c.slug, &licences, &c.environment, &scopes, &expires)
		c.licences, c.scopes = licences.V, scopes.V
		if expires != nil {
			c.expiresAt = expires.Time
		}
		return c, err
	}, findKey, hash)
}

func putKey(tx *db.Tx, tenant uuid.UUID, name, environment string, scopes []perm.Permission, hash []byte, last4 string) (uuid.UUID, error) {
	id := tx.NewID()
	_, err := tx.Exec(`INSERT INTO api_key (id, tenant_id, name, environment, scopes, token_hash, last4, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		id, tenant, name, environment, db.AsJSON(scopes), hash, last4, clock.At(tx.Now()))
	return id, err
}
