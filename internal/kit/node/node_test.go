package node_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/node"
)

func TestNodeKnowsItsPredecessor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := node.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	if first.Before != uuid.Nil {
		t.Errorf("a new folder names %s", first.Before)
	}
	id := uuid.New()
	if err := first.Keep(uuid.New()); err != nil {
		t.Fatal(err)
	}
	if err := first.Keep(id); err != nil {
		t.Fatal(err)
	}
	if _, err := node.Take(dir); !errors.Is(err, node.ErrTaken) {
		t.Errorf("a second process got the folder: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := node.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = second.Close() }()
	if second.Before != id {
		t.Errorf("the next process reads %s, want %s", second.Before, id)
	}
}

func TestTruncatedNodeFileIsIgnored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "node"), []byte("0193c5a0-7b1e"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := node.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = n.Close() }()
	if n.Before != uuid.Nil {
		t.Errorf("got %s", n.Before)
	}
}

func TestMissingFolderIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := node.Take(filepath.Join(t.TempDir(), "nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
