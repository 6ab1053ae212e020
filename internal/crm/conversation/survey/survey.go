package survey

import (
	"context"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
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

// Rating is the result of a customer's answer.
type Rating struct {
	Survey
	Recorded bool `json:"recorded" doc:"False if an earlier rating stands; that one is then returned"`
}

// surveyFor is how long a survey can be answered.
const surveyFor = 14 * 24 * time.Hour

// Service asks for ratings.
type Service struct{ gate *conversation.Service }

// New returns the service.
func New(gate *conversation.Service) *Service { return &Service{gate} }

// Jobs returns the kind of the jobs that ask for ratings.
func (s *Service) Jobs() []jobs.Kind {
	return []jobs.Kind{{Name: conversation.SurveyJob, Handler: jobs.WithPayload(s.run), PerNode: 16, PerTenant: 4, MaxAttempts: 20}}
}

// run asks the customer, unless the conversation was reopened, merged or deleted since that
// closing.
func (s *Service) run(ctx context.Context, _ *jobs.Job, closed conversation.Closing) error {
	return s.gate.InTx(ctx, func(tx *db.Tx) error {
		c, err := conversation.LockAny(tx, closed.ID)
		if db.IsNoRow(err) {
			return nil
		}
		if err != nil || c.DeletedAt != nil || c.MergedIntoID != nil || c.ClosedAt == nil || !c.ClosedAt.Equal(closed.ClosedAt.Time) {
			return err
		}
		return s.send(tx, &c)
	})
}

// send asks the customer of a closed conversation, if the channel can carry the question.
func (s *Service) send(tx *db.Tx, c *conversation.Conversation) error {
	v, fresh, err := Add(tx, c)
	if err != nil || !fresh {
		return err
	}
	name, detail := "csat_sent", map[string]any{"survey_id": v.ID}
	if why, err := s.ask(tx, c, v); err != nil {
		return err
	} else if why != "" {
		name, detail["reason"] = "csat_not_sent", why
	}
	return s.gate.AddItem(tx, c, conversation.NewEvent(tx, name, detail))
}

// ask sends the question, or returns why it is not sent.
func (s *Service) ask(tx *db.Tx, c *conversation.Conversation, v Survey) (string, error) {
	asker, ok := s.gate.Router.(conversation.Asker)
	if !ok {
		return string(fault.NoRoute), nil
	}
	route, err := s.gate.FindRoute(&tx.Reader, c.ContactID, conversation.Wish{Channel: c.Channel, AccountID: c.ChannelAccountID})
	if f, refused := fault.As(err); refused {
		return string(f.Code), nil
	}
	if err != nil || route == nil {
		return string(fault.NoRoute), err
	}
	asked, err := asker.Ask(tx, conversation.Question{
		SurveyID: v.ID, ConversationID: c.ID, ContactID: c.ContactID, Route: *route, ExpiresAt: v.ExpiresAt,
	})
	if err != nil || asked {
		return "", err
	}
	return string(fault.NoRoute), nil
}

// Add creates the survey of a closing and reports whether it had none yet.
func Add(tx *db.Tx, c *conversation.Conversation) (Survey, bool, error) {
	v := Survey{
		ID: tx.NewID(), ConversationID: c.ID, CreatedAt: clock.At(tx.Now()), ExpiresAt: clock.At(tx.Now().Add(surveyFor)),
	}
	var closing int64
	if c.ClosedAt != nil {
		closing = c.ClosedAt.UnixMicro()
	}
	fresh, err := put(tx, v, closing, c.Test || caller.From(tx.Context()).Test)
	return v, fresh, err
}
