package db

import "konak/internal/kit/fault"

// NotFound returns fault.NotFound for ErrNoRow and any other error unchanged.
func NotFound(err error) error { return IfNoRow(err, fault.New(fault.NotFound)) }

// IfNoRow returns other, or nil, instead of an error that says that there is no row.
func IfNoRow(err, other error) error {
	if IsNoRow(err) {
		return other
	}
	return err
}
