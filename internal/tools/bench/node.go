package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/identity"
	"konak/internal/identity/signin"
	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
	"konak/internal/kit/pgtest"
	"konak/migrations"
)

// errSkip means that this machine cannot run a benchmark.
var errSkip = errors.New("the machine lacks a requirement")

// env creates what benchmarks need when it is first needed.
type env struct {
	bare    string
	answer  []byte // the bare server's answer to a GET
	help    *helpPage
	mail    string // address of the mail server
	postfix string // host:port of the Postfix to compare with
	nodes   map[db.Dialect]*node
	floors  map[floorKey]*floor
	names   []string // of the databases created on PostgreSQL
	reads   map[bool]*guardedDB
	server  *pgtest.Server
	closers []func() error
}

func newEnv() *env {
	return &env{nodes: map[db.Dialect]*node{}, floors: map[floorKey]*floor{}, reads: map[bool]*guardedDB{}}
}

// openOnce returns what was opened for a key, which it opens the first time.
func openOnce[K comparable, V any](opened map[K]V, key K, open func() (V, error)) (V, error) {
	if v, ok := opened[key]; ok {
		return v, nil
	}
	v, err := open()
	if err == nil {
		opened[key] = v
	}
	return v, err
}

func (e *env) close() error {
	var err error
	for i := len(e.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, e.closers[i]())
	}
	return err
}

func (e *env) closing(fn func() error) { e.closers = append(e.closers, fn) }

// runBehind runs fn until the end of the run.
func (e *env) runBehind(ctx context.Context, fn func(context.Context) error) {
	ctx, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- fn(ctx) }()
	e.closing(func() error { stop(); return <-done })
}

// serveHTTP serves on a new port until the end of the run, and returns its address.
func (e *env) serveHTTP(server *http.Server) (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() { _ = server.Serve(ln) }()
	e.closing(server.Close)
	return ln.Addr().String(), nil
}

func (e *env) folder() (string, error) {
	dir, err := os.MkdirTemp("", "konak-bench-")
	if err == nil {
		e.closing(func() error { return os.RemoveAll(dir) })
	}
	return dir, err
}

// bareServer answers with the body that it was sent, or a GET with a fixed answer, using
// only net/http and the time-outs that every server must have.
func (e *env) bareServer() (string, error) {
	if e.bare != "" {
		return e.bare, nil
	}
	handler := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			_, _ = w.Write(e.answer)
			return
		}
		b, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write(b)
	}
	var err error
	e.bare, err = e.serveHTTP(&http.Server{
		Handler: http.HandlerFunc(handler), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		WriteTimeout: 5 * time.Minute, IdleTimeout: 2 * time.Minute,
	})
	return e.bare, err
}

// postgres returns the address of an empty database.
func (e *env) postgres(ctx context.Context) (string, error) {
	if e.server == nil {
		var err error
		if raw := os.Getenv(pgtest.EnvURL); raw != "" {
			e.server, err = pgtest.Connect(raw)
		} else {
			e.server, err = pgtest.Start(pgtest.Options{Durable: true})
		}
		if errors.Is(err, pgtest.ErrNoServer) {
			return "", fmt.Errorf("%w: %w", errSkip, err)
		}
		if err != nil {
			return "", err
		}
		e.closing(e.server.Stop)
	}
	d, err := e.server.CreateDatabase(ctx, "")
	if err != nil {
		return "", err
	}
	e.names = append(e.names, d.Name)
	e.closing(func() error { return e.server.DropDatabase(context.WithoutCancel(ctx), d.Name) })
	return d.Owner, nil
}

// database returns the address of an empty database of either kind.
func (e *env) database(ctx context.Context, dialect db.Dialect) (string, error) {
	if dialect == db.Postgres {
		return e.postgres(ctx)
	}
	dir, err := e.folder()
	return "sqlite:" + filepath.Join(dir, "konak.db"), err
}

// node is a whole node that serves one workspace.
type node struct {
	app    *app.App
	url    string // of its database
	data   string // its folder
	tenant uuid.UUID
	member uuid.UUID
	addr   string
	token  string
	// inboxes maps a number of conversations to a workspace with as many.
	inboxes map[int]*inbox
}

const echoPath = "/api/v1/bench/echo"

// echoIn is the input of the echo route; its form is that of a DLP exception.
type echoIn struct {
	Body echo
}

type echo struct {
	Email string `json:"email" minLength:"1" maxLength:"254"`
	Note  string `json:"note,omitempty" maxLength:"500"`
}

// node returns the node for a database, with its workers. It is opened the first time.
func (e *env) node(ctx context.Context, dialect db.Dialect) (*node, error) {
	return openOnce(e.nodes, dialect, func() (*node, error) {
		n, err := e.openNode(ctx, dialect, clock.System{})
		if err != nil {
			return nil, err
		}
		return n, e.serve(ctx, n)
	})
}

// onDatabases measures a group on the node of each database that is selected. A database
// that this machine lacks is skipped.
func (e *env) onDatabases(ctx context.Context, o options, group string, measure func(*node) error) error {
	for _, d := range []db.Dialect{db.SQLite, db.Postgres} {
		name := group + ", " + string(d)
		if !o.only.MatchString(name) {
			continue
		}
		h, err := e.node(ctx, d)
		if errors.Is(err, errSkip) {
			fmt.Printf("\n%s: skipped, %v\n", name, err)
			continue
		}
		if err == nil {
			err = measure(h)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// serve makes a node serve on a new address until the end of the run.
func (e *env) serve(ctx context.Context, n *node) error {
	data, err := e.folder()
	if err != nil {
		return err
	}
	listeners, err := app.Listen(ctx, app.Config{Data: data, Listen: "127.0.0.1:0", PrivateListen: "off", Domain: "localhost"})
	if err != nil {
		return err
	}
	n.addr = listeners.Address().String()
	e.runBehind(ctx, func(ctx context.Context) error { return n.app.Serve(ctx, listeners) })
	return nil
}

// openNode opens a node with its workspace. It does not serve yet, and its workers do not
// run.
func (e *env) openNode(ctx context.Context, dialect db.Dialect, source clock.Source) (*node, error) {
	n, err := e.openEmptyNode(ctx, dialect, source)
	if err != nil {
		return nil, err
	}
	w, m, err := createWorkspace(ctx, n.app, "bench")
	if err != nil {
		return nil, err
	}
	n.tenant, n.member = w.ID, m.ID
	n.token, err = signIn(ctx, n.app, "bench")
	return n, err
}

// openEmptyNode opens a node on a database of its own.
func (e *env) openEmptyNode(ctx context.Context, dialect db.Dialect, source clock.Source) (*node, error) {
	url, err := e.database(ctx, dialect)
	if err != nil {
		return nil, err
	}
	data, err := e.folder()
	if err != nil {
		return nil, err
	}
	return e.openApp(ctx, url, data, "", source)
}

// secondNode serves the same database and workspace as another node.
func (e *env) secondNode(ctx context.Context, first *node) (*node, error) {
	key, err := os.ReadFile(filepath.Join(first.data, "master.key"))
	if err != nil {
		return nil, err
	}
	data, err := e.folder()
	if err != nil {
		return nil, err
	}
	// Nodes of one database share their files.
	if err := os.Symlink(filepath.Join(first.data, "files"), filepath.Join(data, "files")); err != nil {
		return nil, err
	}
	n, err := e.openApp(ctx, first.url, data, strings.TrimSpace(string(key)), clock.System{})
	if err != nil {
		return nil, err
	}
	n.tenant, n.member, n.token = first.tenant, first.member, first.token
	return n, e.serve(ctx, n)
}

// openApp opens a node on a database. Without a master key it creates one in its folder.
func (e *env) openApp(ctx context.Context, url, data, masterKey string, source clock.Source) (*node, error) {
	sink, err := e.mailSink()
	if err != nil {
		return nil, err
	}
	a, err := app.Open(ctx, app.Config{
		MailRoutes: []string{"*=" + sink},
		DB:         url, Data: data, Listen: "127.0.0.1:0", PrivateListen: "off", Domain: "localhost", SQLiteSync: "full",
		LimitFactor: 1_000_000, MasterKey: masterKey, WebhookAllow: []string{"127.0.0.0/8"}, ModelAllow: []string{"127.0.0.0/8"},
	}, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})), source)
	if err != nil {
		return nil, err
	}
	e.closing(a.Close)
	// This measures the cost of a route without its work.
	api.Handle(a.API, api.Route{
		Method: "POST", Path: echoPath, ID: "bench-echo", Tag: "Bench", Summary: "Answer what was sent",
		Access: api.Session, Permission: perm.DLPManage, Licence: "mail",
	}, func(_ context.Context, in *echoIn) (echo, error) { return in.Body, nil })
	return &node{app: a, url: url, data: data, inboxes: map[int]*inbox{}}, nil
}

// dialect is the kind of the node's database.
func (h *node) dialect() db.Dialect { return h.app.DB.Dialect() }

// password is the password of every owner here.
const password = "correct horse battery staple"

// createWorkspace creates a workspace with an owner as whom signIn can sign in.
func createWorkspace(ctx context.Context, a *app.App, slug string) (identity.Workspace, identity.Membership, error) {
	return a.Identity.CreateWorkspace(ctx, identity.NewWorkspace{
		Slug: slug, Name: slug, OwnerName: "Owner", OwnerEmail: "owner@" + slug + ".example", Password: password,
	})
}

// signIn opens a session of a workspace's owner and returns its token.
func signIn(ctx context.Context, a *app.App, slug string) (string, error) {
	in, err := a.Accounts.SignIn(ctx, signin.Proof{
		Email: "owner@" + slug + ".example", Password: password, Slug: slug, Device: identity.Device{Name: "bench", IP: "127.0.0.1"},
	})
	return in.Token, err
}

// asOwner returns a context of the owner of the node's workspace, with all licences.
func (h *node) asOwner(ctx context.Context) context.Context {
	return caller.With(ctx, app.Owner(h.tenant, "bench", h.member))
}

// bearer is the header of requests with a session or an API key.
func bearer(token string) http.Header {
	return http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}}
}

// request sends a request and returns the body of its answer. An answer that is not a
// success is an error.
func request(ctx context.Context, client *http.Client, method, url string, header http.Header, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = header
	resp, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err == nil && resp.StatusCode/100 != 2 {
		err = fmt.Errorf("%s answered %s: %s", url, resp.Status, answer)
	}
	return answer, err
}

// guardedDB is a migrated database with one record in it.
type guardedDB struct {
	db     *db.DB
	tenant uuid.UUID
	read   func(*db.Reader) error
}

func (e *env) guarded(ctx context.Context, rowSecurity bool) (*guardedDB, error) {
	return openOnce(e.reads, rowSecurity, func() (*guardedDB, error) {
		url, err := e.postgres(ctx)
		if err != nil {
			return nil, err
		}
		d, err := db.Open(ctx, db.Options{URL: url, RowSecurity: rowSecurity})
		if err != nil {
			return nil, err
		}
		e.closing(d.Close)
		if _, err := d.Migrate(ctx, migrations.Files); err != nil {
			return nil, err
		}
		tenant, id, err := putTenant(ctx, d)
		return &guardedDB{db: d, tenant: tenant, read: func(r *db.Reader) error {
			_, err := readEmail(r, id)
			return err
		}}, err
	})
}
