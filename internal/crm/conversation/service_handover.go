package conversation

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/conversation/group"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Escalate hands a conversation from the assistant to people, because the customer asked
// for one or the assistant gave up: it becomes open, stays with its group or goes to the
// given one if that still exists, and that group's agents are notified. A repeat changes
// nothing.
func (s *Service) Escalate(ctx context.Context, id uuid.UUID, reason string, groupID *uuid.UUID) (Conversation, error) {
	return s.Change(ctx, id, func(tx *db.Tx, was Conversation) (Conversation, error) {
		var to *uuid.UUID
		if was.GroupID == nil && groupID != nil {
			if there, err := group.Exists(&tx.Reader, *groupID); err != nil {
				return was, err
			} else if there {
				to = groupID
			}
		}
		return s.ToEscalate(reason, to)(tx, was)
	})
}

// ToEscalate is Escalate as a step, to the given group; nil keeps the group.
func (s *Service) ToEscalate(reason string, group *uuid.UUID) Step {
	return func(tx *db.Tx, was Conversation) (Conversation, error) {
		c := was
		if group != nil {
			if err := s.CheckOwnerAndGroup(tx, nil, group); err != nil {
				return c, err
			}
			c.GroupID = group
		}
		if was.State == Open && was.AIState == AIHandedOver && SameID(was.GroupID, c.GroupID) {
			return was, nil
		}
		handOver(&c, reason)
		if c.WaitingSince == nil {
			c.WaitingSince = clock.Ptr(tx.Now())
		}
		if err := s.keepOwner(tx, &c); err != nil {
			return c, err
		}
		if err := s.Move(tx, was, &c, Escalate, nil, map[string]any{"reason": reason, "group_id": c.GroupID}); err != nil {
			return c, err
		}
		if err := s.notifyJoined(tx, c.ID, &c); err != nil {
			return c, err
		}
		if c.OwnerID != nil {
			return c, nil // it has an owner
		}
		return c, s.notifyGroup(tx, &c)
	}
}

// ToSetAI turns the assistant on, off or to pause for one conversation, as a step.
func (s *Service) ToSetAI(state string) Step {
	return func(tx *db.Tx, was Conversation) (Conversation, error) {
		c := was
		if c.AIState = state; was.AIState == state {
			return c, nil
		}
		c.HandoverReason, c.UpdatedAt = nil, clock.At(tx.Now())
		if err := Save(tx, &c, was.State); err != nil {
			return c, err
		}
		if err := s.writeDependents(tx, &was, &c, nil); err != nil {
			return c, err
		}
		return c, s.Announce(tx, []string{Updated}, &was, &c, nil)
	}
}

// Handover hands a conversation from the assistant to people at an agent's request. A
// repeat changes nothing but the group.
func (s *Service) Handover(ctx context.Context, id uuid.UUID, reason string, group *uuid.UUID) (Conversation, error) {
	return s.Change(ctx, id, func(tx *db.Tx, was Conversation) (Conversation, error) {
		switch was.AIState {
		case AIOff:
			return was, fault.New(fault.Conflict).Because("ai_off")
		case AIHandedOver:
			return s.ToUpdate(Change{GroupID: group})(tx, was)
		}
		c, err := s.ToEscalate(reason, group)(tx, was)
		if me := AgentID(ctx); err == nil && me != uuid.Nil {
			err = s.MarkRead(tx, id, me)
		}
		return c, err
	})
}
