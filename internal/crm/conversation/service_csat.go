package conversation

import (
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

// sendSurvey asks the customer of a conversation that was just closed, where the
// workspace wants it and the channel can.
func (s *Service) sendSurvey(tx *db.Tx, c *Conversation) error {
	if c.Test || caller.From(tx.Context()).Test {
		return nil
	}
	if set, err := ReadSettings(&tx.Reader); err != nil || !set.CSAT {
		return err
	}
	v, fresh, err := s.AddSurvey(tx, c)
	if err != nil || !fresh {
		return err
	}
	name, detail := "csat_sent", map[string]any{"survey_id": v.ID}
	if why, err := s.askSurvey(tx, c, v); err != nil {
		return err
	} else if why != "" {
		name, detail["reason"] = "csat_not_sent", why
	}
	return s.AddItem(tx, c, NewEvent(tx, name, detail))
}

// askSurvey sends the question, or says why it is not sent.
func (s *Service) askSurvey(tx *db.Tx, c *Conversation, v Survey) (string, error) {
	asker, ok := s.router.(Asker)
	if !ok {
		return string(fault.NoRoute), nil
	}
	route, err := s.FindRoute(&tx.Reader, c.ContactID, Wish{Channel: c.Channel, AccountID: c.ChannelAccountID})
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

// AddSurvey makes the survey of a closing and says whether it had none yet.
func (s *Service) AddSurvey(tx *db.Tx, c *Conversation) (Survey, bool, error) {
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

// AddItem adds an entry to a timeline that changes nothing else.
func (s *Service) AddItem(tx *db.Tx, c *Conversation, item *Item) error {
	assignTimestamps(tx, c, []*Item{item})
	if err := Save(tx, c, c.State); err != nil {
		return err
	}
	return s.writeDependents(tx, c, c, []*Item{item})
}
