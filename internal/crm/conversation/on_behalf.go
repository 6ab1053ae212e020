package conversation

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
)

// TypedBy is in the detail of a message that somebody wrote down in the
// customer's name, and says who: {"kind": "agent", "id": "…"}.
const TypedBy = "typed_by"

// typedBy says whether the caller wrote an item down in the customer's name.
func typedBy(ctx context.Context, i *Item) bool {
	by, _ := i.Detail[TypedBy].(map[string]any)
	who := caller.From(ctx)
	return by["kind"] == string(who.Kind) && by["id"] == who.ID.String()
}

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
