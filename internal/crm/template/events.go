package template

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

// StatusChanged is announced when a template is created, whenever the provider reports a
// change of it, and when it is deleted.
const StatusChanged = "template.status_changed"

// Events lists the events that this module announces.
func Events() event.Catalog {
	at := clock.At(time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC))
	id, provider := uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"), "1689556908129832"
	t := Template{
		ID: id, AccountID: id, ProviderID: &provider, Name: "kargo_bilgisi", Language: "tr", Category: Utility, Status: Approved,
		Quality: "GREEN", ParameterFormat: Positional, CreatedAt: at, UpdatedAt: at,
		Components: []Component{{Type: Body, Text: "Merhaba {{1}}, siparişiniz yola çıktı.", Example: &Example{BodyText: [][]string{{"Elif"}}}}},
	}
	t.show(at.Time)
	return event.Catalog{{
		Name: StatusChanged, Module: "crm", Permission: perm.TemplatesView,
		Description: "A message template was submitted, reviewed, changed or deleted.",
		Turkish:     "Bir mesaj şablonu gönderildi, incelendi, değişti ya da silindi.", Example: t,
	}}
}

// previous is the state before a change.
type previous struct {
	Status   string `json:"status"`
	Category string `json:"category"`
	Quality  string `json:"quality"`
}
