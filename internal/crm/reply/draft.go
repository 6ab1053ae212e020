package reply

import (
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/draft"
	"konak/internal/kit/api"
)

// Detail is a conversation as one agent opens it.
type Detail struct {
	conversation.Conversation
	Drafts []draft.Draft `json:"drafts" doc:"The caller's drafts: at most one reply and one note"`
}

// Drafted is the answer to saving a draft: the stored draft.
type Drafted struct {
	Draft api.Nullable[draft.Draft] `json:"draft" doc:"Null if an empty text without attachments cleared it"`
}

// draftTypeOf returns the type of draft that an answer was written in.
func draftTypeOf(a Answer) string {
	if a.Note {
		return draft.Note
	}
	return draft.Reply
}
