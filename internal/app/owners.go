package app

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/live"
	"konak/internal/identity"
	"konak/internal/kit/db"
	"konak/internal/kit/mailer"
	"konak/internal/webhook"
)

// owners lets the webhook module write to a workspace's owners.
type owners struct {
	identity *identity.Service
	mailer   *mailer.Mailer
	base     string
}

// Notify implements webhook.Owners.
func (o owners) Notify(tx *db.Tx, n webhook.Notice) error {
	people, err := o.identity.Owners(&tx.Reader)
	if err != nil {
		return err
	}
	for _, p := range people {
		subject, body := n.Text(p.Language)
		l := mailer.Mail{To: p.Email, Language: p.Language, Subject: subject, Body: body, Link: o.base + n.Path(), Notice: true}
		l.Greeting, l.LinkText = "Hello "+p.Name+",", "Open it in the panel"
		if p.Language == "tr" {
			l.Greeting, l.LinkText = "Merhaba "+p.Name+",", "Panelde aç"
		}
		if err := o.mailer.Send(tx, l); err != nil {
			return err
		}
	}
	return nil
}

// visitors lets live chat tell agents that a visitor writes.
type visitors struct{ live *live.Service }

// VisitorTypes implements widget.Typing.
func (v visitors) VisitorTypes(ctx context.Context, conversation uuid.UUID, typing bool) error {
	_, err := v.live.ContactTypes(ctx, conversation, typing)
	return err
}
