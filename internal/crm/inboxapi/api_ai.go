package inboxapi

import (
	"cmp"
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/crm/conversation/card"
	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

type handoverIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body *struct {
		Reason  string     `json:"reason,omitempty" maxLength:"200" example:"Fiyat pazarlığı" doc:"Reason for the hand-over; defaults to agent_asked"`
		GroupID *uuid.UUID `json:"group_id,omitempty" format:"uuid" doc:"Group that takes over"`
	} `required:"false"`
}

type contactPageIn struct {
	api.Paged
	ID api.ID `path:"id" record:"contact"`
}

func (s *Service) registerAIRecords(a *api.API) {
	rt := route("GET", "/{id}/commerce", "get-commerce-card", "Get the commerce card: orders, shipments, returns, ledger balance", perm.ConversationsView)
	rt.Doc = "For the conversation's customer. Without the commerce licence: 200 with licensed false."
	api.Handle(a, rt, onConversation(s.Cards.Commerce))

	orders := route("GET", "/{id}/orders", "list-contact-orders", "List a contact's orders, newest first", perm.ConversationsView)
	orders.Path = "/api/crm/v1/contacts/{id}/orders"
	orders.Tag = "CRM contacts"
	orders.Doc = "Orders of shop customers who are this contact or have one of its addresses. Without the commerce licence the list is empty."
	api.HandleList(a, orders, func(ctx context.Context, in *contactPageIn) (db.List[card.CardOrder], error) {
		return s.Cards.Orders(ctx, in.ID.UUID, in.Page())
	})

	api.Handle(a, route("GET", "/{id}/ai-state", "get-ai-state", "Get the assistant's state, hand-over reason and configuration", perm.ConversationsView),
		onConversation(s.AIRecords.AI))
	api.Handle(a, route("GET", "/{id}/ai-attributes", "get-ai-attributes", "List what the assistant understood", perm.ConversationsView),
		onConversation(s.AIRecords.AIAttributes))

	over := route("POST", "/{id}/ai-handover", "hand-over-conversation", "Hand a conversation over from the assistant to agents", perm.ConversationsReply)
	over.Refusals = []int{409}
	over.Doc = "A group also needs crm.conversations.assign. The conversation opens, waits for a reply and belongs to the team. If it was already handed over, only the group changes. 409 ai_off if no assistant holds it."
	api.Handle(a, over, hiding(conversation.Conversation.WithoutContent, func(ctx context.Context, in *handoverIn) (conversation.Conversation, error) {
		reason, group := "", (*uuid.UUID)(nil)
		if in.Body != nil {
			reason, group = in.Body.Reason, in.Body.GroupID
		}
		if err := (needs{assign: group != nil}).check(ctx); err != nil {
			return conversation.Conversation{}, err
		}
		return s.Conversations.Handover(ctx, in.ID.UUID, cmp.Or(strings.TrimSpace(reason), "agent_asked"), group)
	}))

	api.Handle(a, route("GET", "/{id}/summary", "get-summary", "Get the stored summary", perm.ConversationsView),
		onConversation(s.AIRecords.Summary))
	remove := route("DELETE", "/{id}/summary", "delete-summary", "Delete the summary", perm.ConversationsReply)
	remove.Doc = "It can be generated again. deleted is false if there was none."
	api.Handle(a, remove, func(ctx context.Context, in *conversationIn) (api.Deleted, error) {
		gone, err := s.AIRecords.DeleteSummary(ctx, in.ID.UUID)
		return api.Deleted{ID: in.ID, Deleted: gone}, err
	})
	generate := route("POST", "/{id}/summary/generate", "generate-summary", "Generate a summary", perm.ConversationsReply)
	generate.Refusals = []int{409}
	generate.Doc = "The assistant reads the last 200 messages and notes; its text replaces the stored summary. Also needs crm.conversations.view. 409 no_assistant if no assistant is connected."
	api.Handle(a, generate, func(ctx context.Context, in *conversationIn) (airecord.Summary, error) {
		if !caller.From(ctx).Can(perm.ConversationsView) { // it reveals what was written
			return airecord.Summary{}, fault.Lacking(perm.ConversationsView)
		}
		return s.AIRecords.GenerateSummary(ctx, in.ID.UUID)
	})
}
