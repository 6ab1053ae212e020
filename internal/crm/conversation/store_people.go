package conversation

import (
	"github.com/google/uuid"

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
	Customer  bool       `json:"customer" doc:"Whether the conversation is this contact's"`
	AddedAt   clock.Time `json:"added_at"`
}

// agents lists who joined, the oldest first.
func agents(r *db.Reader, conversation uuid.UUID) ([]Agent, error) {
	return db.All(r, func(row db.Row) (Agent, error) {
		var a Agent
		err := row.Scan(&a.AgentID, &a.JoinedAt)
		return a, err
	}, `SELECT agent_id, joined_at FROM conversation_agent WHERE tenant_id = $1 AND conversation_id = $2
		ORDER BY joined_at, agent_id`, r.Tenant(), conversation)
}

func putAgent(tx *db.Tx, conversation, agent uuid.UUID, at clock.Time) (bool, error) {
	n, err := tx.Exec(`INSERT INTO conversation_agent (tenant_id, conversation_id, agent_id, joined_at)
		VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, tx.Tenant(), conversation, agent, at)
	return n == 1, err
}

// DropAgent takes an agent out of a conversation and says whether they were in it.
func DropAgent(tx *db.Tx, conversation, agent uuid.UUID) (bool, error) {
	n, err := tx.Exec(`DELETE FROM conversation_agent WHERE tenant_id = $1 AND conversation_id = $2 AND agent_id = $3`,
		tx.Tenant(), conversation, agent)
	return n == 1, err
}

// OldestAgent is who takes over when an owner leaves.
func OldestAgent(r *db.Reader, conversation uuid.UUID) (*uuid.UUID, error) {
	id, err := db.One(r, db.Scalar[uuid.UUID], `SELECT agent_id FROM conversation_agent
		WHERE tenant_id = $1 AND conversation_id = $2 ORDER BY joined_at, agent_id LIMIT 1`, r.Tenant(), conversation)
	if db.IsNoRow(err) {
		return nil, nil
	}
	return &id, err
}

func participants(r *db.Reader, conversation uuid.UUID) ([]Participant, error) {
	return db.All(r, func(row db.Row) (Participant, error) {
		var p Participant
		err := row.Scan(&p.ContactID, &p.AddedAt)
		return p, err
	}, `SELECT contact_id, added_at FROM conversation_participant WHERE tenant_id = $1 AND conversation_id = $2
		ORDER BY added_at, contact_id LIMIT 200`, r.Tenant(), conversation)
}

func putParticipant(tx *db.Tx, conversation, contact uuid.UUID, at clock.Time) (bool, error) {
	n, err := tx.Exec(`INSERT INTO conversation_participant (tenant_id, conversation_id, contact_id, added_at)
		VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, tx.Tenant(), conversation, contact, at)
	return n == 1, err
}

// DropParticipant takes a contact out of a conversation and says whether they were in it.
func DropParticipant(tx *db.Tx, conversation, contact uuid.UUID) (bool, error) {
	n, err := tx.Exec(`DELETE FROM conversation_participant WHERE tenant_id = $1 AND conversation_id = $2 AND contact_id = $3`,
		tx.Tenant(), conversation, contact)
	return n == 1, err
}

// addUnread raises an agent's unread messages and gives the new number.
func addUnread(tx *db.Tx, conversation uuid.UUID, u UnreadBy) (int, error) {
	return db.One(&tx.Reader, db.Scalar[int], `INSERT INTO conversation_unread (tenant_id, agent_id, conversation_id, n)
		VALUES ($1, $2, $3, $4) ON CONFLICT (tenant_id, agent_id, conversation_id)
		DO UPDATE SET n = conversation_unread.n + $4 RETURNING n`, tx.Tenant(), u.AgentID, conversation, u.N)
}

func dropUnread(tx *db.Tx, conversation, agent uuid.UUID) (bool, error) {
	n, err := tx.Exec(`DELETE FROM conversation_unread WHERE tenant_id = $1 AND agent_id = $2 AND conversation_id = $3`,
		tx.Tenant(), agent, conversation)
	return n == 1, err
}

// UnreadBy is how many messages of a conversation an agent has not read.
type UnreadBy struct {
	AgentID uuid.UUID
	N       int
}

func unreadOf(r *db.Reader, conversation uuid.UUID) ([]UnreadBy, error) {
	return db.All(r, func(row db.Row) (UnreadBy, error) {
		var u UnreadBy
		err := row.Scan(&u.AgentID, &u.N)
		return u, err
	}, `SELECT agent_id, n FROM conversation_unread
		WHERE tenant_id = $1 AND conversation_id = $2 ORDER BY agent_id`, r.Tenant(), conversation)
}

func addBadge(tx *db.Tx, agent uuid.UUID, by int) error {
	return tx.ExecDeferred(`INSERT INTO conversation_badge (tenant_id, agent_id, unread) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id, agent_id) DO UPDATE SET unread = conversation_badge.unread + $3`, tx.Tenant(), agent, by)
}

func badge(r *db.Reader, agent uuid.UUID) (int, error) {
	n, err := db.One(r, db.Scalar[int], `SELECT unread FROM conversation_badge WHERE tenant_id = $1 AND agent_id = $2`, r.Tenant(), agent)
	if db.IsNoRow(err) {
		return 0, nil
	}
	return n, err
}

// FillUnread reads the agent's unread messages of several conversations.
func FillUnread(r *db.Reader, agent uuid.UUID, list []Conversation) error {
	if agent == uuid.Nil || len(list) == 0 {
		return nil
	}
	at, ids := map[uuid.UUID]*Conversation{}, make([]uuid.UUID, len(list))
	for i := range list {
		ids[i], at[list[i].ID] = list[i].ID, &list[i]
	}
	in, arg := db.In(r.Dialect(), 3, ids)
	_, err := db.All(r, func(row db.Row) (struct{}, error) {
		var id uuid.UUID
		var n int
		err := row.Scan(&id, &n)
		if c, ok := at[id]; ok {
			c.Unread = n
		}
		return struct{}{}, err
	}, `SELECT conversation_id, n FROM conversation_unread WHERE tenant_id = $1 AND agent_id = $2 AND conversation_id `+in,
		r.Tenant(), agent, arg)
	return err
}

// countKey is what a conversation is counted as.
type countKey struct {
	state        State
	owner, group uuid.UUID
	channel      string
	test         bool
}

func countKeyOf(c *Conversation) *countKey {
	if c == nil || c.DeletedAt != nil {
		return nil
	}
	k := countKey{state: c.State, channel: c.Channel, test: c.Test}
	if c.OwnerID != nil {
		k.owner = *c.OwnerID
	}
	if c.GroupID != nil {
		k.group = *c.GroupID
	}
	return &k
}

// shards spread a counter over several rows.
const shards = 16

func addCount(tx *db.Tx, k *countKey, id uuid.UUID, by int) error {
	return tx.ExecDeferred(`INSERT INTO conversation_count (tenant_id, state, owner_id, group_id, channel, test, shard, n)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (tenant_id, state, owner_id, group_id, channel, test, shard)
		DO UPDATE SET n = conversation_count.n + $8`,
		tx.Tenant(), string(k.state), k.owner, k.group, k.channel, k.test, int(id[15])%shards, by)
}

type countRow struct {
	countKey
	n int
}

func counts(r *db.Reader) ([]countRow, error) {
	return db.All(r, func(row db.Row) (countRow, error) {
		var c countRow
		err := row.Scan(&c.state, &c.owner, &c.group, &c.channel, &c.test, &c.n)
		return c, err
	}, `SELECT state, owner_id, group_id, channel, test, CAST(sum(n) AS bigint) FROM conversation_count
		WHERE tenant_id = $1 GROUP BY state, owner_id, group_id, channel, test`, r.Tenant())
}

// joinedBy locks the conversations that an agent joined, in order.
func joinedBy(tx *db.Tx, agent uuid.UUID) ([]Conversation, error) {
	return db.All(&tx.Reader, scan, `SELECT `+columns+` FROM conversation c
		WHERE c.tenant_id = $1 AND c.id IN (SELECT conversation_id FROM conversation_agent WHERE tenant_id = $1 AND agent_id = $2)`+onlyVisible(&tx.Reader)+`
		ORDER BY c.id`+tx.Dialect().ForUpdate("c"), tx.Tenant(), agent)
}

// Seat is a contact's place among the participants of a conversation.
type Seat struct {
	ConversationID uuid.UUID
	AddedAt        clock.Time
	// Shared: the other contact was there already.
	Shared bool
}

// MoveSeats lets a contact take another's place among participants.
func MoveSeats(tx *db.Tx, from, to uuid.UUID) ([]Seat, error) {
	list, err := db.All(&tx.Reader, func(row db.Row) (Seat, error) {
		var s Seat
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

// ReturnSeats undoes moveSeats, unless the contact was taken out since.
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

// CopyParticipants lets the contacts of a conversation take part in another and
// returns those who did not before.
func CopyParticipants(tx *db.Tx, from, to uuid.UUID) ([]uuid.UUID, error) {
	return db.All(&tx.Reader, db.Scalar[uuid.UUID], `INSERT INTO conversation_participant (tenant_id, conversation_id, contact_id, added_at)
		SELECT tenant_id, $3, contact_id, added_at FROM conversation_participant WHERE tenant_id = $1 AND conversation_id = $2
		ON CONFLICT DO NOTHING RETURNING contact_id`, tx.Tenant(), from, to)
}

// CopyAgents lets the agents of a conversation join another and returns those
// who were not in it before.
func CopyAgents(tx *db.Tx, from, to uuid.UUID) ([]uuid.UUID, error) {
	return db.All(&tx.Reader, db.Scalar[uuid.UUID], `INSERT INTO conversation_agent (tenant_id, conversation_id, agent_id, joined_at)
		SELECT tenant_id, $3, agent_id, joined_at FROM conversation_agent WHERE tenant_id = $1 AND conversation_id = $2
		ON CONFLICT DO NOTHING RETURNING agent_id`, tx.Tenant(), from, to)
}
