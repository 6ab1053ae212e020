package desk

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

// Events that tell panels of a changed macro or canned reply, so that nobody goes on using
// the old one. No webhook carries them.
const (
	MacrosChanged  = "macro.changed"
	RepliesChanged = "canned_reply.changed"
)

// Ref holds only the id, because the text of a canned reply may be private to one agent.
type Ref struct {
	ID uuid.UUID `json:"id"`
}

// Events lists what this module announces.
func Events() event.Catalog {
	ref := Ref{uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c")}
	return event.Catalog{
		{
			Name: MacrosChanged, Module: "crm", Permission: perm.MacrosUse, Hidden: true, Example: ref,
			Description: "A macro was created, changed or deleted.",
		},
		{
			Name: RepliesChanged, Module: "crm", Permission: perm.ConversationsReply, Hidden: true, Example: ref,
			Description: "A canned reply was created, changed or deleted.",
		},
	}
}

func announce(tx *db.Tx, name string, id uuid.UUID) error {
	_, err := event.Emit(tx, event.Change{Type: name, Object: Ref{id}})
	return err
}
