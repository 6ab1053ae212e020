package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/db"
)

// Text is what somebody wrote in a conversation: a message or a note.
type Text struct {
	ConversationID uuid.UUID
	ItemID         uuid.UUID
	Body           string
}

// SearchAfter returns searchable conversations in the order of their ids, for building a
// search index.
func SearchAfter(r *db.Reader, after uuid.UUID, limit int) ([]Conversation, error) {
	return db.All(r, scan, `SELECT `+columns+` FROM conversation c
		WHERE c.tenant_id = $1 AND c.id > $2 AND c.deleted_at IS NULL AND c.merged_into_id IS NULL`+onlyVisible(r)+`
		ORDER BY c.id LIMIT $3`, r.Tenant(), after, limit)
}

// SearchOf returns the searchable conversations among ids.
func SearchOf(r *db.Reader, ids []uuid.UUID) ([]Conversation, error) {
	if len(ids) == 0 {
		return []Conversation{}, nil
	}
	in, arg := db.In(r.Dialect(), 2, ids)
	return db.All(r, scan, `SELECT `+columns+` FROM conversation c
		WHERE c.tenant_id = $1 AND c.id `+in+` AND c.deleted_at IS NULL AND c.merged_into_id IS NULL`+onlyVisible(r),
		r.Tenant(), arg)
}

// OfContacts returns the ids of the contacts' conversations, the newest first.
func OfContacts(r *db.Reader, contacts []uuid.UUID, limit int) ([]uuid.UUID, error) {
	if len(contacts) == 0 {
		return nil, nil
	}
	in, arg := db.In(r.Dialect(), 3, contacts)
	return db.All(r, db.Scalar[uuid.UUID], `SELECT c.id FROM conversation c
		WHERE c.tenant_id = $1 AND c.contact_id `+in+onlyVisible(r)+` ORDER BY c.id DESC LIMIT $2`,
		r.Tenant(), limit, arg)
}

// Texts returns what was written in conversations, the newest first, and at most each texts
// per conversation.
func Texts(r *db.Reader, ids []uuid.UUID, each int) ([]Text, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	in, arg := db.In(r.Dialect(), 3, ids)
	return db.All(r, func(row db.Row) (t Text, err error) {
		err = row.Scan(&t.ConversationID, &t.ItemID, &t.Body)
		return t, err
	}, `SELECT conversation_id, id, body FROM (
			SELECT conversation_id, id, body, at, row_number() OVER (PARTITION BY conversation_id ORDER BY at DESC, id DESC) AS place
			FROM conversation_item WHERE tenant_id = $1 AND conversation_id `+in+`
				AND kind <> 'event' AND deleted_at IS NULL AND body <> ''`+caller.OnlyVisible(r.Context(), "test")+`) t
		WHERE place <= $2 ORDER BY conversation_id, at DESC, id DESC`, r.Tenant(), each, arg)
}
