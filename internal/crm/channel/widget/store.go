package widget

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const columns = `id, name, email, phone, language, origin, page, browser, conversation_id, created_at, seen_at`

var scan = db.Fields(func(v *Visitor) []any {
	return []any{&v.ID, &v.Name, &v.Email, &v.Phone, &v.Language, &v.Origin, &v.Page, &v.Browser, &v.ConversationID, &v.FirstSeenAt, &v.SeenAt}
})

func byToken(r *db.Reader, account uuid.UUID, hash []byte) (Visitor, error) {
	return db.One(r, scan, `SELECT `+columns+` FROM widget_visitor WHERE tenant_id = $1 AND token_hash = $2 AND account_id = $3`,
		r.Tenant(), hash, account)
}

func put(tx *db.Tx, account uuid.UUID, v Visitor, hash []byte) error {
	return tx.Exec(`INSERT INTO widget_visitor (tenant_id, id, account_id, token_hash, name, email, phone, language, origin, page,
			browser, created_at, seen_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)`,
		tx.Tenant(), v.ID, account, hash, v.Name, v.Email, v.Phone, v.Language, v.Origin, v.Page, v.Browser, clock.At(tx.Now()))
}

// ofConversation returns the visitor of a conversation.
func ofConversation(r *db.Reader, conversation uuid.UUID) (Visitor, error) {
	return db.One(r, scan, `SELECT `+columns+` FROM widget_visitor WHERE tenant_id = $1 AND conversation_id = $2
		ORDER BY seen_at DESC LIMIT 1`, r.Tenant(), conversation)
}

// dropIdle deletes up to limit visitors without a conversation who were last seen before a
// time, and returns how many.
func dropIdle(tx *db.Tx, before clock.Time, limit int) (int, error) {
	n, err := tx.ExecCount(`DELETE FROM widget_visitor WHERE conversation_id IS NULL AND seen_at < $1 AND (tenant_id, id) IN (
			SELECT tenant_id, id FROM widget_visitor WHERE conversation_id IS NULL AND seen_at < $1 ORDER BY seen_at LIMIT $2)`, before, limit)
	return int(n), err
}

// markSeen records that a visitor was seen now.
func markSeen(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`UPDATE widget_visitor SET seen_at = $3 WHERE tenant_id = $1 AND id = $2 AND seen_at < $3`, tx.Tenant(), id, clock.At(tx.Now()))
}

func save(tx *db.Tx, v Visitor) error {
	return tx.Exec(`UPDATE widget_visitor SET name = $3, email = $4, phone = $5, page = $6, conversation_id = $7, seen_at = $8
		WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), v.ID, v.Name, v.Email, v.Phone, v.Page, v.ConversationID, clock.At(tx.Now()))
}
