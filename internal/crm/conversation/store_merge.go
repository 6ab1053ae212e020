package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// taken is what a merge brought into a conversation beside the items, which
// remember by themselves where they come from.
type taken struct {
	Scheduled    []uuid.UUID
	Drafts       []takenDraft
	Agents       []uuid.UUID
	Participants []uuid.UUID
}

type takenDraft struct {
	ID        uuid.UUID
	UpdatedAt clock.Time
}

// reparent moves a merged conversation's items, what waits to be sent, and the
// drafts of agents who have none of that type there; contacts and agents join those that
// are there.
func reparent(tx *db.Tx, from, to uuid.UUID) (t taken, err error) {
	if _, err = tx.Exec(`UPDATE conversation_item SET conversation_id = $3, merged_from = $2
		WHERE tenant_id = $1 AND conversation_id = $2`, tx.Tenant(), from, to); err != nil {
		return t, err
	}
	ids := func(query string) ([]uuid.UUID, error) {
		return db.All(&tx.Reader, db.Scalar[uuid.UUID], query, tx.Tenant(), from, to)
	}
	if t.Scheduled, err = ids(`UPDATE scheduled_message SET conversation_id = $3
		WHERE tenant_id = $1 AND conversation_id = $2 AND state = 'waiting' RETURNING id`); err != nil {
		return t, err
	}
	if t.Participants, err = ids(`INSERT INTO conversation_participant (tenant_id, conversation_id, contact_id, added_at)
		SELECT tenant_id, $3, contact_id, added_at FROM conversation_participant WHERE tenant_id = $1 AND conversation_id = $2
		ON CONFLICT DO NOTHING RETURNING contact_id`); err != nil {
		return t, err
	}
	if t.Agents, err = ids(`INSERT INTO conversation_agent (tenant_id, conversation_id, agent_id, joined_at)
		SELECT tenant_id, $3, agent_id, joined_at FROM conversation_agent WHERE tenant_id = $1 AND conversation_id = $2
		ON CONFLICT DO NOTHING RETURNING agent_id`); err != nil {
		return t, err
	}
	t.Drafts, err = db.All(&tx.Reader, func(row db.Row) (takenDraft, error) {
		var d takenDraft
		err := row.Scan(&d.ID, &d.UpdatedAt)
		return d, err
	}, `UPDATE conversation_draft SET conversation_id = $3 WHERE tenant_id = $1 AND conversation_id = $2
			AND NOT EXISTS (SELECT 1 FROM conversation_draft there WHERE there.tenant_id = $1 AND there.conversation_id = $3
				AND there.agent_id = conversation_draft.agent_id AND there.message_type = conversation_draft.message_type)
		RETURNING id, updated_at`, tx.Tenant(), from, to)
	return t, err
}

// unparent gives a conversation back what a merge had moved: items, what still
// waits to be sent, and drafts that nobody has written on since.
func unparent(tx *db.Tx, from, to uuid.UUID, t taken) error {
	if _, err := tx.Exec(`UPDATE conversation_item SET conversation_id = $2, merged_from = NULL
		WHERE tenant_id = $1 AND conversation_id = $3 AND merged_from = $2`, tx.Tenant(), from, to); err != nil {
		return err
	}
	for _, id := range t.Scheduled {
		if _, err := tx.Exec(`UPDATE scheduled_message SET conversation_id = $3
			WHERE tenant_id = $1 AND id = $2 AND conversation_id = $4 AND state = 'waiting'`, tx.Tenant(), id, from, to); err != nil {
			return err
		}
	}
	for _, d := range t.Drafts {
		if _, err := tx.Exec(`UPDATE conversation_draft SET conversation_id = $3
			WHERE tenant_id = $1 AND id = $2 AND conversation_id = $4 AND updated_at = $5`,
			tx.Tenant(), d.ID, from, to, d.UpdatedAt); err != nil {
			return err
		}
	}
	for _, id := range t.Participants {
		if _, err := dropParticipant(tx, to, id); err != nil {
			return err
		}
	}
	return nil
}

// setContact gives a conversation of one customer to another.
func setContact(tx *db.Tx, id, from, to uuid.UUID, name string) error {
	_, err := tx.Exec(`UPDATE conversation SET contact_id = $4, contact_name = $5 WHERE tenant_id = $1 AND id = $2 AND contact_id = $3`,
		tx.Tenant(), id, from, to, name)
	return err
}

// seat is a contact's place among the participants of a conversation.
type seat struct {
	ConversationID uuid.UUID
	AddedAt        clock.Time
	// Shared: the other contact was there already.
	Shared bool
}

// moveSeats lets a contact take another's place among participants.
func moveSeats(tx *db.Tx, from, to uuid.UUID) ([]seat, error) {
	list, err := db.All(&tx.Reader, func(row db.Row) (seat, error) {
		var s seat
		err := row.Scan(&s.ConversationID, &s.AddedAt)
		return s, err
	}, `DELETE FROM conversation_participant WHERE tenant_id = $1 AND contact_id = $2 RETURNING conversation_id, added_at`, tx.Tenant(), from)
	for i := range list {
		var free bool
		if err == nil {
			free, err = putParticipant(tx, list[i].ConversationID, to, list[i].AddedAt)
			list[i].Shared = !free
		}
	}
	return list, err
}

// returnSeats undoes moveSeats, unless the contact was taken out since.
func returnSeats(tx *db.Tx, to, from uuid.UUID, list []seat) error {
	for _, s := range list {
		if !s.Shared {
			if gone, err := dropParticipant(tx, s.ConversationID, from); err != nil {
				return err
			} else if !gone {
				continue
			}
		}
		if _, err := putParticipant(tx, s.ConversationID, to, s.AddedAt); err != nil {
			return err
		}
	}
	return nil
}

// putMerge keeps what taking a merge back needs. A conversation that was merged
// once more after that is kept anew.
func putMerge(tx *db.Tx, m mergedThread) error {
	_, err := tx.Exec(`INSERT INTO conversation_merge (tenant_id, conversation_id, undo, merged_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant_id, conversation_id) DO UPDATE SET undo = excluded.undo, merged_at = excluded.merged_at`,
		tx.Tenant(), m.From, db.AsJSON(m), clock.At(tx.Now()))
	return err
}

func mergeOf(r *db.Reader, conversation uuid.UUID) (mergedThread, error) {
	m, err := db.One(r, db.Scalar[db.JSON[mergedThread]], `SELECT undo FROM conversation_merge
		WHERE tenant_id = $1 AND conversation_id = $2`, r.Tenant(), conversation)
	return m.V, err
}

func dropMerge(tx *db.Tx, conversation uuid.UUID) error {
	_, err := tx.Exec(`DELETE FROM conversation_merge WHERE tenant_id = $1 AND conversation_id = $2`, tx.Tenant(), conversation)
	return err
}
