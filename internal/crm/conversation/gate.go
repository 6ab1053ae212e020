package conversation

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/agent"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation/count"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/group"
	"konak/internal/crm/conversation/later"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
)

// Move applies one transition to a conversation: it writes the record, the timeline and the
// counters and announces the events of the table. The caller has locked was and set
// everything but the state in c.
func (s *Service) Move(tx *db.Tx, was Conversation, c *Conversation, on Trigger, item *Item, detail map[string]any) error {
	t := transition(was.State, on)
	if t.Nothing {
		*c = was
		return nil
	}
	c.State, c.UpdatedAt = t.To, clock.At(tx.Now())
	setStateFields(c, &was, t)
	if on == Close && was.WaitingSince != nil {
		detail = map[string]any{closedWaitingSince: was.WaitingSince}
	}
	var list []*Item
	if item != nil {
		list = append(list, item)
	}
	if t.Item != "" {
		list = append(list, NewEvent(tx, t.Item, detail))
	}
	if (item != nil && item.Kind != Event) || t.To != was.State {
		c.LastActivityAt = clock.At(tx.Now())
	}
	assignTimestamps(tx, c, list)
	if err := saveMoved(tx, c, was.State); err != nil {
		return fmt.Errorf("conversation: save: %w", err)
	}
	if err := s.writeDependents(tx, &was, c, list); err != nil {
		return err
	}
	emits := t.Emits
	if t.IfOwner && SameID(was.OwnerID, c.OwnerID) {
		emits = nil
		if was.AIState != c.AIState {
			emits = []string{Updated}
		}
	}
	if err := s.Announce(tx, emits, &was, c, item); err != nil || on != Close {
		return err
	}
	return planSurvey(tx, c)
}

// setStateFields sets the fields that depend on the state.
func setStateFields(c, was *Conversation, t *Transition) {
	if t.To == was.State {
		return
	}
	if t.To != Snoozed {
		c.SnoozedUntil, c.SnoozedUntilReply = nil, false
	}
	c.ClosedAt = nil
	if t.To == Closed {
		at := c.UpdatedAt
		c.ClosedAt, c.WaitingSince = &at, nil
	}
}

// Start opens a new conversation; it returns false if another message opened one first.
func (s *Service) Start(tx *db.Tx, c *Conversation, on Trigger, first *Item) (bool, error) {
	now := clock.At(tx.Now())
	t := transition("", on)
	c.ID, c.State, c.CreatedAt, c.UpdatedAt, c.LastActivityAt = tx.NewID(), t.To, now, now, now
	if t.To == Closed {
		c.ClosedAt, c.WaitingSince = &now, nil
	}
	if c.AIState == "" {
		c.AIState = AIOff
	}
	if c.Priority == "" {
		c.Priority = Priorities[normal]
	}
	if c.Tags == nil {
		c.Tags = []string{}
	}
	c.Test = c.Test || caller.From(tx.Context()).Test
	var list []*Item
	if first != nil {
		c.SetPreview(first)
		list = append(list, first)
	}
	assignTimestamps(tx, c, list)
	if free, err := insert(tx, c); err != nil || !free {
		return false, err
	}
	if err := putTerms(tx, c.ID, contact.Terms(c.Subject)); err != nil {
		return false, err
	}
	if len(c.Tags) > 0 {
		if err := putTags(tx, c); err != nil {
			return false, err
		}
	}
	if c.OwnerID != nil {
		if _, err := s.addAgent(tx, c.ID, *c.OwnerID); err != nil {
			return false, err
		}
	}
	if err := s.writeDependents(tx, nil, c, list); err != nil {
		return false, err
	}
	return true, s.Announce(tx, t.Emits, nil, c, first)
}

// assignTimestamps gives items their place in the timeline, after the last item, even if
// the clocks of two nodes differ.
func assignTimestamps(tx *db.Tx, c *Conversation, list []*Item) {
	for _, i := range list {
		at := clock.At(tx.Now())
		if !at.After(c.LastItemAt.Time) && !c.LastItemAt.IsZero() {
			at = clock.At(c.LastItemAt.Add(time.Microsecond))
		}
		i.ID, i.ConversationID, i.CreatedAt, c.LastItemAt = tx.NewID(), c.ID, at, at
		i.Test = i.Test || c.Test || caller.From(tx.Context()).Test
		if i.Detail == nil {
			i.Detail = map[string]any{}
		}
		if i.Attachments == nil {
			i.Attachments = []file.Attachment{}
		}
		i.Reactions, i.Mentions, i.HasEmail = []Reaction{}, db.OrEmpty(i.Mentions), i.Original != nil
	}
	if c.LastItemAt.IsZero() {
		c.LastItemAt = clock.At(tx.Now())
	}
}

// writeDependents writes what belongs to a conversation: items, counters and the times of
// its tags.
func (s *Service) writeDependents(tx *db.Tx, was, c *Conversation, list []*Item) error {
	for _, i := range list {
		if err := putItem(tx, i); err != nil {
			return fmt.Errorf("conversation: put item: %w", err)
		}
		if err := s.writeItemParts(tx, i); err != nil {
			return err
		}
	}
	if was != nil && len(c.Tags) > 0 && !was.LastActivityAt.Equal(c.LastActivityAt.Time) {
		if err := touchTags(tx, c); err != nil {
			return fmt.Errorf("conversation: touch tags: %w", err)
		}
	}
	if was == nil && c.AIState != AIOff || was != nil && was.AIState != c.AIState {
		if err := putAISince(tx, c.ID, c.UpdatedAt); err != nil {
			return fmt.Errorf("conversation: note the assistant's state: %w", err)
		}
	}
	if err := countHour(tx, was, c, list); err != nil {
		return err
	}
	return count.Move(tx, countKeyOf(was), countKeyOf(c), c.ID)
}

// Announce writes the events of a change, in order.
func (s *Service) Announce(tx *db.Tx, names []string, was, c *Conversation, item *Item) error {
	var before map[string]any
	if was != nil {
		before = changedFields(was, c)
	}
	for _, name := range names {
		change := event.Change{Type: name, Object: c, Test: c.Test || item != nil && item.Test, Actor: actor(tx, item)}
		if len(before) > 0 {
			change.Previous = before
		}
		if item != nil && (name == Replied || name == Created || name == Noted || name == Rated || name == ItemChanged) {
			change.Item = item
		}
		if _, err := event.Emit(tx, change); err != nil {
			return err
		}
	}
	return nil
}

// AnnounceItem tells panels that an item changed, with its files, reactions and mentions.
func (s *Service) AnnounceItem(tx *db.Tx, c *Conversation, i *Item) error {
	if err := FillItem(&tx.Reader, i); err != nil {
		return err
	}
	return s.Announce(tx, []string{ItemChanged}, nil, c, i)
}

// actor returns the author of the item as the actor of the event, or nil if a person or a
// key is the caller.
func actor(tx *db.Tx, item *Item) *event.Actor {
	if item == nil || caller.From(tx.Context()).Kind != caller.System {
		return nil
	}
	return &event.Actor{Type: caller.Kind(item.AuthorKind), ID: item.AuthorID}
}

// changedFields returns the earlier values of the changed fields that receivers care about.
func changedFields(was, c *Conversation) map[string]any {
	out := map[string]any{}
	if was.State != c.State {
		out["state"] = was.State
	}
	if !SameID(was.OwnerID, c.OwnerID) {
		out["owner_id"] = was.OwnerID
	}
	if !SameID(was.GroupID, c.GroupID) {
		out["group_id"] = was.GroupID
	}
	if was.AIState != c.AIState {
		out["ai_state"] = was.AIState
	}
	if was.Subject != c.Subject {
		out["subject"] = was.Subject
	}
	if was.Priority != c.Priority {
		out["priority"] = was.Priority
	}
	if was.ContactID != c.ContactID {
		out["contact_id"] = was.ContactID
	}
	if !slices.Equal(was.Tags, c.Tags) {
		out["tags"] = was.Tags
	}
	return out
}

// SameID reports whether two ids are equal, or both nil.
func SameID(a, b *uuid.UUID) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// NewEvent returns a timeline event whose author is the caller.
func NewEvent(tx *db.Tx, name string, detail map[string]any) *Item {
	who := AuthorFrom(tx)
	return &Item{Kind: Event, AuthorKind: who.Kind, AuthorID: who.ID, Event: &name, Detail: detail}
}

// AuthorFrom returns the caller as the author of an item.
func AuthorFrom(tx *db.Tx) Author {
	who := caller.From(tx.Context())
	a := Author{Kind: string(who.Kind)}
	if who.ID != uuid.Nil {
		a.ID = &who.ID
	}
	return a
}

// LockLive locks a conversation; not_found if it does not exist or is deleted.
func LockLive(tx *db.Tx, id uuid.UUID) (Conversation, error) {
	c, err := LockAny(tx, id)
	if err == nil && c.DeletedAt != nil {
		err = db.ErrNoRow
	}
	return c, db.NotFound(err)
}

// Lock is LockLive, but also refuses a conversation that was merged into another.
func Lock(tx *db.Tx, id uuid.UUID) (Conversation, error) {
	c, err := LockLive(tx, id)
	if err == nil && c.MergedIntoID != nil {
		return c, fault.New(fault.Conflict).Because("merged")
	}
	return c, err
}

// ReceiveCustomerMessage puts a message of the customer into a conversation and marks it as
// unread for the agents who joined. An automatic reply is stored but triggers nothing.
func (s *Service) ReceiveCustomerMessage(tx *db.Tx, was Conversation, item *Item) (Conversation, error) {
	ref, err := s.Contacts.Find(&tx.Reader, was.ContactID)
	if err != nil && !db.IsNoRow(err) {
		return was, err
	}
	c := was
	c.SetPreview(item)
	if ref.Blocked {
		return c, s.Move(tx, was, &c, BlockedMessage, item, nil)
	}
	if item.AutoReply {
		return c, s.Move(tx, was, &c, MachineMessage, item, nil)
	}
	if was.State == Closed {
		if reopens, err := s.reopens(tx, &was); err != nil {
			return c, err
		} else if !reopens {
			return s.startFollowUp(tx, &was, item)
		}
		if err := s.keepOwner(tx, &c); err != nil {
			return c, err
		}
	}
	if c.WaitingSince == nil {
		c.WaitingSince = clock.Ptr(tx.Now())
	}
	if err := s.Move(tx, was, &c, CustomerMessage, item, nil); err != nil {
		return c, err
	}
	if err := s.Contacts.MarkReplied(tx, c.ContactID); err != nil {
		return c, err
	}
	if err := s.cancelScheduledOnReply(tx, &c); err != nil {
		return c, err
	}
	if err := s.returnToTeam(tx, &c); err != nil {
		return c, err
	}
	return c, s.notifyJoined(tx, c.ID, &c)
}

// cancelScheduledOnReply cancels the scheduled messages of a conversation that should only
// go if the customer stays silent, and tells open panels.
func (s *Service) cancelScheduledOnReply(tx *db.Tx, c *Conversation) error {
	cancelled, err := later.CancelOnReply(tx, c.ID)
	if err != nil || !cancelled {
		return err
	}
	return s.Announce(tx, []string{ScheduleChanged}, nil, c, nil)
}

// returnToTeam returns a conversation to the team if its owner is away and has chosen this.
// The owner stays among its agents and can read on when they return.
func (s *Service) returnToTeam(tx *db.Tx, c *Conversation) error {
	if c.OwnerID == nil {
		return nil
	}
	away, err := agent.HandsBack(&tx.Reader, *c.OwnerID)
	if err != nil || !away {
		return err
	}
	was := *c
	c.OwnerID = nil
	return s.Move(tx, was, c, Assign, nil, map[string]any{"owner_id": nil, "reason": "away"})
}

// AddAnswer puts an answer into a conversation. An answer that cannot be sent is stored,
// and the customer goes on waiting.
func (s *Service) AddAnswer(tx *db.Tx, was Conversation, item *Item) (Conversation, error) {
	c := was
	c.SetPreview(item)
	if !item.Unsent {
		markAnswered(tx, &c)
	}
	if item.AuthorKind == ByAgent && c.AIState == AIActive {
		handOver(&c, "agent_replied")
	}
	if err := s.Move(tx, was, &c, AgentComment, item, nil); err != nil {
		return c, err
	}
	if !item.Unsent {
		if err := s.Contacts.MarkContacted(tx, c.ContactID); err != nil {
			return c, err
		}
	}
	if item.AuthorKind == ByAgent && item.AuthorID != nil {
		return c, s.MarkSeen(tx, c.ID, *item.AuthorID)
	}
	return c, nil
}

// markAnswered records that an answer was sent: the customer no longer waits, and the time
// of the first answer is set if it was not.
func markAnswered(tx *db.Tx, c *Conversation) {
	c.WaitingSince = nil
	if c.FirstReplyAt == nil {
		c.FirstReplyAt = clock.Ptr(tx.Now())
	}
}

func handOver(c *Conversation, reason string) {
	c.AIState, c.HandoverReason = AIHandedOver, &reason
}

// AddNote puts an internal note into a conversation.
func (s *Service) AddNote(tx *db.Tx, was Conversation, item *Item) (Conversation, error) {
	c := was
	return c, s.Move(tx, was, &c, WriteNote, item, nil)
}

// notifyJoined marks c as unread for the agents who joined the conversation joined: c
// itself, or the one that c follows.
func (s *Service) notifyJoined(tx *db.Tx, joined uuid.UUID, c *Conversation) error {
	if c.Test {
		return nil
	}
	list, err := agents(&tx.Reader, joined)
	if err != nil {
		return err
	}
	ids := each.Map(list, func(a Agent) uuid.UUID { return a.AgentID })
	return s.markAll(tx, c.ID, ids)
}

// notifyGroup raises the unread counters of a group's agents who have not joined; those who
// have are notified anyway.
func (s *Service) notifyGroup(tx *db.Tx, c *Conversation) error {
	if c.GroupID == nil || c.Test {
		return nil
	}
	g, err := group.ByID(&tx.Reader, *c.GroupID)
	if err != nil {
		return err
	}
	joined, err := agents(&tx.Reader, c.ID)
	if err != nil {
		return err
	}
	ids := slices.DeleteFunc(slices.Clone(g.AgentIDs), func(id uuid.UUID) bool {
		return slices.ContainsFunc(joined, func(a Agent) bool { return a.AgentID == id })
	})
	return s.markAll(tx, c.ID, ids)
}

// markAll raises the unread counters of agents in the order of their ids, so that two
// conversations cannot deadlock on each other's badges.
func (s *Service) markAll(tx *db.Tx, conversation uuid.UUID, ids []uuid.UUID) error {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	for _, id := range ids {
		if err := s.MarkUnread(tx, conversation, id); err != nil {
			return err
		}
	}
	return nil
}

// MarkUnread raises an agent's unread messages of a conversation by one.
func (s *Service) MarkUnread(tx *db.Tx, conversation, agentID uuid.UUID) error {
	return s.MarkUnreadBy(tx, conversation, UnreadBy{agentID, 1})
}

// MarkUnreadBy raises an agent's unread messages, and their badge if they had none.
func (s *Service) MarkUnreadBy(tx *db.Tx, conversation uuid.UUID, u UnreadBy) error {
	n, err := addUnread(tx, conversation, u)
	if err != nil || n > u.N {
		return err
	}
	return addBadge(tx, u.AgentID, 1)
}

// MarkRead removes a conversation from an agent's badge.
func (s *Service) MarkRead(tx *db.Tx, conversation, agentID uuid.UUID) error {
	had, err := dropUnread(tx, conversation, agentID)
	if err != nil || !had {
		return err
	}
	return addBadge(tx, agentID, -1)
}

// RecordEvent adds an event to a timeline and saves the conversation with it.
func (s *Service) RecordEvent(tx *db.Tx, was Conversation, c *Conversation, name string, detail map[string]any) error {
	item := NewEvent(tx, name, detail)
	assignTimestamps(tx, c, []*Item{item})
	c.UpdatedAt = clock.At(tx.Now())
	if err := Save(tx, c, was.State); err != nil {
		return err
	}
	return s.writeDependents(tx, &was, c, []*Item{item})
}
