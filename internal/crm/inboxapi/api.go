package inboxapi

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/hourly"
	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

type conversationIn struct {
	ID api.ID `path:"id" record:"conversation"`
}

type listConversationsIn struct {
	api.Paged
	conversation.Query
}

type createConversationIn struct {
	Body struct {
		ContactID uuid.UUID  `json:"contact_id" format:"uuid"`
		Subject   string     `json:"subject,omitempty" maxLength:"300" example:"Teslimat tarihi"`
		Body      string     `json:"body,omitempty" maxLength:"100000" example:"Siparişim ne zaman gelir?" doc:"The customer's request"`
		Priority  string     `json:"priority,omitempty" enum:"low,normal,high,urgent" default:"normal"`
		OwnerID   *uuid.UUID `json:"owner_id,omitempty" format:"uuid"`
		GroupID   *uuid.UUID `json:"group_id,omitempty" format:"uuid"`
		Tags      []string   `json:"tags,omitempty" maxItems:"50" nullable:"false" example:"[\"iade\"]"`
	}
}

type updateConversationIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body struct {
		Subject   *string    `json:"subject,omitempty" maxLength:"300" example:"Teslimat tarihi"`
		ContactID *uuid.UUID `json:"contact_id,omitempty" format:"uuid" doc:"The customer"`
		Priority  *string    `json:"priority,omitempty" enum:"low,normal,high,urgent"`

		GroupID api.Optional[uuid.UUID] `json:"group_id,omitempty" format:"uuid" doc:"Null or the nil UUID for none"`
	}
}

type conversationItemsIn struct {
	api.Paged
	ID   api.ID `path:"id" record:"conversation"`
	From string `query:"from" format:"uuid" doc:"Item the first page starts with, such as a search result; use both orders to read the timeline around it. 422 if it is not in this conversation"`
	Sort string `query:"sort" default:"-created" enum:"-created,created" doc:"A minus puts the newest first"`
}

// Order implements api.Ordered.
func (in *conversationItemsIn) Order() (string, bool) { return in.Sort, in.Sort == "created" }

func (s *Service) itemsPage(ctx context.Context, in *conversationItemsIn) (db.List[conversation.Item], error) {
	ask := conversation.Timeline{Ascending: in.Sort == "created"}
	if in.From != "" && in.Cursor == "" {
		id, err := uuid.Parse(in.From)
		if err != nil {
			return db.List[conversation.Item]{}, fault.Invalid("from", "invalid_id")
		}
		ask.From = &id
	}
	return s.Conversations.Items(ctx, in.ID.UUID, ask, in.Page())
}

// SnoozeUntil is until when a conversation is snoozed.
type SnoozeUntil struct {
	Until      *clock.Time `json:"until,omitempty" doc:"At most a year ahead"`
	UntilReply bool        `json:"until_reply,omitempty" doc:"Until the customer writes"`
}

type snoozeConversationIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body SnoozeUntil
}

type assignConversationIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body struct {
		OwnerID *uuid.UUID `json:"owner_id" nullable:"true" format:"uuid" doc:"An agent's id; null for nobody"`
	}
}

type addParticipantIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body struct {
		ContactID uuid.UUID `json:"contact_id" format:"uuid"`
	}
}

type participantIn struct {
	ID        api.ID `path:"id" record:"conversation"`
	ContactID api.ID `path:"contactId" record:"contact"`
}

type conversationTagsIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body struct {
		Tags []string `json:"tags" maxItems:"50" nullable:"false" example:"[\"iade\"]"`
	}
}

// Bulk names up to 200 conversations.
type Bulk struct {
	IDs []uuid.UUID `json:"ids" minItems:"1" maxItems:"200" nullable:"false" example:"[\"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c\"]"`
}

type bulkStateIn struct {
	Body struct {
		Bulk
		SnoozeUntil
		State conversation.State `json:"state" enum:"open,snoozed,closed"`
	}
}

type bulkTagsIn struct {
	Body struct {
		Bulk
		Tags []string `json:"tags" minItems:"1" maxItems:"50" nullable:"false" example:"[\"iade\"]"`
	}
}

type bulkGroupIn struct {
	Body struct {
		Bulk
		GroupID uuid.UUID `json:"group_id" format:"uuid"`
		Note    string    `json:"note,omitempty" maxLength:"10000" example:"Müşteri faturayı da istiyor" doc:"Private note for the group"`
	}
}

type setSettingsIn struct {
	Body conversation.Settings
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerRecords(a)
	s.registerStates(a)
	s.registerPeople(a)
	s.registerBulk(a)
	s.registerReplies(a)
	s.registerTemplates(a)
	s.registerAttachments(a)
	s.registerItems(a)
	s.registerMentions(a)
	s.registerDrafts(a)
	s.registerAIRecords(a)
	s.registerScheduled(a)
	s.registerWhole(a)
	s.registerGroups(a)
	s.registerPublic(a)
}

func route(method, path, id, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: "/api/crm/v1/conversations" + path, ID: id, Tag: "CRM conversations",
		Summary: summary, Access: api.Session, Permission: p, Licence: "crm",
	}
}

func (s *Service) registerRecords(a *api.API) {
	api.HandleList(a, route("GET", "", "list-conversations", "List conversations", perm.ConversationsView), s.listPage)

	create := route("POST", "", "create-conversation", "Create a conversation for a customer's request", perm.ConversationsReply)
	create.TakesKey = true
	create.Status = 201
	create.Doc = "An owner or a group also needs crm.conversations.assign; tags or a priority other than normal also need crm.conversations.manage."
	api.Handle(a, create, hiding(conversation.Conversation.WithoutContent, func(ctx context.Context, in *createConversationIn) (conversation.Conversation, error) {
		b := in.Body
		n := needs{assign: b.OwnerID != nil || b.GroupID != nil, manage: sets(b.Priority) || len(b.Tags) > 0}
		if err := n.check(ctx); err != nil {
			return conversation.Conversation{}, err
		}
		return s.Conversations.Create(ctx, conversation.NewConversation{
			ContactID: b.ContactID, Channel: conversation.Panel, Subject: b.Subject, Body: b.Body, Priority: b.Priority,
			OwnerID: b.OwnerID, GroupID: b.GroupID, Tags: b.Tags,
		})
	}))

	api.Handle(a, route("GET", "/counts", "count-conversations", "Get the conversation counts of the inbox", perm.ConversationsView).Polled(),
		func(ctx context.Context, _ *struct{}) (conversation.Counts, error) {
			return s.Conversations.Counts(ctx)
		})
	overview := route("GET", "/overview", "conversation-overview", "Get recent activity by hour", perm.ReportsView).Polled()
	overview.Doc = "Counted as it happens, for the home screen of those who run the workspace. Data written with a test key is not included."
	api.Handle(a, overview, func(ctx context.Context, _ *struct{}) (hourly.Overview, error) { return s.Hours.Overview(ctx) })
	tags := route("GET", "/tags", "conversation-tags", "List tags in use", perm.ConversationsView)
	tags.Doc = "Lists each tag on any conversation once, spelt as it was last used; the first 1,000."
	api.Handle(a, tags, func(ctx context.Context, _ *struct{}) ([]string, error) { return s.Tags.List(ctx) })
	catalog := route("GET", "/channels", "conversation-channels", "Get the conversation source catalog", perm.ConversationsView)
	catalog.Doc = "Includes channels that are not connected. Labels are always in English."
	api.Handle(a, catalog, func(ctx context.Context, _ *struct{}) ([]conversation.Source, error) {
		return s.Conversations.Catalog(ctx)
	})

	api.Handle(a, route("GET", "/settings", "conversation-settings", "Get the inbox settings", perm.CRMSettingsView),
		func(ctx context.Context, _ *struct{}) (conversation.Settings, error) {
			return s.Conversations.Settings(ctx)
		})
	api.Handle(a, route("PUT", "/settings", "set-conversation-settings", "Change the inbox settings", perm.CRMSettingsManage),
		func(ctx context.Context, in *setSettingsIn) (conversation.Settings, error) {
			return s.Conversations.SetSettings(ctx, in.Body)
		})

	api.Handle(a, route("GET", "/{id}", "get-conversation", "Get a conversation", perm.ConversationsView),
		onConversation(s.Replies.Detail))
	api.HandleList(a, route("GET", "/{id}/items", "list-conversation-items", "List the timeline, newest first", perm.ConversationsView), s.itemsPage)

	update := route("PUT", "/{id}", "update-conversation", "Update subject, customer, priority or group", perm.ConversationsView)
	update.Refusals = []int{409}
	update.Doc = "Fields left out stay unchanged. The group needs crm.conversations.assign, the others crm.conversations.manage. 409 when changing the customer of a messaging conversation."
	api.Handle(a, update, func(ctx context.Context, in *updateConversationIn) (conversation.Conversation, error) {
		b := in.Body
		n := needs{assign: b.GroupID.Sent, manage: b.Subject != nil || b.ContactID != nil || b.Priority != nil}
		if err := n.check(ctx); err != nil {
			return conversation.Conversation{}, err
		}
		group := b.GroupID.V
		if b.GroupID.Sent && group == nil {
			group = new(uuid.UUID)
		}
		return s.Conversations.Update(ctx, in.ID.UUID, conversation.Change{Subject: b.Subject, ContactID: b.ContactID, Priority: b.Priority, GroupID: group})
	})

	api.Handle(a, route("DELETE", "/{id}", "delete-conversation", "Delete a conversation", perm.ConversationsDelete),
		func(ctx context.Context, in *conversationIn) (api.Deleted, error) {
			return api.Deleted{ID: in.ID, Deleted: true}, s.Conversations.Delete(ctx, in.ID.UUID)
		})
	restore := route("POST", "/{id}/restore", "restore-conversation", "Restore a deleted conversation", perm.ConversationsDelete)
	restore.Refusals = []int{409}
	restore.Doc = "409 for a messaging conversation whose customer has started another on the same account."
	api.Handle(a, restore, hiding(conversation.Conversation.WithoutContent, onConversation(s.Conversations.Restore)))
}

func (s *Service) listPage(ctx context.Context, in *listConversationsIn) (db.List[conversation.Conversation], error) {
	return s.Conversations.ListMatching(ctx, in.Query, in.Page())
}

func (s *Service) registerStates(a *api.API) {
	act := func(path, id, summary string, fn func(context.Context, uuid.UUID) (conversation.Conversation, error)) {
		rt := route("POST", "/{id}/"+path, id, summary, perm.ConversationsManage)
		rt.Refusals = []int{409}
		rt.Doc = "Repeating the request changes nothing."
		api.Handle(a, rt, hiding(conversation.Conversation.WithoutContent, onConversation(fn)))
	}
	act("close", "close-conversation", "Close a conversation", s.Conversations.Close)
	act("open", "open-conversation", "Reopen a conversation", s.Conversations.Open)

	put := route("POST", "/{id}/snooze", "snooze-conversation", "Snooze a conversation", perm.ConversationsManage)
	put.Refusals = []int{409}
	put.Doc = "Until a time (at most a year ahead) or until the customer writes."
	api.Handle(a, put, hiding(conversation.Conversation.WithoutContent, func(ctx context.Context, in *snoozeConversationIn) (conversation.Conversation, error) {
		return s.Conversations.Snooze(ctx, in.ID.UUID, in.Body.Until, in.Body.UntilReply)
	}))

	tags := route("PUT", "/{id}/tags", "set-conversation-tags", "Set the tags of a conversation", perm.ConversationsManage)
	tags.Refusals = []int{409}
	api.Handle(a, tags, hiding(conversation.Conversation.WithoutContent, func(ctx context.Context, in *conversationTagsIn) (conversation.Conversation, error) {
		return s.Conversations.Retag(ctx, in.ID.UUID, func([]string) []string { return in.Body.Tags })
	}))

	mark := func(path, id, summary string, fn func(context.Context, uuid.UUID) (conversation.ReadMark, error)) {
		api.Handle(a, route("POST", "/{id}/"+path, id, summary, perm.ConversationsView),
			func(ctx context.Context, in *conversationIn) (conversation.ReadMark, error) {
				m, err := fn(ctx, in.ID.UUID)
				if err == nil {
					s.Readers.TellRead(ctx, m)
				}
				return m, err
			})
	}
	mark("read", "read-conversation", "Mark a conversation as read; returns the left-menu badge", s.Conversations.Read)
	mark("unread", "unread-conversation", "Mark a conversation as unread", s.Conversations.Unread)
}

func (s *Service) registerPeople(a *api.API) {
	agents := func(path, id, summary, doc string, fn func(context.Context, uuid.UUID) ([]conversation.Agent, error)) {
		rt := route("POST", "/{id}/"+path, id, summary, perm.ConversationsReply)
		rt.Refusals, rt.Doc = []int{409}, doc
		api.Handle(a, rt, onConversation(fn))
	}
	agents("join", "join-conversation", "Join a conversation",
		"A conversation without an owner is assigned to the caller, even if the assistant holds it. Returns the current list of agents.", s.Conversations.Join)
	agents("leave", "leave-conversation", "Leave a conversation",
		"If the caller owns it, ownership passes to the oldest remaining agent. Returns the current list of agents.", s.Conversations.Leave)

	assign := route("POST", "/{id}/assign", "assign-conversation", "Assign a conversation to an agent", perm.ConversationsAssign)
	assign.Refusals = []int{409}
	api.Handle(a, assign, hiding(conversation.Conversation.WithoutContent, func(ctx context.Context, in *assignConversationIn) (conversation.Conversation, error) {
		return s.Conversations.Assign(ctx, in.ID.UUID, in.Body.OwnerID)
	}))

	api.Handle(a, route("GET", "/{id}/participants", "list-participants", "List participating contacts and agents", perm.ConversationsView),
		onConversation(s.Conversations.People))
	add := route("POST", "/{id}/participants", "add-participant", "Add a contact to a conversation", perm.ConversationsManage)
	add.Refusals = []int{409}
	api.Handle(a, add, func(ctx context.Context, in *addParticipantIn) ([]conversation.Participant, error) {
		return s.Conversations.AddParticipant(ctx, in.ID.UUID, in.Body.ContactID)
	})
	remove := route("DELETE", "/{id}/participants/{contactId}", "remove-participant", "Remove a contact from a conversation", perm.ConversationsManage)
	remove.Refusals = []int{409}
	remove.Doc = "409 for the customer, who cannot be removed."
	api.Handle(a, remove, func(ctx context.Context, in *participantIn) ([]conversation.Participant, error) {
		return s.Conversations.RemoveParticipant(ctx, in.ID.UUID, in.ContactID.UUID)
	})
}

func (s *Service) registerBulk(a *api.API) {
	state := route("POST", "/state", "set-conversation-states", "Set the state of several conversations", perm.ConversationsManage)
	state.Doc = "Up to 200 ids; the response reports the outcome for each."
	api.Handle(a, state, func(ctx context.Context, in *bulkStateIn) ([]Outcome, error) {
		b := in.Body
		return s.Each(ctx, b.IDs, func(ctx context.Context, id uuid.UUID) (conversation.Conversation, error) {
			return s.Conversations.SetState(ctx, id, b.State, b.Until, b.UntilReply)
		})
	})

	retag := func(path, id, summary string, fn func(has, tags []string) []string) {
		api.Handle(a, route("POST", "/tags/"+path, id, summary, perm.ConversationsManage),
			func(ctx context.Context, in *bulkTagsIn) ([]Outcome, error) {
				return s.Each(ctx, in.Body.IDs, func(ctx context.Context, id uuid.UUID) (conversation.Conversation, error) {
					return s.Conversations.Retag(ctx, id, func(has []string) []string { return fn(has, in.Body.Tags) })
				})
			})
	}
	retag("add", "add-tags", "Add tags to several conversations", withTags)
	retag("remove", "remove-tags", "Remove tags from several conversations", contact.WithoutTags)

	group := route("POST", "/group", "transfer-conversations", "Transfer conversations to a group", perm.ConversationsAssign)
	group.TakesKey = true
	group.Doc = "An optional private note is added to each conversation; it also needs crm.conversations.reply."
	api.Handle(a, group, func(ctx context.Context, in *bulkGroupIn) ([]Outcome, error) {
		b := in.Body
		if err := (needs{reply: strings.TrimSpace(b.Note) != ""}).check(ctx); err != nil {
			return nil, err
		}
		return s.Each(ctx, b.IDs, func(ctx context.Context, id uuid.UUID) (conversation.Conversation, error) {
			return s.Conversations.Transfer(ctx, id, b.GroupID, b.Note)
		})
	})
}

func withTags(has, tags []string) []string { return slices.Concat(has, tags) }
