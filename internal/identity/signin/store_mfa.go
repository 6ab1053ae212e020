package signin

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func putTicket(tx *db.Tx, t ticket, hash []byte, expires time.Time) error {
	return tx.Exec(`INSERT INTO mfa_ticket
		(id, user_id, tenant_id, membership_id, token_hash, device_name, challenge, expires_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		t.id, t.user, t.tenant, t.membership, hash, t.device, t.challenge, clock.At(expires), clock.At(tx.Now()))
}

// tryTicket counts a try and returns the ticket while it has tries left.
func tryTicket(tx *db.Tx, hash []byte) (ticket, error) {
	return db.One(&tx.Reader, func(row db.Row) (t ticket, err error) {
		err = row.Scan(&t.id, &t.user, &t.tenant, &t.membership, &t.device, &t.challenge)
		return t, err
	}, `UPDATE mfa_ticket SET tries = tries + 1 WHERE token_hash = $1 AND expires_at > $2 AND tries < $3
		RETURNING id, user_id, tenant_id, membership_id, device_name, challenge`, hash, clock.At(tx.Now()), ticketTries)
}

// dropTicket uses a ticket up. It returns false if another request was first.
func dropTicket(tx *db.Tx, id uuid.UUID) (bool, error) {
	return tx.ExecAny(`DELETE FROM mfa_ticket WHERE id = $1`, id)
}
