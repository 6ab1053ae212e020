package db

import "konak/internal/kit/fault"

// NotFound returns fault.NotFound for ErrNoRow and any other error unchanged.
func NotFound(err error) error { return IfNoRow(err, fault.New(fault.NotFound)) }

// IfNoRow returns other instead of ErrNoRow and any other error unchanged.
func IfNoRow(err, other error) error {
	if IsNoRow(err) {
		return other
	}
	return err
}

// IgnoreNoRow returns nil for ErrNoRow and any other error unchanged.
func IgnoreNoRow(err error) error { return IfNoRow(err, nil) }

// Found reports whether a row was found, by the error of reading it. ErrNoRow is no error.
func Found(err error) (bool, error) { return err == nil, IgnoreNoRow(err) }

// OrZero returns what One found, and the zero value without an error if there was no row.
func OrZero[T any](v T, err error) (T, error) { return v, IgnoreNoRow(err) }
