package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// In a change, null clears a field, and leaving it out keeps it. A field that cannot
// distinguish the two must not treat null as "keep": in the bodies of PUT and PATCH such a
// null is refused.

// isNull is the code of a field that does not accept null.
const isNull = "null"

// nullField is the error for such a body.
type nullField struct{ field string }

const nullPrefix = "null in "

// Error implements error. The text passes through the library, and fromHuma reads the field
// from it.
func (e nullField) Error() string { return nullPrefix + e.field }

// changesWith marks the body of an input as one in which null matters.
func (a *API) changesWith(method string, in reflect.Type) {
	if method != "PUT" && method != "PATCH" || in.Kind() != reflect.Struct {
		return
	}
	if body, ok := in.FieldByName("Body"); ok {
		a.changes[reflect.PointerTo(body.Type)] = true
	}
}

// unmarshal reads the body of a request.
func (a *API) unmarshal(b []byte, v any) error {
	if err := unmarshalClean(b, v); err != nil {
		return err
	}
	t := reflect.TypeOf(v)
	if !a.changes[t] || !bytes.Contains(b, []byte("null")) {
		return nil
	}
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		return err
	}
	if field := ignoredNull(tree, t.Elem(), ""); field != "" {
		return nullField{field}
	}
	return nil
}

// ignoredNull returns the path of a null that decoding into the type would ignore; "" if
// there is none.
func ignoredNull(v any, t reflect.Type, path string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := v.(type) {
	case []any:
		if t.Kind() != reflect.Slice {
			return ""
		}
		for i, e := range v {
			if field := ignoredNull(e, t.Elem(), fmt.Sprintf("%s[%d]", path, i)); field != "" {
				return field
			}
		}
	case map[string]any:
		if t.Kind() != reflect.Struct {
			return ""
		}
		for _, f := range reflect.VisibleFields(t) {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			given, there := v[name]
			if name == "" || name == "-" || !there {
				continue
			}
			at := strings.TrimPrefix(path+"."+name, ".")
			if given == nil && !takesNull(f.Type, strings.Contains(options, "omitempty")) {
				return at
			}
			if field := ignoredNull(given, f.Type, at); field != "" {
				return field
			}
		}
	}
	return ""
}

// takesNull reports whether null has a meaning for a field: a required pointer, or a type
// that decodes it itself.
func takesNull(t reflect.Type, optional bool) bool {
	if t.Kind() == reflect.Interface || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) && t.Kind() != reflect.Pointer {
		return true
	}
	return t.Kind() == reflect.Pointer && !optional
}
