package desk

import "context"

// Sample writes one of each record of this room with text in it, for tests
// that walk over every route.
func (s *Service) Sample(ctx context.Context, text string) error {
	_, err := s.AddMacro(ctx, NewMacro{Name: text, Description: text, Actions: []Action{{Type: "note", Body: &text}}})
	return err
}
