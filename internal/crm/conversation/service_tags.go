package conversation

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Retag replaces the tags with what fn returns for them.
func (s *Service) Retag(ctx context.Context, id uuid.UUID, fn func([]string) []string) (Conversation, error) {
	return s.Change(ctx, id, s.ToRetag(fn))
}

// ToRetag is Retag as a step.
func (s *Service) ToRetag(fn func([]string) []string) Step {
	return func(tx *db.Tx, was Conversation) (Conversation, error) {
		c := was
		tags, ok := contact.Tags(fn(was.Tags))
		if !ok {
			return c, fault.Invalid("tags", "too_long")
		}
		if len(tags) > maxTags {
			return c, fault.New(fault.LimitReached, maxTags).Field("tags", "too_many")
		}
		c.Tags = tags
		if len(changedFields(&was, &c)) == 0 {
			return c, nil
		}
		c.UpdatedAt = clock.At(tx.Now())
		item := NewEvent(tx, "tagged", map[string]any{"tags": c.Tags})
		assignTimestamps(tx, &c, []*Item{item})
		if err := Save(tx, &c, was.State); err != nil {
			return c, err
		}
		if err := putTags(tx, &c); err != nil {
			return c, err
		}
		if err := s.writeDependents(tx, &c, &c, []*Item{item}); err != nil {
			return c, err
		}
		return c, s.Announce(tx, []string{Tagged}, &was, &c, nil)
	}
}

const maxTags = 50
