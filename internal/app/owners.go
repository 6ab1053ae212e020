package app

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/live"
	"konak/internal/crm/telephony/call"
	"konak/internal/identity"
	"konak/internal/kit/db"
	"konak/internal/kit/mailer"
	"konak/internal/webhook"
)

// owners lets modules send mail to a workspace's owners, or in their language.
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
		l.Greeting, l.LinkText = "Hello "+p.Name+",", linkText(p.Language)
		if p.Language == "tr" {
			l.Greeting = "Merhaba " + p.Name + ","
		}
		if err := o.mailer.Send(tx, l); err != nil {
			return err
		}
	}
	return nil
}

// TellMessage implements call.Mail. It uses the language of an owner, since the address may
// belong to nobody in the workspace; so the mail counts towards the workspace's sending
// limit.
func (o owners) TellMessage(tx *db.Tx, n call.MessageNotice) error {
	people, err := o.identity.Owners(&tx.Reader)
	if err != nil {
		return err
	}
	language := "tr"
	if len(people) > 0 {
		language = people[0].Language
	}
	l := mailer.Mail{To: n.To, Language: language, Link: o.base + n.Path(), LinkText: linkText(language)}
	l.Subject, l.Body = n.Text(language)
	return o.mailer.Send(tx, l)
}

// linkText is the text of a link to the panel.
func linkText(language string) string {
	if language == "tr" {
		return "Panelde aç"
	}
	return "Open it in the panel"
}

// visitors lets live chat show agents that a visitor is writing.
type visitors struct{ live *live.Service }

// VisitorTypes implements widget.Typing.
func (v visitors) VisitorTypes(ctx context.Context, conversation uuid.UUID, typing bool) error {
	_, err := v.live.ContactTypes(ctx, conversation, typing)
	return err
}
