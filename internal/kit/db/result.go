package db

import "konak/internal/kit/fault"

// OrNotFound turns the error of a row that is not there into not_found, which
// the API answers with 404. Other errors, and nil, stay as they are.
func OrNotFound(err error) error {
	if IsNoRow(err) {
		return fault.New(fault.NotFound)
	}
	return err
}

// OrEmpty turns a nil list into an empty one, so that JSON shows [] and not null.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
