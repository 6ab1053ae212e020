package backup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// Schedule keeps backups in a folder: one is made per interval, and the newest Keep of them
// are kept.
type Schedule struct {
	Folder string
	Every  time.Duration
	Keep   int
}

const nameLayout = "20060102T150405Z"

// scheduledName is the name of a backup that a schedule made.
var scheduledName = regexp.MustCompile(`^konak-[0-9]{8}T[0-9]{6}Z$`)

// Next returns the folder for a backup that is due now, and the backup before it; the
// folder is empty if no backup is due.
func (s Schedule) Next(now time.Time) (folder, previous string, err error) {
	previous, at, err := s.newest()
	if err != nil || previous != "" && now.Before(at.Add(s.Every)) {
		return "", "", err
	}
	return filepath.Join(s.Folder, "konak-"+now.UTC().Format(nameLayout)), previous, nil
}

// Newest returns when the newest backup was made, the zero time if there is none.
func (s Schedule) Newest() (time.Time, error) {
	_, at, err := s.newest()
	return at, err
}

// newest returns the newest backup and when it was made. A backup whose manifest was
// damaged since then is ignored, so that a new one is made.
func (s Schedule) newest() (folder string, at time.Time, err error) {
	whole, _, err := s.list()
	for _, path := range slices.Backward(whole) {
		if m, err := ReadManifest(path); err == nil {
			return path, m.MadeAt.Time, nil
		}
	}
	return "", time.Time{}, err
}

// Clean removes incomplete backups, and all complete ones but the newest Keep.
func (s Schedule) Clean() error {
	whole, broken, err := s.list()
	if err != nil {
		return err
	}
	for _, path := range append(broken, whole[:max(0, len(whole)-s.Keep)]...) {
		err = errors.Join(err, os.RemoveAll(path))
	}
	return err
}

// list returns the folder's backups in the order of time, complete and incomplete ones. It
// ignores everything that a schedule did not make.
func (s Schedule) list() (whole, broken []string, err error) {
	entries, err := os.ReadDir(s.Folder)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if !e.IsDir() || !scheduledName.MatchString(e.Name()) {
			continue
		}
		path := filepath.Join(s.Folder, e.Name())
		if _, err := os.Stat(filepath.Join(path, ManifestFile)); errors.Is(err, fs.ErrNotExist) {
			broken = append(broken, path)
		} else if err != nil {
			return nil, nil, err
		} else {
			whole = append(whole, path)
		}
	}
	slices.Sort(whole)
	return whole, broken, nil
}
