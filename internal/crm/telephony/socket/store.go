package socket

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// storedTicket is a ticket without its text.
type storedTicket struct {
	tenant, id, agent, session uuid.UUID
	expires                    clock.Time
}

func insertTicket(tx *db.Tx, t storedTicket, hash []byte) error {
	return tx.Exec(`INSERT INTO phone_ticket (tenant_id, id, agent_id, session_id, token_hash, expires_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, tx.Tenant(), t.id, t.agent, t.session, hash, t.expires, clock.At(tx.Now()))
}

// takeTicket deletes a ticket of any workspace and returns it; db.ErrNoRow if it does not
// exist, so also for the second of two requests.
func takeTicket(tx *db.Tx, hash []byte) (storedTicket, error) {
	return db.One(&tx.Reader, func(row db.Row) (t storedTicket, err error) {
		err = row.Scan(&t.tenant, &t.id, &t.agent, &t.session, &t.expires)
		return t, err
	}, `DELETE FROM phone_ticket WHERE token_hash = $1 RETURNING tenant_id, id, agent_id, session_id, expires_at`, hash)
}

// deleteOldTickets deletes the workspace's tickets that were not used in time.
func deleteOldTickets(tx *db.Tx) error {
	return tx.Exec(`DELETE FROM phone_ticket WHERE tenant_id = $1 AND expires_at <= $2`, tx.Tenant(), clock.At(tx.Now()))
}
