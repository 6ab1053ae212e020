package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"konak/internal/kit/db"
	"konak/internal/kit/node"
	"konak/internal/kit/secret"
)

// ownFiles and ownFolders are the contents of Konak's data folder.
var (
	ownFiles   = []string{databaseFile, databaseFile + "-wal", databaseFile + "-shm", "master.key", "master.key.new", "master.key.old"}
	ownFolders = []string{"files", "search"}
)

// databaseFile is the embedded database in the data folder.
const databaseFile = "konak.db"

// HasDatabase reports whether a database exists. One on a server is assumed to exist.
func (c *Config) HasDatabase() bool {
	if c.DB != "" {
		return true
	}
	info, err := os.Stat(filepath.Join(c.Data, databaseFile))
	return err == nil && info.Size() > 0
}

// CheckEmptied refuses an empty database file in a folder that was served before.
func (c *Config) CheckEmptied() error {
	if c.DB != "" {
		return nil
	}
	return db.CheckEmptied(filepath.Join(c.Data, databaseFile), secret.KeyPath(c.Data), filepath.Join(c.Data, node.File))
}

// makeFolder creates the data folder if it does not exist, but not its parent: that is
// missing if a path was mistyped or a disk is not mounted.
func (c *Config) makeFolder() error {
	err := os.Mkdir(c.Data, 0o700)
	switch {
	case err == nil, errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the data folder %s cannot be created, because %s does not exist; is a disk not mounted? Create it, or choose another --data", c.Data, filepath.Dir(c.Data))
	}
	return fmt.Errorf("the data folder cannot be created: %w", err)
}

// prepareData creates the contents of the data folder and lets nobody else read them,
// whatever the umask and the folder's own mode are: the database and the key are 0600,
// folders 0700. SQLite gives its log files the mode of the database. The data folder itself
// keeps its mode.
func (c *Config) prepareData() error {
	if c.DB == "" {
		f, err := os.OpenFile(filepath.Join(c.Data, databaseFile), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return fmt.Errorf("the database cannot be created: %w", err)
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	for _, name := range ownFolders {
		if err := os.MkdirAll(filepath.Join(c.Data, name), 0o700); err != nil {
			return fmt.Errorf("the data folder cannot be written: %w", err)
		}
	}
	exposed, err := c.Exposed()
	if err != nil {
		return err
	}
	for _, e := range exposed {
		if err := os.Chmod(e.Path, e.Want); err != nil {
			return fmt.Errorf("%s can be read by others: %w", e.Path, err)
		}
	}
	return nil
}

// Exposed is a file or folder whose mode gives others access.
type Exposed struct {
	Path      string
	Has, Want fs.FileMode
}

// Exposed lists those of Konak's own files that others may read or write.
func (c *Config) Exposed() ([]Exposed, error) {
	var out []Exposed
	look := func(names []string, want fs.FileMode) error {
		for _, name := range names {
			path := filepath.Join(c.Data, name)
			info, err := os.Stat(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			if has := info.Mode().Perm(); has&^want != 0 {
				out = append(out, Exposed{path, has, want})
			}
		}
		return nil
	}
	return out, errors.Join(look(ownFiles, 0o600), look(ownFolders, 0o700))
}
