package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// CountMovable returns how many of these items can be moved out of a conversation, and how
// many of those are messages.
func CountMovable(r *db.Reader, conversation uuid.UUID, ids []uuid.UUID) (known, messages int, err error) {
	in, arg := db.In(r.Dialect(), 3, ids)
	kinds, err := db.All(r, db.Scalar[string], `SELECT kind FROM conversation_item
		WHERE tenant_id = $1 AND conversation_id = $2 AND kind <> 'event' AND deleted_at IS NULL AND id `+in,
		r.Tenant(), conversation, arg)
	for _, k := range kinds {
		if k == Message {
			messages++
		}
	}
	return len(kinds), messages, err
}

// MessageCount counts the messages of a conversation, up to most.
func MessageCount(r *db.Reader, conversation uuid.UUID, most int) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM (SELECT 1 FROM conversation_item
		WHERE tenant_id = $1 AND conversation_id = $2 AND kind = 'message' AND deleted_at IS NULL LIMIT $3) m`, r.Tenant(), conversation, most)
}

// LastAmong returns the newest message among some items.
func LastAmong(r *db.Reader, ids []uuid.UUID) (Item, error) {
	in, arg := db.In(r.Dialect(), 2, ids)
	return db.One(r, scanItem, `SELECT `+itemColumns+` FROM conversation_item
		WHERE tenant_id = $1 AND kind = 'message' AND id `+in+` ORDER BY at DESC, id DESC LIMIT 1`, r.Tenant(), arg)
}

// MoveItems moves some items of a conversation into another.
func MoveItems(tx *db.Tx, from, to uuid.UUID, ids []uuid.UUID) error {
	in, arg := db.In(tx.Dialect(), 4, ids)
	return tx.Exec(`UPDATE conversation_item SET conversation_id = $3, merged_from = NULL
		WHERE tenant_id = $1 AND conversation_id = $2 AND id `+in, tx.Tenant(), from, to, arg)
}

// ItemsFrom returns the items after a key, the oldest first, for exports.
func ItemsFrom(r *db.Reader, conversation uuid.UUID, after db.Key, limit int) ([]Item, error) {
	return db.All(r, scanItem, `SELECT `+itemColumns+` FROM conversation_item
		WHERE tenant_id = $1 AND conversation_id = $2 AND deleted_at IS NULL AND (at, id) > ($3, $4)
		ORDER BY at, id LIMIT $5`, r.Tenant(), conversation, after.Sort, after.ID, limit)
}

// MoveAllItems moves the items of a conversation into another; each records where it came
// from.
func MoveAllItems(tx *db.Tx, from, to uuid.UUID) error {
	return tx.Exec(`UPDATE conversation_item SET conversation_id = $3, merged_from = $2
		WHERE tenant_id = $1 AND conversation_id = $2`, tx.Tenant(), from, to)
}

// ReturnItems moves the items back that were moved out of a conversation.
func ReturnItems(tx *db.Tx, from, to uuid.UUID) error {
	return tx.Exec(`UPDATE conversation_item SET conversation_id = $2, merged_from = NULL
		WHERE tenant_id = $1 AND conversation_id = $3 AND merged_from = $2`, tx.Tenant(), from, to)
}
