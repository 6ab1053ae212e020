package conversation

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// SurveyJob is the kind of the jobs that ask for ratings; package survey runs
// them.
const SurveyJob = "conversation.survey"

// surveyDelay is how long a closing can be undone before its survey is sent.
const surveyDelay = 10 * time.Second

// Closing names one closing of a conversation. It is the payload of a SurveyJob.
type Closing struct {
	ID       uuid.UUID  `json:"id"`
	ClosedAt clock.Time `json:"closed_at"`
}

// planSurvey schedules the survey of a conversation that was just closed, if the workspace
// wants surveys.
func planSurvey(tx *db.Tx, c *Conversation) error {
	if who := caller.From(tx.Context()); c.Test || c.ClosedAt == nil || who.Test || who.Silent {
		return nil
	}
	if set, err := ReadSettings(&tx.Reader); err != nil || !set.CSAT {
		return err
	}
	_, err := jobs.Enqueue(tx, SurveyJob, tx.Now().Add(surveyDelay), Closing{c.ID, *c.ClosedAt})
	return err
}
