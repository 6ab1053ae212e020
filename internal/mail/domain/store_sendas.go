package domain

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

const grantColumns = `id, mailbox_id, address, granted_by, created_at`

func scanGrant(row db.Row) (g Grant, err error) {
	return g, row.Scan(&g.ID, &g.MailboxID, &g.Address, &g.GrantedBy, &g.CreatedAt)
}

func listGrants(r *db.Reader, p db.Page) (db.List[Grant], error) {
	rows, err := db.All(r, scanGrant, `SELECT `+grantColumns+` FROM mail_send_as
		WHERE tenant_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`, r.Tenant(), p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(g Grant) db.Key { return db.Key{ID: g.ID} }), err
}

// insertGrant returns false if the mailbox already has the grant.
func insertGrant(tx *db.Tx, g Grant) (bool, error) {
	return tx.ExecAny(`INSERT INTO mail_send_as (tenant_id, id, mailbox_id, address, granted_by, created_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant_id, mailbox_id, address) DO NOTHING`,
		tx.Tenant(), g.ID, g.MailboxID, g.Address, g.GrantedBy, g.CreatedAt)
}

func deleteGrant(tx *db.Tx, id uuid.UUID) (Grant, error) {
	return db.One(&tx.Reader, scanGrant, `DELETE FROM mail_send_as WHERE tenant_id = $1 AND id = $2 RETURNING `+grantColumns, tx.Tenant(), id)
}

func hasGrant(r *db.Reader, mailbox uuid.UUID, address string) (bool, error) {
	return db.One(r, db.Scalar[bool], `SELECT EXISTS (SELECT 1 FROM mail_send_as WHERE tenant_id = $1 AND mailbox_id = $2 AND address = $3)`,
		r.Tenant(), mailbox, address)
}

func countGrants(r *db.Reader) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM mail_send_as WHERE tenant_id = $1`, r.Tenant())
}
