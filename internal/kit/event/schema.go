package event

import (
	"encoding/json"
	"reflect"

	"konak/internal/kit/api"
)

// Schema returns the JSON Schema of an event's body, for the catalog. An object that was
// too large is reduced to its id, and a customer may emit any object: the body has a flag
// for both, and only other events have the record's own form.
func Schema(t Type) (json.RawMessage, error) {
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
		"description": "Previous values of the changed fields",
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

// formOf returns the schema of an example's type.
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
	"sequence":{"type":"integer","minimum":1,"description":"Number of the event in the workspace, without gaps"},
	"id":{"type":"string","pattern":"^evt_[0-9a-f-]{36}$"},
	"occurred_at":{"type":"string","format":"date-time"},
	"api_version":{"const":"1"},
	"truncated":{"type":"boolean","description":"The body was too large, so the object has only its id"},
	"emitted":{"type":"boolean","description":"Emitted through the API; the object is what the caller sent"},
	"tenant":{"type":"object","required":["id","slug"],"properties":{"id":{"type":"string","format":"uuid"},"slug":{"type":"string"}}},
	"actor":{"type":"object","required":["type","id"],"properties":{
		"type":{"enum":["agent","contact","bot","system","api_key"]},"id":{"type":["string","null"],"format":"uuid"}}},
	"data":{"type":"object","required":["object","item","previous"],"properties":{
		"object":{"type":"object"},"item":{"type":["object","null"]},"previous":{"type":["object","null"]}}}}}`
