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
	Q       string `query:"q" required:"true" minLength:"1" maxLength:"200" example:"teslimat ne zaman" doc:"Words of messages, notes, subject, tags, or the customer's name, address or number; the last may be unfinished"`
	State   string `query:"state" enum:"open,snoozed,closed"`
	Channel string `query:"channel" maxLength:"40" doc:"A key of the source catalog"`
}

type searchContactsIn struct {
	api.Paged
	Q    string `query:"q" required:"true" minLength:"1" maxLength:"200" example:"elif kaya" doc:"Words of the name, an address, a number, the company, tags; the last may be unfinished"`
	Kind string `query:"kind" enum:"lead,customer"`
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	const how = " Inflected words are found by their stem, with Turkish letters or without; the best first. What matched is marked with <em> in HTML that is otherwise escaped. While an index is being made for the first time the answer may be 503 with Retry-After, never half a result."
	api.HandleList(a, api.Route{
		Method: "GET", Path: "/api/crm/v1/conversations/search", ID: "search-conversations", Tag: "CRM conversations",
		Summary: "Search conversations", Access: api.Session, Permission: perm.ConversationsView, Licence: "crm",
		Doc: "Over messages, notes, subjects, tags and customers." + how + " A narrowed search looks at the best 2,000 after the cursor in one request: a page may be short, or empty, while there is a next one.",
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
		Doc: "Over names, addresses, numbers, companies and tags." + how,
	}, func(ctx context.Context, in *searchContactsIn) (db.List[ContactHit], error) {
		return s.Contacts(ctx, Query{Text: in.Q, Kind: in.Kind}, in.Page())
	})
}
