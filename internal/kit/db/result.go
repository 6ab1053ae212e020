package db

// OrEmpty turns a nil list into an empty one, so that JSON shows [] and not null.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
