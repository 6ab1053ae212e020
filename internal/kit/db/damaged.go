package db

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// damagedFile is an error of SQLite about a file that cannot be read as a database.
type damagedFile struct {
	path string
	err  error
}

func (e damagedFile) Error() string {
	return fmt.Sprintf("the database %s is damaged (%v): stop Konak, keep a copy of the file, "+
		"and restore the newest backup into a new folder with `konak restore --data FOLDER BACKUP`", e.path, e.err)
}

func (e damagedFile) Unwrap() error { return e.err }

// explain says of an error that comes from a damaged file where it is and what to do.
// Other errors are returned as they are.
func (d *DB) explain(err error) error {
	lite, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	if _, said := errors.AsType[damagedFile](err); said {
		return err
	}
	switch lite.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return damagedFile{d.path, lite}
	}
	return err
}
