package desk

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

type cannedIn struct {
	ID api.ID `path:"id" record:"crm_canned_reply"`
}

type listCannedIn struct {
	api.Paged
	Q string `query:"q" maxLength:"100" example:"kar" doc:"Starts of words in the shortcut or title, ignoring case and accents"`
	ForConversation
}

type cannedBody struct {
	Shared    bool   `json:"shared,omitempty" doc:"Shared with the whole workspace; needs crm.canned_replies.manage"`
	Shortcut  string `json:"shortcut" minLength:"1" maxLength:"41" example:"kargo" doc:"One word of letters, digits, dots, dashes and underscores"`
	Title     string `json:"title,omitempty" maxLength:"200" example:"Kargo ne zaman gelir"`
	Body      string `json:"body" minLength:"1" maxLength:"20000" example:"Merhaba {{contact.first_name}}, siparişiniz kargoya verildi."`
	Assistant bool   `json:"assistant,omitempty" doc:"Whether the assistant can answer customers with it; only a shared one without placeholders"`
}

type createCannedIn struct {
	Body cannedBody
}

type updateCannedIn struct {
	ID   api.ID `path:"id" record:"crm_canned_reply"`
	Body cannedBody
}

type renderCannedIn struct {
	ID   api.ID `path:"id" record:"crm_canned_reply"`
	Body struct {
		ConversationID uuid.UUID `json:"conversation_id" format:"uuid"`
	}
}

func (s *Service) registerCanned(a *api.API) {
	const tag = "CRM canned replies"
	list := route("GET", "/canned-replies", "list-canned-replies", tag, "List or search canned replies", perm.ConversationsReply)
	list.Ascending = true
	list.Doc = "Returns shared canned replies and the caller's own."
	api.HandleList(a, list, func(ctx context.Context, in *listCannedIn) (db.List[CannedReply], error) {
		if in.ConversationID.V != nil {
			return s.CannedRepliesFor(ctx, *in.ConversationID.V, in.Q, in.Page())
		}
		return s.CannedReplies(ctx, in.Q, in.Page())
	})

	create := route("POST", "/canned-replies", "create-canned-reply", tag, "Create a canned reply", perm.ConversationsReply)
	create.TakesKey = true
	create.Status, create.Refusals = 201, []int{409}
	create.Doc = "You can create your own; a shared one needs crm.canned_replies.manage. The text can contain placeholders such as {{contact.name}} or {{contact.first_name|text if empty}}."
	api.Handle(a, create, func(ctx context.Context, in *createCannedIn) (CannedReply, error) {
		return s.AddCannedReply(ctx, NewCannedReply(in.Body))
	})
	api.Handle(a, route("GET", "/canned-replies/{id}", "get-canned-reply", tag, "Get a canned reply", perm.ConversationsReply),
		func(ctx context.Context, in *cannedIn) (CannedReply, error) { return s.CannedReply(ctx, in.ID.UUID) })
	update := route("PUT", "/canned-replies/{id}", "update-canned-reply", tag, "Change a canned reply", perm.ConversationsReply)
	update.Refusals = []int{409}
	api.Handle(a, update, func(ctx context.Context, in *updateCannedIn) (CannedReply, error) {
		return s.ChangeCannedReply(ctx, in.ID.UUID, NewCannedReply(in.Body))
	})
	api.Handle(a, route("DELETE", "/canned-replies/{id}", "delete-canned-reply", tag, "Delete a canned reply", perm.ConversationsReply),
		func(ctx context.Context, in *cannedIn) (api.Deleted, error) {
			return api.Deleted{ID: in.ID, Deleted: true}, s.DeleteCannedReply(ctx, in.ID.UUID)
		})

	render := route("POST", "/canned-replies/{id}/render", "render-canned-reply", tag, "Fill in a canned reply for a conversation", perm.ConversationsReply)
	render.Doc = "Nothing is sent: the text is for the agent's reply."
	api.Handle(a, render, func(ctx context.Context, in *renderCannedIn) (Rendered, error) {
		return s.Render(ctx, in.ID.UUID, in.Body.ConversationID)
	})
}

type viewIn struct {
	ID api.ID `path:"id" record:"crm_view"`
}

type viewBody struct {
	Shared bool               `json:"shared,omitempty" doc:"Shared with the whole workspace; needs crm.views.manage"`
	Name   string             `json:"name" minLength:"1" maxLength:"100" example:"Acil iadeler"`
	Filter conversation.Query `json:"filter" doc:"Parameters of the conversation list; me means whoever opens the view"`
}

type createViewIn struct {
	Body viewBody
}

type updateViewIn struct {
	ID   api.ID `path:"id" record:"crm_view"`
	Body viewBody
}

func (s *Service) registerViews(a *api.API) {
	const tag = "CRM views"
	list := route("GET", "/views", "list-views", tag, "List saved views", perm.ConversationsView)
	list.Ascending = true
	list.Doc = "Returns shared views and the caller's own. A view shows the conversation list with its filter."
	api.HandlePage(a, list, s.Views)

	counts := route("GET", "/views/counts", "count-views", tag, "Count the conversations in each saved view", perm.ConversationsView)
	counts.Doc = "Counting stops at 100; more is true if there are more."
	api.Handle(a, counts, func(ctx context.Context, _ *struct{}) ([]ViewCount, error) { return s.ViewCounts(ctx) })

	create := route("POST", "/views", "create-view", tag, "Save a view", perm.ConversationsView)
	create.TakesKey = true
	create.Status, create.Refusals = 201, []int{409}
	create.Doc = "You can save your own; a shared one needs crm.views.manage. At most 50 of each."
	api.Handle(a, create, func(ctx context.Context, in *createViewIn) (View, error) { return s.AddView(ctx, NewView(in.Body)) })
	api.Handle(a, route("GET", "/views/{id}", "get-view", tag, "Get a saved view", perm.ConversationsView),
		func(ctx context.Context, in *viewIn) (View, error) { return s.View(ctx, in.ID.UUID) })
	update := route("PUT", "/views/{id}", "update-view", tag, "Change a saved view", perm.ConversationsView)
	update.Refusals = []int{409}
	api.Handle(a, update, func(ctx context.Context, in *updateViewIn) (View, error) {
		return s.ChangeView(ctx, in.ID.UUID, NewView(in.Body))
	})
	api.Handle(a, route("DELETE", "/views/{id}", "delete-view", tag, "Delete a saved view", perm.ConversationsView),
		func(ctx context.Context, in *viewIn) (api.Deleted, error) {
			return api.Deleted{ID: in.ID, Deleted: true}, s.DeleteView(ctx, in.ID.UUID)
		})
}
