package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A database file that is damaged is named, with the way out, by every command that opens
// it.
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
