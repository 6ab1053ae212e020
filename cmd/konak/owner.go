package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"konak/internal/app"
)

// asOwner runs a command that writes into the data folder. If root runs it on a folder of
// the user as whom Konak serves, the files it created are given to that user; otherwise the
// server could not read them.
func asOwner[T any](c *app.Config, run func() (T, error)) (T, error) {
	result, err := run()
	return result, errors.Join(err, giveToOwner(c.Data, os.Geteuid(), os.Lchown))
}

// giveToOwner gives what user owns below a folder to the folder's owner, or to the owner of
// its parent if user created the folder itself.
func giveToOwner(folder string, user int, give func(path string, uid, gid int) error) error {
	owner, err := ownerOf(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && int(owner.Uid) == user {
		owner, err = ownerOf(filepath.Dir(filepath.Clean(folder)))
	}
	if err != nil || user != 0 || int(owner.Uid) == user {
		return err
	}
	return filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a running server removed it
		}
		if err != nil {
			return err
		}
		its, err := ownerOf(path)
		if err == nil && int(its.Uid) == user {
			err = give(path, int(owner.Uid), int(owner.Gid))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s belongs to root, but should belong to the owner of %s: %w", path, folder, err)
		}
		return nil
	})
}

func ownerOf(path string) (*syscall.Stat_t, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil, fmt.Errorf("%s: the system does not report its owner", path)
	}
	return owner, nil
}
