package domain

import (
	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const columns = `id, domain, selector, routing, state, problem, rsa_public, ed25519_public, results, rounds, bad_rounds, lost_rounds,
	state_at, checked_at, verified_at, created_at, next_selector, next_rsa_public, next_ed25519_public, old_selector, old_until`

func scanRow(r db.Row) (d row, err error) {
	err = r.Scan(&d.ID, &d.Domain.Domain, &d.Selector, &d.Routing, &d.State, &d.Problem, &d.keys.rsa, &d.keys.ed25519, db.FromJSON(&d.results),
		&d.rounds, &d.bad, &d.lost, &d.stateAt, &d.CheckedAt, &d.VerifiedAt, &d.CreatedAt,
		&d.NextSelector, &d.next.rsa, &d.next.ed25519, &d.OldSelector, &d.OldUntil)
	d.Display = address.ShowDomain(d.Domain.Domain)
	return d, err
}

func listRows(r *db.Reader, p db.Page) (db.List[Domain], error) {
	rows, err := db.All(r, func(row db.Row) (Domain, error) {
		d, err := scanRow(row)
		return d.Domain, err
	}, `SELECT `+columns+` FROM mail_domain WHERE tenant_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`, r.Tenant(), p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(d Domain) db.Key { return db.Key{ID: d.ID} }), err
}

// allRows returns all domains of the workspace, newest first.
func allRows(r *db.Reader) ([]row, error) {
	return db.All(r, scanRow, `SELECT `+columns+` FROM mail_domain WHERE tenant_id = $1 ORDER BY id DESC`, r.Tenant())
}

func countRows(r *db.Reader) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM mail_domain WHERE tenant_id = $1`, r.Tenant())
}

func findRow(r *db.Reader, id uuid.UUID) (row, error) {
	return db.One(r, scanRow, `SELECT `+columns+` FROM mail_domain WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

func lockRow(tx *db.Tx, id uuid.UUID) (row, error) {
	return db.One(&tx.Reader, scanRow, `SELECT `+columns+` FROM mail_domain d WHERE tenant_id = $1 AND id = $2`+tx.Dialect().ForUpdate("d"), tx.Tenant(), id)
}

// insertRow adds a domain. It returns false if the workspace already has it.
func insertRow(tx *db.Tx, d *row, rsa, ed25519 []byte, by *uuid.UUID) (bool, error) {
	return tx.ExecAny(`INSERT INTO mail_domain (tenant_id, id, domain, selector, routing, state, problem, rsa_sealed, ed25519_sealed, rsa_public, ed25519_public,
			results, rounds, bad_rounds, lost_rounds, state_at, checked_at, verified_at, created_by, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, '', $7, $8, $9, $10, $11, 0, 0, 0, $12, NULL, NULL, $13, $14) ON CONFLICT (tenant_id, domain) DO NOTHING`,
		tx.Tenant(), d.ID, d.Domain.Domain, d.Selector, d.Routing, d.State, rsa, ed25519, d.keys.rsa, d.keys.ed25519,
		db.AsJSON(d.results), d.stateAt, by, d.CreatedAt)
}

func lockByName(tx *db.Tx, domain string) (row, error) {
	return db.One(&tx.Reader, scanRow, `SELECT `+columns+` FROM mail_domain d WHERE tenant_id = $1 AND domain = $2`+tx.Dialect().ForUpdate("d"), tx.Tenant(), domain)
}

// saveKeys replaces a domain's current keys with others at another selector.
func saveKeys(tx *db.Tx, d *row, rsa, ed25519 []byte) error {
	return tx.Exec(`UPDATE mail_domain SET selector = $3, rsa_sealed = $4, ed25519_sealed = $5, rsa_public = $6, ed25519_public = $7, results = $8,
			rounds = $9, state_at = $10, next_selector = '', next_rsa_sealed = NULL, next_ed25519_sealed = NULL, next_rsa_public = '', next_ed25519_public = ''
		WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), d.ID, d.Selector, rsa, ed25519, d.keys.rsa, d.keys.ed25519, db.AsJSON(d.results), d.rounds, d.stateAt)
}

// saveNextKeys stores a domain's waiting keys, or removes them.
func saveNextKeys(tx *db.Tx, d *row, rsa, ed25519 []byte) error {
	return tx.Exec(`UPDATE mail_domain SET next_selector = $3, next_rsa_sealed = $4, next_ed25519_sealed = $5, next_rsa_public = $6, next_ed25519_public = $7,
			results = $8, rounds = $9, state_at = $10 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), d.ID, d.NextSelector, rsa, ed25519, d.next.rsa, d.next.ed25519, db.AsJSON(d.results), d.rounds, d.stateAt)
}

// saveSwitch replaces the current keys with the waiting ones.
func saveSwitch(tx *db.Tx, d *row) error {
	return tx.Exec(`UPDATE mail_domain SET selector = next_selector, rsa_sealed = next_rsa_sealed, ed25519_sealed = next_ed25519_sealed,
			rsa_public = next_rsa_public, ed25519_public = next_ed25519_public, old_selector = $3, old_until = $4,
			next_selector = '', next_rsa_sealed = NULL, next_ed25519_sealed = NULL, next_rsa_public = '', next_ed25519_public = ''
		WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), d.ID, d.OldSelector, d.OldUntil)
}

func forgetOldKeys(tx *db.Tx, d *row) error {
	return tx.Exec(`UPDATE mail_domain SET old_selector = '', old_until = NULL WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), d.ID)
}

// saveResults stores the results of a lookup.
func saveResults(tx *db.Tx, d *row) error {
	return tx.Exec(`UPDATE mail_domain SET state = $3, problem = $4, results = $5, rounds = $6, bad_rounds = $7, lost_rounds = $8, state_at = $9,
			checked_at = $10, verified_at = $11 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), d.ID, d.State, d.Problem, db.AsJSON(d.results), d.rounds, d.bad, d.lost, d.stateAt, d.CheckedAt, d.VerifiedAt)
}

func deleteRow(tx *db.Tx, id uuid.UUID) (row, error) {
	return db.One(&tx.Reader, scanRow, `DELETE FROM mail_domain WHERE tenant_id = $1 AND id = $2 RETURNING `+columns, tx.Tenant(), id)
}

// claim records the workspace as the owner of a domain. It returns false if the domain
// already has an owner.
func claim(tx *db.Tx, d *row) (bool, error) {
	return tx.ExecAny(`INSERT INTO mail_domain_owner (domain, tenant_id, domain_id, since) VALUES ($1, $2, $3, $4) ON CONFLICT (domain) DO NOTHING`,
		d.Domain.Domain, tx.Tenant(), d.ID, clock.At(tx.Now()))
}

func release(tx *db.Tx, d *row) error {
	return tx.Exec(`DELETE FROM mail_domain_owner WHERE tenant_id = $1 AND domain = $2`, tx.Tenant(), d.Domain.Domain)
}

// findOwner returns the workspace that owns a domain, or the zero id if nobody owns it, for
// a reader that crosses workspaces.
func findOwner(r *db.Reader, domain string) (uuid.UUID, error) {
	return db.OneOr(r, uuid.Nil, db.Scalar[uuid.UUID], `SELECT tenant_id FROM mail_domain_owner WHERE domain = $1`, domain)
}

// findKeys returns a domain with its sealed keys, RSA and Ed25519.
func findKeys(r *db.Reader, domain string) (d row, sealed [2][]byte, err error) {
	d, err = db.One(r, func(x db.Row) (d row, err error) {
		return d, x.Scan(&d.ID, &d.Selector, &d.State, &sealed[0], &sealed[1])
	}, `SELECT id, selector, state, rsa_sealed, ed25519_sealed FROM mail_domain WHERE tenant_id = $1 AND domain = $2`, r.Tenant(), domain)
	return d, sealed, err
}
