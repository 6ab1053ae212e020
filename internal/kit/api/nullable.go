package api

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Nullable is a record that may be absent: null in JSON, never left out. The document
// cannot express that for a plain pointer to a record.
type Nullable[T any] struct{ V *T }

// Some holds v.
func Some[T any](v T) Nullable[T] { return Nullable[T]{&v} }

// MarshalJSON implements json.Marshaler.
func (n Nullable[T]) MarshalJSON() ([]byte, error) { return json.Marshal(n.V) }

// UnmarshalJSON implements json.Unmarshaler.
func (n *Nullable[T]) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &n.V) }

// Schema describes it for the document.
func (Nullable[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{r.Schema(reflect.TypeFor[T](), true, ""), {Type: "null"}}}
}
