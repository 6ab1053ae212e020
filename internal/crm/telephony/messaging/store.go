package messaging

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const columns = `tenant_id, account_id, channel, e164, key_hash, former_key_hash`

func scanAccount(row db.Row) (a Account, err error) {
	err = row.Scan(&a.tenant, &a.ID, &a.Channel, &a.Number, &a.keyHash, &a.formerKeyHash)
	return a, err
}

// putAccount stores an account with its key; the last confirmed key of an existing account
// stays valid besides the new one.
func putAccount(tx *db.Tx, a Account) error {
	return tx.Exec(`INSERT INTO phone_channel (tenant_id, account_id, channel, e164, key_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (tenant_id, account_id) DO UPDATE SET e164 = excluded.e164, key_hash = excluded.key_hash,
			former_key_hash = COALESCE(phone_channel.former_key_hash, phone_channel.key_hash)`,
		tx.Tenant(), a.ID, a.Channel, a.Number, a.keyHash, clock.At(tx.Now()))
}

// dropFormerKey deletes the former key of an account.
func dropFormerKey(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`UPDATE phone_channel SET former_key_hash = NULL WHERE tenant_id = $1 AND account_id = $2`, tx.Tenant(), id)
}

func dropAccount(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`DELETE FROM phone_channel WHERE tenant_id = $1 AND account_id = $2`, tx.Tenant(), id)
}

// findAccount returns an account of the workspace; db.ErrNoRow if its calls are not taken.
func findAccount(r *db.Reader, id uuid.UUID) (Account, error) {
	return db.One(r, scanAccount, `SELECT `+columns+` FROM phone_channel WHERE tenant_id = $1 AND account_id = $2`, r.Tenant(), id)
}

// findAccountOfAll finds an account in any workspace.
func findAccountOfAll(r *db.Reader, id uuid.UUID) (Account, error) {
	return db.One(r, scanAccount, `SELECT `+columns+` FROM phone_channel WHERE account_id = $1`, id)
}
