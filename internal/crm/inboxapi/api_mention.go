package inboxapi

import (
	"context"

	"konak/internal/crm/conversation"
	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

type listMentionsIn struct {
	api.Paged
	Unread string `query:"unread" enum:"true" doc:"Only those in conversations the caller has not read since"`
}

type mentionableIn struct {
	ID api.ID `path:"id" record:"conversation"`
	Q  string `query:"q" maxLength:"100" example:"def" doc:"Start of one of their names"`
}

func (s *Service) registerMentions(a *api.API) {
	list := route("GET", "/mentions", "list-mentions", "List notes that mention the caller, newest first", perm.ConversationsView)
	list.Doc = "Reading the conversation marks them as read. Notes are internal, so no webhook reports them. An API key is never mentioned: its list is empty."
	api.HandleList(a, list, func(ctx context.Context, in *listMentionsIn) (db.List[conversation.MentionOf], error) {
		return s.Conversations.Mentions(ctx, in.Unread != "", in.Page())
	})
	choices := route("GET", "/{id}/mentionable", "list-mentionable", "List colleagues who can be mentioned in a note", perm.ConversationsReply)
	choices.Doc = "Active members who can see the conversation, by name; at most 20."
	api.Handle(a, choices, func(ctx context.Context, in *mentionableIn) ([]conversation.Mention, error) {
		return s.Conversations.Mentionable(ctx, in.ID.UUID, in.Q)
	})
}
