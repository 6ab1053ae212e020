package api

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// JSONSchema returns the schema of a type on its own, with the types it refers to under
// $defs, for documents other than the API's.
func JSONSchema(t reflect.Type) (json.RawMessage, error) {
	hookHuma() // the library's settings apply here too, and must not change meanwhile
	registry := huma.NewMapRegistry("#/$defs/", schemaName)
	schema := registry.Schema(t, true, t.Name())
	for _, s := range registry.Map() {
		nullEnums(s)
	}
	b, err := json.Marshal(schema)
	if err != nil || len(registry.Map()) == 0 {
		return b, err
	}
	return json.Marshal(inline(registry, schema, map[string]bool{}))
}

// inline replaces references by the schemas they refer to. A type that contains itself
// accepts anything at the second level.
func inline(r huma.Registry, s *huma.Schema, within map[string]bool) *huma.Schema {
	if s == nil {
		return nil
	}
	if s.Ref != "" {
		if within[s.Ref] {
			return &huma.Schema{}
		}
		within[s.Ref] = true
		defer delete(within, s.Ref)
		return inline(r, r.SchemaFromRef(s.Ref), within)
	}
	out := *s
	out.Items = inline(r, s.Items, within)
	out.AnyOf = nil
	for _, one := range s.AnyOf {
		out.AnyOf = append(out.AnyOf, inline(r, one, within))
	}
	if more, ok := s.AdditionalProperties.(*huma.Schema); ok {
		out.AdditionalProperties = inline(r, more, within)
	} else {
		out.AdditionalProperties = nil // receivers must expect new fields
	}
	if s.Properties != nil {
		out.Properties = make(map[string]*huma.Schema, len(s.Properties))
		for name, p := range s.Properties {
			out.Properties[name] = inline(r, p, within)
		}
	}
	return &out
}
