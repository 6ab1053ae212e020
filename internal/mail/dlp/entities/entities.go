// Package entities records the entities that an XML document defines, and expands them as
// browsers do.
package entities

import (
	"html"
	"regexp"
	"strings"
)

// Limits on what a document may define, and on the size of all expansions.
const (
	maxNames = 1000
	maxDepth = 8
	maxText  = 1 << 20
)

// Table holds the entities that a document has defined so far. The zero value is empty.
type Table struct {
	texts map[string]string
	grown int // bytes of all expansions
}

var (
	definition = regexp.MustCompile(`ENTITY\s+([^\s"'%&;]+)\s+(?:"([^"]*)"|'([^']*)')`)
	reference  = regexp.MustCompile(`&([^\s"'%&;#]+);`)
)

// Define reads the entity definition in a declaration, if it has one. The first definition
// of a name is used. It returns false if there are too many.
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

// Expand returns a text with its entities expanded. It returns false if the expansions are
// too long or nested too deep.
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
