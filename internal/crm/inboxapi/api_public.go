package inboxapi

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/reply"
	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/perm"
)

type publicReplyIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body struct {
		Type        string      `json:"type" enum:"admin,user" doc:"admin: an agent wrote it; user: the customer wrote it"`
		AdminID     *uuid.UUID  `json:"admin_id,omitempty" format:"uuid" doc:"The agent; required when type is admin"`
		Body        string      `json:"body" maxLength:"100000" example:"Siparişiniz yarın teslim edilecek."`
		Attachments []uuid.UUID `json:"attachments,omitempty" maxItems:"20" nullable:"false" doc:"Ids of files the caller uploaded; with files, the text can be empty"`
		MessageType string      `json:"message_type,omitempty" enum:"comment,note" default:"comment" doc:"A note is internal and invisible to the customer"`
	}
}

// Reference is the public API's answer to a reply.
type Reference struct {
	Type  string             `json:"type" enum:"conversation" example:"conversation"`
	ID    uuid.UUID          `json:"id" format:"uuid"`
	State conversation.State `json:"state" enum:"open,snoozed,closed" example:"open"`
}

func refer(c conversation.Conversation) Reference { return Reference{"conversation", c.ID, c.State} }

// sender is a customer as described by a program.
type sender struct {
	ExternalID string `json:"external_id,omitempty" maxLength:"200" example:"user-4711" doc:"The customer's id in the calling system"`
	Name       string `json:"name,omitempty" maxLength:"200" example:"Elif Kaya"`
	Email      string `json:"email,omitempty" maxLength:"254" example:"elif@kayamobilya.example"`
	Phone      string `json:"phone,omitempty" maxLength:"40" example:"+905321234567"`
}

type publicCreateConversationIn struct {
	Body struct {
		ContactID *uuid.UUID `json:"contact_id,omitempty" format:"uuid" doc:"Id of an existing contact; otherwise use contact"`
		Contact   *sender    `json:"contact,omitempty" doc:"Customer, found by external id, e-mail or phone, or created"`
		Subject   string     `json:"subject,omitempty" maxLength:"300" example:"Teslimat tarihi"`
		Body      string     `json:"body" minLength:"1" maxLength:"100000" example:"Siparişim ne zaman gelir?"`
		Priority  string     `json:"priority,omitempty" enum:"low,normal,high,urgent" default:"normal"`
		GroupID   *uuid.UUID `json:"group_id,omitempty" format:"uuid"`
		Tags      []string   `json:"tags,omitempty" maxItems:"50" nullable:"false" example:"[\"iade\"]"`
	}
}

type publicStateIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body struct {
		SnoozeUntil
		State conversation.State `json:"state" enum:"open,snoozed,closed"`
	}
}

type publicTagsIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body struct {
		Add    []string `json:"add,omitempty" maxItems:"50" nullable:"false" example:"[\"iade\"]"`
		Remove []string `json:"remove,omitempty" maxItems:"50" nullable:"false" example:"[\"yeni\"]"`
	}
}

func (s *Service) registerPublic(a *api.API) {
	route := func(method, path, id, summary string, p perm.Permission) api.Route {
		rt := route(method, "", "public-"+id, summary, p)
		rt.Path, rt.Tag, rt.Access = "/api/crm/public/v1/conversations"+path, "CRM public API", api.Key
		if method != "GET" {
			rt.Refusals = []int{409} // what is live, to a key of the test environment
		}
		return rt
	}
	api.HandleList(a, route("GET", "", "list-conversations", "List conversations", perm.ConversationsView), s.listPage)

	create := route("POST", "", "create-conversation", "Open a conversation", perm.ConversationsReply)
	create.TakesKey = true
	create.Status = 201
	create.Doc = "A group, tags or a priority other than normal need the scope conversations.write. Replies go by e-mail if the request gave an address; otherwise they are not sent and are read through this API. reply_route says which."
	api.Handle(a, create, hiding(conversation.Conversation.WithoutContent, func(ctx context.Context, in *publicCreateConversationIn) (conversation.Conversation, error) {
		b := in.Body
		if err := (needs{assign: b.GroupID != nil, manage: sets(b.Priority) || len(b.Tags) > 0}).check(ctx); err != nil {
			return conversation.Conversation{}, err
		}
		n, err := in.conversation()
		if err != nil {
			return conversation.Conversation{}, err
		}
		return s.Conversations.Create(ctx, n)
	}))

	api.Handle(a, route("GET", "/{id}", "get-conversation", "Get a conversation", perm.ConversationsView),
		onConversation(s.Conversations.Get))
	api.HandleList(a, route("GET", "/{id}/items", "list-conversation-items", "List the timeline, newest first", perm.ConversationsView),
		func(ctx context.Context, in *conversationItemsIn) (db.List[conversation.Item], error) {
			return s.Conversations.Items(ctx, in.ID.UUID, conversation.Timeline{}, in.Page())
		})

	reply := route("POST", "/{id}/reply", "reply", "Reply to a conversation", perm.ConversationsReply)
	reply.TakesKey = true
	reply.Doc = "Needs the scope conversations.write, also for internal notes. A note does not emit conversation.replied. A reply takes the conversation's own route, or else the default from reply-channels. 422 no_route without a route to the customer."
	api.Handle(a, reply, s.publicReply)

	state := route("PUT", "/{id}/state", "set-state", "Open, snooze or close a conversation", perm.ConversationsManage)
	api.Handle(a, state, func(ctx context.Context, in *publicStateIn) (Reference, error) {
		c, err := s.Conversations.SetState(ctx, in.ID.UUID, in.Body.State, in.Body.Until, in.Body.UntilReply)
		return refer(c), err
	})
	tags := route("POST", "/{id}/tags", "tag-conversation", "Add and remove tags", perm.ConversationsManage)
	api.Handle(a, tags, hiding(conversation.Conversation.WithoutContent, func(ctx context.Context, in *publicTagsIn) (conversation.Conversation, error) {
		return s.Conversations.Retag(ctx, in.ID.UUID, func(has []string) []string {
			return withTags(contact.WithoutTags(has, in.Body.Remove), in.Body.Add)
		})
	}))

	api.Handle(a, route("GET", "/{id}/participants", "list-participants", "List participants", perm.ConversationsView),
		func(ctx context.Context, in *conversationIn) ([]conversation.Participant, error) {
			people, err := s.Conversations.People(ctx, in.ID.UUID)
			return people.Contacts, err
		})
	api.Handle(a, route("POST", "/{id}/participants", "add-participant", "Add a participant", perm.ConversationsManage),
		func(ctx context.Context, in *addParticipantIn) ([]conversation.Participant, error) {
			return s.Conversations.AddParticipant(ctx, in.ID.UUID, in.Body.ContactID)
		})
	remove := route("DELETE", "/{id}/participants/{contactId}", "remove-participant", "Remove a participant", perm.ConversationsManage)
	api.Handle(a, remove, func(ctx context.Context, in *participantIn) ([]conversation.Participant, error) {
		return s.Conversations.RemoveParticipant(ctx, in.ID.UUID, in.ContactID.UUID)
	})
}

func (in *publicCreateConversationIn) conversation() (conversation.NewConversation, error) {
	b := in.Body
	n := conversation.NewConversation{Channel: conversation.API, ReplyRoute: conversation.ReplyNowhere, Subject: b.Subject, Body: b.Body, Priority: b.Priority, GroupID: b.GroupID, Tags: b.Tags}
	switch {
	case b.ContactID != nil && b.Contact != nil:
		return n, fault.Invalid("contact", "not_together")
	case b.ContactID != nil:
		n.ContactID = *b.ContactID
	case b.Contact == nil:
		return n, fault.Invalid("contact_id", "required")
	case b.Contact.ExternalID == "" && b.Contact.Email == "" && b.Contact.Phone == "":
		return n, fault.Invalid("contact", "required")
	default:
		from := contact.Sender{Channel: conversation.API, ExternalID: b.Contact.ExternalID, Name: b.Contact.Name, Email: b.Contact.Email, Phone: b.Contact.Phone}
		if err := from.Check(); err != nil {
			return n, err
		}
		n.From = &from
		if from.Email != "" {
			n.ReplyRoute = conversation.ReplyByEmail
		}
	}
	return n, nil
}

func (s *Service) publicReply(ctx context.Context, in *publicReplyIn) (Reference, error) {
	b, id := in.Body, in.ID.UUID
	ctx = idempotency.View(ctx, func(w conversation.Written) Reference { return refer(w.Conversation) })
	if b.Type == "user" {
		if b.MessageType == "note" {
			// The id is checked first, so that an unknown one is always a 404.
			if _, err := s.Conversations.Get(ctx, id); err != nil {
				return Reference{}, err
			}
			return Reference{}, fault.Invalid("message_type", "not_for_customers")
		}
		out, err := s.Replies.ReplyAsCustomer(ctx, id, b.Body, b.Attachments...)
		return refer(out.Conversation), err
	}
	if b.AdminID == nil {
		if _, err := s.Conversations.Get(ctx, id); err != nil {
			return Reference{}, err
		}
		return Reference{}, fault.Invalid("admin_id", "required")
	}
	out, err := s.Replies.Reply(ctx, id, reply.Answer{Author: conversation.AgentAuthor(*b.AdminID), Body: b.Body, Note: b.MessageType == "note", Attachments: b.Attachments})
	return refer(out.Conversation), err
}
