package conversation

import (
	"context"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/idempotency"
)

// Step is one change of a conversation that the transaction has locked. It returns the
// changed conversation, which the next step starts from.
type Step func(tx *db.Tx, was Conversation) (Conversation, error)

// Apply runs steps on one conversation, one after the other, in the caller's transaction:
// all of them, or none if it is rolled back.
func (s *Service) Apply(tx *db.Tx, id uuid.UUID, steps ...Step) (Conversation, error) {
	c, err := Lock(tx, id)
	if err != nil {
		return c, err
	}
	for _, step := range steps {
		if c, err = step(tx, c); err != nil {
			return c, err
		}
	}
	return c, nil
}

// Change runs steps in their own transaction.
func (s *Service) Change(ctx context.Context, id uuid.UUID, steps ...Step) (c Conversation, err error) {
	err = idempotency.Do(ctx, s.Tenant(ctx), &c, func(tx *db.Tx) error {
		c, err = s.Apply(tx, id, steps...)
		return err
	})
	return c, err
}

// ToClose is Close as a step.
func (s *Service) ToClose() Step {
	return func(tx *db.Tx, was Conversation) (Conversation, error) {
		c := was
		return c, s.Move(tx, was, &c, Close, nil, nil)
	}
}

// closedWaitingSince is the key in the detail of a closing event that stores since when the
// customer had waited.
const closedWaitingSince = "waiting_since"

// ToOpen is Open as a step. If nothing happened since the closing, the customer's earlier
// waiting time continues.
func (s *Service) ToOpen() Step {
	return func(tx *db.Tx, was Conversation) (Conversation, error) {
		c := was
		if was.State == Closed {
			last, err := newestItem(&tx.Reader, was.ID)
			if err != nil && !db.IsNoRow(err) {
				return c, err
			}
			if since, ok := last.Detail[closedWaitingSince].(string); ok && last.Event != nil && *last.Event == "closed" {
				if at, err := time.Parse(time.RFC3339Nano, since); err == nil {
					c.WaitingSince = clock.Ptr(at)
				}
			}
		}
		return c, s.Move(tx, was, &c, Reopen, nil, nil)
	}
}
