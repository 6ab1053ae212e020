package identity

import (
	"context"

	"konak/internal/kit/perm"
)

// Sample writes one of each record of this room with text in it, for tests
// that walk over every route.
func (s *Service) Sample(ctx context.Context, text string) error {
	if _, err := s.SetRole(ctx, Role{Name: text, Title: text, Permissions: []perm.Permission{perm.ConversationsView}}); err != nil {
		return err
	}
	_, err := s.AddKey(ctx, text, EnvLive, []string{"conversations.read"}, nil)
	return err
}
