package finder

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

type searchConversationsIn struct {
	api.Paged
	NarrowIn
	Q       string `query:"q" required:"true" minLength:"1" maxLength:"200" example:"teslimat ne zaman" doc:"Words from messages, notes, the subject, tags, or the customer's name, address or number; the last word can be incomplete"`
	State   string `query:"state" enum:"open,snoozed,closed"`
	Channel string `query:"channel" maxLength:"40" doc:"Key from the catalog of conversation sources"`
}

type searchContactsIn struct {
	api.Paged
	Q    string `query:"q" required:"true" minLength:"1" maxLength:"200" example:"elif kaya" doc:"Words from the name, an address, a number, the company or tags; the last word can be incomplete"`
	Kind string `query:"kind" enum:"lead,customer"`
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	const how = " Finds inflected words by their stem, with or without Turkish letters; best matches first. Matches are marked with <em>; all other HTML is escaped. While an index is being built for the first time, the response can be 503 with Retry-After, but never a partial result."
	api.HandleList(a, api.Route{
		Method: "GET", Path: "/api/crm/v1/conversations/search", ID: "search-conversations", Tag: "CRM conversations",
		Summary: "Search conversations", Access: api.Session, Permission: perm.ConversationsView, Licence: "crm",
		Doc: "Searches messages, notes, subjects, tags and customers." + how + " A search with filters checks the best 2,000 matches after the cursor per request, so a page can be short or empty even if there is a next page.",
	}, func(ctx context.Context, in *searchConversationsIn) (db.List[ConversationHit], error) {
		narrow, err := in.narrowing(ctx)
		if err != nil {
			return db.List[ConversationHit]{}, err
		}
		return s.Conversations(ctx, Query{Text: in.Q, State: in.State, Channel: in.Channel, Narrow: narrow}, in.Page())
	})
	api.HandleList(a, api.Route{
		Method: "GET", Path: "/api/crm/v1/contacts/search", ID: "search-contacts", Tag: "CRM contacts",
		Summary: "Search contacts", Access: api.Session, Permission: perm.ContactsView, Licence: "crm",
		Doc: "Searches names, addresses, numbers, companies and tags." + how,
	}, func(ctx context.Context, in *searchContactsIn) (db.List[ContactHit], error) {
		return s.Contacts(ctx, Query{Text: in.Q, Kind: in.Kind}, in.Page())
	})
}
