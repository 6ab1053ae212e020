package inboxapi

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/reply"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type setDraftIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body struct {
		Body        string      `json:"body" maxLength:"100000" example:"Siparişiniz yarın" doc:"An empty text without attachments clears the draft"`
		MessageType string      `json:"message_type,omitempty" enum:"comment,note" default:"comment" doc:"Which draft: the reply or the note"`
		Attachments []uuid.UUID `json:"attachments,omitempty" maxItems:"20" nullable:"false" doc:"The caller's uploads; replaces the draft's attachments"`
	}
}

func (s *Service) registerDrafts(a *api.API) {
	put := route("PUT", "/{id}/draft", "set-draft", "Save the caller's draft", perm.ConversationsReply)
	put.Refusals = []int{409}
	put.Doc = "One draft per agent, conversation and message type, so a note never comes back as a reply. Drafts are returned with the conversation, " +
		"to that agent only; sending or scheduling clears the one that was sent. Uploads in a draft are kept as long as the draft."
	api.Handle(a, put, func(ctx context.Context, in *setDraftIn) (reply.Drafted, error) {
		return s.Replies.SetDraft(ctx, in.ID.UUID, in.Body.MessageType, in.Body.Body, in.Body.Attachments)
	})
}
