package telegram

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func putBot(tx *db.Tx, account uuid.UUID) error {
	return tx.Exec(`INSERT INTO telegram_bot (tenant_id, account_id) VALUES ($1, $2)
		ON CONFLICT DO NOTHING`, tx.Tenant(), account)
}

// nextUpdate returns the number of a bot's first update that was not taken yet.
func nextUpdate(r *db.Reader, account uuid.UUID) (int64, error) {
	return db.One(r, db.Scalar[int64], `SELECT next_update FROM telegram_bot WHERE tenant_id = $1 AND account_id = $2`, r.Tenant(), account)
}

func setNextUpdate(tx *db.Tx, account uuid.UUID, next int64) error {
	return tx.Exec(`UPDATE telegram_bot SET next_update = $3 WHERE tenant_id = $1 AND account_id = $2`, tx.Tenant(), account, next)
}

func putLink(tx *db.Tx, hash []byte, bot uuid.UUID, by *uuid.UUID, expires clock.Time) error {
	return tx.Exec(`INSERT INTO telegram_link (tenant_id, state_hash, account_id, created_by, expires_at) VALUES ($1, $2, $3, $4, $5)`,
		tx.Tenant(), hash, bot, by, expires)
}

// dropOldLinks deletes expired links.
func dropOldLinks(tx *db.Tx) error {
	return tx.Exec(`DELETE FROM telegram_link WHERE tenant_id = $1 AND expires_at <= $2`, tx.Tenant(), clock.At(tx.Now()))
}

// openLink ties a person to a link, and reports whether the link was still available to
// them.
func openLink(tx *db.Tx, hash []byte, bot uuid.UUID, person int64) (bool, error) {
	return tx.ExecAny(`UPDATE telegram_link SET person_id = $4
		WHERE tenant_id = $1 AND state_hash = $2 AND account_id = $3 AND (person_id IS NULL OR person_id = $4) AND expires_at > $5`,
		tx.Tenant(), hash, bot, person, clock.At(tx.Now()))
}

// useLink deletes the links that a person opened, and reports whether one of them was still
// valid.
func useLink(tx *db.Tx, bot uuid.UUID, person int64) (bool, error) {
	return tx.ExecAny(`DELETE FROM telegram_link WHERE tenant_id = $1 AND account_id = $2 AND person_id = $3 AND expires_at > $4`,
		tx.Tenant(), bot, person, clock.At(tx.Now()))
}

// putConnection stores which account a business connection belongs to.
func putConnection(tx *db.Tx, account, bot uuid.UUID, connection string, person int64) error {
	return tx.Exec(`INSERT INTO telegram_connection (tenant_id, account_id, bot_account_id, connection_id, person_id)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant_id, account_id) DO UPDATE SET connection_id = excluded.connection_id`,
		tx.Tenant(), account, bot, connection, person)
}

// dropConnection deletes the connection of a disconnected account.
func dropConnection(tx *db.Tx, account uuid.UUID) error {
	return tx.Exec(`DELETE FROM telegram_connection WHERE tenant_id = $1 AND account_id = $2`, tx.Tenant(), account)
}

// connectedAs finds the account of a bot's business connection.
func connectedAs(r *db.Reader, bot uuid.UUID, connection string) (uuid.UUID, error) {
	return db.One(r, db.Scalar[uuid.UUID], `SELECT account_id FROM telegram_connection
		WHERE tenant_id = $1 AND bot_account_id = $2 AND connection_id = $3`, r.Tenant(), bot, connection)
}

// connectionOf finds the account of a person in whose account a bot works.
func connectionOf(r *db.Reader, bot uuid.UUID, person int64) (uuid.UUID, error) {
	return db.One(r, db.Scalar[uuid.UUID], `SELECT account_id FROM telegram_connection
		WHERE tenant_id = $1 AND bot_account_id = $2 AND person_id = $3 ORDER BY account_id LIMIT 1`, r.Tenant(), bot, person)
}

// connectionsOf lists the accounts that a bot works in.
func connectionsOf(r *db.Reader, bot uuid.UUID) ([]uuid.UUID, error) {
	return db.All(r, db.Scalar[uuid.UUID], `SELECT account_id FROM telegram_connection WHERE tenant_id = $1 AND bot_account_id = $2
		ORDER BY account_id LIMIT 1000`, r.Tenant(), bot)
}
