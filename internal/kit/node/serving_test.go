package node_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/node"
)

// A serving node is listed until it leaves or is silent for half a minute, and meanwhile no
// node with other files joins. A server of an embedded database is alone: any other node
// recorded in it was killed, or is there because the database is a backup.
func TestServingNodes(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		count := func() int {
			nodes, err := node.List(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			return len(nodes)
		}
		join := func(store string) (uuid.UUID, error) {
			n := node.Serving{ID: uuid.New(), Host: "one", Version: "0.1.0", FileStore: store}
			return n.ID, node.Announce(t.Context(), d, n)
		}
		first, err := join("a")
		if err != nil {
			t.Fatal(err)
		}
		if d.Dialect() == db.SQLite {
			if _, err := join("b"); err != nil || count() != 1 {
				t.Errorf("after one that was killed: %v, %d nodes", err, count())
			}
			if err := node.CheckStore(t.Context(), d, "", t.TempDir()); err != nil {
				t.Errorf("a check beside one that was killed: %v", err)
			}
			return
		}
		second, err := join("a")
		if err != nil || count() != 2 {
			t.Errorf("a node with the same files: %v, %d nodes", err, count())
		}
		if _, err := join("b"); !errors.Is(err, node.ErrOtherStore) {
			t.Errorf("a node with other files: %v", err)
		}
		folder := t.TempDir()
		if err := node.CheckStore(t.Context(), d, "", folder); !errors.Is(err, node.ErrOtherStore) || count() != 2 {
			t.Errorf("a check of other files: %v", err)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
			t.Errorf("a check left %v, %v", left, err)
		}
		if err := os.WriteFile(filepath.Join(folder, ".store"), []byte("a\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := node.CheckStore(t.Context(), d, "", folder); err != nil {
			t.Errorf("a check of the same files: %v", err)
		}
		if err := node.CheckStore(t.Context(), d, "https://key:secret@s3.example.com/bucket", folder); !errors.Is(err, node.ErrOtherStore) {
			t.Errorf("a check with an S3 service: %v", err)
		}
		if err := node.Leave(t.Context(), d, second); err != nil || count() != 1 {
			t.Errorf("left: %v, %d nodes", err, count())
		}
		c.Advance(20 * time.Second)
		if err := node.Refresh(t.Context(), d, first); err != nil {
			t.Fatal(err)
		}
		c.Advance(20 * time.Second)
		if _, err := join("b"); !errors.Is(err, node.ErrOtherStore) {
			t.Errorf("beside a node that was refreshed: %v", err)
		}
		c.Advance(20 * time.Second)
		if _, err := join("b"); err != nil || count() != 1 {
			t.Errorf("after one that is gone: %v, %d nodes", err, count())
		}
	})
}

// All who read a folder get the same name, and another folder has a different one.
func TestFolderStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := map[string]bool{}
	for range 3 {
		name, err := node.FolderStore(dir)
		if err != nil {
			t.Fatal(err)
		}
		names[name] = true
	}
	other, err := node.FolderStore(t.TempDir())
	if err != nil || len(names) != 1 || names[other] {
		t.Errorf("%v and %q, %v", names, other, err)
	}
	if name, err := node.FileStore("", dir); err != nil || !names[name] {
		t.Errorf("without an S3 service %q, %v", name, err)
	}
	if name, err := node.FileStore("https://key:secret@s3.example.com/bucket/", dir); err != nil || name != "s3:s3.example.com/bucket" {
		t.Errorf("with an S3 service %q, %v", name, err)
	}
}
