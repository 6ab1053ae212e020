package inbound

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/survey"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Respond records how a customer rates a conversation of a channel account. The first
// answer to a survey counts; if nobody was asked yet, the answer creates its survey.
func (s *Service) Respond(ctx context.Context, account, id uuid.UUID, rating int, comment string) (survey.Rating, error) {
	return s.respond(ctx, account, id, rating, comment, func(*db.Tx, conversation.Conversation) error { return nil })
}

// RespondAs is Respond for the customer with an id on the account. It returns not_found if
// the conversation is another customer's: the content of a button comes from the customer's
// app.
func (s *Service) RespondAs(ctx context.Context, account uuid.UUID, external string, id uuid.UUID, rating int) (survey.Rating, error) {
	return s.respond(ctx, account, id, rating, "", func(tx *db.Tx, c conversation.Conversation) error {
		who, err := s.Contacts.OnAccount(&tx.Reader, account, external)
		if err == nil && who.ID != c.ContactID {
			err = db.ErrNoRow
		}
		return db.NotFound(err)
	})
}

func (s *Service) respond(ctx context.Context, account, id uuid.UUID, rating int, comment string, may func(*db.Tx, conversation.Conversation) error) (out survey.Rating, err error) {
	err = s.Conversations.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		c, err := lockOf(tx, account, id)
		if err != nil {
			return err
		}
		if err := may(tx, c); err != nil {
			return err
		}
		if set, err := conversation.ReadSettings(&tx.Reader); err != nil {
			return err
		} else if !set.CSAT {
			return fault.New(fault.CSATDisabled)
		}
		v, err := survey.Last(&tx.Reader, id)
		if db.IsNoRow(err) {
			v, _, err = survey.Add(tx, &c)
		}
		if err != nil {
			return err
		}
		out = survey.Rating{Survey: v}
		if v.RespondedAt != nil {
			return nil
		}
		if !tx.Now().Before(v.ExpiresAt.Time) {
			return fault.New(fault.CSATExpired)
		}
		if out.Recorded, err = survey.Answer(tx, v.ID, rating, strings.TrimSpace(comment)); err != nil || !out.Recorded {
			return err
		}
		out.Rating, out.Comment, out.RespondedAt = &rating, strings.TrimSpace(comment), clock.Ptr(tx.Now())
		return s.rated(tx, c, out.Survey)
	})
	return out, err
}

// rated adds a rating to the timeline and announces it.
func (s *Service) rated(tx *db.Tx, was conversation.Conversation, v survey.Survey) error {
	c, name := was, "rated"
	c.UpdatedAt = clock.At(tx.Now())
	item := &conversation.Item{
		Kind: conversation.Event, AuthorKind: conversation.ByContact, AuthorID: &c.ContactID, Event: &name,
		Detail: map[string]any{"survey_id": v.ID, "rating": v.Rating, "comment": v.Comment},
	}
	if err := s.Conversations.AddItem(tx, &c, item); err != nil {
		return err
	}
	return s.Conversations.Announce(tx, []string{conversation.Rated}, &was, &c, item)
}

// Of returns a conversation of a channel account; not_found if it is another account's.
func (s *Service) Of(ctx context.Context, account, id uuid.UUID) (c conversation.Conversation, err error) {
	err = s.Conversations.Tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if c, err = conversation.ByID(r, id); err == nil && (c.ChannelAccountID == nil || *c.ChannelAccountID != account) {
			err = db.ErrNoRow
		}
		return db.NotFound(err)
	})
	return c, err
}

func lockOf(tx *db.Tx, account, id uuid.UUID) (conversation.Conversation, error) {
	c, err := conversation.LockLive(tx, id)
	if err == nil && (c.ChannelAccountID == nil || *c.ChannelAccountID != account) {
		err = fault.New(fault.NotFound)
	}
	return c, err
}
