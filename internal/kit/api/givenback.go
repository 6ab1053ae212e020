package api

import "github.com/danielgtaylor/huma/v2"

// GivenBack is a read-only field of a record: a client that sends back a record with its
// changes may include it, and it is ignored.
type GivenBack struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (*GivenBack) UnmarshalJSON([]byte) error { return nil }

// Schema describes it for the document.
func (GivenBack) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{ReadOnly: true, Description: "As returned; ignored"}
}
