package desk

import (
	"context"

	"konak/internal/crm/conversation"
)

// Sample writes one of each record of this room with text in it, for tests
// that walk over every route.
func (s *Service) Sample(ctx context.Context, text string) error {
	if _, err := s.AddMacro(ctx, NewMacro{Name: text, Description: text, Actions: []Action{{Type: "note", Body: &text}}}); err != nil {
		return err
	}
	if _, err := s.AddCannedReply(ctx, NewCannedReply{Shared: true, Shortcut: text, Title: text, Body: text}); err != nil {
		return err
	}
	_, err := s.AddView(ctx, NewView{Shared: true, Name: text, Filter: conversation.Query{Tag: text, Sort: "-last_activity"}})
	return err
}
