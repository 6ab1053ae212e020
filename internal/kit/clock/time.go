package clock

import (
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Time is how every record holds a point in time: BIGINT microseconds UTC in
// the database, RFC 3339 with microseconds and Z in JSON. This type is the
// only place where the two are converted.
type Time struct{ time.Time }

// At wraps t.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Microsecond)} }

// Ptr wraps t for a column that may be null.
func Ptr(t time.Time) *Time { v := At(t); return &v }

const jsonLayout = "2006-01-02T15:04:05.000000Z"

// Scan implements sql.Scanner.
func (t *Time) Scan(src any) error {
	v, ok := src.(int64)
	if !ok {
		return fmt.Errorf("clock: cannot read %T as microseconds", src)
	}
	t.Time = time.UnixMicro(v).UTC()
	return nil
}

// Value implements driver.Valuer.
func (t Time) Value() (driver.Value, error) { return t.UnixMicro(), nil }

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, len(jsonLayout)+2)
	b = append(b, '"')
	b = t.UTC().AppendFormat(b, jsonLayout)
	return append(b, '"'), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Time) UnmarshalJSON(b []byte) error {
	var v time.Time
	if err := v.UnmarshalJSON(b); err != nil {
		return err
	}
	*t = At(v)
	return nil
}

// Schema describes the JSON form for the API document.
func (Time) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Format: "date-time",
		Examples: []any{"2026-11-15T09:30:00.000000Z"},
	}
}

var _ huma.SchemaProvider = Time{}
