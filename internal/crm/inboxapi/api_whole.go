package inboxapi

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/export"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type splitIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body struct {
		ItemIDs []uuid.UUID `json:"item_ids" minItems:"1" maxItems:"200" nullable:"false" example:"[\"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c\"]" doc:"Messages and notes to move into the new conversation"`
		Subject string      `json:"subject,omitempty" maxLength:"300" example:"Fatura adresi" doc:"Defaults to the old conversation's subject"`
	}
}

type mergeConversationIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body struct {
		IntoID uuid.UUID `json:"into_id" format:"uuid" doc:"Conversation that remains"`
	}
}

type exportIn struct {
	ID     api.ID `path:"id" record:"conversation"`
	Format string `query:"format" enum:"json,html,eml,mbox" default:"json" doc:"eml: one e-mail with all files; mbox: one e-mail per message"`
	Notes  string `query:"notes" enum:"true,false" default:"true" doc:"Whether to include internal notes"`
}

// registerWhole adds the routes that act on a conversation as a whole.
func (s *Service) registerWhole(a *api.API) {
	split := route("POST", "/{id}/split", "split-conversation", "Move messages into a new conversation", perm.ConversationsManage)
	split.TakesKey = true
	split.Status, split.Refusals = 201, []int{409}
	split.Doc = "The new conversation has the same customer, owner, group and tags. At least one message must stay. 409 single_thread on a messaging channel, which has only one thread."
	api.Handle(a, split, hiding(conversation.Conversation.WithoutContent, func(ctx context.Context, in *splitIn) (conversation.Conversation, error) {
		return s.Whole.Split(ctx, in.ID.UUID, in.Body.ItemIDs, in.Body.Subject)
	}))

	merge := route("POST", "/{id}/merge", "merge-conversation", "Merge a conversation into another", perm.ConversationsManage)
	merge.TakesKey = true
	merge.Refusals = []int{409}
	merge.Doc = "409 other_customer if they belong to different customers; merge the contacts first. Can be undone with unmerge."
	api.Handle(a, merge, hiding(conversation.Conversation.WithoutContent, func(ctx context.Context, in *mergeConversationIn) (conversation.Conversation, error) {
		return s.Whole.Merge(ctx, in.ID.UUID, in.Body.IntoID)
	}))
	unmerge := route("POST", "/{id}/unmerge", "unmerge-conversation", "Undo a merge", perm.ConversationsManage)
	unmerge.Refusals = []int{409}
	unmerge.Doc = "The conversation gets its items back and returns to its state before the merge; newer items stay with the other one. 409 with the reason not_merged, single_thread (the customer now has another conversation on that messaging account) or conversation_merged (the other one was merged further)."
	api.Handle(a, unmerge, hiding(conversation.Conversation.WithoutContent, onConversation(s.Whole.Unmerge)))

	rt := route("GET", "/{id}/export", "export-conversation", "Export a conversation", perm.ConversationsExport)
	rt.Doc = "As JSON, as a self-contained page, or as e-mail. Written to the audit log."
	api.HandleBytes(a, rt, "application/octet-stream", func(ctx context.Context, in *exportIn) (*api.Bytes, error) {
		write, err := s.Exports.Export(ctx, in.ID.UUID, in.Format, api.Language(ctx), in.Notes == "true")
		if err != nil {
			return nil, err
		}
		return &api.Bytes{ContentType: export.Types[in.Format], Filename: "conversation-" + in.ID.String() + "." + in.Format, Write: write}, nil
	})
}
