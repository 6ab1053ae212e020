package contact

import (
	"bytes"
	"encoding/json"
)

// previous returns the changed fields with their old values, by JSON name.
func previous(old, c *Contact) map[string]any {
	was, is := fields(old), fields(c)
	out := map[string]any{}
	for name, v := range was {
		if !bytes.Equal(v, is[name]) {
			out[name] = v
		}
	}
	return out
}

func fields(c *Contact) map[string]json.RawMessage {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // a contact is plain data
	}
	var out map[string]json.RawMessage
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}
