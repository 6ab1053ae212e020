package inbound

import (
	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// hasQueued says whether a message of a conversation that was written in a span of time
// still waits to be sent over an account.
func hasQueued(r *db.Reader, in, account uuid.UUID, from, until clock.Time) (bool, error) {
	_, err := db.One(r, db.Scalar[int], `SELECT 1 FROM conversation_item
		WHERE tenant_id = $1 AND conversation_id = $2 AND at >= $3 AND at < $4 AND channel_account_id = $5 AND delivery = $6 AND deleted_at IS NULL LIMIT 1`,
		r.Tenant(), in, from, until, account, conversation.Queued)
	if db.IsNoRow(err) {
		return false, nil
	}
	return err == nil, err
}
