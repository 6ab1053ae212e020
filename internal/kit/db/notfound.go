package db

import "konak/internal/kit/fault"

// NotFound returns fault.NotFound where no row was found (ErrNoRow) and any
// other error as it is.
func NotFound(err error) error {
	if IsNoRow(err) {
		return fault.New(fault.NotFound)
	}
	return err
}
