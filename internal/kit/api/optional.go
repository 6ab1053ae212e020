package api

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Optional is a field of a change: if left out it changes nothing, null clears the value. T
// is a type without its own schema, such as a string or an id.
type Optional[T any] struct {
	Sent bool
	V    *T
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *Optional[T]) UnmarshalJSON(b []byte) error {
	o.Sent = true
	return json.Unmarshal(b, &o.V)
}

// Schema describes it for the document.
func (Optional[T]) Schema(r huma.Registry) *huma.Schema {
	s := *r.Schema(reflect.TypeFor[T](), true, "")
	s.Nullable = true
	return &s
}
