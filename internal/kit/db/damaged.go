package db

import (
	"errors"
	"fmt"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// damagedFile is an SQLite error about a file that cannot be read as a database.
type damagedFile struct {
	path string
	err  error
}

// errEmptied is the error for a file that has lost its content.
var errEmptied = errors.New("it is empty, but was not before; delete it only to start without any data")

// CheckEmptied refuses an empty file of an embedded database if its log, or another file
// that a server leaves next to it, shows that it was not empty before. A disk crash leaves
// such files. SQLite would treat them as new and discard the log.
func CheckEmptied(path string, beside ...string) error {
	if size, err := sizeOf(path); err != nil || size > 0 {
		return nil // opening it reports the error
	}
	for _, other := range append(beside, path+"-wal") {
		if size, err := sizeOf(other); err == nil && size > 0 {
			return damagedFile{path, errEmptied}
		}
	}
	return nil
}

func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (e damagedFile) Error() string {
	return fmt.Sprintf("the database %s is damaged (%v): stop Konak, keep a copy of the file, "+
		"and restore the newest backup into a new folder with `konak restore --data FOLDER BACKUP`", e.path, e.err)
}

func (e damagedFile) Unwrap() error { return e.err }

// explain turns an error caused by a damaged file into one that names the file and the
// remedy. Other errors are returned unchanged.
func (d *DB) explain(err error) error {
	lite, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	switch lite.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return damagedFile{d.path, lite}
	}
	return err
}
