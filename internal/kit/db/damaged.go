package db

import (
	"errors"
	"fmt"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// damagedFile is an error of SQLite about a file that cannot be read as a database.
type damagedFile struct {
	path string
	err  error
}

// errEmptied is what is wrong with a file of which nothing is left.
var errEmptied = errors.New("it is empty, but was not before; delete it only to start without any data")

// CheckEmptied refuses an empty file of an embedded database where its log, or another file
// that a server leaves beside it, says that it was not empty. A disk that crashed leaves such
// files. SQLite takes them for new and throws the log away.
func CheckEmptied(path string, beside ...string) error {
	if size, err := sizeOf(path); err != nil || size > 0 {
		return nil // opening it says what is wrong
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

// explain says of an error that comes from a damaged file where it is and what to do.
// Other errors are returned as they are.
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
