package api

import (
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// examples adds an example to the success answers of every operation, built from the
// examples of the types' fields.
func (a *API) examples() {
	doc := a.huma.OpenAPI()
	for _, rt := range a.routes {
		for status, resp := range operationOf(doc.Paths[rt.Path], rt.Method).Responses {
			if status[0] != '2' {
				continue
			}
			if media := resp.Content["application/json"]; media != nil && media.Schema != nil && media.Example == nil {
				media.Example = sample(doc.Components.Schemas, media.Schema, nil)
			}
		}
	}
}

// The values of fields without an example.
const (
	sampleID   = "0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"
	sampleTime = "2026-11-15T09:30:00.000000Z"
	sampleText = "text"
)

// sample returns a value of a schema. Within are the records that contain it: a record that
// contains itself ends there.
func sample(r huma.Registry, s *huma.Schema, within []string) any {
	if s.Ref != "" {
		if slices.Contains(within, s.Ref) {
			return nil
		}
		return sample(r, r.SchemaFromRef(s.Ref), append(slices.Clip(within), s.Ref))
	}
	switch {
	case len(s.Examples) > 0:
		return s.Examples[0]
	case s.Default != nil:
		return s.Default
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.AnyOf) > 0:
		return sample(r, s.AnyOf[0], within)
	case len(s.OneOf) > 0:
		return sample(r, s.OneOf[0], within)
	}
	switch s.Type {
	case "object":
		out := map[string]any{}
		for name, p := range s.Properties {
			if ends(p, within) && !slices.Contains(s.Required, name) {
				continue
			}
			out[name] = sample(r, p, within)
		}
		return out
	case "array":
		if s.Items == nil || ends(s.Items, within) {
			return []any{}
		}
		return []any{sample(r, s.Items, within)}
	case "string":
		switch {
		case s.Format == "uuid":
			return sampleID
		case s.Format == "date-time" && s.Nullable:
			return nil
		case s.Format == "date-time":
			return sampleTime
		case s.Nullable:
			return nil
		}
		return sampleText
	case "integer", "number":
		if s.Nullable {
			return nil
		}
		if s.Minimum != nil {
			return *s.Minimum
		}
		return 0
	case "boolean":
		return false
	}
	return nil
}

// ends reports whether a schema refers back to a record that is being written.
func ends(s *huma.Schema, within []string) bool { return s.Ref != "" && slices.Contains(within, s.Ref) }

// nullEnums adds null to the values of nullable enumerations. The library implies it, JSON
// Schema does not.
func nullEnums(s *huma.Schema) {
	if s == nil {
		return
	}
	if s.Nullable && len(s.Enum) > 0 && !slices.Contains(s.Enum, any(nil)) {
		s.Enum = append(s.Enum, nil)
	}
	for _, p := range s.Properties {
		nullEnums(p)
	}
	nullEnums(s.Items)
	if more, ok := s.AdditionalProperties.(*huma.Schema); ok {
		nullEnums(more)
	}
}
