package later

import (
	"github.com/google/uuid"

	"konak/internal/crm/conversation/file"
	"konak/internal/kit/db"
)

const columns = `id, conversation_id, state, author_kind, author_id, body, channel, channel_account_id, until_reply,
	send_at, item_id, error, follow_up, format, signature, dlp_override, test, created_at`

func scan(row db.Row) (Scheduled, error) {
	m := Scheduled{Attachments: []file.Attachment{}}
	err := row.Scan(&m.ID, &m.ConversationID, &m.State, &m.AuthorKind, &m.AuthorID, &m.Body, &m.Channel, &m.ChannelAccountID,
		&m.UntilReply, &m.SendAt, &m.ItemID, &m.Error, db.FromJSON(&m.FollowUp.V), &m.Format, &m.Signature, &m.Override, &m.Test, &m.CreatedAt)
	return m, err
}

// Put writes a new message.
func Put(tx *db.Tx, m *Scheduled) error {
	return tx.Exec(`INSERT INTO scheduled_message (tenant_id, id, conversation_id, state, author_kind, author_id, body, channel,
			channel_account_id, until_reply, send_at, follow_up, test, created_at, format, signature, dlp_override)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		tx.Tenant(), m.ID, m.ConversationID, m.State, m.AuthorKind, m.AuthorID, m.Body, m.Channel, m.ChannelAccountID,
		m.UntilReply, m.SendAt, db.AsJSON(m.FollowUp.V), m.Test, m.CreatedAt, m.Format, m.Signature, m.Override)
}

// Save writes the result of a message: its state, its item, its error.
func Save(tx *db.Tx, m *Scheduled) error {
	return tx.Exec(`UPDATE scheduled_message SET state = $3, item_id = $4, error = $5 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), m.ID, m.State, m.ItemID, m.Error)
}

// Lock locks and returns a message, so that it is not sent and cancelled at the same time.
func Lock(tx *db.Tx, id uuid.UUID) (Scheduled, error) {
	return db.One(&tx.Reader, scan, `SELECT `+columns+` FROM scheduled_message
		WHERE tenant_id = $1 AND id = $2`+tx.Dialect().ForUpdate("scheduled_message"), tx.Tenant(), id)
}

// LockWaiting locks the waiting messages of a conversation, the next first.
func LockWaiting(tx *db.Tx, conversation uuid.UUID) ([]Scheduled, error) {
	return db.All(&tx.Reader, scan, `SELECT `+columns+` FROM scheduled_message
		WHERE tenant_id = $1 AND conversation_id = $2 AND state = 'waiting' ORDER BY send_at, id`+
		tx.Dialect().ForUpdate("scheduled_message"), tx.Tenant(), conversation)
}

// List returns the messages of a conversation, the next to go first.
func List(r *db.Reader, conversation uuid.UUID, state string, p db.Page) (db.List[Scheduled], error) {
	rows, err := db.All(r, scan, `SELECT `+columns+` FROM scheduled_message
		WHERE tenant_id = $1 AND conversation_id = $2 AND ($3 = '' OR state = $3) AND (send_at, id) > ($4, $5)
		ORDER BY send_at, id LIMIT $6`, r.Tenant(), conversation, state, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(m Scheduled) db.Key { return db.Key{Sort: m.SendAt.UnixMicro(), ID: m.ID} }), err
}

// Find returns a message.
func Find(r *db.Reader, id uuid.UUID) (Scheduled, error) {
	return db.One(r, scan, `SELECT `+columns+` FROM scheduled_message WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

// Move moves the waiting messages of a conversation to another and returns their ids.
func Move(tx *db.Tx, from, to uuid.UUID) ([]uuid.UUID, error) {
	return db.All(&tx.Reader, db.Scalar[uuid.UUID], `UPDATE scheduled_message SET conversation_id = $3
		WHERE tenant_id = $1 AND conversation_id = $2 AND state = 'waiting' RETURNING id`, tx.Tenant(), from, to)
}

// Return undoes Move for messages that are still waiting.
func Return(tx *db.Tx, from, to uuid.UUID, ids []uuid.UUID) error {
	for _, id := range ids {
		if err := tx.Exec(`UPDATE scheduled_message SET conversation_id = $3
			WHERE tenant_id = $1 AND id = $2 AND conversation_id = $4 AND state = 'waiting'`, tx.Tenant(), id, from, to); err != nil {
			return err
		}
	}
	return nil
}
