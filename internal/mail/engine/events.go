package engine

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

// Event names.
const (
	Delivered = "mail.delivered"
	Delayed   = "mail.delayed"
	Bounced   = "mail.bounced"
)

// Progress is the result for copies of a mail.
type Progress struct {
	ID         uuid.UUID  `json:"id" format:"uuid" doc:"Id of the mail in the queue"`
	MailboxID  *uuid.UUID `json:"mailbox_id" nullable:"true" format:"uuid"`
	Origin     string     `json:"origin" enum:"submission,forward" example:"submission"`
	Sender     string     `json:"sender" example:"destek@kaya.example"`
	MessageID  string     `json:"message_id" example:"<a1b2@kaya.example>"`
	Recipients []string   `json:"recipients" nullable:"false" example:"[\"elif@example.com\"]"`
	CreatedAt  clock.Time `json:"created_at" doc:"When the mail was accepted"`
}

func newProgress(m *queued, recipients []string) Progress {
	return Progress{m.ID, m.MailboxID, m.Origin, m.Sender, m.MessageID, recipients, m.CreatedAt}
}

// Events lists the events that this module emits.
func Events() event.Catalog {
	id := uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c")
	p := Progress{
		ID: id, MailboxID: &id, Origin: OriginSubmission, Sender: "destek@kaya.example", MessageID: "<a1b2@kaya.example>",
		Recipients: []string{"elif@example.com"}, CreatedAt: clock.At(time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)),
	}
	return event.Catalog{
		{Name: Delivered, Module: "mail", Permission: perm.MailboxesView, Description: "The recipients' servers accepted a mail.", Turkish: "Alıcıların sunucuları bir postayı teslim aldı.", Example: p},
		{Name: Delayed, Module: "mail", Permission: perm.MailboxesView, Description: "A mail has been waiting for four hours; delivery is still being retried.", Turkish: "Bir posta dört saattir bekliyor; denenmeye devam ediliyor.", Example: p},
		{Name: Bounced, Module: "mail", Permission: perm.MailboxesView, Description: "A mail cannot be delivered to one or more recipients.", Turkish: "Bir posta alıcılara teslim edilemedi.", Example: p},
	}
}
