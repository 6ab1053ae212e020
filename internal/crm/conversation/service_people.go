package conversation

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/fault"
)

// Join adds the caller to the agents. They become the owner if there is none, also if the
// assistant holds the conversation.
func (s *Service) Join(ctx context.Context, id uuid.UUID) ([]Agent, error) {
	return s.changeAgents(ctx, id, func(tx *db.Tx, was Conversation, me uuid.UUID) (Conversation, error) {
		c := was
		added, err := s.addAgent(tx, id, me)
		if err != nil {
			return c, err
		}
		if c.OwnerID == nil {
			c.OwnerID = &me
		}
		if c.AIState == AIActive {
			handOver(&c, "agent_joined")
		}
		if !added && SameID(was.OwnerID, c.OwnerID) && was.AIState == c.AIState {
			return c, nil
		}
		return c, s.Move(tx, was, &c, Join, nil, map[string]any{"agent_id": me})
	})
}

// Leave removes the caller from the agents. If they owned the conversation, the agent who
// joined first becomes the owner, or nobody if none is left.
func (s *Service) Leave(ctx context.Context, id uuid.UUID) ([]Agent, error) {
	return s.changeAgents(ctx, id, s.removeAgent)
}

// changeAgents runs a change by the caller on a locked conversation and returns who has
// joined afterwards. It returns ErrNoAgent if the caller is not an agent.
func (s *Service) changeAgents(ctx context.Context, id uuid.UUID, fn func(tx *db.Tx, was Conversation, me uuid.UUID) (Conversation, error)) (out []Agent, err error) {
	me := AgentID(ctx)
	if me == uuid.Nil {
		return nil, ErrNoAgent
	}
	err = s.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		was, err := Lock(tx, id)
		if err != nil {
			return err
		}
		c, err := fn(tx, was, me)
		if err != nil {
			return err
		}
		out, err = s.joinedAgents(&tx.Reader, &c)
		return err
	})
	return out, err
}

// removeAgent removes an agent from a conversation.
func (s *Service) removeAgent(tx *db.Tx, was Conversation, agent uuid.UUID) (Conversation, error) {
	c := was
	gone, err := DropAgent(tx, c.ID, agent)
	if err != nil || !gone {
		return c, err
	}
	if err := s.MarkRead(tx, c.ID, agent); err != nil {
		return c, err
	}
	if c.OwnerID != nil && *c.OwnerID == agent {
		if c.OwnerID, err = OldestAgent(&tx.Reader, c.ID); err != nil {
			return c, err
		}
	}
	return c, s.Move(tx, was, &c, Leave, nil, map[string]any{"agent_id": agent})
}

// Assign makes an agent the owner; nil means nobody.
func (s *Service) Assign(ctx context.Context, id uuid.UUID, owner *uuid.UUID) (Conversation, error) {
	return s.Change(ctx, id, s.ToAssign(owner))
}

// ToAssign is Assign as a step.
func (s *Service) ToAssign(owner *uuid.UUID) Step {
	return func(tx *db.Tx, was Conversation) (Conversation, error) {
		c := was
		if SameID(was.OwnerID, owner) {
			return c, nil
		}
		if err := s.CheckOwnerAndGroup(tx, owner, nil); err != nil {
			return c, err
		}
		c.OwnerID = owner
		if owner != nil {
			if _, err := s.addAgent(tx, was.ID, *owner); err != nil {
				return c, err
			}
			if c.AIState == AIActive {
				handOver(&c, "assigned")
			}
		}
		if err := s.Move(tx, was, &c, Assign, nil, map[string]any{"owner_id": owner}); err != nil {
			return c, err
		}
		if owner != nil && *owner != AgentID(tx.Context()) {
			return c, s.MarkUnread(tx, was.ID, *owner)
		}
		return c, nil
	}
}

// joinedAgents lists the agents with their names.
func (s *Service) joinedAgents(r *db.Reader, c *Conversation) ([]Agent, error) {
	list, err := agents(r, c.ID)
	if err != nil || len(list) == 0 {
		return list, err
	}
	ids := each.Map(list, func(a Agent) uuid.UUID { return a.AgentID })
	names, err := s.Agents.AgentNames(r, ids)
	for i := range list {
		list[i].Name = names[list[i].AgentID]
		list[i].Owner = c.OwnerID != nil && *c.OwnerID == list[i].AgentID
	}
	return list, err
}

// People are those who take part: contacts, and the agents who joined.
type People struct {
	Contacts []Participant `json:"contacts" nullable:"false"`
	Agents   []Agent       `json:"agents" nullable:"false"`
}

// People returns who takes part.
func (s *Service) People(ctx context.Context, id uuid.UUID) (People, error) {
	return ReadConversation(ctx, s, id, func(r *db.Reader, c *Conversation) (out People, err error) {
		if out.Contacts, err = s.contactsOf(r, c); err != nil {
			return out, err
		}
		out.Agents, err = s.joinedAgents(r, c)
		return out, err
	})
}

// contactsOf lists the contacts of a conversation, the customer first.
func (s *Service) contactsOf(r *db.Reader, c *Conversation) ([]Participant, error) {
	more, err := participants(r, c.ID)
	if err != nil {
		return nil, err
	}
	out := []Participant{{ContactID: c.ContactID, Name: c.ContactName, Customer: true, AddedAt: c.CreatedAt}}
	for _, p := range more {
		if p.ContactID == c.ContactID {
			continue
		}
		ref, err := s.Contacts.Find(r, p.ContactID)
		if err != nil && !db.IsNoRow(err) {
			return nil, err
		}
		p.Name = ref.Name
		out = append(out, p)
	}
	return out, nil
}

const maxParticipants = 50

// AddParticipant adds a contact to a conversation; a repeat changes nothing.
func (s *Service) AddParticipant(ctx context.Context, id, contact uuid.UUID) ([]Participant, error) {
	return db.Write(ctx, s.Tenant(ctx), func(tx *db.Tx) (out []Participant, err error) {
		was, err := Lock(tx, id)
		if err != nil {
			return out, err
		}
		if _, err := s.findOtherContact(tx, &was, contact); err != nil {
			return out, err
		}
		if out, err = s.contactsOf(&tx.Reader, &was); err != nil {
			return out, err
		}
		if len(out) > maxParticipants {
			return out, fault.New(fault.LimitReached, maxParticipants)
		}
		if contact == was.ContactID {
			return out, nil
		}
		if added, err := putParticipant(tx, id, contact, clock.At(tx.Now())); err != nil || !added {
			return out, err
		}
		return s.recordParticipants(tx, was, "participant_added", contact)
	})
}

// RemoveParticipant removes a contact from a conversation; the customer cannot be removed.
func (s *Service) RemoveParticipant(ctx context.Context, id, contact uuid.UUID) ([]Participant, error) {
	return db.Write(ctx, s.Tenant(ctx), func(tx *db.Tx) (out []Participant, err error) {
		was, err := Lock(tx, id)
		if err != nil {
			return out, err
		}
		if contact == was.ContactID {
			return out, fault.New(fault.Conflict).Because("customer")
		}
		if gone, err := DropParticipant(tx, id, contact); err != nil {
			return out, err
		} else if !gone {
			return out, fault.New(fault.NotFound)
		}
		return s.recordParticipants(tx, was, "participant_removed", contact)
	})
}

// recordParticipants records that a contact was added or removed.
func (s *Service) recordParticipants(tx *db.Tx, was Conversation, name string, contact uuid.UUID) ([]Participant, error) {
	c := was
	if err := s.RecordEvent(tx, was, &c, name, map[string]any{"contact_id": contact}); err != nil {
		return nil, err
	}
	if err := s.Announce(tx, []string{Updated}, &was, &c, nil); err != nil {
		return nil, err
	}
	return s.contactsOf(&tx.Reader, &c)
}

// ReadMark is the result of marking as read or unread: the conversation's unread messages
// and the badge of the left menu.
type ReadMark struct {
	ID     uuid.UUID `json:"id" format:"uuid"`
	Unread int       `json:"unread" example:"0" doc:"Messages in this conversation the caller has not read"`
	Badge  int       `json:"badge" example:"3" doc:"Conversations the caller has not read"`
}

// Read marks a conversation as read by the caller.
func (s *Service) Read(ctx context.Context, id uuid.UUID) (ReadMark, error) {
	return s.mark(ctx, id, false)
}

// Unread marks a conversation as unread by the caller.
func (s *Service) Unread(ctx context.Context, id uuid.UUID) (ReadMark, error) {
	return s.mark(ctx, id, true)
}

// seenByAgent lets the channel tell the customer that their messages were read.
func (s *Service) seenByAgent(tx *db.Tx, c *Conversation) error {
	to, ok := s.Router.(Receipter)
	if !ok || c.ChannelAccountID == nil || c.Test {
		return nil
	}
	message, err := lastFromCustomer(&tx.Reader, c.ID, *c.ChannelAccountID)
	if db.IsNoRow(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return to.MarkSeen(tx, c.Channel, *c.ChannelAccountID, message)
}

func (s *Service) mark(ctx context.Context, id uuid.UUID, unread bool) (out ReadMark, err error) {
	me := AgentID(ctx)
	err = s.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		c, err := ByIDFilled(&tx.Reader, id, me)
		if err != nil {
			return err
		}
		out = ReadMark{ID: id, Unread: c.Unread}
		switch {
		case unread && out.Unread == 0:
			out.Unread, err = 1, s.MarkUnread(tx, id, me)
		case !unread:
			if out.Unread > 0 {
				err = s.seenByAgent(tx, &c)
			}
			if err == nil {
				out.Unread, err = 0, s.MarkSeen(tx, id, me)
			}
		}
		if err != nil {
			return err
		}
		out.Badge, err = badge(&tx.Reader, me)
		return err
	})
	return out, err
}

// ReleaseAgent is called when an agent is suspended or leaves the workspace: it removes them
// from every conversation, as Leave does, and returns the number of conversations.
func (s *Service) ReleaseAgent(tx *db.Tx, agent uuid.UUID) (int, error) {
	list, err := joinedBy(tx, agent)
	if err != nil {
		return 0, err
	}
	for _, was := range list {
		if _, err := s.removeAgent(tx, was, agent); err != nil {
			return 0, err
		}
	}
	return len(list), nil
}

// ErrNoAgent means that only an agent can do this.
var ErrNoAgent = errors.New("conversation: the caller is not an agent")
