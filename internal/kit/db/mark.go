package db

import (
	"fmt"
	"slices"
	"strings"

	"konak/internal/kit/clock"
)

// Mark notes in a transaction that something was done to the installation.
func Mark(tx *Tx, name string) error {
	_, err := tx.Exec(`INSERT INTO installation_mark (name, at) VALUES ($1, $2) ON CONFLICT DO NOTHING`, name, clock.At(tx.Now()))
	return err
}

// Marked says whether it was.
func Marked(r *Reader, name string) (bool, error) {
	_, err := One(r, Scalar[string], `SELECT name FROM installation_mark WHERE name = $1`, name)
	if IsNoRow(err) {
		return false, nil
	}
	return err == nil, err
}

// Empty deletes every row of every table but those named, all or nothing. It
// is for demos: nothing else of a house may call it.
func Empty(tx *Tx, keep ...string) error {
	query := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
	if tx.Dialect() == Postgres {
		query = `SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`
	}
	tables, err := All(&tx.Reader, Scalar[string], query)
	if err != nil {
		return fmt.Errorf("db: tables: %w", err)
	}
	tables = slices.DeleteFunc(tables, func(t string) bool { return t == "goose_db_version" || slices.Contains(keep, t) })
	if tx.Dialect() == Postgres {
		_, err = tx.Exec(`TRUNCATE "` + strings.Join(tables, `", "`) + `"`)
		return err
	}
	// Tables point at each other, so the keys are looked at once, at the end.
	if _, err := tx.Exec(`PRAGMA defer_foreign_keys = ON`); err != nil {
		return err
	}
	for _, t := range tables {
		if _, err := tx.Exec(`DELETE FROM "` + t + `"`); err != nil {
			return fmt.Errorf("db: empty %s: %w", t, err)
		}
	}
	return nil
}
