package email

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/outbound"
)

// claim is a mailbox that this node polls.
type claim struct {
	tenant, account, id uuid.UUID
	uidValidity         *int64
	lastUID             *int64
	lastPollAt          *clock.Time
}

// claimMailboxes takes mailboxes that are due; next_poll_at becomes the end of
// the lease, so a holder that dies gives them up by itself.
func claimMailboxes(tx *db.Tx, node uuid.UUID, lease time.Duration, limit int) ([]claim, error) {
	id := tx.NewID()
	return db.All(&tx.Reader, func(row db.Row) (claim, error) {
		c := claim{id: id}
		err := row.Scan(&c.tenant, &c.account, &c.uidValidity, &c.lastUID, &c.lastPollAt)
		return c, err
	}, `WITH due AS MATERIALIZED (SELECT tenant_id, account_id FROM email_mailbox
			WHERE polls AND next_poll_at <= $3 ORDER BY next_poll_at LIMIT $4`+tx.Dialect().SkipLocked()+`)
		UPDATE email_mailbox SET claim_id = $1, node_id = $5, next_poll_at = $2
		WHERE (tenant_id, account_id) IN (SELECT tenant_id, account_id FROM due)
		RETURNING tenant_id, account_id, uid_validity, last_uid, last_poll_at`,
		id, clock.At(tx.Now().Add(lease)), clock.At(tx.Now()), limit, node)
}

// freeMailboxes makes the mailboxes of a process that is gone due at once.
func freeMailboxes(tx *db.Tx, node uuid.UUID) (int64, error) {
	return tx.Exec(`UPDATE email_mailbox SET claim_id = NULL, next_poll_at = $2 WHERE node_id = $1 AND claim_id IS NOT NULL AND polls`,
		node, clock.At(tx.Now()))
}

// setPosition moves on in a mailbox that is still this node's.
func setPosition(tx *db.Tx, c claim, validity, uid int64) error {
	_, err := tx.Exec(`UPDATE email_mailbox SET uid_validity = $4, last_uid = $5
		WHERE tenant_id = $1 AND account_id = $2 AND claim_id = $3`, tx.Tenant(), c.account, c.id, validity, uid)
	return err
}

// settlePoll writes how a poll went and gives the failures in a row; false
// where the mailbox is no longer this node's.
func settlePoll(tx *db.Tx, c claim, trouble error, wait func(failures int) time.Duration) (int, bool, error) {
	was, err := db.One(&tx.Reader, db.Scalar[int], `SELECT failures FROM email_mailbox
		WHERE tenant_id = $1 AND account_id = $2 AND claim_id = $3`, tx.Tenant(), c.account, c.id)
	if db.IsNoRow(err) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	failures := 0
	var text *string
	if trouble != nil {
		failures = was + 1
		_, words := outbound.Class(trouble)
		words = printable(words)
		text = &words
	}
	_, err = tx.Exec(`UPDATE email_mailbox SET failures = $4, last_error = $5, next_poll_at = $6, last_poll_at = $7, claim_id = NULL
		WHERE tenant_id = $1 AND account_id = $2 AND claim_id = $3`,
		tx.Tenant(), c.account, c.id, failures, text, clock.At(tx.Now().Add(wait(failures))), clock.At(tx.Now()))
	return failures, true, err
}
