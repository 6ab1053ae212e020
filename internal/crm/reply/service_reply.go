package reply

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/perm"
)

// DetailInAnswerTo is the key in the detail of a bot's answer for the message that it
// answers.
const DetailInAnswerTo = "in_answer_to"

// DetailSmallTalk is true in the detail of a bot's messages that are not answers. Packages
// that may not import this one use the literal name.
const DetailSmallTalk = "small_talk"

// Answer is what an agent, a program or the assistant writes.
type Answer struct {
	Author conversation.Author
	Body   string
	Note   bool
	// Channel and AccountID select another route than the conversation's own.
	Channel   string
	AccountID *uuid.UUID
	// Attachments are the caller's uploads; Files come from a channel or from the program
	// itself. Either can be sent without a text.
	Attachments []uuid.UUID
	Files       []file.Prepared
	// Mentions are the colleagues mentioned in a note.
	Mentions []uuid.UUID
	// Sources are the sources that the assistant relied on.
	Sources []conversation.AISource
	// Configuration is the assistant that wrote a bot's answer.
	Configuration *conversation.Configuration
	// InAnswerTo is the customer's message that a bot answers.
	InAnswerTo *uuid.UUID
	// SmallTalk means that it is not an answer but a greeting, thanks or a hand-over
	// message.
	SmallTalk bool
	// Markdown means that Body is written in Markdown. On a route that does not carry it,
	// and in a note, the text is sent without markup.
	Markdown bool
	// Signature requests the author's signature below an e-mail.
	Signature bool
	// Override is the reason for sending it despite a rule's warning.
	Override string

	held []file.Attachment // files that waited with the message
}

// Reply writes an answer or an internal note. An answer without a route to
// the customer is refused and leaves nothing behind.
func (s *Service) Reply(ctx context.Context, id uuid.UUID, a Answer) (out conversation.Written, err error) {
	ctx = idempotency.View(ctx, func(conversation.Conversation) conversation.Written { return out })
	_, err = s.Conversations.Change(ctx, id, s.ToReply(a, &out), s.clearDraft(draftTypeOf(a)))
	return out, s.RecordRefusal(ctx, err)
}

// ToReply is Reply as a step; the result is stored in out.
func (s *Service) ToReply(a Answer, out *conversation.Written) conversation.Step {
	return func(tx *db.Tx, was conversation.Conversation) (conversation.Conversation, error) {
		var err error
		*out, err = s.reply(tx, was, a)
		return out.Conversation, err
	}
}

// reply writes an answer into a locked conversation.
func (s *Service) reply(tx *db.Tx, was conversation.Conversation, a Answer) (out conversation.Written, err error) {
	if err := s.checkAuthor(tx, a.Author); err != nil {
		return out, err
	}
	item := &conversation.Item{Kind: conversation.Message, AuthorKind: a.Author.Kind, AuthorID: a.Author.ID, Body: strings.TrimSpace(a.Body), Sources: a.Sources}
	if a.held != nil {
		item.Attachments = a.held
	} else if err := s.takeFiles(tx, item, a.Attachments, a.Files); err != nil {
		return out, err
	}
	if len(a.Mentions) > 0 && !a.Note {
		return out, fault.Invalid("mentions", "notes_only")
	}
	if a.Note {
		dropMarks(item, a.Markdown)
		item.Kind = conversation.Note
		if item.Mentions, err = s.Conversations.CheckMentions(tx, a.Mentions); err != nil {
			return out, err
		}
		out.Conversation, err = s.Conversations.AddNote(tx, was, item)
		out.Item = *item
		return out, err
	}
	route, err := s.findRoute(tx, &was, a)
	if err != nil {
		return out, err
	}
	if err := s.completeBody(&tx.Reader, item, route, a.Markdown, a.Signature); err != nil {
		return out, err
	}
	found, err := s.checkText(tx, &was, item, route, a.Override)
	if err != nil {
		return out, err
	}
	if a.InAnswerTo != nil {
		if item.Detail == nil {
			item.Detail = map[string]any{}
		}
		item.Detail[DetailInAnswerTo] = *a.InAnswerTo
		if a.SmallTalk {
			item.Detail[DetailSmallTalk] = true
		}
	}
	addressTo(item, &was, route)
	out.Conversation, err = s.Conversations.AddAnswer(tx, was, item)
	out.Item = *item
	if err == nil && found != nil {
		err = s.Policy.RecordText(tx, found, item.ID.String())
	}
	if err == nil && item.AuthorKind == conversation.ByBot {
		answers, at := 1, clock.Ptr(tx.Now())
		if a.SmallTalk {
			answers, at = 0, nil
		}
		err = conversation.AddAIAnswer(tx, was.ID, a.Configuration, answers, at)
	}
	if err != nil || route == nil {
		return out, err
	}
	_, err = s.send(tx, &out.Conversation, item, route)
	return out, err
}

// takeFiles sets the files of an item, which needs a text or at least one file.
func (s *Service) takeFiles(tx *db.Tx, item *conversation.Item, uploads []uuid.UUID, files []file.Prepared) error {
	var err error
	if item.Attachments, err = file.Take(tx, uploads, files); err != nil {
		return err
	}
	if item.Body == "" && len(item.Attachments) == 0 {
		return fault.Invalid("body", "required")
	}
	return nil
}

// checkAuthor checks that a named agent may see conversations.
func (s *Service) checkAuthor(tx *db.Tx, a conversation.Author) error {
	if a.Kind != conversation.ByAgent || a.ID == nil || *a.ID == caller.From(tx.Context()).ID {
		return nil
	}
	ok, err := s.Agents.HoldAgent(tx, perm.ConversationsView, *a.ID)
	if err == nil && !ok {
		return fault.Invalid("admin_id", "unknown_agent")
	}
	return err
}

// send passes a written message to the router.
func (s *Service) send(tx *db.Tx, c *conversation.Conversation, item *conversation.Item, route *conversation.Route) (conversation.Outgoing, error) {
	out := conversation.Outgoing{
		ConversationID: c.ID, ItemID: item.ID, ContactID: c.ContactID, Route: *route, Subject: c.Subject, Body: item.Body, Markdown: item.HasMarkdown(),
		Attachments: outgoingFiles(item), Template: item.Template.V, Awaited: item.Awaited,
	}
	if route.Channel == conversation.Mail {
		copies, err := conversation.CopiesOf(&tx.Reader, c.ID)
		if err != nil {
			return out, err
		}
		out.EmailCC = copies.Addresses
	}
	return out, s.Conversations.Router.Take(tx, out)
}

func outgoingFiles(item *conversation.Item) (out []file.Outgoing) {
	for _, a := range item.Attachments {
		if a.BlobID != nil {
			out = append(out, file.Outgoing{ID: a.ID, Name: a.Name, Type: a.Type, Size: a.Size, BlobID: *a.BlobID})
		}
	}
	return out
}
