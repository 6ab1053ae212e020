package number

import (
	"encoding/json"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

const columns = `id, e164, label, type, capabilities, status, is_default, monthly_fee, renews_at, provider_id, last_error, created_at`

func scanNumber(row db.Row) (n Number, err error) {
	var capabilities string
	err = row.Scan(&n.ID, &n.E164, &n.Label, &n.Type, &capabilities, &n.Status, &n.IsDefault, &n.MonthlyFee, &n.RenewsAt,
		&n.providerID, &n.LastError, &n.CreatedAt)
	if err == nil {
		err = json.Unmarshal([]byte(capabilities), &n.Capabilities)
	}
	return n, err
}

// listNumbers reads a page of the numbers that were not given back, newest first.
func listNumbers(r *db.Reader, p db.Page) (db.List[Number], error) {
	rows, err := db.All(r, scanNumber, `SELECT `+columns+` FROM phone_number
		WHERE tenant_id = $1 AND id < $2 AND status <> 'released' ORDER BY id DESC LIMIT $3`, r.Tenant(), p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(n Number) db.Key { return db.Key{ID: n.ID} }), err
}

// heldNumbers lists the numbers that the workspace has or is buying.
func heldNumbers(r *db.Reader) ([]string, error) {
	return db.All(r, db.Scalar[string], `SELECT e164 FROM phone_number WHERE tenant_id = $1 AND status <> 'released'`, r.Tenant())
}

// lockNumber reads a number and locks it against other changes.
func lockNumber(tx *db.Tx, id uuid.UUID) (Number, error) {
	return db.One(&tx.Reader, scanNumber, `SELECT `+columns+` FROM phone_number n WHERE tenant_id = $1 AND id = $2`+
		tx.Dialect().ForUpdate("n"), tx.Tenant(), id)
}

// lockNumbers reads all numbers that were not given back and locks them against other
// changes.
func lockNumbers(tx *db.Tx) ([]Number, error) {
	return db.All(&tx.Reader, scanNumber, `SELECT `+columns+` FROM phone_number n WHERE tenant_id = $1 AND status <> 'released' ORDER BY id`+
		tx.Dialect().ForUpdate("n"), tx.Tenant())
}

// putNumber stores a new number; it returns false if the number is taken.
func putNumber(tx *db.Tx, n Number) (bool, error) {
	return tx.ExecAny(`INSERT INTO phone_number (tenant_id, `+columns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
		ON CONFLICT DO NOTHING`, tx.Tenant(), n.ID, n.E164, n.Label, n.Type, db.AsJSON(n.Capabilities), n.Status, n.IsDefault, n.MonthlyFee,
		n.RenewsAt, n.providerID, n.LastError, n.CreatedAt)
}

func saveNumber(tx *db.Tx, n Number) error {
	return tx.Exec(`UPDATE phone_number SET label = $3, type = $4, capabilities = $5, status = $6, is_default = $7, renews_at = $8,
			provider_id = $9, last_error = $10 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), n.ID, n.Label, n.Type, db.AsJSON(n.Capabilities), n.Status, n.IsDefault, n.RenewsAt, n.providerID, n.LastError)
}

// clearDefault unsets the workspace's default number.
func clearDefault(tx *db.Tx) error {
	return tx.Exec(`UPDATE phone_number SET is_default = $2 WHERE tenant_id = $1 AND is_default`, tx.Tenant(), false)
}

// hasDefault reports whether one of the numbers is the default.
func hasDefault(r *db.Reader) (bool, error) {
	n, err := db.One(r, db.Scalar[int64], `SELECT COUNT(*) FROM phone_number WHERE tenant_id = $1 AND is_default`, r.Tenant())
	return n > 0, err
}

// activeNumber returns the active number with this id, or the default if id is nil;
// db.ErrNoRow if there is none.
func activeNumber(r *db.Reader, id *uuid.UUID) (Number, error) {
	if id == nil {
		return db.One(r, scanNumber, `SELECT `+columns+` FROM phone_number WHERE tenant_id = $1 AND is_default AND status = 'active'`, r.Tenant())
	}
	return db.One(r, scanNumber, `SELECT `+columns+` FROM phone_number WHERE tenant_id = $1 AND id = $2 AND status = 'active'`, r.Tenant(), *id)
}

// anyNumber returns a number of the workspace, preferring an active one, then the default.
func anyNumber(r *db.Reader) (Number, error) {
	return db.One(r, scanNumber, `SELECT `+columns+` FROM phone_number
		WHERE tenant_id = $1 AND status IN ('active', 'suspended') ORDER BY status, is_default DESC, created_at, id LIMIT 1`, r.Tenant())
}

// oldestActive returns the active number that was bought first, other than the excluded
// one.
func oldestActive(r *db.Reader, but uuid.UUID) (Number, error) {
	return db.One(r, scanNumber, `SELECT `+columns+` FROM phone_number
		WHERE tenant_id = $1 AND id <> $2 AND status = 'active' ORDER BY created_at, id LIMIT 1`, r.Tenant(), but)
}

// newestWaiting returns the last bought number that is not active.
func newestWaiting(r *db.Reader) (Number, error) {
	return db.One(r, scanNumber, `SELECT `+columns+` FROM phone_number
		WHERE tenant_id = $1 AND status IN ('pending', 'suspended') ORDER BY created_at DESC, id DESC LIMIT 1`, r.Tenant())
}

// activeNumberOf returns the active number with this E.164 form.
func activeNumberOf(r *db.Reader, e164 string) (Number, error) {
	return db.One(r, scanNumber, `SELECT `+columns+` FROM phone_number WHERE tenant_id = $1 AND e164 = $2 AND status = 'active'`, r.Tenant(), e164)
}

// ownerOf returns the workspace that has this active number.
func ownerOf(r *db.Reader, e164 string) (uuid.UUID, error) {
	return db.One(r, db.Scalar[uuid.UUID], `SELECT tenant_id FROM phone_number WHERE e164 = $1 AND status = 'active'`, e164)
}
