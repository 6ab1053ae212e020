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
		MessageType string      `json:"message_type,omitempty" enum:"comment,note" default:"comment" doc:"Which of the two drafts: the reply or the note"`
		Attachments []uuid.UUID `json:"attachments,omitempty" maxItems:"20" nullable:"false" doc:"The caller's uploads, all that the draft has from now on"`
	}
}

func (s *Service) registerDrafts(a *api.API) {
	put := route("PUT", "/{id}/draft", "set-draft", "Keep what the caller has begun to write", perm.ConversationsReply)
	put.Refusals = []int{409}
	put.Doc = "One draft for each agent, conversation and message type: a note never comes back as a reply. Drafts come with the conversation, " +
		"for that agent only; sending or scheduling clears the one that was sent. Uploads that a draft holds are kept as long as it is."
	api.Handle(a, put, func(ctx context.Context, in *setDraftIn) (reply.Drafted, error) {
		return s.replies.SetDraft(ctx, in.ID.UUID, in.Body.MessageType, in.Body.Body, in.Body.Attachments)
	})
}
