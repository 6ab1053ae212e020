package node

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// probeName is the file by which a node finds out whether its disk is full.
const probeName = ".probe"

// ProbeDisk writes a small file into a folder, over the one of before. It returns the
// error of the system, such as syscall.ENOSPC where the disk is full.
func ProbeDisk(folder string) error {
	f, err := os.OpenFile(filepath.Join(folder, probeName), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 64<<10))
	return errors.Join(err, f.Close())
}

// FreeDisk returns how many bytes the disk of a folder still takes from an ordinary user.
func FreeDisk(folder string) (uint64, error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(folder, &fs); err != nil {
		return 0, err
	}
	return fs.Bavail * uint64(fs.Bsize), nil
}
