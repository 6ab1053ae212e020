package domain

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

const mailboxColumns = `id, domain_id, address, kind, account_id, targets, password_hash, quota_mb, used_bytes, daily_limit, state, created_at`

func scanMailbox(row db.Row) (m Mailbox, err error) {
	err = row.Scan(&m.ID, &m.DomainID, &m.Address, &m.Kind, &m.AccountID, db.FromJSON(&m.Targets), &m.passwordHash, &m.QuotaMB, &m.UsedBytes, &m.DailyLimit, &m.State, &m.CreatedAt)
	m.Targets, m.HasPassword = db.OrEmpty(m.Targets), m.passwordHash != ""
	return m, err
}

// putMailbox adds a mailbox, or changes the destination of an existing one. An existing
// password is kept if m has none, an existing quota or daily limit unless setQuota or
// setLimit is true. An existing mailbox keeps its id, so the returned id then differs from
// that of m.
func putMailbox(tx *db.Tx, m Mailbox, setQuota, setLimit bool, by *uuid.UUID) (Mailbox, error) {
	return db.One(&tx.Reader, scanMailbox, `INSERT INTO mail_mailbox (tenant_id, id, domain_id, address, kind, account_id, targets, password_hash, quota_mb,
			used_bytes, daily_limit, state, created_by, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11, $12, $13)
		ON CONFLICT (tenant_id, address) DO UPDATE SET kind = excluded.kind, account_id = excluded.account_id, targets = excluded.targets,
			password_hash = CASE WHEN excluded.password_hash = '' THEN mail_mailbox.password_hash ELSE excluded.password_hash END,
			quota_mb = CASE WHEN $14 THEN excluded.quota_mb ELSE mail_mailbox.quota_mb END,
			daily_limit = CASE WHEN $15 THEN excluded.daily_limit ELSE mail_mailbox.daily_limit END RETURNING `+mailboxColumns,
		tx.Tenant(), m.ID, m.DomainID, m.Address, m.Kind, m.AccountID, db.AsJSON(m.Targets), m.passwordHash, m.QuotaMB, m.DailyLimit, MailboxActive, by, m.CreatedAt, setQuota, setLimit)
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

// firstMailbox returns the oldest mailbox at the domains that the workspace owns. Inboxes
// come before mailboxes that forward, then mailboxes at the given domain before others.
func firstMailbox(r *db.Reader, domain string) (Mailbox, error) {
	return db.One(r, scanMailbox, `SELECT `+mailboxColumns+` FROM mail_mailbox m
		WHERE tenant_id = $1 AND domain_id IN (SELECT id FROM mail_domain WHERE tenant_id = $1 AND state IN ('verifying', 'active', 'degraded'))
		ORDER BY CASE WHEN kind = 'inbox' THEN 0 ELSE 1 END,
			CASE WHEN domain_id IN (SELECT id FROM mail_domain WHERE tenant_id = $1 AND domain = $2) THEN 0 ELSE 1 END, id LIMIT 1`, r.Tenant(), domain)
}

func mailboxByID(r *db.Reader, id uuid.UUID) (Mailbox, error) {
	return db.One(r, scanMailbox, `SELECT `+mailboxColumns+` FROM mail_mailbox WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

func lockMailbox(tx *db.Tx, id uuid.UUID) (Mailbox, error) {
	return db.One(&tx.Reader, scanMailbox, `SELECT `+mailboxColumns+` FROM mail_mailbox m WHERE tenant_id = $1 AND id = $2`+tx.Dialect().ForUpdate("m"), tx.Tenant(), id)
}

func setMailboxState(tx *db.Tx, id uuid.UUID, state string) (Mailbox, error) {
	return db.One(&tx.Reader, scanMailbox, `UPDATE mail_mailbox SET state = $3 WHERE tenant_id = $1 AND id = $2 RETURNING `+mailboxColumns, tx.Tenant(), id, state)
}

// addUsedBytes adds a mail to the storage used by an inbox. It returns no row if there is
// no such mailbox.
func addUsedBytes(tx *db.Tx, address string, n int64) (Mailbox, error) {
	return db.One(&tx.Reader, scanMailbox, `UPDATE mail_mailbox SET used_bytes = used_bytes + $3 WHERE tenant_id = $1 AND address = $2 RETURNING `+mailboxColumns,
		tx.Tenant(), address, n)
}

// subtractUsedBytes subtracts a mail from the storage used by an inbox. It does nothing if
// there is no such mailbox.
func subtractUsedBytes(tx *db.Tx, address string, n int64) error {
	return tx.Exec(`UPDATE mail_mailbox SET used_bytes = CASE WHEN used_bytes > $3 THEN used_bytes - $3 ELSE 0 END WHERE tenant_id = $1 AND address = $2`,
		tx.Tenant(), address, n)
}

func hourOf(t time.Time) int64 { return t.Unix() / 3600 }

// sentInDay returns the number of recipients a mailbox has sent to in the last 24 hours.
func sentInDay(r *db.Reader, mailbox uuid.UUID, now time.Time) (int64, error) {
	return db.One(r, db.Scalar[int64], `SELECT CAST(coalesce(sum(recipients), 0) AS bigint) FROM mail_sent_hour WHERE tenant_id = $1 AND mailbox_id = $2 AND hour > $3`,
		r.Tenant(), mailbox, hourOf(now)-24)
}

// addSent counts recipients of a mailbox's mail and returns the totals of the current hour
// and of the last 24 hours.
func addSent(tx *db.Tx, mailbox uuid.UUID, n int) (hour, day int64, err error) {
	now := hourOf(tx.Now())
	hour, err = db.One(&tx.Reader, db.Scalar[int64], `INSERT INTO mail_sent_hour (tenant_id, mailbox_id, hour, recipients) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant_id, mailbox_id, hour) DO UPDATE SET recipients = mail_sent_hour.recipients + excluded.recipients RETURNING recipients`,
		tx.Tenant(), mailbox, now, n)
	if err != nil {
		return 0, 0, err
	}
	if err := tx.Exec(`DELETE FROM mail_sent_hour WHERE tenant_id = $1 AND mailbox_id = $2 AND hour <= $3`, tx.Tenant(), mailbox, now-24); err != nil {
		return 0, 0, err
	}
	day, err = db.One(&tx.Reader, db.Scalar[int64], `SELECT CAST(sum(recipients) AS bigint) FROM mail_sent_hour WHERE tenant_id = $1 AND mailbox_id = $2`, tx.Tenant(), mailbox)
	return hour, day, err
}
