package mcp

import (
	"context"
	"html"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/agent"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/finder"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
	"konak/internal/kit/trtext"
)

const licence = "crm"

// Limits for reading a conversation.
const (
	shownItems = 30
	shownText  = 4000 // bytes of one item
)

// shownConversation is a conversation as a tool shows it.
type shownConversation struct {
	ID             uuid.UUID          `json:"id"`
	State          conversation.State `json:"state"`
	Subject        string             `json:"subject,omitempty"`
	Channel        string             `json:"channel"`
	ContactID      uuid.UUID          `json:"contact_id"`
	ContactName    string             `json:"contact_name,omitempty"`
	Preview        string             `json:"preview,omitempty"`
	Priority       string             `json:"priority"`
	OwnerID        *uuid.UUID         `json:"owner_id"`
	GroupID        *uuid.UUID         `json:"group_id"`
	Tags           []string           `json:"tags"`
	WaitingSince   *clock.Time        `json:"waiting_since"`
	LastActivityAt clock.Time         `json:"last_activity_at"`
	Found          string             `json:"found,omitempty"`
}

func showConversation(c conversation.Conversation) shownConversation {
	return shownConversation{
		ID: c.ID, State: c.State, Subject: c.Subject, Channel: c.Channel, ContactID: c.ContactID, ContactName: c.ContactName, Preview: c.Preview,
		Priority: c.Priority, OwnerID: c.OwnerID, GroupID: c.GroupID, Tags: c.Tags, WaitingSince: c.WaitingSince, LastActivityAt: c.LastActivityAt,
	}
}

// shownItem is an entry of a timeline as a tool shows it.
type shownItem struct {
	ID         uuid.UUID  `json:"id"`
	At         clock.Time `json:"at"`
	Kind       string     `json:"kind"`
	AuthorKind string     `json:"author_kind"`
	Text       string     `json:"text"`
	Cut        bool       `json:"cut,omitempty"`
	Event      *string    `json:"event,omitempty"`
	Files      []string   `json:"files,omitempty"`
}

func showItem(i conversation.Item) shownItem {
	out := shownItem{ID: i.ID, At: i.CreatedAt, Kind: i.Kind, AuthorKind: i.AuthorKind, Text: trtext.Cut(i.Body, shownText), Event: i.Event}
	out.Cut = len(out.Text) < len(i.Body)
	for _, f := range i.Attachments {
		out.Files = append(out.Files, f.Name)
	}
	return out
}

// plainText turns a search snippet into plain text.
func plainText(snippet string) string {
	return html.UnescapeString(strings.NewReplacer("<em>", "", "</em>", "").Replace(snippet))
}

type listConversations struct {
	State   string `json:"state,omitempty" jsonschema:"open, snoozed or closed; all if left out"`
	Channel string `json:"channel,omitempty" jsonschema:"such as whatsapp or email"`
	Tag     string `json:"tag,omitempty"`
	OwnerID string `json:"owner_id,omitempty" jsonschema:"an agent's id, or none"`
	Waiting bool   `json:"waiting,omitempty" jsonschema:"only where the customer is waiting for a reply"`
	paged
}

type conversationList struct {
	Conversations []shownConversation `json:"conversations"`
	more
}

type searchConversations struct {
	Query   string `json:"query" jsonschema:"words from messages, notes, the subject, or the customer's name, address or number"`
	State   string `json:"state,omitempty" jsonschema:"open, snoozed or closed; all if left out"`
	Channel string `json:"channel,omitempty" jsonschema:"such as whatsapp or email"`
	paged
}

type getConversation struct {
	ConversationID string `json:"conversation_id" jsonschema:"the id from a list or search"`
	Cursor         string `json:"cursor,omitempty" jsonschema:"next_cursor of the previous page"`
}

type conversationPage struct {
	Conversation shownConversation `json:"conversation"`
	Items        []shownItem       `json:"items"`
	more
}

type searchContacts struct {
	Query string `json:"query" jsonschema:"words from the name, an address, a number, the company or a tag"`
	paged
}

type contactList struct {
	Contacts []contact.Contact `json:"contacts"`
	more
}

type getContact struct {
	ContactID string `json:"contact_id" jsonschema:"the id from search_contacts, or the contact_id of a conversation"`
}

type agentList struct {
	Agents []shownAgent `json:"agents"`
	more
}

type shownAgent struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// addReading adds the tools that read conversations and people.
func (s *Service) addReading() {
	add(s, tool{
		name: "list_conversations", title: "List conversations", description: "Lists conversations, most recent activity first.",
		permission: perm.ConversationsView, licence: licence,
	}, s.listConversations)
	add(s, tool{
		name: "search_conversations", title: "Search conversations", description: "Finds conversations by words, best match first. Turkish words are matched by their stem.",
		permission: perm.ConversationsView, licence: licence,
	}, s.searchConversations)
	add(s, tool{
		name: "get_conversation", title: "Read a conversation", description: "Reads a conversation and its messages, notes and events, newest first.",
		permission: perm.ConversationsView, licence: licence,
	}, s.getConversation)
	add(s, tool{
		name: "search_contacts", title: "Search contacts", description: "Finds contacts by words, best match first.",
		permission: perm.ContactsView, licence: licence,
	}, s.searchContacts)
	add(s, tool{
		name: "get_contact", title: "Read a contact", description: "Reads a contact: addresses, numbers, tags, attributes. Claims are what people said about themselves without proof.",
		permission: perm.ContactsView, licence: licence,
	}, s.getContact)
	add(s, tool{
		name: "list_agents", title: "List agents", description: "Lists the colleagues a conversation can be assigned to.",
		permission: perm.AgentsView, licence: licence,
	}, s.listAgents)
}

// checkState refuses an unknown state of a conversation; "" means all.
func checkState(state string) error {
	switch conversation.State(state) {
	case "", conversation.Open, conversation.Snoozed, conversation.Closed:
		return nil
	}
	return fault.Invalid("state", "not_allowed")
}

func (s *Service) listConversations(ctx context.Context, in listConversations) (out conversationList, err error) {
	if err := checkState(in.State); err != nil {
		return out, err
	}
	page, err := s.page(ctx, "list_conversations", in.paged)
	if err != nil {
		return out, err
	}
	q := conversation.Query{State: in.State, Channel: in.Channel, Tag: in.Tag, OwnerID: in.OwnerID, Sort: "-last_activity"}
	if in.Waiting {
		q.Waiting = "true"
	}
	list, err := s.cfg.Conversations.ListMatching(ctx, q, page)
	if err != nil {
		return out, err
	}
	out = conversationList{[]shownConversation{}, s.goesOn(ctx, "list_conversations", list.Next)}
	for _, c := range list.Rows {
		out.Conversations = append(out.Conversations, showConversation(c))
	}
	return out, nil
}

func (s *Service) searchConversations(ctx context.Context, in searchConversations) (out conversationList, err error) {
	text, err := checkText("query", in.Query, maxQuery)
	if err == nil {
		err = checkState(in.State)
	}
	if err != nil {
		return out, err
	}
	page, err := s.page(ctx, "search_conversations", in.paged)
	if err != nil {
		return out, err
	}
	list, err := s.cfg.Finder.Conversations(ctx, finder.Query{Text: text, State: in.State, Channel: in.Channel}, page)
	out = conversationList{[]shownConversation{}, s.goesOn(ctx, "search_conversations", list.Next)}
	for _, h := range list.Rows {
		c := showConversation(h.Conversation)
		c.Found = plainText(h.Snippet)
		out.Conversations = append(out.Conversations, c)
	}
	return out, err
}

func (s *Service) getConversation(ctx context.Context, in getConversation) (out conversationPage, err error) {
	id, err := parseID(in.ConversationID)
	if err != nil {
		return out, err
	}
	var ask conversation.Timeline
	if in.Cursor != "" { // the item to begin with
		from, err := uuid.Parse(in.Cursor)
		if err != nil {
			return out, fault.Invalid("cursor", "invalid")
		}
		ask.From = &from
	}
	c, err := s.cfg.Conversations.Get(ctx, id)
	if err != nil {
		return out, err
	}
	list, err := s.cfg.Conversations.Items(ctx, id, ask, db.Page{Limit: shownItems + 1, After: db.First})
	if err != nil {
		return out, err
	}
	out = conversationPage{Conversation: showConversation(c), Items: []shownItem{}}
	for n, i := range list.Rows {
		if n == shownItems {
			out.NextCursor = i.ID.String()
			break
		}
		out.Items = append(out.Items, showItem(i))
	}
	return out, nil
}

func (s *Service) searchContacts(ctx context.Context, in searchContacts) (out contactList, err error) {
	text, err := checkText("query", in.Query, maxQuery)
	if err != nil {
		return out, err
	}
	page, err := s.page(ctx, "search_contacts", in.paged)
	if err != nil {
		return out, err
	}
	list, err := s.cfg.Finder.Contacts(ctx, finder.Query{Text: text}, page)
	out = contactList{[]contact.Contact{}, s.goesOn(ctx, "search_contacts", list.Next)}
	for _, h := range list.Rows {
		out.Contacts = append(out.Contacts, h.Contact)
	}
	return out, err
}

func (s *Service) getContact(ctx context.Context, in getContact) (c contact.Contact, err error) {
	id, err := parseID(in.ContactID)
	if err != nil {
		return c, err
	}
	return s.cfg.Contacts.Get(ctx, id)
}

func (s *Service) listAgents(ctx context.Context, in paged) (out agentList, err error) {
	page, err := s.page(ctx, "list_agents", in)
	if err != nil {
		return out, err
	}
	list, err := s.cfg.Agents.Agents(ctx, agent.Active, page)
	out = agentList{[]shownAgent{}, s.goesOn(ctx, "list_agents", list.Next)}
	for _, a := range list.Rows {
		out.Agents = append(out.Agents, shownAgent{a.ID, a.Name})
	}
	return out, err
}
