package db

import "konak/internal/kit/fault"

// NotFound returns fault.NotFound for ErrNoRow and any other error unchanged.
func NotFound(err error) error {
	if IsNoRow(err) {
		return fault.New(fault.NotFound)
	}
	return err
}
