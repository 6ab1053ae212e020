package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"konak/internal/kit/node"
)

// ErrUnfinished means that a data folder contains only a part of a backup.
var ErrUnfinished = errors.New("a restore was interrupted")

// unfinishedFile marks a data folder into which a backup is being restored.
const unfinishedFile = "restore.unfinished"

// CheckUnfinished returns ErrUnfinished, with what to do about it, if a restore into a data
// folder was interrupted. Call it before opening the folder: without its database it would
// be taken for a new installation.
func CheckUnfinished(data string) error {
	_, err := os.Stat(filepath.Join(data, unfinishedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%w, and %s contains part of its backup; run `konak restore` again to start over", ErrUnfinished, data)
}

// CheckEmpty returns an error if a data folder contains more than a master key, unless a
// restore into it was interrupted.
func CheckEmpty(data string) error {
	entries, err := os.ReadDir(data)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(CheckUnfinished(data), ErrUnfinished) {
		return nil
	}
	if err != nil {
		return err
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != KeyFile && e.Name() != node.File }) {
		return fmt.Errorf("%s is not empty; restore into a new folder (only %s may be there)", data, KeyFile)
	}
	return nil
}

// Fill restores a backup into a data folder that CheckEmpty accepts. A mark is in the
// folder until everything is restored; if an earlier restore left one, what that restore
// wrote is removed first.
func (m Manifest) Fill(ctx context.Context, source, data string) (err error) {
	own, err := node.Take(data)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("%s: %w", data, err)
	}
	if own != nil {
		defer func() { err = errors.Join(err, own.Close()) }()
	}
	if err := CheckEmpty(data); err != nil { // the earlier check was made before the folder was locked
		return err
	}
	mark := filepath.Join(data, unfinishedFile)
	if err := writeSynced(mark, strings.NewReader("konak restore\n")); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, left := range []string{filesFolder, DatabaseFile} {
		if err := os.RemoveAll(filepath.Join(data, left)); err != nil {
			return err
		}
	}
	if err := m.CopyInto(ctx, source, data); err != nil {
		return fmt.Errorf("%w; run the command again to start over", err)
	}
	return os.Remove(mark)
}
