package trtext

import "bytes"

// WithoutNUL returns JSON in which no string contains the character NUL, which PostgreSQL
// cannot store: the replacement character takes its place.
func WithoutNUL(json []byte) []byte {
	return bytes.ReplaceAll(json, []byte(`\u0000`), []byte(`\ufffd`))
}
