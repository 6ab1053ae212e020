package conversation

import (
	"context"
	"strings"
	"time"

	"konak/internal/crm/contact"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Sample writes one of each record of this room with text in it, for tests
// that walk over every route.
func (s *Service) Sample(ctx context.Context, text string) error {
	g, err := s.AddGroup(ctx, text, text, nil)
	if err != nil {
		return err
	}
	page, err := s.contacts.List(ctx, contact.Filter{}, db.Page{Limit: 1, After: db.First})
	if err != nil {
		return err
	}
	c, err := s.Create(ctx, NewConversation{
		ContactID: page.Rows[0].ID, Channel: Panel, Subject: text, Body: text, GroupID: &g.ID, Tags: []string{text},
	})
	if err != nil {
		return err
	}
	file, err := s.Upload(ctx, text+".txt", "text/plain", strings.NewReader(text))
	if err != nil {
		return err
	}
	if _, err = s.ReplyAsCustomer(ctx, c.ID, text, file.ID); err != nil {
		return err
	}
	if _, err = s.Join(ctx, c.ID); err != nil {
		return err
	}
	// A conversation that needs no channel, so that something can wait in it.
	if c, err = s.Create(ctx, NewConversation{ContactID: page.Rows[0].ID, Channel: API, Subject: text, Body: text}); err != nil {
		return err
	}
	_, err = s.Schedule(ctx, c.ID, Later{Answer: Answer{Body: text}, SendAt: clock.At(s.db.Clock().Now().Add(time.Hour))})
	return err
}
