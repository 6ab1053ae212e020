package webhook

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

// PingTest is the sample event that a test call queues.
const PingTest = "ping.test"

// Ping is the data of the sample event.
type Ping struct {
	ID      uuid.UUID `json:"id" format:"uuid" doc:"The webhook being tested"`
	Message string    `json:"message" example:"It works."`
}

// Events returns the events that this module announces.
func Events() event.Catalog {
	return event.Catalog{{
		Name: PingTest, Module: "", Permission: perm.SettingsView,
		Description: "Sample delivery queued by a test call.", Turkish: "Deneme çağrısıyla sıraya alınan örnek iletim.",
		Example: Ping{ID: uuid.MustParse("8f1f6c3e-53b0-4a0e-9d53-0d8a4f7b2c11"), Message: "It works."},
	}}
}

// CatalogEntry is an event that can be subscribed to.
type CatalogEntry struct {
	Name        string          `json:"name" example:"conversation.created"`
	Module      string          `json:"module" example:"crm" doc:"Licence the event belongs to; empty if it needs none"`
	Description string          `json:"description" example:"A new conversation opened by any route." doc:"Description in the language of Accept-Language"`
	Permission  perm.Permission `json:"permission" example:"crm.conversations.view" doc:"Permission needed to subscribe to the event and to see its bodies"`
	Schema      json.RawMessage `json:"schema" doc:"JSON Schema (2020-12) of the full body"`
	Example     json.RawMessage `json:"example" doc:"A full body as sent"`
	turkish     string          // the description
}

// isLicensed reports whether a caller's workspace may have the events of a module.
func isLicensed(who *caller.Caller, module string) bool {
	return module == "" || who.Licences[module]
}

// describe writes the schema and the example of every event.
func describe(catalog event.Catalog) ([]CatalogEntry, error) {
	var out []CatalogEntry
	for _, t := range catalog {
		if t.Hidden {
			continue
		}
		example, err := event.Sample(t)
		if err != nil {
			return nil, err
		}
		schema, err := event.Schema(t)
		if err != nil {
			return nil, fmt.Errorf("webhook: schema of %s: %w", t.Name, err)
		}
		out = append(out, CatalogEntry{t.Name, t.Module, t.Description, t.Permission, schema, example, t.Turkish})
	}
	return out, nil
}
