// Package node remembers what the process before this one, on the same data
// folder, held in the database: a process that was killed leaves leases that
// nobody renews, and its successor need not wait until they end.
//
// The proof that the one before is gone is a lock on a file in the folder, which
// the kernel lets go of when a process ends, however it ends. Two processes on
// one folder therefore never take each other's leases away: the second one gets
// no lock and starts as if the folder were new.
package node

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
)

// File is the name of the lock in a data folder.
const File = "node"

// ErrTaken says that another process runs on the folder.
var ErrTaken = errors.New("another process runs on this data folder")

// Node is this process's place in a data folder.
type Node struct {
	f *os.File
	// Before is what the process before this one held its leases with; uuid.Nil
	// if there was none.
	Before uuid.UUID
}

// Take locks the folder and reads what was left in it.
func Take(dir string) (*Node, error) {
	f, err := os.OpenFile(filepath.Join(dir, File), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	if err := lock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("node: %w", err), f.Close())
	}
	n := &Node{f: f}
	// A torn or foreign file names nobody, and leases end by themselves.
	if id, err := uuid.Parse(strings.TrimSpace(string(b))); err == nil {
		n.Before = id
	}
	return n, nil
}

// Keep writes what this process holds its leases with, for the next one. What
// the one before held must have been let go of by now.
func (n *Node) Keep(id uuid.UUID) error {
	// The text always has the same length, so it is replaced in one write.
	_, err := n.f.WriteAt([]byte(id.String()+"\n"), 0)
	return errors.Join(err, n.f.Sync())
}

// Close lets go of the folder.
func (n *Node) Close() error { return n.f.Close() }
