package airecord

import (
	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/db"
)

func aiAttributes(r *db.Reader, conversation uuid.UUID) ([]AIAttribute, error) {
	return db.All(r, func(row db.Row) (a AIAttribute, err error) {
		err = row.Scan(&a.Name, db.FromJSON(&a.Value), &a.Source, &a.ItemID, &a.At)
		return a, err
	}, `SELECT name, value, source, item_id, at FROM conversation_ai_attribute
		WHERE tenant_id = $1 AND conversation_id = $2 ORDER BY name`, r.Tenant(), conversation)
}

func putAIAttribute(tx *db.Tx, conversation uuid.UUID, a AIAttribute) error {
	return tx.Exec(`INSERT INTO conversation_ai_attribute (tenant_id, conversation_id, name, value, source, item_id, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant_id, conversation_id, name)
		DO UPDATE SET value = excluded.value, source = excluded.source, item_id = excluded.item_id, at = excluded.at`,
		tx.Tenant(), conversation, a.Name, db.AsJSON(a.Value), a.Source, a.ItemID, a.At)
}

func dropAIAttribute(tx *db.Tx, conversation uuid.UUID, name string) error {
	return tx.Exec(`DELETE FROM conversation_ai_attribute WHERE tenant_id = $1 AND conversation_id = $2 AND name = $3`,
		tx.Tenant(), conversation, name)
}

// storedSummary returns the stored summary; its text is nil if there is none.
func storedSummary(r *db.Reader, conversationID uuid.UUID) (Summary, error) {
	return db.OrZero(db.One(r, func(row db.Row) (s Summary, err error) {
		var id *uuid.UUID
		var name *string
		err = row.Scan(&s.Summary, &s.Language, &id, &name, &s.upTo, &s.RequestedBy, &s.GeneratedAt)
		s.Configuration.V = conversation.ConfigurationOf(id, name)
		return s, err
	}, `SELECT body, language, configuration_id, configuration_name, up_to, requested_by, created_at FROM conversation_summary
		WHERE tenant_id = $1 AND conversation_id = $2`, r.Tenant(), conversationID))
}

func putSummary(tx *db.Tx, conversation uuid.UUID, s Summary) error {
	id, name := s.Configuration.V.Columns()
	return tx.Exec(`INSERT INTO conversation_summary (tenant_id, conversation_id, body, language, configuration_id,
			configuration_name, up_to, requested_by, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (tenant_id, conversation_id)
		DO UPDATE SET body = excluded.body, language = excluded.language, configuration_id = excluded.configuration_id,
			configuration_name = excluded.configuration_name, up_to = excluded.up_to, requested_by = excluded.requested_by,
			created_at = excluded.created_at`,
		tx.Tenant(), conversation, s.Summary, s.Language, id, name, s.upTo, s.RequestedBy, s.GeneratedAt)
}

func dropSummary(tx *db.Tx, conversation uuid.UUID) (bool, error) {
	return tx.ExecAny(`DELETE FROM conversation_summary WHERE tenant_id = $1 AND conversation_id = $2`, tx.Tenant(), conversation)
}

// changedSince reports whether something was written after what a summary covers, or edited
// or deleted after it was stored.
func changedSince(r *db.Reader, conversation uuid.UUID, s Summary) (bool, error) {
	n, err := db.One(r, db.Scalar[int], `SELECT count(*) FROM (SELECT 1 FROM conversation_item
		WHERE tenant_id = $1 AND conversation_id = $2 AND kind <> 'event'
			AND (at > $3 AND deleted_at IS NULL OR at <= $3 AND (edited_at > $4 OR deleted_at > $4)) LIMIT 1) AS one`,
		r.Tenant(), conversation, s.upTo, *s.GeneratedAt)
	return n > 0, err
}

func putFeedback(tx *db.Tx, f Feedback) error {
	return tx.Exec(`INSERT INTO item_feedback (tenant_id, item_id, author_kind, author_id, rating, comment, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (tenant_id, item_id, author_kind, author_id)
			DO UPDATE SET rating = excluded.rating, comment = excluded.comment, at = excluded.at`,
		tx.Tenant(), f.ItemID, f.AuthorKind, f.AuthorID, f.Rating, f.Comment, f.At)
}

// dropCustomerVote removes the customer's vote on an answer.
func dropCustomerVote(tx *db.Tx, item uuid.UUID) error {
	return tx.Exec(`DELETE FROM item_feedback WHERE tenant_id = $1 AND item_id = $2 AND author_kind = 'contact'`, tx.Tenant(), item)
}

func scanFeedback(row db.Row) (f Feedback, err error) {
	err = row.Scan(&f.ItemID, &f.AuthorKind, &f.AuthorID, &f.Rating, &f.Comment, &f.At)
	return f, err
}

const feedbackOfItems = `SELECT f.item_id, f.author_kind, f.author_id, f.rating, f.comment, f.at FROM conversation_item i
	JOIN item_feedback f ON f.tenant_id = i.tenant_id AND f.item_id = i.id WHERE i.tenant_id = $1 AND i.deleted_at IS NULL`

// votesIn reads the votes on a conversation's answers, the newest first.
func votesIn(r *db.Reader, conversation uuid.UUID, limit int) ([]Feedback, error) {
	list, err := db.All(r, scanFeedback, feedbackOfItems+` AND i.conversation_id = $2 ORDER BY f.at DESC, f.item_id LIMIT $3`,
		r.Tenant(), conversation, limit)
	return db.OrEmpty(list), err
}

// customerVotesIn reads the customer's votes on a conversation's answers, the newest first.
func customerVotesIn(r *db.Reader, conversation uuid.UUID, limit int) ([]Feedback, error) {
	return db.All(r, scanFeedback, feedbackOfItems+` AND i.conversation_id = $2 AND f.author_kind = 'contact' ORDER BY f.at DESC, f.item_id LIMIT $3`,
		r.Tenant(), conversation, limit)
}

// votesOn reads the votes on one answer, the newest first.
func votesOn(r *db.Reader, item uuid.UUID, limit int) ([]Feedback, error) {
	list, err := db.All(r, scanFeedback, feedbackOfItems+` AND i.id = $2 ORDER BY f.at DESC, f.author_id LIMIT $3`, r.Tenant(), item, limit)
	return db.OrEmpty(list), err
}
