package tenantrows

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
)

// EncodeLine returns a row as a line of JSON: an object with a member for each column.
// Bytes are base64. It returns an error for a text that is not UTF-8, which JSON cannot
// represent.
func (t *CopyTable) EncodeLine(row Row) ([]byte, error) {
	object := make(map[string]any, len(row))
	for i, c := range t.Columns {
		if s, ok := row[i].(string); ok && !utf8.ValidString(s) {
			return nil, fmt.Errorf("%s.%s has a text that is not UTF-8", t.Name, c.Name)
		}
		object[c.Name] = row[i]
	}
	line, err := json.Marshal(object)
	return append(line, '\n'), err
}

// DecodeLine parses a line from EncodeLine. It returns an error if a column is missing, is
// not one of the table's, or has a value of another type.
func (t *CopyTable) DecodeLine(line []byte) (Row, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(line, &object); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	if len(object) != len(t.Columns) {
		return nil, fmt.Errorf("%s: a row has %d columns, not %d", t.Name, len(object), len(t.Columns))
	}
	row := make(Row, len(t.Columns))
	for i, c := range t.Columns {
		raw, ok := object[c.Name]
		if !ok {
			return nil, fmt.Errorf("%s: a row has no %s", t.Name, c.Name)
		}
		if string(raw) == "null" {
			continue
		}
		v, err := parseValue(raw, c.Type)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t.Name, c.Name, err)
		}
		row[i] = v
	}
	return row, nil
}

var errValue = errors.New("the value has another type")

func parseValue(raw json.RawMessage, kind string) (any, error) {
	switch kind {
	case "bigint", "smallint":
		return strconv.ParseInt(string(raw), 10, 64)
	case "boolean":
		switch string(raw) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
		return nil, errValue
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return nil, errValue
	}
	switch kind {
	case "uuid":
		if len(text) != len(uuid.Nil.String()) {
			return nil, errValue
		}
		return uuid.Parse(text)
	case "bytea":
		return base64.StdEncoding.DecodeString(text)
	case "text":
		if strings.ContainsRune(text, 0) {
			return nil, errors.New("the text contains a zero byte")
		}
		return text, nil
	}
	return nil, errValue
}
