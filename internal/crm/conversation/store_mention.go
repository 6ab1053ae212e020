package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func putMention(tx *db.Tx, item uuid.UUID, m Mention, at clock.Time, seen bool) error {
	return tx.ExecDeferred(`INSERT INTO item_mention (tenant_id, item_id, agent_id, name, at, seen) VALUES ($1, $2, $3, $4, $5, $6)`,
		tx.Tenant(), item, m.AgentID, m.Name, at, seen)
}

func dropMention(tx *db.Tx, item, agent uuid.UUID) error {
	return tx.ExecDeferred(`DELETE FROM item_mention WHERE tenant_id = $1 AND item_id = $2 AND agent_id = $3`, tx.Tenant(), item, agent)
}

// mentionsIn reads whom several items call, in the order of their names.
func mentionsIn(r *db.Reader, items []uuid.UUID) (map[uuid.UUID][]Mention, error) {
	out := map[uuid.UUID][]Mention{}
	if len(items) == 0 {
		return out, nil
	}
	in, arg := db.In(r.Dialect(), 2, items)
	_, err := db.All(r, func(row db.Row) (m Mention, err error) {
		var item uuid.UUID
		if err = row.Scan(&item, &m.AgentID, &m.Name); err == nil {
			out[item] = append(out[item], m)
		}
		return m, err
	}, `SELECT item_id, agent_id, name FROM item_mention WHERE tenant_id = $1 AND item_id `+in+` ORDER BY name, agent_id`,
		r.Tenant(), arg)
	return out, err
}

// mentionsOf reads where an agent is called, the newest first.
func mentionsOf(r *db.Reader, agent uuid.UUID, unread bool, p db.Page) (db.List[MentionOf], error) {
	only := ""
	if unread {
		only = " AND NOT m.seen"
	}
	rows, err := db.All(r, func(row db.Row) (m MentionOf, err error) {
		var body string
		var seen bool
		err = row.Scan(&m.ItemID, &m.ConversationID, &m.ContactName, &m.Subject, &m.AuthorKind, &m.AuthorID, &body, &seen, &m.At)
		m.Preview, m.Unread = preview(body), !seen
		return m, err
	}, `SELECT m.item_id, c.id, c.contact_name, c.subject, i.author_kind, i.author_id, i.body, m.seen, m.at
		FROM item_mention m
		JOIN conversation_item i ON i.tenant_id = m.tenant_id AND i.id = m.item_id AND i.deleted_at IS NULL
		JOIN conversation c ON c.tenant_id = i.tenant_id AND c.id = i.conversation_id AND c.deleted_at IS NULL
		WHERE m.tenant_id = $1 AND m.agent_id = $2`+only+onlyVisible(r)+` AND (m.at, m.item_id) < ($3, $4)
		ORDER BY m.at DESC, m.item_id DESC LIMIT $5`, r.Tenant(), agent, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(m MentionOf) db.Key { return db.Key{Sort: m.At.UnixMicro(), ID: m.ItemID} }), err
}

// unreadMentions counts where an agent is called and has not looked, up to a
// limit.
func unreadMentions(r *db.Reader, agent uuid.UUID, limit int) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM (SELECT 1 FROM item_mention m
		JOIN conversation_item i ON i.tenant_id = m.tenant_id AND i.id = m.item_id AND i.deleted_at IS NULL
		WHERE m.tenant_id = $1 AND m.agent_id = $2 AND NOT m.seen`+caller.OnlyVisible(r.Context(), "i.test")+` LIMIT $3) AS found`, r.Tenant(), agent, limit)
}

// seeMentions notes that an agent has looked at a conversation.
func seeMentions(tx *db.Tx, conversation, agent uuid.UUID) error {
	return tx.ExecDeferred(`UPDATE item_mention SET seen = true WHERE tenant_id = $1 AND agent_id = $2 AND NOT seen AND EXISTS (
			SELECT 1 FROM conversation_item i
			WHERE i.tenant_id = item_mention.tenant_id AND i.id = item_mention.item_id AND i.conversation_id = $3)`,
		tx.Tenant(), agent, conversation)
}
