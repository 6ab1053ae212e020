package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"konak/internal/kit/fault"
	"konak/internal/kit/trtext"
)

// PostgreSQL stores neither the character U+0000 nor bytes that are not UTF-8, and nobody
// sends them on purpose. They are refused on input, as an error of the field, so that no
// module has to handle them.

// badCharacter is the code of a field with a character that cannot be stored.
const badCharacter = "invalid_character"

// unkept is the error for a body that contains U+0000.
type unkept struct{ field string }

const unkeptPrefix = "character U+0000 in "

// Error implements error. The text passes through the library, and fromHuma reads the field
// from it.
func (e unkept) Error() string { return unkeptPrefix + e.field }

// maxValues is the number of values a JSON body may hold, nested ones included. The largest
// body that a route takes, an order with its lines, has a quarter of that. The validator
// keeps an error for each wrong value, so a body with a million of them could take hundreds
// of megabytes.
const maxValues = 20_000

// errTooManyValues reports that a body holds more than maxValues.
var errTooManyValues = errors.New("too many values")

// unmarshalClean reads JSON of at most maxValues values that contains no U+0000. Raw NULs
// are not valid JSON, and bytes that are not UTF-8 are replaced on reading, so only the
// escape is searched for.
func unmarshalClean(b []byte, v any) error {
	if countValues(b) > maxValues {
		return errTooManyValues
	}
	if err := findNUL(b); err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

// findNUL returns unkept if the JSON contains U+0000.
func findNUL(b []byte) error {
	if !escapesNUL(b) {
		return nil
	}
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		return err
	}
	if path, ok := fieldWithNUL(tree, nil); ok {
		return unkept{trtext.Cut(strings.TrimPrefix(strings.Join(path, ""), "."), maxFieldName)}
	}
	return nil
}

// CheckCharacters refuses JSON with a character that cannot be stored, as the bodies of
// routes are checked. It is for the messages of a HandleProtocol route.
func CheckCharacters(b []byte) error {
	err := findNUL(b)
	var bad unkept
	if errors.As(err, &bad) {
		return fault.Invalid(bad.field, badCharacter)
	}
	return err
}

// countValues counts the values of JSON by the characters that precede them.
func countValues(b []byte) int {
	n, text := 1, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case !text && (c == ',' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}

// escapesNUL reports whether JSON contains an escaped U+0000. A backslash that is itself
// escaped does not start an escape.
func escapesNUL(b []byte) bool {
	for from := 0; ; {
		i := bytes.Index(b[from:], []byte(`\u0000`))
		if i < 0 {
			return false
		}
		at := from + i
		before := 0
		for at-before > 0 && b[at-before-1] == '\\' {
			before++
		}
		if before%2 == 0 {
			return true
		}
		from = at + 1
	}
}

// maxFieldName is the maximum length of a field name repeated in an answer.
const maxFieldName = 200

// fieldWithNUL finds the first text that contains U+0000 and returns the parts of its path.
func fieldWithNUL(v any, path []string) ([]string, bool) {
	switch v := v.(type) {
	case string:
		return path, strings.IndexByte(v, 0) >= 0
	case []any:
		for i, e := range v {
			if field, ok := fieldWithNUL(e, append(path, "["+strconv.Itoa(i)+"]")); ok {
				return field, true
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if strings.IndexByte(name, 0) >= 0 {
				return path, true
			}
			if field, ok := fieldWithNUL(v[name], append(path, ".", name)); ok {
				return field, true
			}
		}
	}
	return nil, false
}

// cleanAddress refuses such characters in the query; a path that contains them names
// nothing and is not_found.
func cleanAddress(r *http.Request) error {
	if !clean(r.URL.Path) {
		return fault.New(fault.NotFound)
	}
	if strings.IndexByte(r.URL.RawQuery, '%') < 0 && clean(r.URL.RawQuery) {
		return nil
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil // the library reports the error
	}
	bad := fault.New(fault.ValidationFailed)
	for name, values := range query {
		if clean(name) && !slices.ContainsFunc(values, func(v string) bool { return !clean(v) }) {
			continue
		}
		bad.Field(strings.ReplaceAll(strings.ToValidUTF8(name, "\uFFFD"), "\x00", "\uFFFD"), badCharacter)
	}
	return bad.OrNil()
}

func clean(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }
