package notice

import (
	"encoding/json"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
)

// news holds the fields of an event that decide whom it concerns.
type news struct {
	Type  string `json:"type"`
	Actor struct {
		ID *uuid.UUID `json:"id"`
	} `json:"actor"`
	Data struct {
		Object struct {
			ID      uuid.UUID  `json:"id"`
			OwnerID *uuid.UUID `json:"owner_id"`
			AIState string     `json:"ai_state"`
		} `json:"object"`
		Item struct {
			AuthorKind string `json:"author_kind"`
			Automatic  bool   `json:"automatic"`
			Mentions   []struct {
				AgentID uuid.UUID `json:"agent_id"`
			} `json:"mentions"`
		} `json:"item"`
		Previous map[string]json.RawMessage `json:"previous"`
	} `json:"data"`
}

// concernsAgents reports whether events of a type may concern an agent.
func concernsAgents(eventType string) bool {
	switch eventType {
	case conversation.Created, conversation.Replied, conversation.Assigned, conversation.Noted, conversation.Updated:
		return true
	}
	return false
}

// kinds returns the kind of notice for the agents whom the news concerns, and the kind for
// all others: "" for none.
func (n *news) kinds() (of map[uuid.UUID]string, rest string) {
	of = map[uuid.UUID]string{}
	owner, item := n.Data.Object.OwnerID, n.Data.Item
	switch n.Type {
	case conversation.Created, conversation.Replied:
		switch {
		case item.AuthorKind != conversation.ByContact || item.Automatic:
			return of, ""
		case owner == nil && n.Data.Object.AIState == conversation.AIActive: // the assistant answers, or hands it over
			return of, ""
		case owner == nil:
			return of, kindWaiting
		}
		of[*owner] = kindReply
		return of, kindOthers
	case conversation.Assigned:
		if _, changed := n.Data.Previous["owner_id"]; changed && owner != nil {
			of[*owner] = kindAssigned
		}
	case conversation.Updated:
		_, changed := n.Data.Previous["ai_state"]
		if changed && n.Data.Object.AIState == conversation.AIHandedOver && owner == nil {
			return of, kindWaiting
		}
	case conversation.Noted:
		for _, m := range item.Mentions {
			of[m.AgentID] = kindMention
		}
	}
	if n.Actor.ID != nil { // the actor already knows
		delete(of, *n.Actor.ID)
	}
	return of, ""
}

// titles are the texts of pushes, by language and kind.
var titles = map[string]map[string]string{
	"en": {
		kindWaiting:  "A customer waits for an answer",
		kindReply:    "A customer wrote in your conversation",
		kindAssigned: "A conversation was assigned to you",
		kindMention:  "A note mentions you",
		kindOthers:   "A customer wrote in a colleague’s conversation",
	},
	"tr": {
		kindWaiting:  "Bir müşteri yanıt bekliyor",
		kindReply:    "Müşteri, konuşmanıza yazdı",
		kindAssigned: "Size bir konuşma atandı",
		kindMention:  "Bir notta sizden söz edildi",
		kindOthers:   "Müşteri, bir iş arkadaşınızın konuşmasına yazdı",
	},
}

// message is what a browser receives.
type message struct {
	Title          string    `json:"title"`
	ConversationID uuid.UUID `json:"conversation_id"`
}
