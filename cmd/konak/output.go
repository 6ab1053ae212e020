package main

import (
	"encoding/json"
	"fmt"
	"io"
)

// printJSON prints a value as JSON that people can read, too.
func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// countOf writes a number of things: 1 file, 2 files.
func countOf[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// countPeople writes a number of people.
func countPeople[N int | int64](n N) string {
	if n == 1 {
		return "1 person"
	}
	return fmt.Sprintf("%d people", n)
}
