package conversation

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation/group"
	"konak/internal/kit/blob"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/perm"
)

// Agents knows the members of a workspace.
type Agents interface {
	// IsAgent reports whether an id is an active member's.
	IsAgent(r *db.Reader, id uuid.UUID) (bool, error)
	// HoldAgent reports whether an id is that of an active member with a permission, and
	// keeps the member from being suspended until the transaction ends.
	HoldAgent(tx *db.Tx, p perm.Permission, id uuid.UUID) (bool, error)
	// AgentNames returns the names of members, including former ones.
	AgentNames(r *db.Reader, ids []uuid.UUID) (map[uuid.UUID]string, error)
	// AgentsWho returns the active members with a permission and their names: those among
	// ids, or all if no ids are given.
	AgentsWho(r *db.Reader, p perm.Permission, ids ...uuid.UUID) (map[uuid.UUID]string, error)
}

// Config is what the inbox needs.
type Config struct {
	DB       *db.DB
	Contacts *contact.Book
	Agents   Agents
	Blobs    *blob.Store
	// Router carries messages out; nil means NoRouter.
	Router Router
}

// Service is the gate of the inbox: every change of a conversation goes through it.
type Service struct{ Config }

// New returns the service.
func New(c Config) *Service {
	if c.Router == nil {
		c.Router = NoRouter{}
	}
	return &Service{c}
}

// WithRouter returns the same service with another router, for tests.
func (s *Service) WithRouter(r Router) *Service {
	c := s.Config
	c.Router = r
	return &Service{c}
}

// List returns a page of conversations in the given order.
func (s *Service) List(ctx context.Context, f Filter, q string, o Order, p db.Page) (out db.List[Conversation], err error) {
	err = s.Tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if err := s.search(r, &f, q); err != nil {
			return err
		}
		if out, err = list(r, f, o, p); err != nil {
			return err
		}
		return FillUnreadAndFailed(r, AgentID(ctx), out.Rows)
	})
	return out, err
}

// search adds the search text q to a filter.
func (s *Service) search(r *db.Reader, f *Filter, q string) (err error) {
	if q = strings.TrimSpace(q); q != "" {
		f.searched, f.terms = true, contact.Terms(q)
		f.contacts, err = s.Contacts.Matching(r, q, maxFound)
	}
	return err
}

// maxFound is the maximum number of contacts that a search can match.
const maxFound = 100

// Get returns one conversation.
func (s *Service) Get(ctx context.Context, id uuid.UUID) (Conversation, error) {
	return db.Read(ctx, s.Tenant(ctx), func(r *db.Reader) (Conversation, error) {
		return ByIDFilled(r, id, AgentID(ctx))
	})
}

// Find returns a conversation in a transaction of the caller.
func (s *Service) Find(r *db.Reader, id uuid.UUID) (Conversation, error) { return ByID(r, id) }

// Timeline sets the order in which the items of a conversation are read, and the item to
// start from.
type Timeline struct {
	Ascending bool
	From      *uuid.UUID
}

// Items returns a page of the timeline.
func (s *Service) Items(ctx context.Context, id uuid.UUID, ask Timeline, p db.Page) (db.List[Item], error) {
	return ReadConversation(ctx, s, id, func(r *db.Reader, _ *Conversation) (out db.List[Item], err error) {
		if ask.From != nil {
			first, err := ItemOf(r, id, *ask.From)
			if db.IsNoRow(err) {
				return out, fault.Invalid("from", "unknown_item")
			}
			if err != nil {
				return out, err
			}
			p.After = pageKeyAt(first, ask.Ascending)
		}
		if out, err = items(r, id, ask.Ascending, p); err != nil {
			return out, err
		}
		return out, FillItems(r, out.Rows)
	})
}

// NewConversation is the input for a new conversation.
type NewConversation struct {
	ContactID uuid.UUID
	// From finds or creates the contact if ContactID is not set.
	From    *contact.Sender
	Channel string
	// AccountID is the channel account that brought it, if one did.
	AccountID *uuid.UUID
	Subject   string
	Body      string // the customer's first message, "" for none
	Priority  string
	OwnerID   *uuid.UUID
	GroupID   *uuid.UUID
	Tags      []string
	// Notify marks the conversation as unread for the agents of the group.
	Notify bool
	// ReplyRoute is where answers go: ReplyByEmail, ReplyNowhere, or "" for the
	// channel's own route.
	ReplyRoute string
}

// Create opens a conversation that no channel brought: a request that an agent or another
// program enters.
func (s *Service) Create(ctx context.Context, n NewConversation) (c Conversation, err error) {
	err = idempotency.Do(ctx, s.Tenant(ctx), &c, func(tx *db.Tx) error {
		c, err = s.CreateIn(tx, n)
		return err
	})
	return c, err
}

// CreateIn is Create inside a transaction of InTx.
func (s *Service) CreateIn(tx *db.Tx, n NewConversation) (c Conversation, err error) {
	source, ok := SourceOf(n.Channel)
	if !ok {
		return c, fault.Invalid("channel", "not_allowed")
	}
	tags, ok := contact.Tags(n.Tags)
	if !ok {
		return c, fault.Invalid("tags", "too_long")
	}
	if n.Body != "" && strings.TrimSpace(n.Body) == "" {
		return c, fault.Invalid("body", "required")
	}
	ref, err := s.FindCustomer(tx, n)
	if err != nil {
		return c, err
	}
	c = Conversation{
		Channel: n.Channel, ChannelAccountID: n.AccountID, IsRequest: source.IsRequest, ContactID: ref.ID, ContactName: ref.Name,
		Priority: n.Priority, Subject: strings.TrimSpace(n.Subject), OwnerID: n.OwnerID, GroupID: n.GroupID, Tags: tags,
		Test: ref.Test,
	}
	if n.ReplyRoute != "" {
		c.ReplyRoute = &n.ReplyRoute
	}
	if err := s.CheckOwnerAndGroup(tx, n.OwnerID, n.GroupID); err != nil {
		return c, err
	}
	var first *Item
	if body := strings.TrimSpace(n.Body); body != "" {
		first = &Item{Kind: Message, AuthorKind: ByContact, AuthorID: &ref.ID, Body: body, Channel: &c.Channel, ChannelAccountID: n.AccountID}
		c.WaitingSince = clock.Ptr(tx.Now())
		if c.Subject == "" {
			c.Subject = preview(body)
		}
	}
	on := Begin
	if ref.Blocked {
		on = BeginBlocked
	}
	if _, err = s.Start(tx, &c, on, first); err != nil || ref.Blocked {
		return c, err
	}
	if n.Notify {
		if err := s.notifyGroup(tx, &c); err != nil {
			return c, err
		}
	}
	if first == nil {
		return c, nil
	}
	return c, s.Contacts.MarkReplied(tx, ref.ID)
}

// FindCustomer returns the contact of a new conversation, or creates the contact of its
// sender. A contact that the caller cannot see is a validation fault.
func (s *Service) FindCustomer(tx *db.Tx, n NewConversation) (contact.Ref, error) {
	if n.From != nil {
		return s.Contacts.Resolve(tx, *n.From)
	}
	ref, err := s.Contacts.Find(&tx.Reader, n.ContactID)
	return ref, db.IfNoRow(err, fault.Invalid("contact_id", "unknown_contact"))
}

// findOtherContact returns a contact for an existing conversation; it must be of the same
// environment.
func (s *Service) findOtherContact(tx *db.Tx, c *Conversation, id uuid.UUID) (contact.Ref, error) {
	ref, err := s.FindCustomer(tx, NewConversation{ContactID: id})
	if err == nil && ref.Test != c.Test {
		err = fault.New(fault.TestEnvironment)
	}
	return ref, err
}

// InTx runs a transaction in the caller's workspace.
func (s *Service) InTx(ctx context.Context, fn func(*db.Tx) error) error {
	return s.Tenant(ctx).InTx(ctx, fn)
}

// CheckOwnerAndGroup checks that an owner may see conversations and that a group exists.
func (s *Service) CheckOwnerAndGroup(tx *db.Tx, owner, groupID *uuid.UUID) error {
	if owner != nil {
		if ok, err := s.Agents.HoldAgent(tx, perm.ConversationsView, *owner); err != nil {
			return err
		} else if !ok {
			return fault.Invalid("owner_id", "unknown_agent")
		}
	}
	if groupID != nil {
		if _, err := group.ByID(&tx.Reader, *groupID); db.IsNoRow(err) {
			return fault.Invalid("group_id", "unknown_group")
		} else if err != nil {
			return err
		}
	}
	return nil
}

// Close closes a conversation; a repeat changes nothing.
func (s *Service) Close(ctx context.Context, id uuid.UUID) (Conversation, error) {
	return s.Change(ctx, id, s.ToClose())
}

// Open reopens a conversation.
func (s *Service) Open(ctx context.Context, id uuid.UUID) (Conversation, error) {
	return s.Change(ctx, id, s.ToOpen())
}

// Snooze puts a conversation aside until a time or until the customer writes.
func (s *Service) Snooze(ctx context.Context, id uuid.UUID, until *clock.Time, untilReply bool) (Conversation, error) {
	return s.Change(ctx, id, s.ToSnooze(until, untilReply))
}

// ToSnooze is Snooze as a step.
func (s *Service) ToSnooze(until *clock.Time, untilReply bool) Step {
	return func(tx *db.Tx, was Conversation) (Conversation, error) {
		c := was
		switch {
		case until == nil && !untilReply:
			return c, fault.Invalid("until", "required")
		case until != nil && untilReply:
			return c, fault.Invalid("until_reply", "not_together")
		case until != nil && (!until.After(tx.Now()) || until.After(tx.Now().AddDate(1, 0, 0))):
			return c, fault.Invalid("until", "out_of_range")
		}
		c.SnoozedUntil, c.SnoozedUntilReply = until, untilReply
		detail := map[string]any{"until": until, "until_reply": untilReply}
		return c, s.Move(tx, was, &c, Snooze, nil, detail)
	}
}

// SetState moves a conversation to a state by the trigger that leads there.
func (s *Service) SetState(ctx context.Context, id uuid.UUID, to State, until *clock.Time, untilReply bool) (Conversation, error) {
	switch to {
	case Open:
		return s.Open(ctx, id)
	case Closed:
		return s.Close(ctx, id)
	default:
		return s.Snooze(ctx, id, until, untilReply)
	}
}

// Change is what can be changed about a conversation; nil fields stay unchanged.
type Change struct {
	Subject   *string
	ContactID *uuid.UUID
	Priority  *string
	GroupID   *uuid.UUID // the nil UUID for none
}

// Update changes subject, customer, priority or group.
func (s *Service) Update(ctx context.Context, id uuid.UUID, ch Change) (Conversation, error) {
	return s.Change(ctx, id, s.ToUpdate(ch))
}

// ToUpdate is Update as a step.
func (s *Service) ToUpdate(ch Change) Step {
	return func(tx *db.Tx, was Conversation) (Conversation, error) {
		c := was
		if ch.Subject != nil {
			c.Subject = strings.TrimSpace(*ch.Subject)
		}
		if ch.Priority != nil {
			c.Priority = *ch.Priority
		}
		if ch.GroupID != nil {
			c.GroupID = ch.GroupID
			if *ch.GroupID == uuid.Nil {
				c.GroupID = nil
			}
			if err := s.CheckOwnerAndGroup(tx, nil, c.GroupID); err != nil {
				return c, err
			}
		}
		if ch.ContactID != nil && *ch.ContactID != was.ContactID {
			if was.SingleThread {
				return c, fault.New(fault.Conflict).Because("single_thread").Field("contact_id", "single_thread")
			}
			ref, err := s.findOtherContact(tx, &was, *ch.ContactID)
			if err != nil {
				return c, err
			}
			c.ContactID, c.ContactName = ref.ID, ref.Name
		}
		return c, s.saveChange(tx, was, &c)
	}
}

// saveChange saves a change that is not a transition.
func (s *Service) saveChange(tx *db.Tx, was Conversation, c *Conversation) error {
	before := changedFields(&was, c)
	if len(before) == 0 {
		return nil
	}
	names := []string{}
	if !SameID(was.GroupID, c.GroupID) {
		names = append(names, Assigned)
	}
	if was.Subject != c.Subject || was.Priority != c.Priority || was.ContactID != c.ContactID {
		names = append(names, Updated)
	}
	c.UpdatedAt = clock.At(tx.Now())
	detail, after := map[string]any{}, changedFields(c, &was)
	for name := range before {
		detail[name] = map[string]any{"from": before[name], "to": after[name]}
	}
	item := NewEvent(tx, "changed", detail)
	assignTimestamps(tx, c, []*Item{item})
	if err := Save(tx, c, was.State); err != nil {
		return fmt.Errorf("conversation: save: %w", err)
	}
	if was.Subject != c.Subject {
		if err := dropTerms(tx, c.ID); err != nil {
			return err
		}
		if err := putTerms(tx, c.ID, contact.Terms(c.Subject)); err != nil {
			return err
		}
	}
	if err := s.writeDependents(tx, &was, c, []*Item{item}); err != nil {
		return err
	}
	return s.Announce(tx, names, &was, c, nil)
}

// Transfer moves a conversation to a group, with a note for it.
func (s *Service) Transfer(ctx context.Context, id, group uuid.UUID, note string) (Conversation, error) {
	return s.Change(ctx, id, s.ToTransfer(group, note))
}

// ToTransfer is Transfer as a step.
func (s *Service) ToTransfer(group uuid.UUID, note string) Step {
	return func(tx *db.Tx, was Conversation) (Conversation, error) {
		c := was
		c.GroupID = &group
		if err := s.CheckOwnerAndGroup(tx, nil, &group); err != nil {
			return c, err
		}
		if err := s.saveChange(tx, was, &c); err != nil {
			return c, err
		}
		if note = strings.TrimSpace(note); note == "" {
			return c, nil
		}
		who := AuthorFrom(tx)
		return s.AddNote(tx, c, &Item{Kind: Note, AuthorKind: who.Kind, AuthorID: who.ID, Body: note})
	}
}

// Tenant returns the database of the caller's workspace.
func (s *Service) Tenant(ctx context.Context) db.Handle {
	return s.DB.TenantOf(ctx)
}

// AgentID returns the caller's agent id, uuid.Nil for keys and the system.
func AgentID(ctx context.Context) uuid.UUID {
	if who := caller.From(ctx); who.Kind == caller.Agent {
		return who.ID
	}
	return uuid.Nil
}

// Settings returns the inbox settings.
func (s *Service) Settings(ctx context.Context) (Settings, error) {
	return db.Read(ctx, s.Tenant(ctx), func(r *db.Reader) (Settings, error) {
		return ReadSettings(r)
	})
}

// SetSettings stores the inbox settings.
func (s *Service) SetSettings(ctx context.Context, set Settings) (Settings, error) {
	return set, s.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error { return putSettings(tx, set) })
}
