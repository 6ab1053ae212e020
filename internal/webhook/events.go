package webhook

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

// PingTest is the sample event that a test call queues.
const PingTest = "ping.test"

// Ping is what the sample carries.
type Ping struct {
	ID      uuid.UUID `json:"id" format:"uuid" doc:"The endpoint that is tested"`
	Message string    `json:"message" example:"It works."`
}

// Events are what this room announces.
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
	Module      string          `json:"module" example:"crm" doc:"The licence that it belongs to; empty for all"`
	Description string          `json:"description" example:"A new conversation opened by any route." doc:"In the language of Accept-Language"`
	Permission  perm.Permission `json:"permission" example:"crm.conversations.view" doc:"What one needs to subscribe to it, and to see its bodies"`
	Schema      json.RawMessage `json:"schema" doc:"JSON Schema (2020-12) of the whole body"`
	Example     json.RawMessage `json:"example" doc:"A whole body as it is sent"`
	turkish     string          // the description
}

// licensed says whether a caller's workspace may have the event.
func (e *CatalogEntry) licensed(who *caller.Caller) bool {
	return e.Module == "" || who.Licences[e.Module]
}

// describe writes the schema and the example of every event once.
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
		schema, err := schemaOf(t)
		if err != nil {
			return nil, fmt.Errorf("webhook: schema of %s: %w", t.Name, err)
		}
		out = append(out, CatalogEntry{t.Name, t.Module, t.Description, t.Permission, schema, example, t.Turkish})
	}
	return out, nil
}

// schemaOf is the schema of an event's body. What was too large is cut down to
// its id, and a customer may emit any object: the body says so, and only what
// is neither has the record's own form.
func schemaOf(t event.Type) (json.RawMessage, error) {
	object, err := formOf(t.Example)
	if err != nil {
		return nil, err
	}
	none, item := form{"type": "null"}, form{"type": "null"}
	if t.ItemExample != nil {
		if item, err = formOf(t.ItemExample); err != nil {
			return nil, err
		}
		item["type"] = []string{"object", "null"}
	}
	previous := form{
		"type": []string{"object", "null"}, "properties": object["properties"],
		"description": "The fields that changed, as they were",
	}
	data := func(object, item, previous form) form {
		return form{"properties": form{"data": form{"properties": form{"object": object, "item": item, "previous": previous}}}}
	}
	body := form{}
	if err := json.Unmarshal([]byte(bodySchema), &body); err != nil {
		return nil, err
	}
	body["properties"].(form)["type"] = form{"const": t.Name}
	body["if"] = form{"properties": form{"truncated": form{"const": true}}}
	body["then"] = data(form{"required": []string{"id"}}, none, none)
	body["else"] = form{
		"if":   form{"properties": form{"emitted": form{"const": true}}},
		"then": data(form{}, none, none),
		"else": data(object, item, previous),
	}
	return json.Marshal(body)
}

// form is a JSON Schema.
type form = map[string]any

// formOf is the schema of an example's type.
func formOf(example any) (form, error) {
	text, err := api.JSONSchema(reflect.TypeOf(example))
	if err != nil {
		return nil, err
	}
	out := form{}
	return out, json.Unmarshal(text, &out)
}

const bodySchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
	"required":["sequence","id","type","occurred_at","api_version","truncated","emitted","tenant","actor","data"],"properties":{
	"sequence":{"type":"integer","minimum":1,"description":"Counts the workspace's events without a gap"},
	"id":{"type":"string","pattern":"^evt_[0-9a-f-]{36}$"},
	"occurred_at":{"type":"string","format":"date-time"},
	"api_version":{"const":"1"},
	"truncated":{"type":"boolean","description":"The body was too large: the object is only its id"},
	"emitted":{"type":"boolean","description":"Announced by hand: the object is whatever was announced"},
	"tenant":{"type":"object","required":["id","slug"],"properties":{"id":{"type":"string","format":"uuid"},"slug":{"type":"string"}}},
	"actor":{"type":"object","required":["type","id"],"properties":{
		"type":{"enum":["agent","contact","bot","system","api_key"]},"id":{"type":["string","null"],"format":"uuid"}}},
	"data":{"type":"object","required":["object","item","previous"],"properties":{
		"object":{"type":"object"},"item":{"type":["object","null"]},"previous":{"type":["object","null"]}}}}}`
