package inboxapi

import (
	"context"

	"konak/internal/crm/reply"
	"konak/internal/crm/template"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type chatTemplatesIn struct {
	ID api.ID `path:"id" record:"conversation"`
	Q  string `query:"q" maxLength:"200" example:"kargo" doc:"Part of the name"`
}

type sendTemplateIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body template.Use
}

func (s *Service) registerTemplates(a *api.API) {
	list := route("GET", "/{id}/chat-templates", "chat-templates", "List templates that can be sent in a conversation", perm.ConversationsView)
	list.Doc = "window_open says whether the channel takes free text now. Templates the customer did not agree to get are left out."
	api.Handle(a, list, func(ctx context.Context, in *chatTemplatesIn) (reply.ChatTemplates, error) {
		return s.Replies.ChatTemplates(ctx, in.ID.UUID, in.Q)
	})

	send := route("POST", "/{id}/messages", "send-conversation-template", "Send an approved template to a single recipient", perm.ConversationsReply)
	send.TakesKey = true
	send.Refusals = []int{409}
	send.Doc = "Returns 200 even if sending fails; see delivery and delivery_error. Only a problem with the request itself is an error."
	api.Handle(a, send, func(ctx context.Context, in *sendTemplateIn) (reply.SentTemplate, error) {
		return s.Replies.SendTemplate(ctx, in.ID.UUID, in.Body)
	})
}
