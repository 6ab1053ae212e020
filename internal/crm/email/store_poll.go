package email

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// setPolls sets whether a mailbox is polled, and if so polls it at once. With
// anotherFolder, reading starts at the folder's current end.
func setPolls(tx *db.Tx, account uuid.UUID, polls, anotherFolder bool) error {
	if anotherFolder {
		if err := tx.Exec(`UPDATE email_mailbox SET uid_validity = NULL, last_uid = NULL WHERE tenant_id = $1 AND account_id = $2`,
			tx.Tenant(), account); err != nil {
			return err
		}
	}
	err := tx.Exec(`UPDATE email_mailbox SET polls = $3, failures = 0, last_error = NULL WHERE tenant_id = $1 AND account_id = $2`,
		tx.Tenant(), account, polls)
	if err != nil || !polls {
		return err // the job ends by itself when it finds that it is not needed
	}
	return jobs.Restart(tx, pollJob, account, tx.Now())
}

// setPosition stores how far a mailbox was read.
func setPosition(tx *db.Tx, account uuid.UUID, validity, uid int64) error {
	return tx.Exec(`UPDATE email_mailbox SET uid_validity = $3, last_uid = $4 WHERE tenant_id = $1 AND account_id = $2`,
		tx.Tenant(), account, validity, uid)
}

// savePoll records the result of a poll and returns the number of consecutive failures.
func savePoll(tx *db.Tx, account uuid.UUID, trouble error) (failures int, err error) {
	var text *string
	if trouble != nil {
		was, err := db.One(&tx.Reader, db.Scalar[int], `SELECT failures FROM email_mailbox WHERE tenant_id = $1 AND account_id = $2`, tx.Tenant(), account)
		if err != nil {
			return 0, err
		}
		failures = was + 1
		words := pollError(trouble)
		text = &words
	}
	err = tx.Exec(`UPDATE email_mailbox SET failures = $3, last_error = $4, last_poll_at = $5 WHERE tenant_id = $1 AND account_id = $2`,
		tx.Tenant(), account, failures, text, clock.At(tx.Now()))
	return failures, err
}
