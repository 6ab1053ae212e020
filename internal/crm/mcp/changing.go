package mcp

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/reply"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

const (
	maxReply = 20_000 // bytes
	maxTags  = 20
)

// proposal is the first line of the note that holds a key's proposed reply.
const proposal = "Yanıt önerisi / Proposed reply"

type draftReply struct {
	ConversationID string `json:"conversation_id" jsonschema:"the id from a list or search"`
	Body           string `json:"body" jsonschema:"the reply as plain text, in the customer's language"`
}

// drafted tells where a proposed reply is stored.
type drafted struct {
	ConversationID uuid.UUID `json:"conversation_id"`
	Kept           string    `json:"kept"`
	Sent           bool      `json:"sent"`
}

type tagConversation struct {
	ConversationID string   `json:"conversation_id" jsonschema:"the id from a list or search"`
	Add            []string `json:"add,omitempty"`
	Remove         []string `json:"remove,omitempty"`
}

type assignConversation struct {
	ConversationID string `json:"conversation_id" jsonschema:"the id from a list or search"`
	OwnerID        string `json:"owner_id" jsonschema:"an agent's id from list_agents; me for the person the app acts for; none for nobody"`
}

type closeConversation struct {
	ConversationID string `json:"conversation_id" jsonschema:"the id from a list or search"`
}

// addChanging adds the tools that change conversations.
func (s *Service) addChanging() {
	add(s, tool{
		name: "draft_reply", title: "Draft a reply",
		description: "Proposes a reply. Nothing is sent. For an app, it becomes the draft of the person the app acts for, and is refused if that person has begun another draft. For a key, it becomes an internal note; repeating it adds no second note.",
		permission:  perm.ConversationsReply, licence: licence, changes: true,
	}, s.draftReply)
	add(s, tool{
		name: "tag_conversation", title: "Tag a conversation", description: "Adds and removes tags.",
		permission: perm.ConversationsManage, licence: licence, changes: true, repeats: true,
	}, s.tagConversation)
	add(s, tool{
		name: "assign_conversation", title: "Assign a conversation", description: "Assigns a conversation to an agent, or to nobody.",
		permission: perm.ConversationsAssign, licence: licence, changes: true, repeats: true,
	}, s.assignConversation)
	add(s, tool{
		name: "close_conversation", title: "Close a conversation", description: "Closes a conversation. The customer is not asked for a rating. Closing it again changes nothing.",
		permission: perm.ConversationsManage, licence: licence, changes: true, repeats: true,
	}, s.closeConversation)
}

func (s *Service) draftReply(ctx context.Context, in draftReply) (out drafted, err error) {
	id, err := parseID(in.ConversationID)
	if err != nil {
		return out, err
	}
	body, err := checkText("body", in.Body, maxReply)
	if err != nil {
		return out, err
	}
	who := caller.From(ctx)
	if who.Kind == caller.Agent {
		err = s.cfg.Replies.ProposeDraft(ctx, id, body, func(tx *db.Tx) error { return writeLine(tx, "draft_reply", id.String(), done) })
		return drafted{ConversationID: id, Kept: "draft"}, err
	}
	note := reply.Answer{Author: conversation.Author{Kind: conversation.ByKey, ID: &who.ID}, Body: proposal + "\n\n" + body, Note: true}
	var written conversation.Written
	_, err = s.change(ctx, id, "draft_reply", unlessProposed(note, s.cfg.Replies.ToReply(note, &written)))
	return drafted{ConversationID: id, Kept: "note"}, err
}

// recentNotes is the number of recent messages and notes in which a proposal is searched.
const recentNotes = 50

// unlessProposed runs a step that writes a note, unless the same author has left the same
// note since the last message.
func unlessProposed(note reply.Answer, write conversation.Step) conversation.Step {
	return func(tx *db.Tx, was conversation.Conversation) (conversation.Conversation, error) {
		list, err := conversation.LastMessagesAndNotes(&tx.Reader, was.ID, recentNotes)
		if err != nil {
			return was, err
		}
		for _, i := range list {
			if i.Kind == conversation.Message {
				break
			}
			if i.AuthorKind == conversation.ByKey && conversation.SameID(i.AuthorID, note.Author.ID) && i.Body == note.Body {
				return was, nil
			}
		}
		return write(tx, was)
	}
}

func (s *Service) tagConversation(ctx context.Context, in tagConversation) (out any, err error) {
	id, err := parseID(in.ConversationID)
	if err != nil {
		return out, err
	}
	if len(in.Add)+len(in.Remove) == 0 {
		return out, fault.Invalid("add", "required")
	}
	if slices.Contains(in.Add, "") || slices.Contains(in.Remove, "") {
		return out, fault.Invalid("add", "invalid")
	}
	if len(in.Add) > maxTags || len(in.Remove) > maxTags {
		return out, fault.Invalid("add", "too_many")
	}
	out, err = s.change(ctx, id, "tag_conversation", s.cfg.Conversations.ToRetag(func(has []string) []string {
		return append(contact.WithoutTags(has, in.Remove), in.Add...)
	}))
	if f, refused := fault.As(err); refused && f.Fields["tags"] != nil {
		f.Fields["add"] = f.Fields["tags"] // as the tool calls it
		delete(f.Fields, "tags")
	}
	return out, err
}

func (s *Service) assignConversation(ctx context.Context, in assignConversation) (out any, err error) {
	id, err := parseID(in.ConversationID)
	if err != nil {
		return out, err
	}
	owner, err := ownerOf(ctx, in.OwnerID)
	if err != nil {
		return out, err
	}
	return s.change(ctx, id, "assign_conversation", s.cfg.Conversations.ToAssign(owner))
}

// ownerOf returns the agent that an assignment names, nil for nobody.
func ownerOf(ctx context.Context, name string) (*uuid.UUID, error) {
	switch name {
	case "none":
		return nil, nil
	case "me":
		me := conversation.AgentID(ctx)
		if me == uuid.Nil {
			return nil, fault.Invalid("owner_id", "needs_agent")
		}
		return &me, nil
	}
	id, err := uuid.Parse(name)
	if err != nil {
		return nil, fault.Invalid("owner_id", "invalid_id")
	}
	return &id, nil
}

func (s *Service) closeConversation(ctx context.Context, in closeConversation) (out any, err error) {
	id, err := parseID(in.ConversationID)
	if err != nil {
		return out, err
	}
	return s.change(ctx, id, "close_conversation", s.cfg.Conversations.ToClose())
}

// changed is a conversation as a tool shows it to callers who may change conversations but
// not see them.
type changed struct {
	ID    uuid.UUID          `json:"id"`
	State conversation.State `json:"state"`
}

// change runs a step on a conversation, writes the audit line with it and shows the
// conversation.
func (s *Service) change(ctx context.Context, id uuid.UUID, name string, step conversation.Step) (any, error) {
	c, err := s.cfg.Conversations.Change(ctx, id, step, func(tx *db.Tx, was conversation.Conversation) (conversation.Conversation, error) {
		return was, writeLine(tx, name, id.String(), done)
	})
	if !caller.From(ctx).Can(perm.ConversationsView) {
		return changed{c.ID, c.State}, err
	}
	return showConversation(c), err
}
