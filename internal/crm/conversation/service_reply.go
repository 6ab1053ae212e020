package conversation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
)

// Written is a conversation and what was written into it.
type Written struct {
	Conversation Conversation `json:"conversation"`
	Item         Item         `json:"item"`
}

// Answer is what an agent, a program or the assistant writes.
type Answer struct {
	Author Author
	Body   string
	Note   bool
	// Channel and AccountID choose another route than the conversation's own.
	Channel   string
	AccountID *uuid.UUID
	// Attachments are the caller's uploads; Files come from a channel or the
	// house itself. Either can stand without a text.
	Attachments []uuid.UUID
	Files       []Prepared
	// Sources are what the assistant relied on.
	Sources []AISource
	// Configuration is which assistant wrote it, for a bot's answer.
	Configuration *Configuration

	held []Attachment // files that waited with the message
}

// Reply writes an answer or an internal note. An answer without a route to
// the customer is refused and leaves nothing behind.
func (s *Service) Reply(ctx context.Context, id uuid.UUID, a Answer) (out Written, err error) {
	_, err = s.change(ctx, id, s.ToReply(a, &out), s.sent)
	return out, err
}

// ToReply is Reply as a step; what was written goes to out.
func (s *Service) ToReply(a Answer, out *Written) Step {
	return func(tx *db.Tx, was Conversation) (Conversation, error) {
		var err error
		*out, err = s.reply(tx, was, a)
		return out.Conversation, err
	}
}

// reply writes an answer into a conversation that is locked.
func (s *Service) reply(tx *db.Tx, was Conversation, a Answer) (out Written, err error) {
	if err := s.checkAuthor(tx, a.Author); err != nil {
		return out, err
	}
	item := &Item{Kind: Message, AuthorKind: a.Author.Kind, AuthorID: a.Author.ID, Body: strings.TrimSpace(a.Body), sources: a.Sources}
	if a.held != nil {
		item.Attachments = a.held
	} else if err := s.compose(tx, item, a.Attachments, a.Files); err != nil {
		return out, err
	}
	if a.Note {
		item.Kind = Note
		out.Conversation, err = s.noted(tx, was, item)
		out.Item = *item
		return out, err
	}
	route, err := s.way(tx, &was, a)
	if err != nil {
		return out, err
	}
	addressTo(item, &was, route)
	out.Conversation, err = s.answered(tx, was, item)
	out.Item = *item
	if err == nil && item.AuthorKind == ByBot {
		err = addAIAnswer(tx, was.ID, a.Configuration)
	}
	if err != nil || route == nil {
		return out, err
	}
	_, err = s.send(tx, &out.Conversation, item, route)
	return out, err
}

// compose puts the files on an item, which needs a text or at least one of them.
func (s *Service) compose(tx *db.Tx, item *Item, uploads []uuid.UUID, files []Prepared) error {
	if err := s.take(tx, item, uploads, files); err != nil {
		return err
	}
	if item.Body == "" && len(item.Attachments) == 0 {
		return fault.Invalid("body", "required")
	}
	return nil
}

// checkAuthor checks that an agent who is named is one.
func (s *Service) checkAuthor(tx *db.Tx, a Author) error {
	if a.Kind != ByAgent || a.ID == nil || *a.ID == caller.From(tx.Context()).ID {
		return nil
	}
	ok, err := s.agents.IsAgent(&tx.Reader, *a.ID)
	if err == nil && !ok {
		return fault.Invalid("admin_id", "unknown_agent")
	}
	return err
}

// way finds the route of an answer: nil where none is needed, no_route where
// there is none.
func (s *Service) way(tx *db.Tx, c *Conversation, a Answer) (*Route, error) {
	source, _ := sourceOf(c.Channel)
	if c.Test || caller.From(tx.Context()).Test || !source.needsRoute && a.Channel == "" {
		return nil, nil
	}
	w := Wish{Channel: c.Channel, AccountID: c.ChannelAccountID}
	if a.Channel != "" {
		w.Channel, w.AccountID = a.Channel, a.AccountID
	}
	route, err := s.route(&tx.Reader, c.ContactID, w)
	if err == nil && route == nil {
		return nil, fault.New(fault.NoRoute)
	}
	return route, err
}

func (s *Service) route(r *db.Reader, customer uuid.UUID, w Wish) (*Route, error) {
	var err error
	if w.Contact, err = s.contacts.Whole(r, customer); err != nil {
		if db.IsNoRow(err) {
			return nil, nil // a deleted contact cannot be reached
		}
		return nil, err
	}
	return s.router.Route(r, w)
}

// addressTo writes on an outgoing message where it goes.
func addressTo(item *Item, c *Conversation, route *Route) {
	status := NotGoing
	item.Channel, item.ChannelAccountID = &c.Channel, c.ChannelAccountID
	if route != nil {
		status = Queued
		item.Channel, item.ChannelAccountID = &route.Channel, &route.AccountID
	}
	item.Delivery = &status
}

// send gives a message that was written to the router.
func (s *Service) send(tx *db.Tx, c *Conversation, item *Item, route *Route) (Outgoing, error) {
	out := Outgoing{
		ConversationID: c.ID, ItemID: item.ID, ContactID: c.ContactID, Route: *route, Subject: c.Subject, Body: item.Body,
		Attachments: outgoingFiles(item),
	}
	if route.Channel == Mail {
		var err error
		if out.EmailCC, err = copiesOf(&tx.Reader, c.ID); err != nil {
			return out, err
		}
	}
	return out, s.router.Take(tx, out)
}

func outgoingFiles(item *Item) (out []OutgoingFile) {
	for _, a := range item.Attachments {
		if a.blobID != nil {
			out = append(out, OutgoingFile{ID: a.ID, Name: a.Name, Type: a.Type, Size: a.Size, BlobID: *a.blobID})
		}
	}
	return out
}

// ReplyAsCustomer writes what the customer said, with uploads of the caller.
func (s *Service) ReplyAsCustomer(ctx context.Context, id uuid.UUID, body string, attachments ...uuid.UUID) (out Written, err error) {
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		was, err := lockUnmerged(tx, id)
		if err != nil {
			return err
		}
		item := &Item{Kind: Message, AuthorKind: ByContact, AuthorID: &was.ContactID, Body: strings.TrimSpace(body), Channel: &was.Channel}
		if err := s.compose(tx, item, attachments, nil); err != nil {
			return err
		}
		out.Conversation, err = s.wrote(tx, was, item)
		out.Item = *item
		return err
	})
	return out, err
}

// Inbound is what a channel brings.
type Inbound struct {
	Channel string
	From    contact.Sender
	Subject string
	Body    string
	// ProviderMessageID is how the channel calls the message; a second one
	// with the same id is the same message.
	ProviderMessageID string
	// ConversationID is the thread, where the channel knows it (e-mail).
	ConversationID *uuid.UUID
	// AI says that the assistant answers on this account.
	AI bool
	// Window is for how long the channel takes free text from now on; 0 for a
	// channel without a window.
	Window time.Duration
	// GroupID gets a conversation that begins, if the group is still there.
	GroupID *uuid.UUID
	// Then runs in the transaction of the message, for what the channel keeps
	// of it.
	Then func(tx *db.Tx, out *Ingested) error
	// Attachments were stored with Service.Prepare.
	Attachments []Prepared
	// Email is the original, where the message came as one.
	Email *Email
}

// Ingested is what became of an inbound message.
type Ingested struct {
	Written
	Created   bool
	Duplicate bool
}

// Ingest is the one way in for what customers write on channels: contact,
// conversation (reopened if needed), message, counters, events.
func (s *Service) Ingest(ctx context.Context, in Inbound) (out Ingested, err error) {
	source, ok := sourceOf(in.Channel)
	if !ok {
		return out, fmt.Errorf("conversation: unknown channel %q", in.Channel)
	}
	err = s.InTx(ctx, func(tx *db.Tx) error {
		out = Ingested{}
		if err := s.ingest(tx, in, source, &out); err != nil || in.Then == nil {
			return err
		}
		return in.Then(tx, &out)
	})
	return out, err
}

func (s *Service) ingest(tx *db.Tx, in Inbound, source Source, out *Ingested) error {
	ref, err := s.contacts.Resolve(tx, in.From)
	if err != nil {
		return err
	}
	if in.Window > 0 {
		until := clock.At(tx.Now().Add(in.Window))
		if err := s.contacts.OpenWindow(tx, in.From.AccountID, in.From.ExternalID, until); err != nil {
			return err
		}
	}
	item := &Item{Kind: Message, AuthorKind: ByContact, AuthorID: &ref.ID, Body: in.Body, Channel: &in.Channel, email: in.Email}
	if in.From.AccountID != uuid.Nil {
		item.ChannelAccountID = &in.From.AccountID
	}
	if in.ProviderMessageID != "" {
		item.providerMessageID = &in.ProviderMessageID
	}
	if err := s.take(tx, item, nil, in.Attachments); err != nil {
		return err
	}
	was, err := s.thread(tx, in, ref, source)
	if db.IsNoRow(err) {
		return s.first(tx, in, ref, source, item, out)
	}
	if err != nil {
		return err
	}
	// Looked up under the conversation's lock: the same message twice at
	// once finds the first here.
	if seen, err := s.seen(tx, in); err != nil || seen != nil {
		if seen != nil {
			*out = Ingested{Written: Written{was, *seen}, Duplicate: true}
		}
		return err
	}
	out.Conversation, err = s.wrote(tx, was, item)
	out.Item, out.Created = *item, out.Conversation.ID != was.ID
	return err
}

func (s *Service) seen(tx *db.Tx, in Inbound) (*Item, error) {
	if in.ProviderMessageID == "" {
		return nil, nil
	}
	item, err := itemByProvider(&tx.Reader, in.From.AccountID, in.ProviderMessageID)
	if db.IsNoRow(err) {
		return nil, nil
	}
	if err == nil {
		err = filled(&tx.Reader, &item)
	}
	return &item, err
}

// thread finds the conversation that a message belongs to and locks it,
// following merges.
func (s *Service) thread(tx *db.Tx, in Inbound, ref contact.Ref, source Source) (Conversation, error) {
	var c Conversation
	var err error
	switch {
	case in.ConversationID != nil:
		c, err = lock(tx, *in.ConversationID)
	case source.Messaging && in.From.AccountID != uuid.Nil:
		if c, err = lockThread(tx, in.From.AccountID, ref.ID); db.IsNoRow(err) {
			c, err = lockMergedThread(tx, in.From.AccountID, ref.ID)
		}
	default:
		return c, db.ErrNoRow
	}
	for hops := 0; err == nil && c.MergedIntoID != nil && hops < 10; hops++ {
		c, err = lock(tx, *c.MergedIntoID)
	}
	if err == nil && c.deletedAt != nil {
		return c, db.ErrNoRow
	}
	return c, err
}

// first begins a conversation with its first message. Where another message
// of the same contact was faster, the transaction runs again and joins it.
func (s *Service) first(tx *db.Tx, in Inbound, ref contact.Ref, source Source, item *Item, out *Ingested) error {
	if seen, err := s.seen(tx, in); err != nil {
		return err
	} else if seen != nil {
		c, err := byID(&tx.Reader, seen.ConversationID)
		*out = Ingested{Written: Written{c, *seen}, Duplicate: true}
		return absent(err)
	}
	c := Conversation{
		Channel: in.Channel, ChannelAccountID: item.ChannelAccountID, Talep: source.Talep,
		singleThread: source.Messaging && item.ChannelAccountID != nil,
		ContactID:    ref.ID, ContactName: ref.Name, Subject: strings.TrimSpace(in.Subject), WaitingSince: clock.Ptr(tx.Now()),
	}
	if in.AI && !ref.Blocked {
		c.AIState = AIActive
	}
	if in.GroupID != nil {
		there, err := s.IsGroup(&tx.Reader, *in.GroupID)
		if err != nil {
			return err
		}
		if there {
			c.GroupID = in.GroupID
		}
	}
	on := Begin
	if ref.Blocked {
		on = BeginBlocked
	}
	free, err := s.begin(tx, &c, on, item)
	if err != nil {
		return err
	}
	if !free {
		return contact.ErrRace
	}
	out.Written, out.Created = Written{c, *item}, true
	if ref.Blocked {
		return nil
	}
	return s.contacts.Wrote(tx, ref.ID)
}

// Opening is a conversation that an agent begins.
type Opening struct {
	ContactID uuid.UUID
	Channel   string
	AccountID *uuid.UUID
	Subject   string
	Body      string
	Priority  string
	GroupID   *uuid.UUID
	// Attachments are the caller's uploads.
	Attachments []uuid.UUID
}

// Begun is what became of it.
type Begun struct {
	Conversation Conversation
	Item         Item
	Delivery     Delivery
	Route        *Route
	Reused       bool

	outgoing Outgoing
}

// BeginAsAgent opens a conversation with a customer, or writes into the one
// that the customer has on that channel. It is made even where the message
// cannot be delivered.
func (s *Service) BeginAsAgent(ctx context.Context, o Opening) (out Begun, err error) {
	source, ok := sourceOf(o.Channel)
	if !ok {
		return out, fault.Invalid("channel", "not_allowed")
	}
	err = s.InTx(ctx, func(tx *db.Tx) error {
		out = Begun{Delivery: Delivery{Status: NotGoing}}
		ref, err := s.customer(tx, NewConversation{ContactID: o.ContactID})
		if err != nil {
			return err
		}
		if err := s.checkPlace(tx, nil, o.GroupID); err != nil {
			return err
		}
		item := &Item{Kind: Message, Body: strings.TrimSpace(o.Body)}
		if err := s.compose(tx, item, o.Attachments, nil); err != nil {
			return err
		}
		who := author(tx)
		item.AuthorKind, item.AuthorID = who.Kind, who.ID
		if err := s.wayOut(tx, o, ref, &out); err != nil {
			return err
		}
		was, err := s.reusable(tx, o, source, ref, out.Route)
		switch {
		case err == nil:
			out.Reused = true
			addressTo(item, &was, out.Route)
			out.Conversation, err = s.answered(tx, was, item)
		case db.IsNoRow(err):
			out.Conversation, err = s.beginWith(tx, o, source, ref, out.Route, item)
		}
		if err != nil {
			return err
		}
		out.Item = *item
		if out.Route == nil {
			return s.undelivered(tx, &out)
		}
		out.outgoing, err = s.send(tx, &out.Conversation, item, out.Route)
		return err
	})
	if err != nil || out.Route == nil {
		return out, err
	}
	return out, s.push(ctx, &out)
}

// wayOut finds the route; a refusal, such as a closed window, is kept as the
// delivery's failure and does not stop the conversation.
func (s *Service) wayOut(tx *db.Tx, o Opening, ref contact.Ref, out *Begun) error {
	if caller.From(tx.Context()).Test {
		return nil
	}
	route, err := s.route(&tx.Reader, ref.ID, Wish{Channel: o.Channel, AccountID: o.AccountID})
	if f, ok := fault.As(err); ok {
		out.Delivery = Delivery{Status: Failed, Error: string(f.Code)}
		return nil
	}
	out.Route = route
	return err
}

// reusable is the conversation that the customer has on a messaging channel.
func (s *Service) reusable(tx *db.Tx, o Opening, source Source, ref contact.Ref, route *Route) (Conversation, error) {
	if !source.Messaging {
		return Conversation{}, db.ErrNoRow
	}
	if route != nil {
		return lockThread(tx, route.AccountID, ref.ID)
	}
	if o.AccountID != nil {
		return lockThread(tx, *o.AccountID, ref.ID)
	}
	return lockChannelThread(tx, o.Channel, ref.ID)
}

func (s *Service) beginWith(tx *db.Tx, o Opening, source Source, ref contact.Ref, route *Route, item *Item) (Conversation, error) {
	c := Conversation{
		Channel: o.Channel, Talep: source.Talep, ContactID: ref.ID, ContactName: ref.Name,
		Subject: strings.TrimSpace(o.Subject), Priority: o.Priority, GroupID: o.GroupID,
		FirstReplyAt: clock.Ptr(tx.Now()), OwnerID: item.AuthorID,
	}
	if item.AuthorKind != ByAgent {
		c.OwnerID = nil
	}
	if route != nil {
		c.ChannelAccountID, c.singleThread = &route.AccountID, source.Messaging
	}
	addressTo(item, &c, route)
	free, err := s.begin(tx, &c, Begin, item)
	if err == nil && !free {
		err = contact.ErrRace
	}
	if err != nil {
		return c, err
	}
	return c, s.contacts.Reached(tx, ref.ID)
}

// undelivered leaves the trace of a message that was refused before it left.
func (s *Service) undelivered(tx *db.Tx, out *Begun) error {
	if out.Delivery.Status != Failed {
		return nil
	}
	c, item, err := s.failed(tx, out.Conversation.ID, out.Item, out.Delivery)
	out.Conversation, out.Item = c, item
	return err
}

// push tries to deliver while the agent waits, and writes the outcome down.
func (s *Service) push(ctx context.Context, out *Begun) error {
	d, err := s.router.Push(ctx, out.outgoing)
	if err != nil {
		// It was taken durably, so it stays on its way.
		d = Delivery{Status: Queued}
	}
	out.Delivery = d
	c, item, err := s.delivered(ctx, out.Item.ID, d)
	if err == nil {
		out.Conversation, out.Item = c, item
	}
	return err
}

// Delivered is how a channel reports what became of a message.
func (s *Service) Delivered(ctx context.Context, item uuid.UUID, d Delivery) error {
	_, _, err := s.delivered(ctx, item, d)
	return err
}

func (s *Service) delivered(ctx context.Context, id uuid.UUID, d Delivery) (c Conversation, item Item, err error) {
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if item, err = itemByID(&tx.Reader, id); err != nil {
			return absent(err)
		}
		if err := filled(&tx.Reader, &item); err != nil {
			return err
		}
		if d.Status == Failed {
			c, item, err = s.failed(tx, item.ConversationID, item, d)
			return err
		}
		var provider *string
		if d.ProviderMessageID != "" {
			provider = &d.ProviderMessageID
		}
		item.Delivery = &d.Status
		if err := setDelivery(tx, id, d.Status, nil, provider); err != nil {
			return err
		}
		c, err = byID(&tx.Reader, item.ConversationID)
		return absent(err)
	})
	return c, item, err
}

// failed marks a message and leaves a channel_delivery_failed event beside it.
func (s *Service) failed(tx *db.Tx, conversation uuid.UUID, item Item, d Delivery) (Conversation, Item, error) {
	was, err := lock(tx, conversation)
	if err != nil {
		return was, item, absent(err)
	}
	if item.Delivery != nil && *item.Delivery == Failed {
		return was, item, nil
	}
	status := Failed
	item.Delivery, item.DeliveryError = &status, &d.Error
	if err := setDelivery(tx, item.ID, Failed, &d.Error, nil); err != nil {
		return was, item, err
	}
	c := was
	mark := happened(tx, "channel_delivery_failed", map[string]any{"item_id": item.ID, "error": d.Error, "channel": item.Channel})
	place(tx, &c, []*Item{mark})
	if err := save(tx, &c, was.State); err != nil {
		return c, item, err
	}
	if err := s.follow(tx, &was, &c, []*Item{mark}); err != nil {
		return c, item, err
	}
	_, err = event.Emit(tx, event.Change{Type: DeliveryFailed, Object: &c, Item: item, Test: c.Test || item.test})
	return c, item, err
}

// Escalate hands a conversation from the assistant to people, because the
// customer asked for one or the assistant gave up: it is open, its group's or
// the given one's, and that group's agents are told. A repeat changes nothing.
func (s *Service) Escalate(ctx context.Context, id uuid.UUID, reason string, group *uuid.UUID) (Conversation, error) {
	return s.change(ctx, id, s.ToEscalate(reason, group))
}

// ToEscalate is Escalate as a step.
func (s *Service) ToEscalate(reason string, group *uuid.UUID) Step {
	return func(tx *db.Tx, was Conversation) (Conversation, error) {
		c := was
		if c.GroupID == nil && group != nil {
			if there, err := s.IsGroup(&tx.Reader, *group); err != nil {
				return c, err
			} else if there {
				c.GroupID = group
			}
		}
		if was.State == Open && was.AIState == AIHandedOver && same(was.GroupID, c.GroupID) {
			return was, nil
		}
		handOver(&c, reason)
		if c.WaitingSince == nil {
			c.WaitingSince = clock.Ptr(tx.Now())
		}
		if err := s.keepOwner(tx, &c); err != nil {
			return c, err
		}
		if err := s.move(tx, was, &c, Escalate, nil, map[string]any{"reason": reason}); err != nil {
			return c, err
		}
		if err := s.notify(tx, &c); err != nil {
			return c, err
		}
		if c.OwnerID != nil {
			return c, nil // it is somebody's
		}
		return c, s.notifyGroup(tx, &c)
	}
}

// SetAI turns the assistant on, off or to pause for one conversation.
func (s *Service) SetAI(ctx context.Context, id uuid.UUID, state string) (Conversation, error) {
	return s.change(ctx, id, func(tx *db.Tx, was Conversation) (Conversation, error) {
		c := was
		if c.AIState = state; was.AIState == state {
			return c, nil
		}
		c.HandoverReason, c.UpdatedAt = nil, clock.At(tx.Now())
		if err := save(tx, &c, was.State); err != nil {
			return c, err
		}
		if err := s.follow(tx, &was, &c, nil); err != nil {
			return c, err
		}
		return c, s.announce(tx, []string{Updated}, &was, &c, nil)
	})
}

// errNoAgent says that only a person can do this.
var errNoAgent = errors.New("conversation: the caller is no agent")
