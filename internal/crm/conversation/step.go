package conversation

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/idempotency"
)

// Step is one change of a conversation that the transaction has locked. It
// gives the conversation as it is afterwards, which the next step begins with.
type Step func(tx *db.Tx, was Conversation) (Conversation, error)

// Apply takes steps on one conversation, one after the other, in the
// transaction of the caller: all of them, or none where it is rolled back.
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

// Change takes steps in a transaction of their own.
func (s *Service) Change(ctx context.Context, id uuid.UUID, steps ...Step) (c Conversation, err error) {
	err = idempotency.Do(ctx, s.Tenant(ctx), &c, func(tx *db.Tx) error {
		c, err = s.Apply(tx, id, steps...)
		return err
	})
	return c, err
}

// ToClose is Close as a step.
func (s *Service) ToClose() Step { return s.on(Close) }

// ToOpen is Open as a step.
func (s *Service) ToOpen() Step { return s.on(Reopen) }

func (s *Service) on(t Trigger) Step {
	return func(tx *db.Tx, was Conversation) (Conversation, error) {
		c := was
		err := s.Move(tx, was, &c, t, nil, nil)
		return c, err
	}
}
