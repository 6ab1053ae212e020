package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// draftsOf reads an agent's drafts in a conversation with their uploads, the
// newest first.
func draftsOf(r *db.Reader, conversation, agent uuid.UUID) ([]Draft, error) {
	list, err := db.All(r, func(row db.Row) (Draft, error) {
		var d Draft
		err := row.Scan(&d.id, &d.Body, &d.MessageType, &d.UpdatedAt)
		return d, err
	}, `SELECT id, body, message_type, updated_at FROM conversation_draft
		WHERE tenant_id = $1 AND conversation_id = $2 AND agent_id = $3 ORDER BY updated_at DESC, message_type`,
		r.Tenant(), conversation, agent)
	for n := range list {
		if err == nil {
			list[n].Attachments, err = db.All(r, scanAttachment, `SELECT `+attachmentColumns+` FROM attachment
				WHERE tenant_id = $1 AND draft_id = $2 ORDER BY id`, r.Tenant(), list[n].id)
			list[n].Attachments = db.OrEmpty(list[n].Attachments)
		}
	}
	return db.OrEmpty(list), err
}

// putDraft writes a draft and returns its id, which stays the same over changes.
func putDraft(tx *db.Tx, conversation, agent uuid.UUID, d Draft) (uuid.UUID, error) {
	return db.One(&tx.Reader, db.Scalar[uuid.UUID], `INSERT INTO conversation_draft
			(tenant_id, id, conversation_id, agent_id, message_type, body, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant_id, conversation_id, agent_id, message_type)
		DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at RETURNING id`,
		tx.Tenant(), d.id, conversation, agent, d.MessageType, d.Body, d.UpdatedAt)
}

// setDraftUploads makes a draft hold exactly its attachments; those it keeps stay
// as old as they are.
func setDraftUploads(tx *db.Tx, d Draft) error {
	if err := releaseUploads(tx, d.id); err != nil {
		return err
	}
	for _, a := range d.Attachments {
		if _, err := tx.Exec(`UPDATE attachment SET draft_id = $3, created_at = $4 WHERE tenant_id = $1 AND id = $2`,
			tx.Tenant(), a.ID, d.id, a.CreatedAt); err != nil {
			return err
		}
	}
	return nil
}

// dropDraft removes a draft, if there is one; uploads that it held wait alone.
func dropDraft(tx *db.Tx, conversation, agent uuid.UUID, messageType string) error {
	id, err := db.One(&tx.Reader, db.Scalar[uuid.UUID], `DELETE FROM conversation_draft
		WHERE tenant_id = $1 AND conversation_id = $2 AND agent_id = $3 AND message_type = $4 RETURNING id`,
		tx.Tenant(), conversation, agent, messageType)
	if db.IsNoRow(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return releaseUploads(tx, id)
}

// releaseUploads takes a draft's uploads out of it. They count as uploaded now:
// a message that is tried again may still name them.
func releaseUploads(tx *db.Tx, draft uuid.UUID) error {
	_, err := tx.Exec(`UPDATE attachment SET draft_id = NULL, created_at = $3 WHERE tenant_id = $1 AND draft_id = $2`,
		tx.Tenant(), draft, clock.At(tx.Now()))
	return err
}
