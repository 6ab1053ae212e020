package app

import (
	"context"
	"strings"
	"time"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/reply"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// SampleConversations writes one of each record of the inbox with text in it,
// for tests that go over every route.
func (a *App) SampleConversations(ctx context.Context, text string) error {
	g, err := a.Groups.Add(ctx, text, text, nil)
	if err != nil {
		return err
	}
	page, err := a.Contacts.List(ctx, contact.Filter{}, db.Page{Limit: 1, After: db.First})
	if err != nil {
		return err
	}
	c, err := a.Conversations.Create(ctx, conversation.NewConversation{
		ContactID: page.Rows[0].ID, Channel: conversation.Panel, Subject: text, Body: text, GroupID: &g.ID, Tags: []string{text},
	})
	if err != nil {
		return err
	}
	upload, err := a.Files.Upload(ctx, text+".txt", "text/plain", strings.NewReader(text))
	if err != nil {
		return err
	}
	if _, err = a.Replies.ReplyAsCustomer(ctx, c.ID, text, upload.ID); err != nil {
		return err
	}
	if _, err = a.Conversations.Join(ctx, c.ID); err != nil {
		return err
	}
	// A conversation that needs no channel, so that something can wait in it.
	c, err = a.Conversations.Create(ctx, conversation.NewConversation{ContactID: page.Rows[0].ID, Channel: conversation.API, Subject: text, Body: text})
	if err != nil {
		return err
	}
	_, err = a.Replies.Schedule(ctx, c.ID, reply.Later{
		Answer: reply.Answer{Body: text}, SendAt: clock.At(a.clock.Now().Add(time.Hour)),
	})
	return err
}
