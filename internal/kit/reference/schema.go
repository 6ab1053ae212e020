package reference

import (
	"encoding/json"
	"fmt"
	"strings"

	"konak/internal/kit/each"
)

// schema is the part of a JSON Schema that is needed for an example and a short description
// of the type.
type schema struct {
	Ref        string            `json:"$ref"`
	Type       kinds             `json:"type"`
	Format     string            `json:"format"`
	Enum       []any             `json:"enum"`
	Examples   []any             `json:"examples"`
	Default    any               `json:"default"`
	Items      *schema           `json:"items"`
	Properties map[string]schema `json:"properties"`
	OneOf      []schema          `json:"oneOf"`
	AnyOf      []schema          `json:"anyOf"`
}

// kinds are the types of a schema: a single one, or a list.
type kinds []string

// UnmarshalJSON implements json.Unmarshaler.
func (k *kinds) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*k = kinds{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(k))
}

// words describes the allowed values.
func (s schema) words() string {
	if len(s.Enum) > 0 {
		return strings.Join(each.Map(s.Enum, func(v any) string { return fmt.Sprint(v) }), " | ")
	}
	text := strings.Join(s.Type, " | ")
	if s.Format != "" && s.Format != "int64" {
		text += " (" + s.Format + ")"
	}
	return text
}

// maxDepth bounds how deep examples go: a schema may contain itself.
const maxDepth = 6

// example returns a value of a schema, from the schema's own examples if it has some.
func (s *specification) example(of schema, depth int) any {
	if name, ok := strings.CutPrefix(of.Ref, "#/components/schemas/"); ok {
		return s.example(s.Components.Schemas[name], depth+1)
	}
	switch {
	case len(of.Examples) > 0:
		return of.Examples[0]
	case of.Default != nil:
		return of.Default
	case len(of.Enum) > 0:
		return of.Enum[0]
	case depth > maxDepth:
		return nil
	case len(of.OneOf) > 0:
		return s.example(of.OneOf[0], depth+1)
	case len(of.AnyOf) > 0:
		return s.example(of.AnyOf[0], depth+1)
	case len(of.Properties) > 0:
		out := map[string]any{}
		for name, property := range of.Properties {
			if name != "$schema" {
				out[name] = s.example(property, depth+1)
			}
		}
		return out
	case len(of.Type) == 0:
		return nil
	}
	switch of.Type[0] {
	case "array":
		if of.Items == nil {
			return []any{}
		}
		return []any{s.example(*of.Items, depth+1)}
	case "object":
		return map[string]any{}
	case "boolean":
		return true
	case "integer", "number":
		return 1
	}
	switch of.Format {
	case "uuid":
		return "0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"
	case "date-time":
		return "2026-11-15T09:30:00Z"
	}
	return "…"
}
