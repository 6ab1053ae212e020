// Package entities knows the names that an XML document gives to texts, and puts the
// texts in their places as browsers do.
package entities

import (
	"html"
	"regexp"
	"strings"
)

// What a document may define, and how much may come of all its texts.
const (
	maxNames = 1000
	maxDepth = 8
	maxText  = 1 << 20
)

// Table is what a document has defined so far. The zero value is empty.
type Table struct {
	texts map[string]string
	grown int // bytes that came in the place of names
}

var (
	definition = regexp.MustCompile(`ENTITY\s+([^\s"'%&;]+)\s+(?:"([^"]*)"|'([^']*)')`)
	reference  = regexp.MustCompile(`&([^\s"'%&;#]+);`)
)

// Define reads the definition in a declaration, if it has one. The first of a name counts.
// It returns false where there are too many.
func (t *Table) Define(declaration string) bool {
	m := definition.FindStringSubmatch(declaration)
	if m == nil {
		return true
	}
	if len(t.texts) >= maxNames {
		return false
	}
	if t.texts == nil {
		t.texts = map[string]string{}
	}
	if _, ok := t.texts[m[1]]; !ok {
		t.texts[m[1]] = m[2] + m[3]
	}
	return true
}

// Expand returns a text with the texts of its names in their places. It returns false
// where they are too long or too many in each other.
func (t *Table) Expand(text string) (string, bool) {
	if len(t.texts) == 0 || !strings.Contains(text, "&") {
		return text, true
	}
	for range maxDepth {
		if !reference.MatchString(text) {
			return text, true
		}
		known := false
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			value, ok := t.texts[m[1]]
			known = known || ok
			t.grown += len(value)
		}
		if t.grown > maxText {
			return text, false
		}
		if !known {
			return text, true
		}
		text = reference.ReplaceAllStringFunc(text, func(name string) string {
			if value, ok := t.texts[name[1:len(name)-1]]; ok {
				return html.UnescapeString(value)
			}
			return name
		})
	}
	return text, false
}
