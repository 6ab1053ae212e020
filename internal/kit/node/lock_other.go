//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package node

import (
	"errors"
	"os"
)

// Without a lock nothing proves that the previous process has ended.
func lock(*os.File) error { return errors.ErrUnsupported }
