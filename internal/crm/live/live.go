package live

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/agent"
	"konak/internal/kit/clock"
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

// The signals that the streams carry. They have no sequence.
const (
	PresenceSignal = "agent.presence"
	TypingSignal   = "conversation.typing"
	ReadSignal     = "conversation.read"
)

// Signals returns the signals with the permissions to see them.
func Signals() event.Catalog {
	return event.Catalog{
		{Name: PresenceSignal, Module: "crm", Permission: perm.AgentsView, Description: "An agent connected, disconnected or changed their presence."},
		{Name: TypingSignal, Module: "crm", Permission: perm.ConversationsView, Description: "Somebody is typing in a conversation."},
		{Name: ReadSignal, Module: "crm", Permission: perm.ConversationsView, Description: "The caller read a conversation, or marked it as unread, in this window or another."},
	}
}

// Presence is an agent's current presence.
type Presence struct {
	AgentID   uuid.UUID `json:"agent_id" format:"uuid"`
	Name      string    `json:"name" example:"Defne Yılmaz"`
	Presence  string    `json:"presence" enum:"online,away,away_reassign,offline" example:"online" doc:"Current presence: offline unless connected"`
	Chosen    string    `json:"chosen" enum:"online,away,away_reassign,offline" example:"online" doc:"Presence while connected"`
	Connected bool      `json:"connected"`
}

// Present is the signal of an agent's presence.
type Present struct {
	AgentID  uuid.UUID `json:"agent_id"`
	Presence string    `json:"presence"`
}

// Typing is the signal that somebody is typing.
type Typing struct {
	ConversationID uuid.UUID  `json:"conversation_id" format:"uuid"`
	AuthorKind     string     `json:"author_kind" enum:"agent,contact,bot" example:"agent"`
	AuthorID       uuid.UUID  `json:"author_id" format:"uuid" doc:"The agent or the customer; the nil UUID for the assistant"`
	Typing         bool       `json:"typing" doc:"false: typing has stopped"`
	ExpiresAt      clock.Time `json:"expires_at" doc:"When it expires unless repeated"`
}

// Read is the signal that an agent read a conversation, sent to that agent only.
type Read struct {
	ConversationID uuid.UUID `json:"conversation_id"`
	Unread         int       `json:"unread"`
}

const (
	// typingLasts is how long a typing signal is valid.
	typingLasts = 6 * time.Second
	// beatLasts is how long a node's beat is valid; it is repeated well before.
	beatLasts = 45 * time.Second
	// reload is how long an agent whose last stream ended may take to open another:
	// reloading a page is not a departure.
	reload = 10 * time.Second
	// word is how long an agent without a stream counts as connected after setting their
	// presence.
	word = 90 * time.Second
)

// seat is what a node knows of one agent.
type seat struct {
	nodes  map[uuid.UUID]time.Time // until when each node reports them as connected
	here   int                     // streams on this node
	chosen string
	shown  string // what the streams of this node were told last
}

func (s *seat) connected(now time.Time) bool {
	for _, until := range s.nodes {
		if until.After(now) {
			return true
		}
	}
	return false
}

// presence returns an agent's presence from whether they are connected and what they chose.
func presence(connected bool, chosen string) string {
	switch {
	case !connected:
		return agent.Offline
	case chosen == "":
		return agent.Online
	}
	return chosen
}

// beat is the message with which a node tells the others who is connected to it.
type beat struct {
	Node   uuid.UUID  `json:"node"`
	Until  clock.Time `json:"until"`
	Agents []mark     `json:"agents"`
}

type mark struct {
	ID     uuid.UUID `json:"id"`
	Chosen string    `json:"chosen"`
}
