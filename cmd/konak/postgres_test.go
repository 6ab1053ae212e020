package main

import (
	"bytes"
	"net/url"
	"strings"
	"testing"

	"konak/internal/kit/db"
	"konak/internal/kit/pgtest"
)

// runOn runs a command and returns its exit code and all its output.
func runOn(args ...string) (int, string) {
	var out bytes.Buffer
	code := run(args, &out, &out)
	return code, out.String()
}

// Reading an empty database creates no table in it, and row security is refused if the role
// is not bound by it: before anything is created.
func TestEmptyDatabaseStaysEmpty(t *testing.T) {
	t.Parallel()
	server := pgtest.StartFor(t, pgtest.Options{}).URL()
	where := []string{"--db", server, "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--private-listen", "off"}
	if _, text := runOn(append([]string{"doctor"}, where...)...); !strings.Contains(text, "postgres, migrations pending") {
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
	d, err := db.Open(t.Context(), db.Options{URL: server})
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

// An error in --db is reported in one line that names it and what to do.
func TestDatabaseErrors(t *testing.T) {
	t.Parallel()
	server := pgtest.StartFor(t, pgtest.Options{})
	nobody, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	nobody.User = url.User("nobody")
	for _, tc := range []struct{ db, want string }{
		{nobody.String(), "konak: cannot connect to --db: PostgreSQL refused: role \"nobody\" does not exist (28000)\n"},
		{"postgres://konak@127.0.0.1:1/konak", "konak: cannot connect to --db: dial tcp 127.0.0.1:1: connect: connection refused; is PostgreSQL running there?\n"},
		{"mysql://konak:hidden@localhost/konak", "konak: --db: write postgres://USER@HOST/DATABASE, or leave it out for the embedded database\n"},
		{server.NewDatabase(t, "").App, "konak: the role of --db cannot create or change tables in this database: GRANT CREATE ON SCHEMA public"},
	} {
		if code, text := runOn("migrate", "--db", tc.db, "--data", t.TempDir()); code != 1 || !strings.HasPrefix(text, tc.want) {
			t.Errorf("ended with %d: %s", code, text)
		}
	}
}

// The embedded database has no row security, and asking for it is refused.
func TestRowSecurityNeedsPostgres(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"serve", "migrate", "doctor"} {
		code, text := runOn(command, "--row-security", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--private-listen", "off")
		if code != 1 || !strings.Contains(text, "--row-security needs PostgreSQL") {
			t.Errorf("%s ended with %d: %s", command, code, text)
		}
	}
}
