package mail

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const journalColumns = `id, at, direction, sender, recipients, subject, message_id, size, blob_id, retention_until, held_at, held_by, hold_reason`

func scanJournalItem(row db.Row) (i JournalItem, err error) {
	var held *clock.Time
	var hold LegalHold
	err = row.Scan(&i.ID, &i.At, &i.Direction, &i.Sender, db.FromJSON(&i.Recipients), &i.Subject, &i.MessageID, &i.Size, &i.BlobID, &i.RetentionUntil, &held, &hold.By, &hold.Reason)
	i.Recipients = db.OrEmpty(i.Recipients)
	if held != nil {
		hold.At = *held
		i.LegalHold = &hold
	}
	return i, err
}

func listJournal(r *db.Reader, p db.Page) (db.List[JournalItem], error) {
	rows, err := db.All(r, scanJournalItem, `SELECT `+journalColumns+` FROM mail_journal
		WHERE tenant_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`, r.Tenant(), p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(i JournalItem) db.Key { return db.Key{ID: i.ID} }), err
}

func findJournalItem(r *db.Reader, id uuid.UUID) (JournalItem, error) {
	return db.One(r, scanJournalItem, `SELECT `+journalColumns+` FROM mail_journal WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

func lockJournalItem(tx *db.Tx, id uuid.UUID) (JournalItem, error) {
	return db.One(&tx.Reader, scanJournalItem, `SELECT `+journalColumns+` FROM mail_journal j WHERE tenant_id = $1 AND id = $2`+tx.Dialect().ForUpdate("j"), tx.Tenant(), id)
}

// updateHold stores the hold of a mail.
func updateHold(tx *db.Tx, i JournalItem) error {
	var at *clock.Time
	hold := LegalHold{}
	if i.LegalHold != nil {
		hold = *i.LegalHold
		at = &hold.At
	}
	return tx.Exec(`UPDATE mail_journal SET held_at = $3, held_by = $4, hold_reason = $5 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), i.ID, at, hold.By, hold.Reason)
}

// putJournalItem returns false if the item already exists.
func putJournalItem(tx *db.Tx, i JournalItem) (bool, error) {
	return tx.ExecAny(`INSERT INTO mail_journal (tenant_id, id, at, direction, sender, recipients, subject, message_id, size, blob_id, retention_until)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (tenant_id, id) DO NOTHING`,
		tx.Tenant(), i.ID, i.At, i.Direction, i.Sender, db.AsJSON(i.Recipients), i.Subject, i.MessageID, i.Size, i.BlobID, i.RetentionUntil)
}

// lengthenRetention extends the retention of all journal mails to at least the given number
// of days.
func lengthenRetention(tx *db.Tx, days int64) error {
	return tx.Exec(`UPDATE mail_journal SET retention_until = at + $2 WHERE tenant_id = $1 AND retention_until < at + $2`,
		tx.Tenant(), days*int64(24*time.Hour/time.Microsecond))
}

type endedItem struct{ tenant, id uuid.UUID }

// endedItems returns mails of all workspaces whose retention is over and that have no legal
// hold.
func endedItems(r *db.Reader, now clock.Time, limit int) ([]endedItem, error) {
	return db.All(r, func(row db.Row) (e endedItem, err error) { return e, row.Scan(&e.tenant, &e.id) },
		`SELECT tenant_id, id FROM mail_journal WHERE retention_until < $1 AND held_at IS NULL ORDER BY retention_until LIMIT $2`, now, limit)
}

// deleteEndedItem returns no row if the retention is not over or the mail has a legal hold.
func deleteEndedItem(tx *db.Tx, id uuid.UUID, now clock.Time) (JournalItem, error) {
	return db.One(&tx.Reader, scanJournalItem, `DELETE FROM mail_journal WHERE tenant_id = $1 AND id = $2 AND retention_until < $3 AND held_at IS NULL RETURNING `+journalColumns,
		tx.Tenant(), id, now)
}
