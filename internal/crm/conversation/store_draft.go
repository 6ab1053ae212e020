package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// draft reads an agent's draft, nil where there is none.
func draft(r *db.Reader, conversation, agent uuid.UUID) (*Draft, error) {
	d, err := db.One(r, func(row db.Row) (Draft, error) {
		var d Draft
		err := row.Scan(&d.Body, &d.MessageType, &d.UpdatedAt)
		return d, err
	}, `SELECT body, message_type, updated_at FROM conversation_draft
		WHERE tenant_id = $1 AND conversation_id = $2 AND agent_id = $3`, r.Tenant(), conversation, agent)
	if db.IsNoRow(err) {
		return nil, nil
	}
	return &d, err
}

func putDraft(tx *db.Tx, conversation, agent uuid.UUID, d Draft) error {
	_, err := tx.Exec(`INSERT INTO conversation_draft (tenant_id, conversation_id, agent_id, body, message_type, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant_id, conversation_id, agent_id)
		DO UPDATE SET body = excluded.body, message_type = excluded.message_type, updated_at = excluded.updated_at`,
		tx.Tenant(), conversation, agent, d.Body, d.MessageType, d.UpdatedAt)
	return err
}

func dropDraft(tx *db.Tx, conversation, agent uuid.UUID) error {
	_, err := tx.Exec(`DELETE FROM conversation_draft WHERE tenant_id = $1 AND conversation_id = $2 AND agent_id = $3`,
		tx.Tenant(), conversation, agent)
	return err
}
