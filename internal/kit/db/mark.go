package db

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"konak/internal/kit/clock"
)

// Mark records in a transaction that something was done to the installation.
func Mark(tx *Tx, name string) error {
	return tx.Exec(`INSERT INTO installation_mark (name, at) VALUES ($1, $2) ON CONFLICT DO NOTHING`, name, clock.At(tx.Now()))
}

// Marked reports whether Mark was called with this name.
func Marked(r *Reader, name string) (bool, error) {
	_, err := One(r, Scalar[string], `SELECT name FROM installation_mark WHERE name = $1`, name)
	return err == nil, IgnoreNoRow(err)
}

var createTable = regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`)

// TablesOf returns the names of the tables that migrations create.
func TablesOf(files fs.FS) ([]string, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		for _, m := range createTable.FindAllSubmatch(text, -1) {
			out = append(out, string(m[1]))
		}
	}
	return out, nil
}

// Empty deletes every row of the tables, all or nothing. It is for demos:
// nothing else may call it.
func Empty(tx *Tx, tables []string) error {
	if tx.Dialect() == Postgres {
		return tx.Exec(`TRUNCATE "` + strings.Join(tables, `", "`) + `"`)
	}
	// Tables refer to each other, so foreign keys are checked once, at the end.
	if err := tx.Exec(`PRAGMA defer_foreign_keys = ON`); err != nil {
		return err
	}
	for _, t := range tables {
		if err := tx.Exec(`DELETE FROM "` + t + `"`); err != nil {
			return fmt.Errorf("db: empty %s: %w", t, err)
		}
	}
	return nil
}
