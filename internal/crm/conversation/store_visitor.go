package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// ReadMessagesOn returns the messages of a conversation that went over one account, the
// newest first, one more than the page shows.
func ReadMessagesOn(r *db.Reader, conversation, account uuid.UUID, p db.Page) ([]Item, error) {
	return db.All(r, scanItem, `SELECT `+itemColumns+` FROM conversation_item
		WHERE tenant_id = $1 AND conversation_id = $2 AND kind = 'message' AND channel_account_id = $3 AND deleted_at IS NULL
			AND (at, id) < ($4, $5)
		ORDER BY at DESC, id DESC LIMIT $6`, r.Tenant(), conversation, account, p.After.Sort, p.After.ID, p.Limit+1)
}
