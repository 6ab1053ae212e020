package app_test

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/kit/secret"
)

// cable is a connection between a node and PostgreSQL that can be cut.
type cable struct {
	ln    net.Listener
	mu    sync.Mutex
	conns []net.Conn
	// refusing reports that PostgreSQL answers and refuses logins.
	refusing bool
}

// layCable puts a cable before the database and returns the address of its
// near end.
func layCable(t *testing.T, dsn string) (*cable, string) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "cable")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	query := u.Query()
	network, far := "tcp", u.Host
	if folder := query.Get("host"); folder != "" {
		port := query.Get("port")
		if port == "" {
			port = "5432"
		}
		network, far = "unix", filepath.Join(folder, ".s.PGSQL."+port)
	}
	c := &cable{}
	if c.ln, err = net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.cut)
	go func() {
		for {
			near, err := c.ln.Accept()
			if err != nil {
				return
			}
			if c.refused(near) {
				continue
			}
			other, err := net.Dial(network, far)
			if err != nil {
				_ = near.Close()
				continue
			}
			c.mu.Lock()
			c.conns = append(c.conns, near, other)
			c.mu.Unlock()
			go func() { _, _ = io.Copy(near, other); _ = near.Close() }()
			go func() { _, _ = io.Copy(other, near); _ = other.Close() }()
		}
	}()
	query.Set("host", dir)
	query.Set("port", "5432")
	u.Host, u.RawQuery = "", query.Encode()
	return c, u.String()
}

// cut ends every connection and accepts no new one.
func (c *cable) cut() {
	_ = c.ln.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		_ = conn.Close()
	}
}

// refuseLogins ends every connection; new ones are told that the role may not log in.
func (c *cable) refuseLogins() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refusing = true
	for _, conn := range c.conns {
		_ = conn.Close()
	}
}

// refused answers a connection as PostgreSQL does if a role may not log in, while logins
// are refused.
func (c *cable) refused(conn net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refusing {
		_, _ = conn.Read(make([]byte, 1024)) // the start-up message
		fields := "SFATAL\x00VFATAL\x00C28000\x00Mrole \"konak\" is not permitted to log in\x00\x00"
		_, _ = conn.Write(append([]byte{'E', 0, 0, 0, byte(4 + len(fields))}, fields...))
		_ = conn.Close()
	}
	return c.refusing
}

// unavailable expects the answer of an outage.
func unavailable(t *testing.T, r *apptest.Response) {
	t.Helper()
	r.Refused(503, "unavailable")
	if r.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

func readiness(t *testing.T, s *apptest.Server) string {
	t.Helper()
	resp, err := http.Get(s.URL + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != 503 {
		t.Errorf("/readyz answered %d %s", resp.StatusCode, b)
	}
	return string(b)
}

// A database that is gone is an outage, for known and unknown callers, and is logged once a
// second.
func TestDatabaseGone(t *testing.T) {
	t.Parallel()
	var c *cable
	s := apptest.NewOn(t, db.Postgres, func(cfg *app.Config) { c, cfg.DB = layCable(t, cfg.DB) })
	w := s.Workspace("demo")
	stranger := s.Client(w.SignIn("owner@demo.example").Token())
	w.Owner.Get("/api/crm/v1/contacts").Want(200)
	if got := readiness(t, s); strings.Contains(got, "database") {
		t.Errorf("/readyz says %q", got)
	}
	c.cut()
	for range 3 {
		unavailable(t, w.Owner.Get("/api/crm/v1/contacts"))
		unavailable(t, w.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Elif"}))
		unavailable(t, stranger.Get("/api/crm/v1/contacts"))
	}
	if n := strings.Count(s.Logs.String(), "request failed"); n != 1 {
		t.Errorf("%d lines in the same second", n)
	}
	if got := readiness(t, s); !strings.Contains(got, "database") {
		t.Errorf("/readyz says %q", got)
	}
}

// A database that answers and refuses logins is an outage as well. It is one line in the
// log while it lasts, and one reason why the node is not ready.
func TestLoginRefused(t *testing.T) {
	t.Parallel()
	var c *cable
	s := apptest.NewOn(t, db.Postgres, func(cfg *app.Config) { c, cfg.DB = layCable(t, cfg.DB) })
	w := s.Workspace("demo")
	c.refuseLogins()
	w.Owner.Get("/api/crm/v1/contacts") // the connections of before break
	unavailable(t, w.Owner.Get("/api/crm/v1/contacts"))
	unavailable(t, s.Client("").Post("/api/v1/auth/sign-in", map[string]any{"email": "owner@demo.example", "password": apptest.Password}))
	if got := readiness(t, s); !strings.Contains(got, "database") || strings.Contains(got, "search index") {
		t.Errorf("/readyz says %q", got)
	}
	for range 3 { // the API itself would log an outage each second
		s.Clock.Advance(2 * time.Second)
		unavailable(t, w.Owner.Get("/api/crm/v1/contacts"))
	}
	if n := strings.Count(s.Logs.String(), "not permitted to log in"); n != 1 {
		t.Errorf("%d lines about one outage:\n%s", n, s.Logs.String())
	}
}

// A full disk is an outage: SQLite cannot grow, the data folder accepts nothing.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	var data string
	s := apptest.NewOn(t, db.SQLite, func(cfg *app.Config) { data = cfg.Data })
	w := s.Workspace("demo")
	if got := readiness(t, s); strings.Contains(got, "disk") {
		t.Errorf("/readyz says %q", got)
	}
	if err := os.Remove(filepath.Join(data, ".probe")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", filepath.Join(data, ".probe")); err != nil {
		t.Fatal(err)
	}
	if got := readiness(t, s); !strings.Contains(got, "disk of the data folder is full") {
		t.Errorf("/readyz says %q", got)
	}
	err := s.DB.System("a full disk").InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Exec(`PRAGMA max_page_count = 1`)
	})
	if err != nil {
		t.Fatal(err)
	}
	body := map[string]any{"name": strings.Repeat("x", 200)}
	for range 2000 { // until the free pages are used up
		if r := w.Owner.Post("/api/crm/v1/contacts", body); r.Status != 201 {
			unavailable(t, r)
			if got := readiness(t, s); !strings.Contains(got, "disk of the database is full") {
				t.Errorf("/readyz says %q", got)
			}
			s.Clock.Advance(31 * time.Second)
			if got := readiness(t, s); strings.Contains(got, "disk of the database is full") {
				t.Errorf("half a minute later /readyz says %q", got)
			}
			return
		}
	}
	t.Error("the database grew")
}

// A node whose keys no longer belong to the database is not ready: its master key was
// changed elsewhere, or the database is another.
func TestNodeWithWrongKeysIsNotReady(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			var cfg app.Config
			s := apptest.NewOn(t, dialect, func(c *app.Config) { cfg = *c })
			const reason = "the database has other keys"
			if got := readiness(t, s); strings.Contains(got, "keys") {
				t.Errorf("/readyz says %q", got)
			}
			old, err := secret.ReadBox(cfg.Data)
			if err != nil {
				t.Fatal(err)
			}
			next, _ := secret.NewMaster()
			if err := secret.BeginRotation(t.Context(), s.DB, old, next); err != nil {
				t.Fatal(err)
			}
			if got := readiness(t, s); !strings.Contains(got, reason) { // it cannot open what others seal from now on
				t.Errorf("while the key is changed /readyz says %q", got)
			}
			if _, err := secret.FinishRotation(t.Context(), s.DB, next); err != nil {
				t.Fatal(err)
			}
			if got := readiness(t, s); !strings.Contains(got, reason) {
				t.Errorf("after the key was changed /readyz says %q", got)
			}
			deleteKeys := func(tx *db.Tx) error {
				return tx.Exec(`DELETE FROM installation_key`)
			}
			if err := s.DB.System("test").InTx(t.Context(), deleteKeys); err != nil {
				t.Fatal(err)
			}
			if got := readiness(t, s); !strings.Contains(got, reason) {
				t.Errorf("without keys /readyz says %q", got)
			}
			if err := old.RecordKey(t.Context(), s.DB); err != nil { // another database of the same master key
				t.Fatal(err)
			}
			if got := readiness(t, s); !strings.Contains(got, reason) {
				t.Errorf("on another database /readyz says %q", got)
			}
		})
	}
}
