package main

import (
	"bytes"
	"strings"
	"testing"

	"konak/internal/kit/db"
	"konak/internal/kit/pgtest"
)

// runOn runs a command and returns its exit code and all that it printed.
func runOn(args ...string) (int, string) {
	var out bytes.Buffer
	code := run(args, &out, &out)
	return code, out.String()
}

// Looking at an empty database makes no table in it, and row security is refused
// where the role is not bound by it: before anything is made.
func TestEmptyDatabaseStaysEmpty(t *testing.T) {
	t.Parallel()
	url := pgtest.StartFor(t, pgtest.Options{}).URL()
	where := []string{"--db", url, "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--private-listen", "off"}
	if _, text := runOn(append([]string{"doctor"}, where...)...); !strings.Contains(text, "postgres, migrations wait") {
		t.Errorf("doctor says %s", text)
	}
	if code, text := runOn(append([]string{"jobs", "list"}, where...)...); code != 1 || !strings.Contains(text, "konak migrate") {
		t.Errorf("jobs list ended with %d: %s", code, text)
	}
	for _, command := range []string{"serve", "migrate", "doctor"} {
		code, text := runOn(append([]string{command, "--row-security"}, where...)...)
		if code != 1 || !strings.Contains(text, "superuser or has BYPASSRLS") {
			t.Errorf("%s ended with %d: %s", command, code, text)
		}
	}
	d, err := db.Open(t.Context(), db.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if fresh, err := d.IsNew(t.Context()); err != nil || !fresh {
		t.Errorf("the database is new: %v, %v", fresh, err)
	}
	if err := d.CheckRowSecurity(t.Context()); err != nil {
		t.Errorf("without row security every role may serve: %v", err)
	}
}

// The embedded database has no row security, and nobody is left to believe it.
func TestRowSecurityNeedsPostgres(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"serve", "migrate", "doctor"} {
		code, text := runOn(command, "--row-security", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--private-listen", "off")
		if code != 1 || !strings.Contains(text, "--row-security needs PostgreSQL") {
			t.Errorf("%s ended with %d: %s", command, code, text)
		}
	}
}
