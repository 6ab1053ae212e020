package channel

import (
	"cmp"
	"strconv"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const columns = `a.id, a.kind, a.name, a.status, a.reason, a.ai, a.ai_configuration_id, a.group_id, a.hours, a.settings, a.external_id, a.key_last4,
	a.created_at, a.updated_at`

func scan(row db.Row) (a Account, err error) {
	var settings string
	err = row.Scan(&a.ID, &a.Kind, &a.Name, &a.Status, &a.Reason, &a.AI, &a.AIConfigurationID, &a.GroupID, db.FromJSON(&a.Hours.V), &settings, &a.ExternalID, &a.KeyLast4,
		&a.CreatedAt, &a.UpdatedAt)
	a.Settings = []byte(settings)
	return a, err
}

func byID(r *db.Reader, id uuid.UUID) (Account, error) {
	return db.One(r, scan, `SELECT `+columns+` FROM channel_account a WHERE a.tenant_id = $1 AND a.id = $2`, r.Tenant(), id)
}

// lock reads an account and locks it until the transaction ends.
func lock(tx *db.Tx, id uuid.UUID) (Account, error) {
	return db.One(&tx.Reader, scan, `SELECT `+columns+` FROM channel_account a WHERE a.tenant_id = $1 AND a.id = $2`+
		tx.Dialect().ForUpdate("a"), tx.Tenant(), id)
}

func ofExternal(r *db.Reader, kind, external string) (Account, error) {
	return db.One(r, scan, `SELECT `+columns+` FROM channel_account a
		WHERE a.tenant_id = $1 AND a.kind = $2 AND a.external_id = $3 AND a.status <> 'disconnected'`, r.Tenant(), kind, external)
}

// formerAccount finds the newest disconnected account of that name.
func formerAccount(r *db.Reader, kind, external string) (Account, error) {
	return db.One(r, scan, `SELECT `+columns+` FROM channel_account a
		WHERE a.tenant_id = $1 AND a.kind = $2 AND a.external_id = $3 AND a.status = 'disconnected'
		ORDER BY a.created_at DESC, a.id DESC LIMIT 1`, r.Tenant(), kind, external)
}

// windowRows is the number of accounts that are read for a page.
const windowRows = 1000

// list reads accounts, newest first. If a window does not fill a page, the page is shorter
// and more may follow. Without a status it leaves out disconnected accounts.
func list(r *db.Reader, kind, status string, p db.Page) (db.List[Account], error) {
	rows := cmp.Or(p.Window, windowRows)
	w := db.Window{
		Rows: rows, Columns: columns, Alias: "a", Order: "a.created_at DESC, a.id DESC", Where: `a.status <> 'disconnected'`,
		Args: []any{r.Tenant(), p.After.Sort, p.After.ID, rows},
	}
	of := ""
	if kind != "" {
		of, w.Args = ` AND a.kind = $5`, append(w.Args, kind)
	}
	if status != "" {
		w.Where, w.WhereArgs = `a.status = $`+strconv.Itoa(len(w.Args)+1), []any{status}
	}
	w.Query = `SELECT ` + columns + ` FROM channel_account a WHERE a.tenant_id = $1` + of + ` AND (a.created_at, a.id) < ($2, $3)
		ORDER BY a.created_at DESC, a.id DESC LIMIT $4`
	return db.ReadWindow(r, scan, w, p, func(a Account) db.Key { return db.Key{Sort: a.CreatedAt.UnixMicro(), ID: a.ID} })
}

// working lists the accounts that carry messages, oldest first, of one kind or of all.
func working(r *db.Reader, kind string, limit int) ([]Account, error) {
	return db.All(r, scan, `SELECT `+columns+` FROM channel_account a
		WHERE a.tenant_id = $1 AND ($2 = '' OR a.kind = $2) AND a.status IN ('active', 'attention')
		ORDER BY a.created_at, a.id LIMIT $3`, r.Tenant(), kind, limit)
}

// connected lists the accounts of a kind that are not disconnected: first those that carry
// messages, then the others, each oldest first.
func connected(r *db.Reader, kind string, limit int) ([]Account, error) {
	return db.All(r, scan, `SELECT `+columns+` FROM channel_account a
		WHERE a.tenant_id = $1 AND a.kind = $2 AND a.status <> 'disconnected'
		ORDER BY CASE WHEN a.status IN ('active', 'attention') THEN 0 ELSE 1 END, a.created_at, a.id LIMIT $3`, r.Tenant(), kind, limit)
}

func workingKinds(r *db.Reader) ([]string, error) {
	return db.All(r, db.Scalar[string], `SELECT DISTINCT kind FROM channel_account
		WHERE tenant_id = $1 AND status IN ('active', 'attention')`, r.Tenant())
}

func count(r *db.Reader) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM (SELECT 1 FROM channel_account
		WHERE tenant_id = $1 AND status <> 'disconnected' LIMIT 1000) AS few`, r.Tenant())
}

// put reports whether the account's name at the provider was free.
func put(tx *db.Tx, a *Account, by *uuid.UUID) (bool, error) {
	return tx.ExecAny(`INSERT INTO channel_account (tenant_id, id, kind, name, status, reason, ai, group_id, hours, settings,
			external_id, created_by, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13) ON CONFLICT DO NOTHING`,
		tx.Tenant(), a.ID, a.Kind, a.Name, a.Status, a.Reason, a.AI, a.GroupID, db.AsJSON(a.Hours.V), string(a.Settings),
		a.ExternalID, by, a.CreatedAt)
}

func save(tx *db.Tx, a *Account) error {
	return tx.Exec(`UPDATE channel_account SET name = $3, status = $4, reason = $5, ai = $6, group_id = $7, hours = $8,
			settings = $9, external_id = $10, updated_at = $11, ai_configuration_id = $12
		WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), a.ID, a.Name, a.Status, a.Reason, a.AI, a.GroupID, db.AsJSON(a.Hours.V), string(a.Settings), a.ExternalID, a.UpdatedAt, a.AIConfigurationID)
}

// namesConfiguration reports whether a connected account uses a configuration of the
// assistant, and whether one of them has the assistant on but no business hours.
func namesConfiguration(r *db.Reader, id uuid.UUID) (used, withoutHours bool, err error) {
	_, err = db.One(r, func(row db.Row) (struct{}, error) { return struct{}{}, row.Scan(&used, &withoutHours) },
		`SELECT count(*) > 0, coalesce(sum(CASE WHEN ai AND coalesce(hours, 'null') = 'null' THEN 1 ELSE 0 END), 0) > 0 FROM channel_account
		WHERE tenant_id = $1 AND ai_configuration_id = $2 AND status <> 'disconnected'`, r.Tenant(), id)
	return used, withoutHours, err
}

// strip deletes an account's credentials and key.
func strip(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`UPDATE channel_account SET credentials = NULL, key_hash = NULL, key_last4 = NULL
		WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id)
}

func setCredentials(tx *db.Tx, id uuid.UUID, sealed []byte) error {
	return tx.Exec(`UPDATE channel_account SET credentials = $3, auth_errors = 0, updated_at = $4 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), id, sealed, clock.At(tx.Now()))
}

func credentials(r *db.Reader, id uuid.UUID) ([]byte, error) {
	return db.One(r, db.Scalar[[]byte], `SELECT credentials FROM channel_account WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

func setKey(tx *db.Tx, id uuid.UUID, hash []byte, last4 string) error {
	return tx.Exec(`UPDATE channel_account SET key_hash = $3, key_last4 = $4, updated_at = $5 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), id, hash, last4, clock.At(tx.Now()))
}

func authErrors(r *db.Reader, id uuid.UUID) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT auth_errors FROM channel_account WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

// countAuthError counts one more refusal of the token and returns the number in a row.
func countAuthError(tx *db.Tx, id uuid.UUID) (int, error) {
	return db.One(&tx.Reader, db.Scalar[int], `UPDATE channel_account SET auth_errors = auth_errors + 1
		WHERE tenant_id = $1 AND id = $2 RETURNING auth_errors`, tx.Tenant(), id)
}

func clearAuthErrors(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`UPDATE channel_account SET auth_errors = 0 WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id)
}

const ownerColumns = `t.id, t.slug, t.licences, ` + columns

func scanOwned(row db.Row) (o Owned, err error) {
	var settings string
	a := &o.Account
	err = row.Scan(&o.TenantID, &o.Slug, db.FromJSON(&o.Licences), &a.ID, &a.Kind, &a.Name, &a.Status, &a.Reason, &a.AI, &a.AIConfigurationID, &a.GroupID, db.FromJSON(&a.Hours.V),
		&settings, &a.ExternalID, &a.KeyLast4, &a.CreatedAt, &a.UpdatedAt)
	a.Settings = []byte(settings)
	return o, err
}

func byKey(r *db.Reader, hash []byte) (Owned, error) {
	return db.One(r, scanOwned, `SELECT `+ownerColumns+` FROM channel_account a JOIN tenant t ON t.id = a.tenant_id
		WHERE a.key_hash = $1`, hash)
}

func byExternal(r *db.Reader, kind, external string, limit int) ([]Owned, error) {
	return db.All(r, scanOwned, `SELECT `+ownerColumns+` FROM channel_account a JOIN tenant t ON t.id = a.tenant_id
		WHERE a.kind = $1 AND a.external_id = $2 AND a.status <> 'disconnected' ORDER BY a.created_at LIMIT $3`, kind, external, limit)
}
