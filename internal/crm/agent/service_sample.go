package agent

import (
	"context"

	"konak/internal/kit/caller"
)

// Sample writes one of each record of this room with text in it, for tests
// that walk over every route.
func (s *Service) Sample(ctx context.Context, text string) error {
	me := caller.From(ctx).ID
	if _, err := s.Change(ctx, me, Update{Title: &text}); err != nil {
		return err
	}
	_, err := s.CreateQR(ctx, me)
	return err
}
