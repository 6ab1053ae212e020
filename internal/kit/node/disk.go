package node

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// probeName is the name of the file that a node writes to find out whether its disk is
// full.
const probeName = ".probe"

// ProbeDisk writes a small file into a folder, replacing the previous one. It returns the
// system's error, such as syscall.ENOSPC if the disk is full.
func ProbeDisk(folder string) error {
	f, err := os.OpenFile(filepath.Join(folder, probeName), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 64<<10))
	return errors.Join(err, f.Close())
}

// FreeDisk returns the number of bytes that an ordinary user can still write to the disk of
// a folder.
func FreeDisk(folder string) (uint64, error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(folder, &fs); err != nil {
		return 0, err
	}
	return fs.Bavail * uint64(fs.Bsize), nil
}
