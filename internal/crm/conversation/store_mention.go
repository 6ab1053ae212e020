package conversation

import (
	"cmp"

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

// mentionsIn returns the mentions of several items, in the order of their names.
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

// mentionRows is the number of an agent's mentions that a page, or the count of unread
// ones, scans: those on deleted notes are skipped.
const mentionRows = 1000

// mentionsOf lists the mentions of an agent, the newest first. A page may be short or empty
// and still have a cursor.
func mentionsOf(r *db.Reader, agent uuid.UUID, unread bool, p db.Page) (db.List[MentionOf], error) {
	rows := cmp.Or(p.Window, mentionRows)
	only := ""
	if unread {
		only = " AND NOT seen"
	}
	return db.ReadWindow(r, func(row db.Row) (m MentionOf, err error) {
		var body string
		var seen bool
		err = row.Scan(&m.ItemID, &m.ConversationID, &m.ContactName, &m.Subject, &m.AuthorKind, &m.AuthorID, &body, &seen, &m.At)
		m.Preview, m.Unread = preview(body), !seen
		return m, err
	}, db.Window{
		Rows: rows,
		Query: `SELECT m.item_id, c.id AS conversation_id, c.contact_name, c.subject, i.author_kind, i.author_id, i.body, m.seen, m.at,
				i.deleted_at IS NULL AND c.deleted_at IS NULL` + onlyVisible(r) + ` AS there
			FROM (SELECT tenant_id, item_id, seen, at FROM item_mention
				WHERE tenant_id = $1 AND agent_id = $2` + only + ` AND (at, item_id) < ($3, $4)
				ORDER BY at DESC, item_id DESC LIMIT $5) AS m
			JOIN conversation_item i ON i.tenant_id = m.tenant_id AND i.id = m.item_id
			JOIN conversation c ON c.tenant_id = i.tenant_id AND c.id = i.conversation_id`,
		Args:    []any{r.Tenant(), agent, p.After.Sort, p.After.ID, rows},
		Columns: "w.item_id, w.conversation_id, w.contact_name, w.subject, w.author_kind, w.author_id, w.body, w.seen, w.at",
		Alias:   "w", Where: "w.there", Order: "w.at DESC, w.item_id DESC",
	}, p, func(m MentionOf) db.Key { return db.Key{Sort: m.At.UnixMicro(), ID: m.ItemID} })
}

// unreadMentions counts an agent's unread mentions among the newest, up to a limit.
func unreadMentions(r *db.Reader, agent uuid.UUID, limit int) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM (SELECT 1 FROM (SELECT tenant_id, item_id FROM item_mention
			WHERE tenant_id = $1 AND agent_id = $2 AND NOT seen ORDER BY at DESC, item_id DESC LIMIT $4) AS m
		JOIN conversation_item i ON i.tenant_id = m.tenant_id AND i.id = m.item_id AND i.deleted_at IS NULL`+
		caller.OnlyVisible(r.Context(), "i.test")+` LIMIT $3) AS found`,
		r.Tenant(), agent, limit, mentionRows)
}

// seeMentions marks an agent's mentions in a conversation as seen.
func seeMentions(tx *db.Tx, conversation, agent uuid.UUID) error {
	return tx.ExecDeferred(`UPDATE item_mention SET seen = true WHERE tenant_id = $1 AND agent_id = $2 AND NOT seen AND EXISTS (
			SELECT 1 FROM conversation_item i
			WHERE i.tenant_id = item_mention.tenant_id AND i.id = item_mention.item_id AND i.conversation_id = $3)`,
		tx.Tenant(), agent, conversation)
}
