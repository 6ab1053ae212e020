package db

import (
	"database/sql/driver"
	"encoding/json"
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
	switch v := src.(type) {
	case string:
		return json.Unmarshal([]byte(v), &j.V)
	case []byte:
		return json.Unmarshal(v, &j.V)
	}
	return fmt.Errorf("db: cannot read %T as JSON", src)
}
