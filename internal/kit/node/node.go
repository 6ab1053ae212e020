// Package node remembers the leases that the previous process on the same data folder held
// in the database: a killed process leaves leases that nobody renews, and its successor
// need not wait until they end.
//
// The proof that the previous process has ended is a lock on a file in the folder, which
// the kernel releases whenever a process ends, however it ends. Two processes on one folder
// therefore never take each other's leases: the second one gets no lock and starts as if
// the folder were new.
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

// File is the name of the lock file in a data folder.
const File = "node"

// ErrTaken means that another process runs on the folder.
var ErrTaken = errors.New("another process runs on this data folder")

// Node is this process's claim on a data folder.
type Node struct {
	f *os.File
	// Before is the id with which the previous process held its leases; uuid.Nil if there
	// was none.
	Before uuid.UUID
}

// Take locks the folder and reads what the previous process left in it.
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
	// A torn or foreign file contains no id, and leases end by themselves.
	if id, err := uuid.Parse(strings.TrimSpace(string(b))); err == nil {
		n.Before = id
	}
	return n, nil
}

// Keep stores the id with which this process holds its leases, for the next one. The leases
// of the previous process must have been released by now.
func (n *Node) Keep(id uuid.UUID) error {
	// The text always has the same length, so it is replaced in one write.
	_, err := n.f.WriteAt([]byte(id.String()+"\n"), 0)
	return errors.Join(err, n.f.Sync())
}

// Close releases the folder.
func (n *Node) Close() error { return n.f.Close() }
