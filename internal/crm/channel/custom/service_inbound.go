package custom

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/group"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/crm/conversation/survey"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
)

// Message is a customer's message in the channel's software.
type Message struct {
	Contact Sender `json:"contact"`
	Body    string `json:"body,omitempty" maxLength:"100000" example:"Siparişim ne zaman gelir?" doc:"Required if there is no file"`
	ID      string `json:"message_id,omitempty" maxLength:"200" example:"msg-90117" doc:"Message id in your system; a repeated id creates no second message"`
	Subject string `json:"subject,omitempty" maxLength:"300" example:"Teslimat tarihi" doc:"Subject of a conversation that this message starts"`
	// Attachments are files uploaded by the caller that belong to no message yet.
	Attachments []uuid.UUID `json:"attachments,omitempty" maxItems:"20" doc:"Files uploaded to the channel within the last day"`
}

// Received is the result of receiving a message.
type Received struct {
	conversation.Written
	Created   bool `json:"created" doc:"Whether the message started a conversation"`
	Duplicate bool `json:"duplicate" doc:"Whether the message had been received before"`
}

// Receive brings in a customer's message.
func (s *Service) Receive(ctx context.Context, id uuid.UUID, m Message) (out Received, err error) {
	a, err := s.open(ctx, id, true)
	if err != nil {
		return out, err
	}
	from, err := m.Contact.on(id)
	if err != nil {
		return out, err
	}
	if strings.TrimSpace(m.Body) == "" && len(m.Attachments) == 0 {
		return out, fault.Invalid("body", "required")
	}
	var set Settings
	if err := a.Read(&set); err != nil {
		return out, err
	}
	in := inbound.Inbound{
		Channel: Name, From: from, Subject: m.Subject, Body: strings.TrimSpace(m.Body), ProviderMessageID: strings.TrimSpace(m.ID),
		AI: a.AI, GroupID: a.GroupID, Uploads: m.Attachments,
	}
	if set.WindowHours != nil {
		in.Window = time.Duration(*set.WindowHours) * time.Hour
	}
	got, err := s.cfg.Inbound.Ingest(ctx, in)
	return Received{got.Written, got.Created, got.Duplicate}, err
}

// Upload stores a file for a later message.
func (s *Service) Upload(ctx context.Context, id uuid.UUID, name, declared string, body io.Reader) (file.Attachment, error) {
	if _, err := s.open(ctx, id, true); err != nil {
		return file.Attachment{}, err
	}
	return s.cfg.Files.Upload(ctx, name, declared, body)
}

// File opens a file of a message that went over the channel, in or out.
func (s *Service) File(ctx context.Context, id, fileID uuid.UUID) (file.Attachment, io.ReadSeekCloser, error) {
	if _, err := s.open(ctx, id, false); err != nil {
		return file.Attachment{}, nil, err
	}
	return s.cfg.Files.OpenOn(ctx, id, nil, fileID)
}

// Submit brings in a form: the contact behind it, a request, the record of what was filled
// in and an opportunity. An equal form returns the first one again.
func (s *Service) Submit(ctx context.Context, id uuid.UUID, f Submission) (out Submitted, err error) {
	a, err := s.open(ctx, id, true)
	if err != nil {
		return out, err
	}
	from, err := f.Contact.on(id)
	if err != nil {
		return out, err
	}
	if err := f.checkFields(); err != nil {
		return out, err
	}
	from = byAddress(from)
	test := caller.From(ctx).Test
	err = s.cfg.Conversations.InTx(ctx, func(tx *db.Tx) error {
		out = Submitted{SubmissionID: tx.NewID(), OpportunityID: tx.NewID()}
		guard := f.guard()
		if test {
			guard = "test " + guard // a test submission never counts as a repeat of a real one, or vice versa
		}
		free, err := takeGuard(tx, id, out.SubmissionID, guard, f.ID != "")
		if err != nil {
			return err
		}
		if !free {
			out, err = guarded(&tx.Reader, id, guard)
			return err
		}
		groupID := a.GroupID
		if groupID != nil {
			if there, err := group.Exists(&tx.Reader, *groupID); err != nil {
				return err
			} else if !there {
				groupID = nil
			}
		}
		c, err := s.cfg.Conversations.CreateIn(tx, conversation.NewConversation{
			From: &from, Channel: "form", AccountID: &id, Subject: f.title(), Body: f.body(), GroupID: groupID, Notify: true,
		})
		if err != nil {
			return err
		}
		out.ConversationID, out.ContactID = c.ID, c.ContactID
		if err := putSubmission(tx, id, &f, out, test); err != nil {
			return err
		}
		o := Opportunity{
			ID: out.OpportunityID, Title: f.title(), Stage: "new", Source: f.Form, ContactID: c.ContactID,
			ConversationID: &c.ID, CreatedAt: clock.At(tx.Now()),
		}
		if err := putOpportunity(tx, o, test); err != nil {
			return err
		}
		_, err = event.Emit(tx, event.Change{Type: OpportunityUp, Object: o, Test: test})
		return err
	})
	return out, err
}

// Rate records a customer's rating, on a working channel.
func (s *Service) Rate(ctx context.Context, id, conv uuid.UUID, rating int, comment string) (survey.Rating, error) {
	if _, err := s.open(ctx, id, true); err != nil {
		return survey.Rating{}, err
	}
	return s.cfg.Inbound.Respond(ctx, id, conv, rating, comment)
}

// Vote records a customer's vote on an answer of the assistant, on a working channel. It
// returns not_found for a message that did not go over the channel, and a conflict if the
// assistant did not write it.
func (s *Service) Vote(ctx context.Context, id, conv, item uuid.UUID, rating, comment string) (airecord.Feedback, error) {
	if _, err := s.open(ctx, id, true); err != nil {
		return airecord.Feedback{}, err
	}
	return s.cfg.AIRecords.CustomerRated(ctx, airecord.CustomerVote{AccountID: id, ConversationID: conv, ItemID: item, Rating: rating, Comment: comment})
}

// Escalate hands a conversation to people because the customer asked for it.
func (s *Service) Escalate(ctx context.Context, id, conv uuid.UUID) (c conversation.Conversation, err error) {
	a, err := s.open(ctx, id, true)
	if err != nil {
		return c, err
	}
	if c, err = s.cfg.Inbound.Of(ctx, id, conv); err != nil {
		return c, err
	}
	return s.cfg.Conversations.Escalate(ctx, conv, "customer_asked", a.GroupID)
}

// Opportunities lists opportunities, newest first.
func (s *Service) Opportunities(ctx context.Context, contact *uuid.UUID, p db.Page) (db.List[Opportunity], error) {
	return db.Read(ctx, s.cfg.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Opportunity], error) { return opportunities(r, contact, p) })
}
