package db

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// checksumTable is where Migrate records the checksum of each applied migration. Like
// goose's own table, it is not created by a migration, because it is read before the first
// one runs.
const checksumTable = "migration_checksum"

var (
	// ErrUnknownMigration reports that a migration was applied that the program does not
	// have.
	ErrUnknownMigration = errors.New("the database has a migration that this version does not know; " +
		"a newer version served it: start that version, or restore the backup from before the upgrade")
	// ErrChangedMigration reports that a migration differs from the one that was applied.
	ErrChangedMigration = errors.New("a migration applied to the database differs from this version's; " +
		"released migrations never change: start the version that served the database last")
)

// migrationFile is one migration of the program.
type migrationFile struct {
	version int64
	name    string
	sum     string
}

// CheckMigrations compares the applied migrations with files. It returns
// ErrUnknownMigration or ErrChangedMigration, with the number or name of the first one that
// differs. It changes nothing.
func (d *DB) CheckMigrations(ctx context.Context, files fs.FS) error {
	if fresh, err := d.IsNew(ctx); err != nil || fresh {
		return err
	}
	have, err := listMigrationFiles(files)
	if err != nil {
		return err
	}
	applied, err := d.readVersions(ctx, `SELECT DISTINCT version_id, '' FROM `+versionTable+` WHERE version_id > 0`)
	if err != nil {
		return err
	}
	var sums map[int64]string
	if found, err := d.HasTable(ctx, checksumTable); err != nil {
		return err
	} else if found {
		if sums, err = d.readVersions(ctx, `SELECT version, sha256 FROM `+checksumTable); err != nil {
			return err
		}
	}
	for version := range applied {
		at := slices.IndexFunc(have, func(f migrationFile) bool { return f.version == version })
		if at < 0 {
			return fmt.Errorf("migration %05d: %w", version, ErrUnknownMigration)
		}
		if sum, known := sums[version]; known && sum != have[at].sum {
			return fmt.Errorf("migration %s: %w", have[at].name, ErrChangedMigration)
		}
	}
	return nil
}

// recordChecksums records the checksums of applied migrations that have none yet.
func (d *DB) recordChecksums(ctx context.Context, handle *sql.DB, files fs.FS) error {
	if found, err := d.HasTable(ctx, checksumTable); err != nil {
		return err
	} else if !found {
		if _, err := handle.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS `+checksumTable+
			` (version bigint PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL)`); err != nil {
			return fmt.Errorf("db: checksums of migrations: %w", err)
		}
	}
	have, err := listMigrationFiles(files)
	if err != nil {
		return err
	}
	recorded, err := d.readVersions(ctx, `SELECT version, '' FROM `+checksumTable)
	if err != nil {
		return err
	}
	for _, f := range have {
		if _, ok := recorded[f.version]; ok {
			continue
		}
		if _, err := handle.ExecContext(ctx, `INSERT INTO `+checksumTable+` (version, name, sha256) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			f.version, f.name, f.sum); err != nil {
			return fmt.Errorf("db: checksums of migrations: %w", err)
		}
	}
	return nil
}

// readVersions reads rows that consist of a version and a text.
func (d *DB) readVersions(ctx context.Context, query string) (map[int64]string, error) {
	rows, err := d.read.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("db: versions: %w", err)
	}
	defer func() { _ = rows.Close() }()
	out := map[int64]string{}
	for rows.Next() {
		var version int64
		var text string
		if err := rows.Scan(&version, &text); err != nil {
			return nil, err
		}
		out[version] = text
	}
	return out, rows.Err()
}

// listMigrationFiles lists the migrations of a folder, ordered by number.
func listMigrationFiles(files fs.FS) ([]migrationFile, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	out := make([]migrationFile, 0, len(names))
	for _, name := range names {
		number, _, _ := strings.Cut(path.Base(name), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("db: migration %s has no number", name)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		out = append(out, migrationFile{version, name, hex.EncodeToString(sum[:])})
	}
	return out, nil
}
