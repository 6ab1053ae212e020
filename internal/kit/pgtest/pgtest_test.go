package pgtest_test

import (
	"bufio"
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"konak/internal/kit/pgtest"
)

// connect opens a connection that is closed at the end of the test.
func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func ask[T any](t *testing.T, conn *pgx.Conn, query string, args ...any) T {
	t.Helper()
	var v T
	if err := conn.QueryRow(t.Context(), query, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

func TestRolesAreBoundByRowSecurity(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDatabase(t, "")
	owner, app := connect(t, db.Owner), connect(t, db.App)

	const schema = `
		CREATE TABLE note (tenant text, body text);
		ALTER TABLE note ENABLE ROW LEVEL SECURITY;
		ALTER TABLE note FORCE ROW LEVEL SECURITY;
		CREATE POLICY own ON note USING (tenant = current_setting('konak.tenant', true));
		GRANT SELECT, INSERT ON note TO konak_app;`
	if _, err := owner.Exec(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	const insert = `SELECT set_config('konak.tenant', 'a', false); INSERT INTO note VALUES ('a', 'x')`
	if _, err := app.Exec(t.Context(), insert); err != nil {
		t.Fatal(err)
	}
	if n := ask[int](t, app, `SELECT count(*) FROM note`); n != 1 {
		t.Errorf("the tenant sees %d of its 1 rows", n)
	}
	if _, err := app.Exec(t.Context(), `SELECT set_config('konak.tenant', 'b', false)`); err != nil {
		t.Fatal(err)
	}
	if n := ask[int](t, app, `SELECT count(*) FROM note`); n != 0 {
		t.Errorf("another tenant sees %d rows", n)
	}
	for _, conn := range []*pgx.Conn{owner, app} {
		if ask[bool](t, conn, `SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user`) {
			t.Errorf("%s is above row security", conn.Config().User)
		}
	}
	var refused *pgconn.PgError
	if _, err := app.Exec(t.Context(), `CREATE TABLE mine (x int)`); !errors.As(err, &refused) {
		t.Errorf("the application role may create tables: %v", err)
	}
}

func TestTemplateIsBuiltOnceAndCopied(t *testing.T) {
	t.Parallel()
	server, err := pgtest.Shared()
	if err != nil {
		t.Skip(err)
	}
	var built atomic.Int32
	key := strings.TrimPrefix(pgtest.NewDatabase(t, "").Name, "konak_t_") // unique on a server that outlives us
	build := func(owner string) error {
		built.Add(1)
		conn, err := pgx.Connect(t.Context(), owner)
		if err != nil {
			return err
		}
		_, err = conn.Exec(t.Context(), `CREATE TABLE seed (x int); INSERT INTO seed VALUES (42)`)
		return errors.Join(err, conn.Close(t.Context()))
	}
	t.Cleanup(func() {
		if err := server.DropDatabase(context.Background(), "konak_template_"+key); err != nil {
			t.Error(err)
		}
	})

	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := server.Template(t.Context(), key, build); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for range 2 {
		db := server.NewDatabase(t, "konak_template_"+key)
		if x := ask[int](t, connect(t, db.Owner), `SELECT x FROM seed`); x != 42 {
			t.Errorf("copied %d", x)
		}
	}
	if n := built.Load(); n != 1 {
		t.Errorf("built %d times", n)
	}
}

func TestFailedTemplateLeavesNothing(t *testing.T) {
	t.Parallel()
	server, err := pgtest.Shared()
	if err != nil {
		t.Skip(err)
	}
	key := strings.TrimPrefix(pgtest.NewDatabase(t, "").Name, "konak_t_")
	boom := errors.New("boom")
	var draft string
	_, err = server.Template(t.Context(), key, func(owner string) error {
		draft = owner
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatalf("got %v", err)
	}
	if conn, err := pgx.Connect(t.Context(), draft); err == nil {
		_ = conn.Close(t.Context())
		t.Error("the half-built database is still there")
	}
	if _, err := server.Template(t.Context(), strings.Repeat("k", 64), nil); err == nil {
		t.Error("a key that PostgreSQL would cut off is accepted")
	}
}

func TestDatabaseIsDroppedAfterItsTest(t *testing.T) {
	t.Parallel()
	var db pgtest.Database
	t.Run("inner", func(t *testing.T) {
		db = pgtest.NewDatabase(t, "")
		// This is still open when the cleanup of NewDatabase runs, which succeeds only if
		// it forces.
		if _, err := pgx.Connect(t.Context(), db.App); err != nil {
			t.Fatal(err)
		}
	})
	if conn, err := pgx.Connect(t.Context(), db.Owner); err == nil {
		_ = conn.Close(t.Context())
		t.Error("still there")
	}
}

func TestConnectRefusesOtherURLsWithoutShowingThem(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"mysql://u:hunter2@h/d", "postgres://u:hunter2@h:port/d", "hunter2"} {
		_, err := pgtest.Connect(raw)
		if err == nil {
			t.Errorf("accepted %q", raw)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("shows the password: %v", err)
		}
	}
}

func TestDurableClusterSyncs(t *testing.T) {
	t.Parallel()
	for durable, want := range map[bool]string{true: "on", false: "off"} {
		server, err := pgtest.Start(pgtest.Options{Durable: durable})
		if errors.Is(err, pgtest.ErrNoServer) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := server.Stop(); err != nil {
				t.Error(err)
			}
			wantGone(t, folder(t, server.URL()))
		})
		conn := connect(t, server.NewDatabase(t, "").App)
		for _, name := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
			if got := ask[string](t, conn, `SELECT current_setting($1)`, name); got != want {
				t.Errorf("durable %v: %s is %s", durable, name, got)
			}
		}
	}
}

// TestClusterDiesWithItsProcess kills a process that started a cluster and waits for the
// folder, and with it the server, to disappear.
func TestClusterDiesWithItsProcess(t *testing.T) {
	if os.Getenv("PGTEST_CHILD") != "" {
		server, err := pgtest.Start(pgtest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = os.Stdout.WriteString("\nurl " + server.URL() + "\n")
		select {} // until killed
	}
	t.Parallel()
	child := exec.Command(os.Args[0], "-test.run=^TestClusterDiesWithItsProcess$")
	child.Env = append(os.Environ(), "PGTEST_CHILD=1")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var dir string
	for lines := bufio.NewScanner(out); dir == "" && lines.Scan(); {
		if strings.Contains(lines.Text(), pgtest.ErrNoServer.Error()) {
			_ = child.Wait()
			t.Skip(pgtest.ErrNoServer)
		}
		if raw, ok := strings.CutPrefix(lines.Text(), "url "); ok {
			dir = folder(t, raw)
		}
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	if dir == "" {
		t.Fatal("the child started no cluster")
	}
	wantGone(t, dir)
}

func folder(t *testing.T, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("host")
}

func wantGone(t *testing.T, dir string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.After(30 * time.Second)
	for {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%s is still there", dir)
		}
	}
}
