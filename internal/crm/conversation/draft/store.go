package draft

import (
	"github.com/google/uuid"

	"konak/internal/crm/conversation/file"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Of returns an agent's drafts in a conversation with their uploads, the newest first.
func Of(r *db.Reader, conversation, agent uuid.UUID) ([]Draft, error) {
	list, err := db.All(r, func(row db.Row) (d Draft, err error) {
		err = row.Scan(&d.ID, &d.Body, &d.MessageType, &d.UpdatedAt)
		return d, err
	}, `SELECT id, body, message_type, updated_at FROM conversation_draft
		WHERE tenant_id = $1 AND conversation_id = $2 AND agent_id = $3 ORDER BY updated_at DESC, message_type`,
		r.Tenant(), conversation, agent)
	for n := range list {
		if err == nil {
			list[n].Attachments, err = file.OfDraft(r, list[n].ID)
		}
	}
	return db.OrEmpty(list), err
}

// Put writes a draft and returns its id, which stays the same when it is changed.
func Put(tx *db.Tx, conversation, agent uuid.UUID, d Draft) (uuid.UUID, error) {
	return db.One(&tx.Reader, db.Scalar[uuid.UUID], `INSERT INTO conversation_draft
			(tenant_id, id, conversation_id, agent_id, message_type, body, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant_id, conversation_id, agent_id, message_type)
		DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at RETURNING id`,
		tx.Tenant(), d.ID, conversation, agent, d.MessageType, d.Body, d.UpdatedAt)
}

// Drop removes a draft, if it exists, and releases its uploads.
func Drop(tx *db.Tx, conversation, agent uuid.UUID, messageType string) error {
	id, err := db.One(&tx.Reader, db.Scalar[uuid.UUID], `DELETE FROM conversation_draft
		WHERE tenant_id = $1 AND conversation_id = $2 AND agent_id = $3 AND message_type = $4 RETURNING id`,
		tx.Tenant(), conversation, agent, messageType)
	if db.IsNoRow(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return file.ReleaseFromDraft(tx, id)
}

// Moved is a draft that was moved to another conversation, and when it was last changed.
type Moved struct {
	ID        uuid.UUID
	UpdatedAt clock.Time
}

// Move moves the drafts of a conversation to another, except if the agent already has a
// draft of that type there, and returns the moved ones.
func Move(tx *db.Tx, from, to uuid.UUID) ([]Moved, error) {
	return db.All(&tx.Reader, func(row db.Row) (d Moved, err error) {
		err = row.Scan(&d.ID, &d.UpdatedAt)
		return d, err
	}, `UPDATE conversation_draft SET conversation_id = $3 WHERE tenant_id = $1 AND conversation_id = $2
			AND NOT EXISTS (SELECT 1 FROM conversation_draft there WHERE there.tenant_id = $1 AND there.conversation_id = $3
				AND there.agent_id = conversation_draft.agent_id AND there.message_type = conversation_draft.message_type)
		RETURNING id, updated_at`, tx.Tenant(), from, to)
}

// Return undoes Move for drafts that have not changed since.
func Return(tx *db.Tx, from, to uuid.UUID, list []Moved) error {
	for _, d := range list {
		if err := tx.Exec(`UPDATE conversation_draft SET conversation_id = $3
			WHERE tenant_id = $1 AND id = $2 AND conversation_id = $4 AND updated_at = $5`,
			tx.Tenant(), d.ID, from, to, d.UpdatedAt); err != nil {
			return err
		}
	}
	return nil
}
