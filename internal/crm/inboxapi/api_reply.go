package inboxapi

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/group"
	"konak/internal/crm/reply"
	"konak/internal/crm/template"
	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/perm"
)

type replyAsAgentIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body struct {
		Body        string      `json:"body" maxLength:"100000" example:"Siparişiniz yarın teslim edilecek."`
		Attachments []uuid.UUID `json:"attachments,omitempty" maxItems:"20" nullable:"false" doc:"Ids of files the caller uploaded; with files, the text can be empty"`
		MessageType string      `json:"message_type,omitempty" enum:"comment,note" default:"comment" doc:"A note is internal and invisible to the customer"`
		Mentions    []uuid.UUID `json:"mentions,omitempty" maxItems:"50" nullable:"false" doc:"Agent ids of colleagues the note mentions; they are notified. 422 on mentions if one of them cannot see the conversation"`
		Channel     string      `json:"channel,omitempty" maxLength:"40" example:"email" doc:"Channel to use instead of the conversation's own"`
		AccountID   *uuid.UUID  `json:"channel_account_id,omitempty" format:"uuid"`
		MessageFormat
		DLPOverride *override `json:"dlp_override,omitempty" doc:"After a 422 dlp_warning: reason for sending the message anyway"`
	}
}

// MessageFormat is the format of a message's text.
type MessageFormat struct {
	Format    string `json:"format,omitempty" enum:"plain,markdown" doc:"Defaults to plain. markdown: bold (**), italic (_), links, lists and quotes are formatted in e-mail, with a plain-text part; on a channel without formatting, and in a note, the text goes without the marks"`
	Signature bool   `json:"signature,omitempty" doc:"Add the author's signature if it goes by e-mail"`
}

func (f MessageFormat) markdown() bool { return f.Format == conversation.FormatMarkdown }

// override is a person's reason for sending a message despite a rule's warning.
type override struct {
	Reason string `json:"reason" minLength:"1" maxLength:"500" example:"The customer asked for it"`
}

func (o *override) text() string {
	if o == nil {
		return ""
	}
	return o.Reason
}

type replyAsCustomerIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body struct {
		Body        string      `json:"body" maxLength:"100000" example:"Teşekkürler, bekliyorum."`
		Attachments []uuid.UUID `json:"attachments,omitempty" maxItems:"20" nullable:"false" doc:"Ids of files the caller uploaded; with files, the text can be empty"`
	}
}

type newAsAgentIn struct {
	Body struct {
		ContactID uuid.UUID  `json:"contact_id" format:"uuid"`
		Channel   string     `json:"channel" minLength:"1" maxLength:"40" example:"whatsapp"`
		AccountID *uuid.UUID `json:"channel_account_id,omitempty" format:"uuid"`
		Subject   string     `json:"subject,omitempty" maxLength:"300" example:"Randevu hatırlatma"`
		Body      string     `json:"body,omitempty" maxLength:"100000" example:"Merhaba, yarınki randevunuzu hatırlatmak istedik." doc:"Required without a file or a template"`
		MessageFormat
		Template    *template.Use `json:"template,omitempty" doc:"Approved template to send instead of a text, even if the channel's window is closed; it is sent over its own account"`
		Attachments []uuid.UUID   `json:"attachments,omitempty" maxItems:"20" nullable:"false" doc:"Ids of files the caller uploaded; with files, the text can be empty"`
		Priority    string        `json:"priority,omitempty" enum:"low,normal,high,urgent" default:"normal"`
		GroupID     *uuid.UUID    `json:"group_id,omitempty" format:"uuid"`
	}
}

// NewAsAgent is the answer to a conversation that an agent began.
type NewAsAgent struct {
	api.Traced
	Data             conversation.Conversation `json:"data"`
	Delivery         string                    `json:"delivery" enum:"sent,queued,failed,none" doc:"sent: accepted by the channel's provider; queued: on its way; failed: tried and rejected; none: no route to the customer"`
	DeliveryError    *string                   `json:"delivery_error" nullable:"true" doc:"Reason if failed; also on the conversation as a channel_delivery_failed event"`
	DeliveryChannel  *string                   `json:"delivery_channel" nullable:"true" example:"whatsapp" doc:"Channel of the route, even if it refused the message; null if there is none"`
	ChannelAccountID *uuid.UUID                `json:"channel_account_id" nullable:"true" format:"uuid"`
	Reused           bool                      `json:"reused" doc:"Whether the text was written into the contact's existing channel conversation"`
}

func (s *Service) registerReplies(a *api.API) {
	agent := route("POST", "/{id}/reply-as-agent", "reply-as-agent", "Reply as an agent", perm.ConversationsReply)
	agent.TakesKey = true
	agent.Refusals = []int{409}
	agent.Doc = "Without a channel, the reply takes the conversation's own route, or else the default from reply-channels. 422 no_route without a route to the customer; 409 channel_unavailable if the channel is paused. A note needs no route. 422 dlp_blocked if a data-loss-prevention rule stops the reply; 422 dlp_warning if a rule warns about it, until it is sent with dlp_override. E-mail is always checked, other channels if the workspace turned this on."
	api.Handle(a, agent, hiding(conversation.Written.WithoutContent, func(ctx context.Context, in *replyAsAgentIn) (conversation.Written, error) {
		b := in.Body
		return s.Replies.Reply(ctx, in.ID.UUID, reply.Answer{
			Author: conversation.AgentAuthor(caller.From(ctx).ID), Body: b.Body, Note: b.MessageType == "note", Channel: b.Channel, AccountID: b.AccountID, Attachments: b.Attachments,
			Mentions: b.Mentions, Markdown: b.markdown(), Signature: b.Signature, Override: b.DLPOverride.text(),
		})
	}))

	customer := route("POST", "/{id}/reply-as-customer", "reply-as-customer", "Reply as the customer", perm.ConversationsReply)
	customer.TakesKey = true
	customer.Refusals = []int{409}
	customer.Doc = "If a closed conversation can no longer reopen, returns the new one that is started."
	api.Handle(a, customer, hiding(conversation.Written.WithoutContent, func(ctx context.Context, in *replyAsCustomerIn) (conversation.Written, error) {
		return s.Replies.ReplyAsCustomer(ctx, in.ID.UUID, in.Body.Body, in.Body.Attachments...)
	}))

	ways := route("GET", "/{id}/reply-channels", "reply-channels", "List the routes a reply can take", perm.ConversationsReply)
	ways.Doc = "The conversation's own route, the contact's channel identities and e-mail addresses, and the server's default."
	api.Handle(a, ways, onConversation(s.Replies.ReplyChannels))

	begin := route("POST", "/new-as-agent", "new-as-agent", "Start a conversation with a customer", perm.ConversationsReply)
	begin.TakesKey = true
	begin.Status = 201
	begin.Doc = "422 for a channel that cannot send to customers, such as form or panel. The conversation is created even if delivery fails. An existing channel conversation of the contact is reused; subject and group are then ignored. A group also needs crm.conversations.assign; a priority other than normal also needs crm.conversations.manage."
	api.HandleBody(a, begin, hiding(NewAsAgent.withoutContent, func(ctx context.Context, in *newAsAgentIn) (NewAsAgent, error) {
		b := in.Body
		if err := (needs{assign: b.GroupID != nil, manage: sets(b.Priority)}).check(ctx); err != nil {
			return NewAsAgent{}, err
		}
		ctx = idempotency.View(ctx, func(b reply.Begun) NewAsAgent { return newAsAgent(&b) })
		out, err := s.Replies.BeginAsAgent(ctx, reply.Opening{
			ContactID: b.ContactID, Channel: b.Channel, AccountID: b.AccountID, Subject: b.Subject, Body: b.Body, Markdown: b.markdown(), Signature: b.Signature,
			Priority: b.Priority, GroupID: b.GroupID, Attachments: b.Attachments, Template: b.Template,
		})
		return newAsAgent(&out), err
	}))
}

// withoutContent returns the answer for callers who may not see conversations.
func (n NewAsAgent) withoutContent() NewAsAgent {
	n.Data = n.Data.WithoutContent()
	return n
}

func newAsAgent(b *reply.Begun) NewAsAgent {
	out := NewAsAgent{Data: b.Conversation, Delivery: b.Delivery.Status, Reused: b.Reused}
	if b.Delivery.Error != "" {
		out.DeliveryError = &b.Delivery.Error
	}
	if b.Found != nil {
		out.DeliveryChannel, out.ChannelAccountID = &b.Found.Channel, &b.Found.AccountID
	}
	return out
}

type groupIn struct {
	ID api.ID `path:"id" record:"crm_group"`
}

type groupBody struct {
	Name        string      `json:"name" minLength:"1" maxLength:"100" example:"Satış sonrası"`
	Description string      `json:"description,omitempty" maxLength:"500" example:"İade, değişim ve garanti"`
	AgentIDs    []uuid.UUID `json:"agent_ids,omitempty" maxItems:"200" nullable:"false" doc:"Members of the group"`
}

type createGroupIn struct {
	Body groupBody
}

type updateGroupIn struct {
	ID   api.ID `path:"id" record:"crm_group"`
	Body groupBody
}

func (s *Service) registerGroups(a *api.API) {
	route := func(method, path, id, summary string, p perm.Permission) api.Route {
		rt := route(method, "", id, summary, p)
		rt.Path, rt.Tag = "/api/crm/v1/groups"+path, "CRM groups"
		return rt
	}
	list := route("GET", "", "list-groups", "List groups", perm.ConversationsView)
	list.Ascending = true
	api.HandlePage(a, list, s.Groups.List)

	create := route("POST", "", "create-group", "Create a group", perm.GroupsManage)
	create.TakesKey = true
	create.Status, create.Refusals = 201, []int{409}
	api.Handle(a, create, func(ctx context.Context, in *createGroupIn) (group.Group, error) {
		return s.Groups.Add(ctx, in.Body.Name, in.Body.Description, in.Body.AgentIDs)
	})
	api.Handle(a, route("GET", "/{id}", "get-group", "Get a group", perm.ConversationsView),
		func(ctx context.Context, in *groupIn) (group.Group, error) {
			return s.Groups.Get(ctx, in.ID.UUID)
		})
	update := route("PUT", "/{id}", "update-group", "Change a group", perm.GroupsManage)
	update.Refusals = []int{409}
	api.Handle(a, update, func(ctx context.Context, in *updateGroupIn) (group.Group, error) {
		return s.Groups.Change(ctx, in.ID.UUID, in.Body.Name, in.Body.Description, in.Body.AgentIDs)
	})
	remove := route("DELETE", "/{id}", "delete-group", "Delete a group", perm.GroupsManage)
	remove.Refusals = []int{409}
	remove.Doc = "409 if conversations belong to the group."
	api.Handle(a, remove, func(ctx context.Context, in *groupIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.Groups.Delete(ctx, in.ID.UUID)
	})
}
