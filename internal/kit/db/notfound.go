package db

import "konak/internal/kit/fault"

// NotFound returns fault.NotFound for ErrNoRow and any other error unchanged.
func NotFound(err error) error {
	if IsNoRow(err) {
		return fault.New(fault.NotFound)
	}
	return err
}

// IgnoreNoRow returns nil for ErrNoRow and any other error unchanged.
func IgnoreNoRow(err error) error {
	if IsNoRow(err) {
		return nil
	}
	return err
}

// Found reports whether a row was found, by the error of reading it. ErrNoRow is no error.
func Found(err error) (bool, error) { return err == nil, IgnoreNoRow(err) }

// OrZero returns what One found, and the zero value without an error if there was no row.
func OrZero[T any](v T, err error) (T, error) { return v, IgnoreNoRow(err) }
