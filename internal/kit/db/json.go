package db

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
)

// JSON keeps V in a text column.
type JSON[T any] struct{ V T }

// AsJSON wraps v for a parameter.
func AsJSON[T any](v T) JSON[T] { return JSON[T]{v} }

// Value implements driver.Valuer.
func (j JSON[T]) Value() (driver.Value, error) {
	b, err := json.Marshal(j.V)
	if err != nil {
		return nil, err
	}
	return string(b), nil
}

// Scan implements sql.Scanner.
func (j *JSON[T]) Scan(src any) error {
	if src == nil {
		return errors.New("db: cannot read NULL as JSON")
	}
	return FromJSON(&j.V).Scan(src)
}

// FromJSON returns what a scan function passes to Scan to read a text column into the
// variable at v. NULL leaves the variable unchanged.
func FromJSON(v any) sql.Scanner { return &fromJSON{v} }

type fromJSON struct{ v any }

// Scan implements sql.Scanner.
func (f *fromJSON) Scan(src any) error {
	switch text := src.(type) {
	case nil:
		return nil
	case string:
		return json.Unmarshal([]byte(text), f.v)
	case []byte:
		return json.Unmarshal(text, f.v)
	}
	return fmt.Errorf("db: cannot read %T as JSON", src)
}
