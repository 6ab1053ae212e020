package email

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// lockMailbox returns a mailbox's state and locks it against changes.
func lockMailbox(tx *db.Tx, account uuid.UUID) (state, error) {
	return db.One(&tx.Reader, scanState, `SELECT `+stateColumns+` FROM email_mailbox m WHERE tenant_id = $1 AND account_id = $2`+
		tx.Dialect().ForUpdate("m"), tx.Tenant(), account)
}

// setCode stores the most recently mailed code and the attempts at it.
func setCode(tx *db.Tx, account uuid.UUID, c mailedCode) error {
	return tx.Exec(`UPDATE email_mailbox SET code_hash = $3, code_expires_at = $4, code_attempts = $5
		WHERE tenant_id = $1 AND account_id = $2`, tx.Tenant(), account, c.hash, c.expiresAt, c.attempts)
}

// setVerified records that an address was verified by a code, and deletes the code.
func setVerified(tx *db.Tx, account uuid.UUID, key, by string) error {
	return tx.Exec(`UPDATE email_mailbox SET verified_key = $3, verified_by = $4, verified_at = $5,
			code_hash = NULL, code_expires_at = NULL, code_attempts = 0
		WHERE tenant_id = $1 AND account_id = $2`, tx.Tenant(), account, key, by, clock.At(tx.Now()))
}

// putDomain records that a domain was verified, and reports whether that is new.
func putDomain(tx *db.Tx, domain string) (bool, error) {
	return tx.ExecAny(`INSERT INTO email_domain (tenant_id, domain, verified_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
		tx.Tenant(), domain, clock.At(tx.Now()))
}

// domainVerifiedAt returns when a domain was verified; db.ErrNoRow if it was not.
func domainVerifiedAt(r *db.Reader, domain string) (clock.Time, error) {
	return db.One(r, db.Scalar[clock.Time], `SELECT verified_at FROM email_domain WHERE tenant_id = $1 AND domain = $2`, r.Tenant(), domain)
}
