// Package each converts lists.
package each

// Map returns what fn makes of each element of a list, in their order. It is never nil.
func Map[T, U any](list []T, fn func(T) U) []U {
	out := make([]U, len(list))
	for i, v := range list {
		out[i] = fn(v)
	}
	return out
}
