package move

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"time"
)

// ErrMoved means that an embedded database was moved and is served elsewhere.
var ErrMoved = errors.New("this database was moved")

// markSuffix is added to the name of the database file to name the mark.
const markSuffix = ".moved"

// Mark writes a file next to a database that was moved, with the new address but without
// the password. Call CheckMark before opening a database.
func Mark(file, target string, now time.Time) error {
	text := fmt.Sprintf("%s\n%s\n", withoutSecrets(target), now.UTC().Format(time.RFC3339))
	if err := writeSynced(file+markSuffix, text); err != nil {
		return fmt.Errorf("the database was moved, but Konak cannot refuse a start without --db, because it cannot write the mark: %w", err)
	}
	return nil
}

// writeSynced writes a file that survives a power cut.
func writeSynced(path, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// CheckMark returns ErrMoved, with what to do about it, if the embedded database at an
// address was moved. Other databases have no mark.
func CheckMark(address string) error {
	file, embedded := strings.CutPrefix(address, "sqlite:")
	if !embedded {
		return nil
	}
	text, err := os.ReadFile(file + markSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	to, at, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return fmt.Errorf("%w: %s was moved to %s at %s; give that address with --db. To continue with the old copy anyway, delete %s",
		ErrMoved, file, to, at, file+markSuffix)
}

// withoutSecrets returns the address of a database without secrets, so that it can be
// shown.
func withoutSecrets(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "PostgreSQL"
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if u.User != nil {
		shown.User = url.User(u.User.Username())
	}
	return shown.String()
}
