package contact

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

// Event names.
const (
	Created        = "contact.created"
	Updated        = "contact.updated"
	Deleted        = "contact.deleted"
	Merged         = "contact.merged"
	ConsentChanged = "contact.consent_changed"
)

// Events lists the events that this module announces.
func Events() event.Catalog {
	at := clock.At(time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC))
	example := Contact{
		ID: uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"), Kind: Customer, Name: "Elif Kaya",
		FirstName: "Elif", LastName: "Kaya", Company: "Kaya Mobilya", Language: "tr", Country: "TR",
		Emails: []Email{{Address: "elif@kayamobilya.example", Primary: true}}, Phones: []Phone{{E164: "+905321234567", Primary: true}},
		Identities: []Identity{}, Claims: []Claim{}, Consents: []Consent{}, Tags: []string{"vip"}, CustomAttributes: map[string]any{"plan": "pro"},
		CreatedAt: at, UpdatedAt: at,
	}
	entry := func(name, text, turkish string) event.Type {
		return event.Type{Name: name, Module: "crm", Permission: perm.ContactsView, Description: text, Turkish: turkish, Example: example}
	}
	updated, merged, consented := entry(Updated, "Contact record updated.", "Kişi kaydı değişti."),
		entry(Merged, "A contact was merged into another. The event contains the remaining contact.", "Bir kişi, olayın taşıdığı bir başkasıyla birleştirildi."),
		entry(ConsentChanged, "A contact gave or withdrew consent.", "Bir kişi onay verdi ya da onayını geri çekti.")
	updated.PreviousExample = map[string]any{"company": "Kaya Ticaret"}
	merged.ItemExample = Merge{
		ID: uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4e"), WinnerID: example.ID,
		LoserID: uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4d"), MergedAt: at,
	}
	consent := Consent{Channel: "whatsapp", Purpose: "marketing", Status: "granted", Source: "checkout form", At: at}
	consenting := example
	consenting.Consents = []Consent{consent}
	consented.Example, consented.ItemExample = consenting, consent
	return event.Catalog{
		entry(Created, "Contact record created.", "Kişi kaydı oluşturuldu."),
		updated,
		entry(Deleted, "Contact record deleted.", "Kişi kaydı silindi."),
		merged,
		consented,
	}
}
