package conversation

import (
	"github.com/google/uuid"

	"konak/internal/crm/conversation/count"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Agent is a member who joined a conversation.
type Agent struct {
	AgentID  uuid.UUID  `json:"agent_id" format:"uuid"`
	Name     string     `json:"name" example:"Defne Yılmaz"`
	Owner    bool       `json:"owner"`
	JoinedAt clock.Time `json:"joined_at"`
}

// Participant is a contact in a conversation.
type Participant struct {
	ContactID uuid.UUID  `json:"contact_id" format:"uuid"`
	Name      string     `json:"name" example:"Elif Kaya"`
	Customer  bool       `json:"customer" doc:"Whether this contact is the conversation's customer"`
	AddedAt   clock.Time `json:"added_at"`
}

// agents lists the agents who joined, the first to join first.
func agents(r *db.Reader, conversation uuid.UUID) ([]Agent, error) {
	return db.All(r, func(row db.Row) (a Agent, err error) {
		return a, row.Scan(&a.AgentID, &a.JoinedAt)
	}, `SELECT agent_id, joined_at FROM conversation_agent WHERE tenant_id = $1 AND conversation_id = $2
		ORDER BY joined_at, agent_id`, r.Tenant(), conversation)
}

func putAgent(tx *db.Tx, conversation, agent uuid.UUID, at clock.Time) (bool, error) {
	return tx.ExecAny(`INSERT INTO conversation_agent (tenant_id, conversation_id, agent_id, joined_at)
		VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, tx.Tenant(), conversation, agent, at)
}

// DropAgent removes an agent from a conversation and reports whether they were in it.
func DropAgent(tx *db.Tx, conversation, agent uuid.UUID) (bool, error) {
	return tx.ExecAny(`DELETE FROM conversation_agent WHERE tenant_id = $1 AND conversation_id = $2 AND agent_id = $3`,
		tx.Tenant(), conversation, agent)
}

// OldestAgent returns the agent who joined first, who takes over when an owner leaves; nil
// if there is none.
func OldestAgent(r *db.Reader, conversation uuid.UUID) (*uuid.UUID, error) {
	id, err := db.One(r, db.Scalar[uuid.UUID], `SELECT agent_id FROM conversation_agent
		WHERE tenant_id = $1 AND conversation_id = $2 ORDER BY joined_at, agent_id LIMIT 1`, r.Tenant(), conversation)
	if db.IsNoRow(err) {
		return nil, nil
	}
	return &id, err
}

func participants(r *db.Reader, conversation uuid.UUID) ([]Participant, error) {
	return db.All(r, func(row db.Row) (p Participant, err error) {
		return p, row.Scan(&p.ContactID, &p.AddedAt)
	}, `SELECT contact_id, added_at FROM conversation_participant WHERE tenant_id = $1 AND conversation_id = $2
		ORDER BY added_at, contact_id LIMIT 200`, r.Tenant(), conversation)
}

func putParticipant(tx *db.Tx, conversation, contact uuid.UUID, at clock.Time) (bool, error) {
	return tx.ExecAny(`INSERT INTO conversation_participant (tenant_id, conversation_id, contact_id, added_at)
		VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, tx.Tenant(), conversation, contact, at)
}

// DropParticipant removes a contact from a conversation and reports whether they were in
// it.
func DropParticipant(tx *db.Tx, conversation, contact uuid.UUID) (bool, error) {
	return tx.ExecAny(`DELETE FROM conversation_participant WHERE tenant_id = $1 AND conversation_id = $2 AND contact_id = $3`,
		tx.Tenant(), conversation, contact)
}

// addUnread raises an agent's unread messages and returns the new number.
func addUnread(tx *db.Tx, conversation uuid.UUID, u UnreadBy) (int, error) {
	return db.One(&tx.Reader, db.Scalar[int], `INSERT INTO conversation_unread (tenant_id, agent_id, conversation_id, n)
		VALUES ($1, $2, $3, $4) ON CONFLICT (tenant_id, agent_id, conversation_id)
		DO UPDATE SET n = conversation_unread.n + $4 RETURNING n`, tx.Tenant(), u.AgentID, conversation, u.N)
}

func dropUnread(tx *db.Tx, conversation, agent uuid.UUID) (bool, error) {
	return tx.ExecAny(`DELETE FROM conversation_unread WHERE tenant_id = $1 AND agent_id = $2 AND conversation_id = $3`,
		tx.Tenant(), agent, conversation)
}

// UnreadBy is the number of messages of a conversation that an agent has not read.
type UnreadBy struct {
	AgentID uuid.UUID
	N       int
}

func unreadOf(r *db.Reader, conversation uuid.UUID) ([]UnreadBy, error) {
	return db.All(r, func(row db.Row) (u UnreadBy, err error) {
		return u, row.Scan(&u.AgentID, &u.N)
	}, `SELECT agent_id, n FROM conversation_unread
		WHERE tenant_id = $1 AND conversation_id = $2 ORDER BY agent_id`, r.Tenant(), conversation)
}

func addBadge(tx *db.Tx, agent uuid.UUID, by int) error {
	return tx.ExecDeferred(`INSERT INTO conversation_badge (tenant_id, agent_id, unread) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id, agent_id) DO UPDATE SET unread = conversation_badge.unread + $3`, tx.Tenant(), agent, by)
}

func badge(r *db.Reader, agent uuid.UUID) (int, error) {
	return db.OrZero(db.One(r, db.Scalar[int], `SELECT unread FROM conversation_badge WHERE tenant_id = $1 AND agent_id = $2`, r.Tenant(), agent))
}

// FillUnreadAndFailed fills in what conversations do not store: the number of messages the
// agent has not read, and whether our last message that is not still queued failed, if it
// is among the newest 20 items.
func FillUnreadAndFailed(r *db.Reader, agent uuid.UUID, list []Conversation) error {
	at, ids := map[uuid.UUID]*Conversation{}, make([]uuid.UUID, len(list))
	for i := range list {
		ids[i], at[list[i].ID] = list[i].ID, &list[i]
	}
	in, arg := db.In(r.Dialect(), 3, ids)
	_, err := db.All(r, func(row db.Row) (c Conversation, err error) {
		if err = row.Scan(&c.ID, &c.Unread, &c.DeliveryFailed); at[c.ID] != nil {
			at[c.ID].Unread, at[c.ID].DeliveryFailed = c.Unread, c.DeliveryFailed
		}
		return c, err
	}, `SELECT c.id, COALESCE(u.n, 0), COALESCE((SELECT i.delivery FROM (SELECT delivery, deleted_at FROM conversation_item
			WHERE tenant_id = $1 AND conversation_id = c.id ORDER BY at DESC, id DESC LIMIT 20) i
			WHERE i.delivery <> 'queued' AND i.deleted_at IS NULL LIMIT 1), '') = 'failed'
		FROM conversation c LEFT JOIN conversation_unread u ON u.tenant_id = $1 AND u.agent_id = $2 AND u.conversation_id = c.id
		WHERE c.tenant_id = $1 AND c.id `+in, r.Tenant(), agent, arg)
	return err
}

// ByIDFilled is ByID with what FillUnreadAndFailed fills in for an agent; not_found if the
// conversation does not exist.
func ByIDFilled(r *db.Reader, id, agent uuid.UUID) (Conversation, error) {
	c, err := ByID(r, id)
	if err != nil {
		return c, db.NotFound(err)
	}
	one := []Conversation{c}
	err = FillUnreadAndFailed(r, agent, one)
	return one[0], err
}

// countKeyOf returns the counter of a conversation, nil for a deleted one.
func countKeyOf(c *Conversation) *count.Key {
	if c == nil || c.DeletedAt != nil {
		return nil
	}
	k := count.Key{State: string(c.State), Waiting: c.WaitingSince != nil, Channel: c.Channel, Test: c.Test}
	if c.OwnerID != nil {
		k.Owner = *c.OwnerID
	}
	if c.GroupID != nil {
		k.Group = *c.GroupID
	}
	return &k
}

// joinedBy locks and returns the conversations that an agent joined, in the order of their
// ids.
func joinedBy(tx *db.Tx, agent uuid.UUID) ([]Conversation, error) {
	return db.All(&tx.Reader, scanLocked(tx), `SELECT `+columns+` FROM conversation c
		WHERE c.tenant_id = $1 AND c.id IN (SELECT conversation_id FROM conversation_agent WHERE tenant_id = $1 AND agent_id = $2)`+onlyVisible(&tx.Reader)+`
		ORDER BY c.id`+tx.Dialect().ForUpdate("c"), tx.Tenant(), agent)
}

// Seat is a contact's place among the participants of a conversation.
type Seat struct {
	ConversationID uuid.UUID
	AddedAt        clock.Time
	// Shared means that the other contact was already a participant.
	Shared bool
}

// MoveSeats replaces a contact by another among the participants of all conversations.
func MoveSeats(tx *db.Tx, from, to uuid.UUID) ([]Seat, error) {
	list, err := db.All(&tx.Reader, func(row db.Row) (s Seat, err error) {
		return s, row.Scan(&s.ConversationID, &s.AddedAt)
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

// ReturnSeats undoes MoveSeats, except for conversations from which the contact was removed
// since.
func ReturnSeats(tx *db.Tx, to, from uuid.UUID, list []Seat) error {
	for _, s := range list {
		if !s.Shared {
			if gone, err := DropParticipant(tx, s.ConversationID, from); err != nil {
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

// CopyParticipants adds the contacts of a conversation to another and returns those who
// were not in it before.
func CopyParticipants(tx *db.Tx, from, to uuid.UUID) ([]uuid.UUID, error) {
	return db.All(&tx.Reader, db.Scalar[uuid.UUID], `INSERT INTO conversation_participant (tenant_id, conversation_id, contact_id, added_at)
		SELECT tenant_id, $3, contact_id, added_at FROM conversation_participant WHERE tenant_id = $1 AND conversation_id = $2
		ON CONFLICT DO NOTHING RETURNING contact_id`, tx.Tenant(), from, to)
}

// CopyAgents adds the agents of a conversation to another and returns those who were not in
// it before.
func CopyAgents(tx *db.Tx, from, to uuid.UUID) ([]uuid.UUID, error) {
	return db.All(&tx.Reader, db.Scalar[uuid.UUID], `INSERT INTO conversation_agent (tenant_id, conversation_id, agent_id, joined_at)
		SELECT tenant_id, $3, agent_id, joined_at FROM conversation_agent WHERE tenant_id = $1 AND conversation_id = $2
		ON CONFLICT DO NOTHING RETURNING agent_id`, tx.Tenant(), from, to)
}
