package contact

import (
	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func scanNote(row db.Row) (n Note, err error) {
	err = row.Scan(&n.ID, &n.Body, &n.AuthorID, &n.CreatedAt)
	return n, err
}

func notes(r *db.Reader, contact uuid.UUID, p db.Page) (db.List[Note], error) {
	rows, err := db.All(r, scanNote, `SELECT id, body, author_id, created_at FROM contact_note
		WHERE tenant_id = $1 AND contact_id = $2 AND (created_at, id) < ($3, $4)
		ORDER BY created_at DESC, id DESC LIMIT $5`, r.Tenant(), contact, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(n Note) db.Key { return db.Key{Sort: n.CreatedAt.UnixMicro(), ID: n.ID} }), err
}

func putNote(tx *db.Tx, contact uuid.UUID, n Note) error {
	return tx.Exec(`INSERT INTO contact_note (tenant_id, id, contact_id, body, author_id, created_at)
		VALUES ($1, $2, $3, $4, $5, $6)`, tx.Tenant(), n.ID, contact, n.Body, n.AuthorID, n.CreatedAt)
}

func dropNote(tx *db.Tx, contact, id uuid.UUID) (bool, error) {
	return tx.ExecAny(`DELETE FROM contact_note WHERE tenant_id = $1 AND contact_id = $2 AND id = $3`, tx.Tenant(), contact, id)
}

func putConsent(tx *db.Tx, contact uuid.UUID, c Consent) error {
	return tx.Exec(`INSERT INTO contact_consent (tenant_id, contact_id, channel, purpose, status, source, evidence, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (tenant_id, contact_id, channel, purpose) DO UPDATE
		SET status = excluded.status, source = excluded.source, evidence = excluded.evidence, at = excluded.at`,
		tx.Tenant(), contact, c.Channel, c.Purpose, c.Status, c.Source, c.Evidence, c.At)
}

// putIdentity reports whether the identity was free.
func putIdentity(tx *db.Tx, ref Ref, from Sender, id string) (bool, error) {
	return tx.ExecAny(`INSERT INTO contact_identity (tenant_id, channel_account_id, external_id, contact_id, channel, username, test, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (tenant_id, channel_account_id, external_id, test) DO NOTHING`,
		tx.Tenant(), from.AccountID, id, ref.ID, from.Channel, from.Username, ref.Test, clock.At(tx.Now()))
}

func setWindow(tx *db.Tx, account uuid.UUID, external string, until clock.Time) error {
	return tx.Exec(`UPDATE contact_identity SET window_expires_at = $4
		WHERE tenant_id = $1 AND channel_account_id = $2 AND external_id = $3 AND test = $5
			AND (window_expires_at IS NULL OR window_expires_at < $4)`,
		tx.Tenant(), account, external, until, inTest(&tx.Reader))
}

// inTest reports whether the caller works in the test environment.
func inTest(r *db.Reader) bool { return caller.From(r.Context()).Test }

// refBy finds a contact of the caller's environment.
func refBy(r *db.Reader, table, condition string, args ...any) (Ref, error) {
	return db.One(r, scanRef, refQuery(table, condition), append([]any{r.Tenant(), inTest(r)}, args...)...)
}

func refQuery(table, condition string) string {
	return `SELECT c.id, c.name, c.blocked, c.test FROM ` + table + ` k
		JOIN contact c ON c.tenant_id = k.tenant_id AND c.id = k.contact_id
		WHERE k.tenant_id = $1 AND k.test = $2 AND ` + condition
}

func scanRef(row db.Row) (ref Ref, err error) {
	err = row.Scan(&ref.ID, &ref.Name, &ref.Blocked, &ref.Test)
	return ref, err
}

func refByIdentity(r *db.Reader, account uuid.UUID, external string) (Ref, error) {
	return refBy(r, `contact_identity`, `k.channel_account_id = $3 AND k.external_id = $4`, account, external)
}

func refByEmail(r *db.Reader, key string) (Ref, error) {
	return refBy(r, `contact_email`, `k.email_key = $3`, key)
}

func refByPhone(r *db.Reader, e164 string) (Ref, error) {
	return refBy(r, `contact_phone`, `k.e164 = $3`, e164)
}

// refByID returns a contact that was neither merged away nor deleted.
func refByID(r *db.Reader, id uuid.UUID) (Ref, error) {
	return db.One(r, scanRef, `SELECT id, name, blocked, test FROM contact WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL`+onlyVisible(r), r.Tenant(), id)
}

func recordContact(tx *db.Tx, id uuid.UUID, wrote bool) error {
	query := `UPDATE contact SET last_contacted_at = $3 WHERE tenant_id = $1 AND id = $2`
	if wrote {
		query = `UPDATE contact SET last_seen_at = $3, last_replied_at = $3 WHERE tenant_id = $1 AND id = $2`
	}
	return tx.ExecDeferred(query, tx.Tenant(), id, clock.At(tx.Now()))
}
