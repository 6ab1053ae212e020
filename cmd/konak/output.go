package main

import (
	"encoding/json"
	"io"
)

// printJSON prints a value as JSON that people can read, too.
func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
