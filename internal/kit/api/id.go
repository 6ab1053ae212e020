package api

import (
	"errors"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
)

// ID is an id in a path. Text that is not a UUID becomes the zero id, which no record has,
// so the answer is the same 404 as for an unknown one.
type ID struct{ uuid.UUID }

// UnmarshalText implements encoding.TextUnmarshaler.
func (id *ID) UnmarshalText(b []byte) error {
	id.UUID = uuid.Nil
	if len(b) == 36 {
		if v, err := uuid.ParseBytes(b); err == nil {
			id.UUID = v
		}
	}
	return nil
}

// Schema describes a path id.
func (ID) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Examples: []any{"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"}}
}

// FilterID is an optional id in a query. Text that is not a UUID is refused with
// invalid_id: an ignored filter would return everything.
type FilterID struct{ V *uuid.UUID }

// errNoID is the error that fieldCodes maps to invalid_id.
var errNoID = errors.New("no id")

// UnmarshalText implements encoding.TextUnmarshaler.
func (id *FilterID) UnmarshalText(b []byte) error {
	v, err := uuid.ParseBytes(b)
	if err != nil {
		return errNoID
	}
	id.V = &v
	return nil
}

// Schema describes an id in a query.
func (FilterID) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid", Examples: []any{"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"}}
}

// Deleted is the answer to a deletion.
type Deleted struct {
	ID      ID   `json:"id"`
	Deleted bool `json:"deleted" example:"true"`
}

// Done is the answer of an action that has nothing to show.
type Done struct {
	Done bool `json:"done" example:"true"`
}
