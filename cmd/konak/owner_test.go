package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Files that root created in another user's folder are given to that user, and nothing else
// is.
func TestGiveToOwner(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"master.key", "files/a"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var given []string
	give := func(path string, _, _ int) error { given = append(given, path); return nil }
	// The folder belongs to the user who runs this test.
	if err := giveToOwner(folder, os.Geteuid(), give); err != nil || given != nil {
		t.Errorf("one's own folder: %v, %v", given, err)
	}
	if err := giveToOwner(filepath.Join(folder, "none"), 0, give); err != nil || given != nil {
		t.Errorf("no folder: %v, %v", given, err)
	}
	if os.Geteuid() != 0 {
		return // only root makes what belongs to others
	}
	if err := os.Chown(folder, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(filepath.Join(folder, "master.key"), 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if err := giveToOwner(folder, 0, give); err != nil {
		t.Fatal(err)
	}
	if want := []string{filepath.Join(folder, "files"), filepath.Join(folder, "files/a")}; !slices.Equal(given, want) {
		t.Errorf("given are %v", given)
	}
	made := filepath.Join(folder, "made")
	if err := os.Mkdir(made, 0o700); err != nil {
		t.Fatal(err)
	}
	given = nil
	if err := giveToOwner(made, 0, give); err != nil || !slices.Equal(given, []string{made}) {
		t.Errorf("a folder that root made: %v, %v", given, err)
	}
	no := errors.New("no")
	if err := giveToOwner(folder, 0, func(string, int, int) error { return no }); !errors.Is(err, no) {
		t.Errorf("a file that cannot be given: %v", err)
	}
}
