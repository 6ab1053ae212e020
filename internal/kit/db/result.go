package db

// OrEmpty turns a nil list into an empty one, so that JSON contains [] and not null.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
