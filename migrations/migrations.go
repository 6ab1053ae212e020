// Package migrations holds the schema as numbered files that run on both SQLite and
// PostgreSQL. Numbers go by module: kit 0xxx, identity 1xxx, webhook 2xxx, crm 3xxx, mail
// 4xxx, commerce 50xx, telephony 51xx to 59xx, advisor 6xxx.
package migrations

import (
	"embed"
	"strings"
)

// Files are the migrations.
//
//go:embed *.sql
var Files embed.FS

//go:embed released.txt
var released string

// ReleasedFile is a migration of a released version.
type ReleasedFile struct{ Version, Name, SHA256 string }

// Released lists the migrations of released versions, oldest first.
func Released() (out []ReleasedFile) {
	for line := range strings.Lines(released) {
		if f := strings.Fields(line); len(f) == 3 {
			out = append(out, ReleasedFile{f[0], f[1], f[2]})
		}
	}
	return out
}
