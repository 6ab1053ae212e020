package db

// OrEmpty turns a nil list into an empty one, so that JSON contains [] and not null.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Values returns one value of each row of a list, such as its ids.
func Values[T, V any](list []T, value func(T) V) []V {
	out := make([]V, len(list))
	for i, v := range list {
		out[i] = value(v)
	}
	return out
}
