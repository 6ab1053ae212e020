// Package konak holds the version of the program, which is in the file VERSION.
package konak

import (
	_ "embed"
	"strings"
)

//go:embed VERSION
var text string

// Version is the version of the program, such as 0.1.0.
func Version() string { return strings.TrimSpace(text) }
