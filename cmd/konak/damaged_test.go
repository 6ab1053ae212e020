package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every command that opens a damaged database file names it and says what to do.
func TestDamagedDatabase(t *testing.T) {
	t.Parallel()
	made := filepath.Join(t.TempDir(), "data")
	(&operated{T: t, data: made}).prepare()
	whole, err := os.ReadFile(filepath.Join(made, "konak.db"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(made, "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"cut":         whole[:len(whole)/2],
		"overwritten": append([]byte(strings.Repeat("x", 4096)), whole[4096:]...),
		"another":     []byte(strings.Repeat("not a database\n", 1000)),
		"emptied":     nil,
	} {
		for _, command := range [][]string{{"serve"}, {"migrate"}, {"doctor"}, {"workspace", "list"}, {"backup", filepath.Join(t.TempDir(), "saved")}} {
			data := t.TempDir()
			path := filepath.Join(data, "konak.db")
			for file, text := range map[string][]byte{path: damaged, filepath.Join(data, "master.key"): key} {
				if err := os.WriteFile(file, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			code, text := runOn(append(command, "--data", data, "--listen", "127.0.0.1:0", "--private-listen", "off")...)
			if code != 1 || !strings.Contains(text, "the database "+path+" is damaged (") || !strings.Contains(text, "konak restore --data FOLDER BACKUP") {
				t.Errorf("%s, %v ended with %d: %s", name, command, code, text)
			}
		}
	}
}

// A database file that a crash left empty is not taken for a new one if any file next to it
// shows otherwise: SQLite would discard its log.
func TestEmptyDatabaseFileNextToOthersIsRefused(t *testing.T) {
	t.Parallel()
	for _, beside := range []string{"konak.db-wal", "node", "master.key"} {
		data := t.TempDir()
		for file, text := range map[string]string{"konak.db": "", beside: strings.Repeat("x", 40)} {
			if err := os.WriteFile(filepath.Join(data, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if code, text := runOn("migrate", "--data", data); code != 1 || !strings.Contains(text, "is damaged (it is empty, but was not before") {
			t.Errorf("%s: ended with %d: %s", beside, code, text)
		}
		if text, err := os.ReadFile(filepath.Join(data, beside)); err != nil || len(text) != 40 {
			t.Errorf("%s was touched: %q, %v", beside, text, err)
		}
		if beside == "konak.db-wal" {
			continue // it goes with its database
		}
		if err := os.Remove(filepath.Join(data, "konak.db")); err != nil {
			t.Fatal(err)
		}
		if code, text := runOn("migrate", "--data", data); code != 0 {
			t.Errorf("%s, begun anew: ended with %d: %s", beside, code, text)
		}
	}
	// A first start that was killed leaves only an empty file.
	data := t.TempDir()
	for _, file := range []string{"konak.db", "node"} {
		if err := os.WriteFile(filepath.Join(data, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, text := runOn("migrate", "--data", data); code != 0 {
		t.Errorf("after a first start that was killed: ended with %d: %s", code, text)
	}
}
