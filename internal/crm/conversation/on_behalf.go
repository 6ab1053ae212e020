package conversation

import (
	"github.com/google/uuid"
)

// TypedBy is a key in the detail of a message that somebody entered in the customer's name;
// it names the writer: {"kind": "agent", "id": "…"}.
const TypedBy = "typed_by"

// TypistOf returns the agent who entered an item in the customer's name, or false if none
// did.
func TypistOf(i *Item) (uuid.UUID, bool) {
	by, _ := i.Detail[TypedBy].(map[string]any)
	if by["kind"] != ByAgent {
		return uuid.Nil, false
	}
	text, _ := by["id"].(string)
	id, err := uuid.Parse(text)
	return id, err == nil
}
