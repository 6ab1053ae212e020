package domain

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

const mailboxColumns = `id, domain_id, address, kind, account_id, created_at`

func scanMailbox(row db.Row) (m Mailbox, err error) {
	err = row.Scan(&m.ID, &m.DomainID, &m.Address, &m.Kind, &m.AccountID, &m.CreatedAt)
	return m, err
}

// putMailbox adds a mailbox, or changes where the mail of one goes. The answer has
// another id than m where it was there.
func putMailbox(tx *db.Tx, m Mailbox, by *uuid.UUID) (Mailbox, error) {
	return db.One(&tx.Reader, scanMailbox, `INSERT INTO mail_mailbox (tenant_id, id, domain_id, address, kind, account_id, created_by, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (tenant_id, address) DO UPDATE SET kind = excluded.kind, account_id = excluded.account_id RETURNING `+mailboxColumns,
		tx.Tenant(), m.ID, m.DomainID, m.Address, m.Kind, m.AccountID, by, m.CreatedAt)
}

func listMailboxes(r *db.Reader, p db.Page) (db.List[Mailbox], error) {
	rows, err := db.All(r, scanMailbox, `SELECT `+mailboxColumns+` FROM mail_mailbox
		WHERE tenant_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`, r.Tenant(), p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(m Mailbox) db.Key { return db.Key{ID: m.ID} }), err
}

func countMailboxes(r *db.Reader) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM mail_mailbox WHERE tenant_id = $1`, r.Tenant())
}

// countMailboxesAt counts the mailboxes at a domain.
func countMailboxesAt(r *db.Reader, domain uuid.UUID) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM mail_mailbox WHERE tenant_id = $1 AND domain_id = $2`, r.Tenant(), domain)
}

func deleteMailbox(tx *db.Tx, id uuid.UUID) (Mailbox, error) {
	return db.One(&tx.Reader, scanMailbox, `DELETE FROM mail_mailbox WHERE tenant_id = $1 AND id = $2 RETURNING `+mailboxColumns, tx.Tenant(), id)
}

func findMailbox(r *db.Reader, address string) (Mailbox, error) {
	return db.One(r, scanMailbox, `SELECT `+mailboxColumns+` FROM mail_mailbox WHERE tenant_id = $1 AND address = $2`, r.Tenant(), address)
}
