package engine

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const mailColumns = `id, root_id, mailbox_id, origin, sender, report_to, message_id, subject, size, blob_id, state, created_at, expires_at, delayed_at, finished_at`

func scanMail(row db.Row) (m queued, err error) {
	var root *uuid.UUID
	err = row.Scan(&m.ID, &root, &m.MailboxID, &m.Origin, &m.Sender, &m.ReportTo, &m.MessageID, &m.Subject, &m.blob.Size, &m.blob.ID, &m.State,
		&m.CreatedAt, &m.ExpiresAt, &m.DelayedAt, &m.FinishedAt)
	if root != nil {
		m.root = *root
	} else {
		m.root = m.ID
	}
	return m, err
}

// insertMail returns false if the mail is already in the queue.
func insertMail(tx *db.Tx, m *queued) (bool, error) {
	var root *uuid.UUID
	if m.root != uuid.Nil && m.root != m.ID {
		root = &m.root
	}
	return tx.ExecAny(`INSERT INTO mail_queue (tenant_id, id, root_id, mailbox_id, origin, sender, report_to, message_id, subject, size, blob_id, state, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (tenant_id, id) DO NOTHING`,
		tx.Tenant(), m.ID, root, m.MailboxID, m.Origin, m.Sender, m.ReportTo, m.MessageID, m.Subject, m.blob.Size, m.blob.ID, m.State, m.CreatedAt, m.ExpiresAt)
}

func findMail(r *db.Reader, id uuid.UUID) (queued, error) {
	return db.One(r, scanMail, `SELECT `+mailColumns+` FROM mail_queue WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

func lockMail(tx *db.Tx, id uuid.UUID) (queued, error) {
	return db.One(&tx.Reader, scanMail, `SELECT `+mailColumns+` FROM mail_queue q WHERE tenant_id = $1 AND id = $2`+tx.Dialect().ForUpdate("q"), tx.Tenant(), id)
}

// listQueue lists queued mails, newest first; an empty state means all.
func listQueue(r *db.Reader, state string, p db.Page) (db.List[QueueItem], error) {
	query := `SELECT ` + mailColumns + ` FROM mail_queue WHERE tenant_id = $1 AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4`
	args := []any{r.Tenant(), p.After.Sort, p.After.ID, p.Limit + 1}
	if state != "" {
		query = `SELECT ` + mailColumns + ` FROM mail_queue WHERE tenant_id = $1 AND state = $5 AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4`
		args = append(args, state)
	}
	rows, err := db.All(r, scanMail, query, args...)
	if err != nil {
		return db.List[QueueItem]{}, err
	}
	items := make([]QueueItem, len(rows))
	for i := range rows {
		recipients, err := recipientsOf(r, rows[i].ID)
		if err != nil {
			return db.List[QueueItem]{}, err
		}
		items[i] = rows[i].item(recipients)
	}
	return db.Cut(items, p, func(q QueueItem) db.Key { return db.Key{Sort: q.CreatedAt.UnixMicro(), ID: q.ID} }), nil
}

// releaseMail changes a held mail to queued, and its lifetime begins. It returns false if
// the mail is not held.
func releaseMail(tx *db.Tx, id uuid.UUID) (bool, error) {
	return tx.ExecAny(`UPDATE mail_queue SET state = 'queued', expires_at = $3 WHERE tenant_id = $1 AND id = $2 AND state = 'held'`,
		tx.Tenant(), id, clock.At(tx.Now().Add(lifetime)))
}

// finishMail returns false if the mail is already done.
func finishMail(tx *db.Tx, id uuid.UUID) (bool, error) {
	return tx.ExecAny(`UPDATE mail_queue SET state = 'done', finished_at = $3 WHERE tenant_id = $1 AND id = $2 AND finished_at IS NULL`,
		tx.Tenant(), id, clock.At(tx.Now()))
}

// markDelayed returns false if the mail is already marked as delayed.
func markDelayed(tx *db.Tx, id uuid.UUID) (bool, error) {
	return tx.ExecAny(`UPDATE mail_queue SET delayed_at = $3 WHERE tenant_id = $1 AND id = $2 AND delayed_at IS NULL`, tx.Tenant(), id, clock.At(tx.Now()))
}

// deleteFinished deletes mails of all workspaces that finished before a time.
func deleteFinished(tx *db.Tx, before clock.Time, limit int) (int, error) {
	n, err := tx.ExecCount(`DELETE FROM mail_queue WHERE (tenant_id, id) IN (
		SELECT tenant_id, id FROM mail_queue WHERE finished_at < $1 ORDER BY finished_at LIMIT $2)`, before, limit)
	return int(n), err
}

const recipientColumns = `address, destination, state, attempts, answer, at`

func scanRecipient(row db.Row) (r Recipient, err error) {
	return r, row.Scan(&r.Address, &r.destination, &r.State, &r.Attempts, &r.Answer, &r.At)
}

func insertRecipient(tx *db.Tx, mail uuid.UUID, addr, destination string) error {
	return tx.Exec(`INSERT INTO mail_queue_recipient (tenant_id, mail_id, address, destination, state, attempts, answer)
		VALUES ($1, $2, $3, $4, $5, 0, '') ON CONFLICT (tenant_id, mail_id, address) DO NOTHING`, tx.Tenant(), mail, addr, destination, StateQueued)
}

func recipientsOf(r *db.Reader, mail uuid.UUID) ([]Recipient, error) {
	return db.All(r, scanRecipient, `SELECT `+recipientColumns+` FROM mail_queue_recipient WHERE tenant_id = $1 AND mail_id = $2 ORDER BY address`, r.Tenant(), mail)
}

// recipientsLeft returns the recipients without a final outcome.
func recipientsLeft(r *db.Reader, mail uuid.UUID) ([]Recipient, error) {
	return db.All(r, scanRecipient, `SELECT `+recipientColumns+` FROM mail_queue_recipient
		WHERE tenant_id = $1 AND mail_id = $2 AND state = 'queued' ORDER BY address`, r.Tenant(), mail)
}

// settleRecipient stores the final outcome for a recipient. It returns false if one is
// already stored.
func settleRecipient(tx *db.Tx, mail uuid.UUID, addr string, o outcome) (bool, error) {
	return tx.ExecAny(`UPDATE mail_queue_recipient SET state = $4, answer = $5, at = $6, attempts = attempts + 1
		WHERE tenant_id = $1 AND mail_id = $2 AND address = $3 AND state = 'queued'`, tx.Tenant(), mail, addr, o.State, o.Answer, clock.At(tx.Now()))
}

// noteAttempt records why a recipient's copy must wait.
func noteAttempt(tx *db.Tx, mail uuid.UUID, addr, answer string) error {
	return tx.Exec(`UPDATE mail_queue_recipient SET answer = $4, at = $5, attempts = attempts + 1
		WHERE tenant_id = $1 AND mail_id = $2 AND address = $3 AND state = 'queued'`, tx.Tenant(), mail, addr, answer, clock.At(tx.Now()))
}

const suppressionColumns = `id, address, answer, created_at`

func scanSuppression(row db.Row) (s Suppression, err error) {
	return s, row.Scan(&s.ID, &s.Address, &s.Answer, &s.CreatedAt)
}

func putSuppression(tx *db.Tx, key, answer string) error {
	return tx.Exec(`INSERT INTO mail_suppression (tenant_id, id, address, answer, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant_id, address) DO NOTHING`, tx.Tenant(), tx.NewID(), key, answer, clock.At(tx.Now()))
}

func isSuppressed(r *db.Reader, key string) (bool, error) {
	return db.One(r, db.Scalar[bool], `SELECT EXISTS (SELECT 1 FROM mail_suppression WHERE tenant_id = $1 AND address = $2)`, r.Tenant(), key)
}

func listSuppressions(r *db.Reader, p db.Page) (db.List[Suppression], error) {
	rows, err := db.All(r, scanSuppression, `SELECT `+suppressionColumns+` FROM mail_suppression
		WHERE tenant_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`, r.Tenant(), p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(s Suppression) db.Key { return db.Key{ID: s.ID} }), err
}

func deleteSuppression(tx *db.Tx, id uuid.UUID) (Suppression, error) {
	return db.One(&tx.Reader, scanSuppression, `DELETE FROM mail_suppression WHERE tenant_id = $1 AND id = $2 RETURNING `+suppressionColumns, tx.Tenant(), id)
}

// maxQueueCounted is the maximum number of waiting mails that are counted.
const maxQueueCounted = 10000

// countWaiting counts the unfinished mails, up to maxQueueCounted.
func countWaiting(r *db.Reader) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM (SELECT 1 FROM mail_queue WHERE finished_at IS NULL LIMIT $1) w`, maxQueueCounted)
}
