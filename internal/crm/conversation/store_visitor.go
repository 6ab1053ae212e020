package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

func readMessagesOn(r *db.Reader, conversation, account uuid.UUID, p db.Page) ([]Item, error) {
	return db.All(r, scanItem, `SELECT `+itemColumns+` FROM conversation_item
		WHERE tenant_id = $1 AND conversation_id = $2 AND kind = 'message' AND channel_account_id = $3 AND deleted_at IS NULL
			AND (at, id) < ($4, $5)
		ORDER BY at DESC, id DESC LIMIT $6`, r.Tenant(), conversation, account, p.After.Sort, p.After.ID, p.Limit+1)
}

// attachedOn says whether a file belongs to a message that went over one
// channel account, in one conversation where it is given.
func attachedOn(r *db.Reader, account uuid.UUID, conversation *uuid.UUID, attachment uuid.UUID) (bool, error) {
	args, within := []any{r.Tenant(), attachment, account}, ``
	if conversation != nil {
		args, within = append(args, *conversation), ` AND i.conversation_id = $4`
	}
	return db.One(r, db.Scalar[bool], `SELECT EXISTS (SELECT 1 FROM attachment a
		JOIN conversation_item i ON i.tenant_id = a.tenant_id AND i.id = a.item_id
		WHERE a.tenant_id = $1 AND a.id = $2 AND i.channel_account_id = $3 AND i.kind = 'message' AND i.deleted_at IS NULL`+within+`)`, args...)
}
