package conversation

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type setDraftIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body struct {
		Body        string `json:"body" maxLength:"100000" example:"Siparişiniz yarın" doc:"The empty text clears the draft"`
		MessageType string `json:"message_type,omitempty" enum:"comment,note" default:"comment"`
	}
}

func (s *Service) registerDrafts(a *api.API) {
	put := route("PUT", "/{id}/draft", "set-draft", "Keep what the caller has begun to write", perm.ConversationsReply)
	put.Refusals = []int{409}
	put.Doc = "One draft for each agent and conversation. It comes with the conversation, for that agent only, and goes when the agent sends."
	api.Handle(a, put, func(ctx context.Context, in *setDraftIn) (Drafted, error) {
		return s.SetDraft(ctx, in.ID.UUID, in.Body.Body, in.Body.MessageType)
	})
}
