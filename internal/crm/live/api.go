package live

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

type listPresenceIn struct {
	api.PagedBy100
}

type setPresenceIn struct {
	Body struct {
		Presence string `json:"presence" enum:"online,away,away_reassign,offline" example:"away" doc:"away_reassign: away, and new messages in their conversations go to the team"`
	}
}

type typingIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body typingBody
}

type typingBody struct {
	Typing bool `json:"typing" example:"true" doc:"false: typing has stopped"`
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	route := func(method, path, id, summary string, p perm.Permission) api.Route {
		return api.Route{
			Method: method, Path: "/api/crm/v1" + path, ID: id, Tag: "CRM realtime",
			Summary: summary, Access: api.Session, Permission: p, Licence: "crm",
		}
	}
	list := route("GET", "/presence", "list-presence", "List agents' presence", perm.AgentsView).Polled()
	list.Doc = "Lists active agents, newest first. Changes come over the stream as agent.presence."
	api.HandleList(a, list, func(ctx context.Context, in *listPresenceIn) (db.List[Presence], error) {
		return s.List(ctx, in.Page())
	})

	set := route("PUT", "/presence", "set-presence", "Set your presence", perm.AgentsView)
	set.Doc = "Applies while the caller has a stream open. A client without one counts as connected for 90 seconds after each call."
	api.Handle(a, set, func(ctx context.Context, in *setPresenceIn) (Presence, error) {
		return s.SetPresence(ctx, in.Body.Presence)
	})

	const how = "Repeat every few seconds while typing; it expires after six seconds. Viewers receive it as conversation.typing; nothing is stored."
	typing := route("POST", "/conversations/{id}/typing", "typing", "Report that you are typing", perm.ConversationsReply)
	typing.Doc = how
	api.Handle(a, typing, func(ctx context.Context, in *typingIn) (Typing, error) {
		return s.AgentTypes(ctx, in.ID.UUID, in.Body.Typing)
	})

	visitor := route("POST", "", "public-typing", "Report that the customer is typing", perm.ConversationsReply)
	visitor.Path, visitor.Tag, visitor.Access, visitor.Doc = "/api/crm/public/v1/conversations/{id}/typing", "CRM public API", api.Key, how
	api.Handle(a, visitor, func(ctx context.Context, in *typingIn) (Typing, error) {
		return s.ContactTypes(ctx, in.ID.UUID, in.Body.Typing)
	})
}
