package conversation

import (
	"github.com/google/uuid"
)

// TypedBy is in the detail of a message that somebody wrote down in the
// customer's name, and says who: {"kind": "agent", "id": "…"}.
const TypedBy = "typed_by"

// TypistOf is the agent who wrote an item down in the customer's name; false
// where none did.
func TypistOf(i *Item) (uuid.UUID, bool) {
	by, _ := i.Detail[TypedBy].(map[string]any)
	if by["kind"] != ByAgent {
		return uuid.Nil, false
	}
	text, _ := by["id"].(string)
	id, err := uuid.Parse(text)
	return id, err == nil
}
