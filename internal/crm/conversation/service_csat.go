package conversation

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Survey is the question how a conversation went, and its answer.
type Survey struct {
	ID             uuid.UUID   `json:"id" format:"uuid"`
	ConversationID uuid.UUID   `json:"conversation_id" format:"uuid"`
	Rating         *int        `json:"rating" nullable:"true" minimum:"1" maximum:"5" example:"5"`
	Comment        string      `json:"comment" example:"Çok hızlı çözüldü, teşekkürler."`
	CreatedAt      clock.Time  `json:"created_at"`
	ExpiresAt      clock.Time  `json:"expires_at"`
	RespondedAt    *clock.Time `json:"responded_at" nullable:"true"`
}

// Rating is what became of a customer's answer.
type Rating struct {
	Survey
	Recorded bool `json:"recorded" doc:"False where an earlier answer stands, which is shown then"`
}

// surveyFor is how long a survey can be answered.
const surveyFor = 14 * 24 * time.Hour

// survey asks the customer of a conversation that was just closed, where the
// workspace wants it and the channel can.
func (s *Service) survey(tx *db.Tx, c *Conversation) error {
	if c.Test || caller.From(tx.Context()).Test {
		return nil
	}
	if set, err := settings(&tx.Reader); err != nil || !set.CSAT {
		return err
	}
	v, fresh, err := s.putSurvey(tx, c)
	if err != nil || !fresh {
		return err
	}
	name, detail := "csat_sent", map[string]any{"survey_id": v.ID}
	if why, err := s.ask(tx, c, v); err != nil {
		return err
	} else if why != "" {
		name, detail["reason"] = "csat_not_sent", why
	}
	return s.note(tx, c, happened(tx, name, detail))
}

// ask sends the question, or says why it is not sent.
func (s *Service) ask(tx *db.Tx, c *Conversation, v Survey) (string, error) {
	asker, ok := s.router.(Asker)
	if !ok {
		return string(fault.NoRoute), nil
	}
	route, err := s.route(&tx.Reader, c.ContactID, Wish{Channel: c.Channel, AccountID: c.ChannelAccountID})
	if f, refused := fault.As(err); refused {
		return string(f.Code), nil
	}
	if err != nil || route == nil {
		return string(fault.NoRoute), err
	}
	asked, err := asker.Ask(tx, Question{
		SurveyID: v.ID, ConversationID: c.ID, ContactID: c.ContactID, Route: *route, ExpiresAt: v.ExpiresAt,
	})
	if err != nil || asked {
		return "", err
	}
	return string(fault.NoRoute), nil
}

func (s *Service) putSurvey(tx *db.Tx, c *Conversation) (Survey, bool, error) {
	v := Survey{
		ID: tx.NewID(), ConversationID: c.ID, CreatedAt: clock.At(tx.Now()), ExpiresAt: clock.At(tx.Now().Add(surveyFor)),
	}
	var closing int64
	if c.ClosedAt != nil {
		closing = c.ClosedAt.UnixMicro()
	}
	fresh, err := putSurvey(tx, v, closing, c.Test || caller.From(tx.Context()).Test)
	return v, fresh, err
}

// note adds an entry to a timeline that changes nothing else.
func (s *Service) note(tx *db.Tx, c *Conversation, item *Item) error {
	place(tx, c, []*Item{item})
	if err := save(tx, c, c.State); err != nil {
		return err
	}
	return s.follow(tx, c, c, []*Item{item})
}

// Respond writes down how a customer rates a conversation of a channel account.
// The first answer to a survey stands; where nobody was asked yet, the answer
// makes its survey.
func (s *Service) Respond(ctx context.Context, account, id uuid.UUID, rating int, comment string) (out Rating, err error) {
	err = s.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		c, err := lockOf(tx, account, id)
		if err != nil {
			return err
		}
		if set, err := settings(&tx.Reader); err != nil {
			return err
		} else if !set.CSAT {
			return fault.New(fault.CSATDisabled)
		}
		v, err := lastSurvey(&tx.Reader, id)
		if db.IsNoRow(err) {
			v, _, err = s.putSurvey(tx, &c)
		}
		if err != nil {
			return err
		}
		out = Rating{Survey: v}
		if v.RespondedAt != nil {
			return nil
		}
		if !tx.Now().Before(v.ExpiresAt.Time) {
			return fault.New(fault.CSATExpired)
		}
		if out.Recorded, err = answerSurvey(tx, v.ID, rating, strings.TrimSpace(comment)); err != nil || !out.Recorded {
			return err
		}
		out.Rating, out.Comment, out.RespondedAt = &rating, strings.TrimSpace(comment), clock.Ptr(tx.Now())
		return s.rated(tx, c, out.Survey)
	})
	return out, err
}

// rated leaves a rating in the timeline and announces it.
func (s *Service) rated(tx *db.Tx, was Conversation, v Survey) error {
	c, name := was, "rated"
	c.UpdatedAt = clock.At(tx.Now())
	item := &Item{
		Kind: Event, AuthorKind: ByContact, AuthorID: &c.ContactID, Event: &name,
		Detail: map[string]any{"survey_id": v.ID, "rating": v.Rating, "comment": v.Comment},
	}
	if err := s.note(tx, &c, item); err != nil {
		return err
	}
	return s.Announce(tx, []string{Rated}, &was, &c, item)
}

// Of reads a conversation of a channel account; another account's is not
// found.
func (s *Service) Of(ctx context.Context, account, id uuid.UUID) (c Conversation, err error) {
	err = s.Tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if c, err = ByID(r, id); err == nil && (c.ChannelAccountID == nil || *c.ChannelAccountID != account) {
			err = db.ErrNoRow
		}
		return db.OrNotFound(err)
	})
	return c, err
}

func lockOf(tx *db.Tx, account, id uuid.UUID) (Conversation, error) {
	c, err := LockLive(tx, id)
	if err == nil && (c.ChannelAccountID == nil || *c.ChannelAccountID != account) {
		err = fault.New(fault.NotFound)
	}
	return c, err
}
