package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"konak/internal/kit/trtext"
)

// printJSON prints a value as indented JSON.
func printJSON(out io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(out, visible(b.String(), "\n"))
	return err
}

// printing is part of the commands that can print JSON.
type printing struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// result prints a value as JSON, or as text for people.
func (p printing) result(out io.Writer, v any, format string, args ...any) error {
	if p.JSON {
		return printJSON(out, v)
	}
	return printf(out, format, args...)
}

// printList prints a list as JSON, or for people by printing each value. An empty list is
// the text none for them.
func printList[T any](p printing, out io.Writer, list []T, none string, print func(T) error) error {
	if p.JSON {
		return printJSON(out, list)
	}
	if len(list) == 0 {
		_, err := io.WriteString(out, none)
		return err
	}
	for _, v := range list {
		if err := print(v); err != nil {
			return err
		}
	}
	return nil
}

// paragraphs is text whose line breaks are printed as such.
type paragraphs string

// printf prints text for people. Control characters in its arguments are escaped: what
// others wrote must not control the terminal or look like another line.
func printf(out io.Writer, format string, args ...any) error {
	shown := make([]any, len(args))
	for i, arg := range args {
		switch text := arg.(type) {
		case string:
			shown[i] = visible(text, "")
		case paragraphs:
			shown[i] = visible(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n\t")
		default:
			shown[i] = arg
		}
	}
	_, err := fmt.Fprintf(out, format, shown...)
	return err
}

// visible escapes control characters, except those in keep, and marks that change the
// direction of writing, as JSON does.
func visible(text, keep string) string {
	var b strings.Builder
	for _, r := range text {
		if !strings.ContainsRune(keep, r) && (unicode.IsControl(r) || trtext.IsDirectionMark(r)) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// countOf formats a number of things: 1 file, 2 files.
func countOf[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// countPeople formats a number of people.
func countPeople[N int | int64](n N) string {
	if n == 1 {
		return "1 person"
	}
	return fmt.Sprintf("%d people", n)
}
