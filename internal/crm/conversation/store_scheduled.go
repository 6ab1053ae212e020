package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

const scheduledColumns = `id, conversation_id, state, author_kind, author_id, body, channel, channel_account_id, until_reply,
	send_at, item_id, error, test, created_at`

func scanScheduled(row db.Row) (Scheduled, error) {
	m := Scheduled{Attachments: []Attachment{}}
	err := row.Scan(&m.ID, &m.ConversationID, &m.State, &m.authorKind, &m.AuthorID, &m.Body, &m.Channel, &m.ChannelAccountID,
		&m.UntilReply, &m.SendAt, &m.ItemID, &m.Error, &m.test, &m.CreatedAt)
	return m, err
}

func putScheduled(tx *db.Tx, m *Scheduled) error {
	_, err := tx.Exec(`INSERT INTO scheduled_message (tenant_id, id, conversation_id, state, author_kind, author_id, body, channel,
			channel_account_id, until_reply, send_at, test, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		tx.Tenant(), m.ID, m.ConversationID, m.State, m.authorKind, m.AuthorID, m.Body, m.Channel, m.ChannelAccountID,
		m.UntilReply, m.SendAt, m.test, m.CreatedAt)
	return err
}

func saveScheduled(tx *db.Tx, m *Scheduled) error {
	_, err := tx.Exec(`UPDATE scheduled_message SET state = $3, item_id = $4, error = $5 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), m.ID, m.State, m.ItemID, m.Error)
	return err
}

// lockScheduled keeps a sender and a canceller apart.
func lockScheduled(tx *db.Tx, id uuid.UUID) (Scheduled, error) {
	return db.One(&tx.Reader, scanScheduled, `SELECT `+scheduledColumns+` FROM scheduled_message
		WHERE tenant_id = $1 AND id = $2`+tx.Dialect().ForUpdate("scheduled_message"), tx.Tenant(), id)
}

// lockWaiting locks what waits in a conversation, the next first.
func lockWaiting(tx *db.Tx, conversation uuid.UUID) ([]Scheduled, error) {
	return db.All(&tx.Reader, scanScheduled, `SELECT `+scheduledColumns+` FROM scheduled_message
		WHERE tenant_id = $1 AND conversation_id = $2 AND state = 'waiting' ORDER BY send_at, id`+
		tx.Dialect().ForUpdate("scheduled_message"), tx.Tenant(), conversation)
}

// scheduledIn reads a conversation's, the next to go first.
func scheduledIn(r *db.Reader, conversation uuid.UUID, state string, p db.Page) (db.List[Scheduled], error) {
	rows, err := db.All(r, scanScheduled, `SELECT `+scheduledColumns+` FROM scheduled_message
		WHERE tenant_id = $1 AND conversation_id = $2 AND ($3 = '' OR state = $3) AND (send_at, id) > ($4, $5)
		ORDER BY send_at, id LIMIT $6`, r.Tenant(), conversation, state, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(m Scheduled) db.Key { return db.Key{Sort: m.SendAt.UnixMicro(), ID: m.ID} }), err
}

func waitForSchedule(tx *db.Tx, attachment, scheduled uuid.UUID) error {
	_, err := tx.Exec(`UPDATE attachment SET scheduled_id = $3, draft_id = NULL WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), attachment, scheduled)
	return err
}

// scheduledFiles reads the files that wait with scheduled messages.
func scheduledFiles(r *db.Reader, ids []uuid.UUID) (map[uuid.UUID][]Attachment, error) {
	out := map[uuid.UUID][]Attachment{}
	in, arg := db.In(r.Dialect(), 2, ids)
	_, err := db.All(r, func(s db.Row) (Attachment, error) {
		var of uuid.UUID
		a, err := scanAttachment(prefixed{s, &of})
		out[of] = append(out[of], a)
		return a, err
	}, `SELECT scheduled_id, `+attachmentColumns+` FROM attachment WHERE tenant_id = $1 AND scheduled_id `+in+` ORDER BY id`,
		r.Tenant(), arg)
	return out, err
}

func scheduledByID(r *db.Reader, id uuid.UUID) (Scheduled, error) {
	return db.One(r, scanScheduled, `SELECT `+scheduledColumns+` FROM scheduled_message WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}
