package api

import "github.com/danielgtaylor/huma/v2"

// GivenBack is a field of a record that cannot be changed where it stands: a client that
// sends back what it was given with its changes may leave it in, and it is ignored.
type GivenBack struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (*GivenBack) UnmarshalJSON([]byte) error { return nil }

// Schema describes it for the document.
func (GivenBack) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{ReadOnly: true, Description: "As returned; ignored"}
}
