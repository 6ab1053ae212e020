package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"konak/internal/kit/pgtest"
)

// The target address comes from a file, so that its password is in no argument; after the
// move nothing works on the old copy by mistake.
func TestMoveReadsTargetFromFile(t *testing.T) {
	target := pgtest.NewDatabase(t, "").Owner
	data := filepath.Join(t.TempDir(), "data")
	server := []string{"--data", data, "--listen", "127.0.0.1:0", "--private-listen", "off"}
	with := func(command ...string) (int, string) { return runOn(append(command, server...)...) }
	if code, text := with("migrate"); code != 0 {
		t.Fatalf("%d: %s", code, text)
	}
	file := filepath.Join(t.TempDir(), "target")
	for content, want := range map[string]string{
		"mysql://konak:hidden@localhost/konak":             "--to: write postgres://USER@HOST/DATABASE (nothing was moved)",
		"postgres://konak:hidden@127.0.0.1:1/konak":        "cannot connect to --to: dial tcp 127.0.0.1:1",
		"postgres://konak:hidden@127.0.0.1:notaport/konak": "--to: the PostgreSQL address cannot be read",
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("KONAK_MOVE_TO_FILE", file)
		if code, text := with("move"); code != 1 || !strings.Contains(text, want) || strings.Contains(text, "hidden") {
			t.Errorf("%s: ended with %d: %s", content, code, text)
		}
	}
	if err := os.WriteFile(file, []byte(target+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, text := with("move", "--files", "s3"); code != 1 || !strings.Contains(text, "choose what to move") {
		t.Errorf("two things at once: %d: %s", code, text)
	}
	if code, text := with("move"); code != 0 || !strings.Contains(text, "refuses to start without --db") {
		t.Fatalf("%d: %s", code, text)
	}
	for _, command := range [][]string{{"serve"}, {"migrate"}, {"doctor"}, {"workspace", "list"}, {"backup", filepath.Join(t.TempDir(), "b")}, {"key", "rotate"}, {"move"}} {
		if code, text := with(command...); code != 1 || !strings.Contains(text, "this database was moved: "+data) || !strings.Contains(text, "delete ") {
			t.Errorf("%s on the old copy ended with %d: %s", command, code, text)
		}
	}
	if code, text := with("migrate", "--db", target); code != 0 {
		t.Errorf("the new one: %d: %s", code, text)
	}
}
