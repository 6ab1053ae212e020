// Package apptest runs the whole server in a test: a real server on a fresh database of
// each kind, a clock that stands still, and clients that check every answer against the
// OpenAPI document.
//
// The workers do not run by themselves; Settle runs their steps, so that a test decides
// when things happen.
package apptest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/crm/conversation"
	"konak/internal/identity"
	"konak/internal/identity/password"
	"konak/internal/identity/signin"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/event"
	"konak/internal/kit/mailer"
	"konak/internal/kit/perm"
)

// Password is the password of every person in tests.
const Password = "correct horse battery staple"

// Server is a server under test.
type Server struct {
	*app.App
	tb    testing.TB
	Clock *clock.Fake
	URL   string
	Logs  *Buffer
	cfg   app.Config
}

// Run runs fn on both databases.
func Run(t *testing.T, fn func(t *testing.T, s *Server)) {
	t.Helper()
	RunWith(t, func(*app.Config) {}, fn)
}

// RunWith runs fn on both databases in a server with other settings.
func RunWith(t *testing.T, change func(*app.Config), fn func(t *testing.T, s *Server)) {
	t.Helper()
	onBoth(t, func(t *testing.T, d db.Dialect) { fn(t, NewOn(t, d, change)) })
}

// onBoth runs fn for both databases.
func onBoth(t *testing.T, fn func(t *testing.T, d db.Dialect)) {
	t.Helper()
	for _, d := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			fn(t, d)
		})
	}
}

// New starts a server.
func New(tb testing.TB, dialect db.Dialect) *Server {
	tb.Helper()
	return NewOn(tb, dialect, func(*app.Config) {})
}

// NewPublic starts a server whose public address is the one it listens on, for clients that
// require it.
func NewPublic(tb testing.TB, dialect db.Dialect) *Server {
	tb.Helper()
	return NewCalledBack(tb, dialect, func(*app.Config, clock.Source) {})
}

// NewWith starts a server with other settings on SQLite, for tests that do not depend on
// the database.
func NewWith(tb testing.TB, change func(*app.Config)) *Server {
	tb.Helper()
	return NewOn(tb, db.SQLite, change)
}

// NewOn starts a server with other settings on one database.
func NewOn(tb testing.TB, dialect db.Dialect, change func(*app.Config)) *Server {
	tb.Helper()
	s := prepare(tb, dialect)
	s.serve(func(cfg *app.Config, _ string) { change(cfg) })
	return s
}

// NewCalledBack starts a server whose public address is the one it listens on,
// for services that call back: change starts them, on the server's own clock.
func NewCalledBack(tb testing.TB, dialect db.Dialect, change func(cfg *app.Config, c clock.Source)) *Server {
	tb.Helper()
	s := prepare(tb, dialect)
	s.serve(func(cfg *app.Config, url string) {
		cfg.PublicURL = url
		change(cfg, s.Clock)
	})
	return s
}

// must ends the test if there is an error.
func (s *Server) must(err error) {
	s.tb.Helper()
	if err != nil {
		s.tb.Fatal(err)
	}
}

// mustDo is must for calls with a result that nobody needs.
func (s *Server) mustDo(_ any, err error) {
	s.tb.Helper()
	s.must(err)
}

func prepare(tb testing.TB, dialect db.Dialect) *Server {
	tb.Helper()
	s := &Server{tb: tb, Clock: clock.NewFake(dbtest.Start), Logs: &Buffer{}}
	s.cfg = app.Config{
		DB: dbtest.URL(tb, dialect), Data: tb.TempDir(), Listen: "127.0.0.1:0", PrivateListen: "off",
		Domain: "localhost", SQLiteSync: "normal", RowSecurity: dialect == db.Postgres,
		WebhookAllow: []string{"127.0.0.0/8"}, ModelAllow: []string{"127.0.0.0/8"}, SourceAllow: []string{"127.0.0.0/8"}, MailSPF: "mx", SignUp: app.SignUpOpen,
		NameServers:  func(context.Context, string) ([]netip.AddrPort, error) { return nil, nil },
		PasswordCost: password.Cost{Memory: 8, Time: 1}, CaptchaWork: 10, NewRSAKey: keysInTurns(), LimitFactor: 1000,
	}
	return s
}

// Node starts another node of the same installation: it shares the database, key, settings
// and clock, and nothing else.
func (s *Server) Node() *Server {
	s.tb.Helper()
	key, err := os.ReadFile(filepath.Join(s.cfg.Data, "master.key"))
	s.must(err)
	n := &Server{tb: s.tb, Clock: s.Clock, Logs: &Buffer{}, cfg: s.cfg}
	n.cfg.Data, n.cfg.MasterKey = s.tb.TempDir(), string(key)
	n.serve(func(*app.Config, string) {})
	return n
}

func (s *Server) serve(change func(cfg *app.Config, url string)) {
	tb := s.tb
	tb.Helper()
	server := httptest.NewUnstartedServer(nil)
	s.URL = "http://" + server.Listener.Addr().String()
	change(&s.cfg, s.URL)
	a, err := app.Open(tb.Context(), s.cfg, Logger(s.Logs), s.Clock)
	if err != nil {
		server.Close()
		tb.Fatal(err)
	}
	s.App = a
	server.Config.Handler = a.API.Handler()
	server.Start()
	tb.Cleanup(func() {
		a.API.Drain()
		server.Close()
		if err := a.Close(); err != nil {
			tb.Error(err)
		}
	})
}

// Workspace is a tenant with its owner signed in.
type Workspace struct {
	ID     uuid.UUID
	Slug   string
	Member uuid.UUID
	Owner  *Client
	s      *Server
}

// Workspace creates a workspace with every licence.
func (s *Server) Workspace(slug string) *Workspace {
	s.tb.Helper()
	email := "owner@" + slug + ".example"
	w, m, err := s.Identity.CreateWorkspace(s.tb.Context(), identity.NewWorkspace{
		Slug: slug, Name: slug, OwnerName: "Owner of " + slug, OwnerEmail: email, Password: Password,
	})
	s.must(err)
	out := &Workspace{ID: w.ID, Slug: slug, Member: m.ID, s: s}
	out.Owner = out.SignIn(email)
	return out
}

// Context returns a context that acts as the owner, for calls that do not go over HTTP.
func (w *Workspace) Context() context.Context {
	owner := app.Owner(w.ID, w.Slug, w.Member)
	owner.VerifiedAt = w.s.Clock.Now()
	return caller.With(w.s.tb.Context(), owner)
}

// Key creates an API key with the given permissions.
func (w *Workspace) Key(test bool, scopes ...perm.Permission) *Client {
	w.s.tb.Helper()
	key, err := w.s.Identity.CreateKey(w.s.tb.Context(), w.ID, "test", test, scopes)
	w.s.must(err)
	return w.s.Client(key.Reveal())
}

// FullKey creates an API key with every permission.
func (w *Workspace) FullKey() *Client { w.s.tb.Helper(); return w.Key(false, perm.All()...) }

// Guest signs in a member who may do nothing.
func (w *Workspace) Guest() *Client {
	w.s.tb.Helper()
	email := "guest@" + w.Slug + ".example"
	w.s.must(w.s.Identity.AddMember(w.s.tb.Context(), w.ID, "Guest", email, Password, identity.RoleGuest))
	return w.SignIn(email)
}

// SignIn signs a member in.
func (w *Workspace) SignIn(email string) *Client {
	w.s.tb.Helper()
	in, err := w.s.Accounts.SignIn(w.s.tb.Context(), signin.Proof{
		Email: email, Password: Password, Slug: w.Slug, Device: identity.Device{Name: "test", IP: "127.0.0.1"},
	})
	w.s.must(err)
	return w.s.Client(in.Token)
}

// Events lists the types of the workspace's events in order.
func (w *Workspace) Events() []string {
	w.s.tb.Helper()
	w.s.Settle()
	out := []string{}
	err := w.s.DB.Tenant(w.ID).Read(w.s.tb.Context(), func(r *db.Reader) error {
		events, err := event.After(r, 0, 10_000)
		for _, e := range events {
			out = append(out, e.Type)
		}
		return err
	})
	w.s.must(err)
	return out
}

// Settle runs the workers' steps until nothing is left to do now.
func (s *Server) Settle() {
	s.tb.Helper()
	for busy := true; busy; {
		busy = false
		for _, step := range []func(context.Context) (int, error){s.Waker.Step, s.Dispatcher.Step, s.Sender.Step, s.Jobs.Step, s.Advisor.Step, s.Calls.Step} {
			n, err := step(s.tb.Context())
			s.must(err)
			busy = busy || n > 0
		}
	}
}

// MoveToTest moves every conversation and its waiting jobs to the test environment.
func (s *Server) MoveToTest() {
	s.tb.Helper()
	err := s.DB.System("test").InTx(s.tb.Context(), func(tx *db.Tx) error {
		for _, table := range []string{"job", "conversation", "conversation_item"} {
			if n, err := tx.ExecCount(`UPDATE ` + table + ` SET test = TRUE`); err != nil || n == 0 {
				return fmt.Errorf("%s: %d rows: %w", table, n, err)
			}
		}
		return nil
	})
	s.must(err)
}

// UseRouter sends messages over another router than the channels.
func (s *Server) UseRouter(r conversation.Router) { *s.Conversations = *s.Conversations.WithRouter(r) }

// Mails returns the mails to an address that a workspace's outbox holds, oldest first; the
// zero id means mail that concerns no workspace.
func (s *Server) Mails(tenant uuid.UUID, to string) []mailer.OutboxMail {
	s.tb.Helper()
	s.Settle()
	list, err := s.Mailer.Outbox(s.tb.Context(), tenant, db.Page{Limit: 100, After: db.First})
	s.must(err)
	out := []mailer.OutboxMail{}
	for _, k := range slices.Backward(list.Rows) {
		if k.To == to {
			out = append(out, k)
		}
	}
	return out
}

// Buffer is a log for concurrent writers that a test can read.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// String returns what was written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// Logger returns a logger that writes everything into a buffer.
func Logger(b *Buffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
