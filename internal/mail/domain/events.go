package domain

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

// Event names.
const (
	Verified = "mail.domain.verified"
	Failed   = "mail.domain.dns_failed"

	AbuseDetected         = "mail.abuse.detected"
	MailboxSuspendedEvent = "mail.mailbox.suspended"
)

// Events lists the events that this module emits.
func Events() event.Catalog {
	at := clock.At(time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC))
	active := Domain{
		ID: uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"), Domain: "kaya.example", Display: "kaya.example", Selector: "s202611", Routing: RoutingEmbedded,
		State: Active, CheckedAt: &at, VerifiedAt: &at, CreatedAt: at,
	}
	degraded := active
	degraded.State = Degraded
	box := Mailbox{ID: active.ID, DomainID: active.ID, Address: "destek@kaya.example", Kind: KindInbox, AccountID: &active.ID, Targets: []string{}, HasPassword: true, State: MailboxActive, CreatedAt: at}
	suspended := box
	suspended.State = MailboxSuspended
	return event.Catalog{
		{Name: Verified, Module: "mail", Permission: perm.DomainsView, Description: "All mandatory DNS records of a mail domain were found.", Turkish: "Bir posta alan adının zorunlu DNS kayıtlarının hepsi yerinde.", Example: active},
		{Name: Failed, Module: "mail", Permission: perm.DomainsView, Description: "Mandatory DNS records of a mail domain are missing or wrong.", Turkish: "Bir posta alan adının zorunlu DNS kayıtları eksik ya da yanlış.", Example: degraded},
		{Name: AbuseDetected, Module: "mail", Permission: perm.MailboxesView, Description: "A mailbox is sending an unusual amount of mail.", Turkish: "Bir posta kutusu insanların göndereceğinden fazlasını gönderiyor.", Example: Abuse{box, 212, false}},
		{Name: MailboxSuspendedEvent, Module: "mail", Permission: perm.MailboxesView, Description: "A mailbox was suspended and sends nothing.", Turkish: "Bir posta kutusu askıya alındı ve posta göndermiyor.", Example: Suspension{suspended, ReasonAbuse}},
	}
}
