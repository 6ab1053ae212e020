package trtext

import "bytes"

// WithoutNUL gives JSON in which no string holds the character NUL, which PostgreSQL
// cannot store: the mark of what cannot be shown stands in its place.
func WithoutNUL(json []byte) []byte {
	return bytes.ReplaceAll(json, []byte(`\u0000`), []byte(`\ufffd`))
}
