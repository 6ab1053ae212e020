package mail

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const requestColumns = `id, kind, mailbox, state, note, due_at, requested_by, created_at, closed_at`

func scanRequest(row db.Row) (q PrivacyRequest, err error) {
	return q, row.Scan(&q.ID, &q.Kind, &q.Mailbox, &q.State, &q.Note, &q.DueAt, &q.RequestedBy, &q.CreatedAt, &q.ClosedAt)
}

func listRequests(r *db.Reader, p db.Page) (db.List[PrivacyRequest], error) {
	rows, err := db.All(r, scanRequest, `SELECT `+requestColumns+` FROM gdpr_request
		WHERE tenant_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`, r.Tenant(), p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(q PrivacyRequest) db.Key { return db.Key{ID: q.ID} }), err
}

func putRequest(tx *db.Tx, q PrivacyRequest) error {
	return tx.Exec(`INSERT INTO gdpr_request (tenant_id, id, kind, mailbox, state, note, due_at, requested_by, created_at, closed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, NULL)`,
		tx.Tenant(), q.ID, q.Kind, q.Mailbox, q.State, q.Note, q.DueAt, q.RequestedBy, q.CreatedAt)
}

func findRequest(r *db.Reader, id uuid.UUID) (PrivacyRequest, error) {
	return db.One(r, scanRequest, `SELECT `+requestColumns+` FROM gdpr_request WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

// closeRequest returns no row if the request is already closed.
func closeRequest(tx *db.Tx, id uuid.UUID, state, note string) (PrivacyRequest, error) {
	return db.One(&tx.Reader, scanRequest, `UPDATE gdpr_request SET state = $3, closed_at = $4, note = CASE WHEN $5 = '' THEN note ELSE $5 END
		WHERE tenant_id = $1 AND id = $2 AND state = 'received' RETURNING `+requestColumns,
		tx.Tenant(), id, state, clock.At(tx.Now()), note)
}

// clearMailbox removes the address and the notes about the person from the requests about
// it.
func clearMailbox(tx *db.Tx, mailbox string) error {
	return tx.Exec(`UPDATE gdpr_request SET mailbox = '', note = '' WHERE tenant_id = $1 AND mailbox = $2`, tx.Tenant(), mailbox)
}
