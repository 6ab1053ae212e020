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
	mail    *post
	postfix string // host:port of the Postfix to compare with
	nodes   map[db.Dialect]*node
	floors  map[floorKey]*floor
	names   []string // of the databases created on PostgreSQL
	reads   map[bool]*guardedDB
	server  *pgtest.Server
	binary  string
	closers []func() error
}

func (e *env) close() error {
	var err error
	for i := len(e.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, e.closers[i]())
	}
	return err
}

func (e *env) closing(fn func() error) { e.closers = append(e.closers, fn) }

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
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
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
	server := &http.Server{
		Handler: http.HandlerFunc(handler), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		WriteTimeout: 5 * time.Minute, IdleTimeout: 2 * time.Minute,
	}
	go func() { _ = server.Serve(ln) }()
	e.closing(server.Close)
	e.bare = ln.Addr().String()
	return e.bare, nil
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
	if n, ok := e.nodes[dialect]; ok {
		return n, nil
	}
	n, err := e.openNode(ctx, dialect, clock.System{})
	if err != nil {
		return nil, err
	}
	if err := e.serve(ctx, n); err != nil {
		return nil, err
	}
	if e.nodes == nil {
		e.nodes = map[db.Dialect]*node{}
	}
	e.nodes[dialect] = n
	return n, nil
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
	serving, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- n.app.Serve(serving, listeners) }()
	e.closing(func() error { stop(); return <-done })
	return nil
}

// openNode opens a node that does not serve yet and whose workers do not run.
func (e *env) openNode(ctx context.Context, dialect db.Dialect, source clock.Source) (*node, error) {
	url, err := e.database(ctx, dialect)
	if err != nil {
		return nil, err
	}
	data, err := e.folder()
	if err != nil {
		return nil, err
	}
	n, err := e.openApp(ctx, url, data, "", source)
	if err != nil {
		return nil, err
	}
	return n, n.open(ctx)
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
	return &node{app: a, url: url, data: data}, nil
}

// open creates the workspace and signs in its owner.
func (h *node) open(ctx context.Context) error {
	w, m, err := createWorkspace(ctx, h.app, "bench")
	if err != nil {
		return err
	}
	h.tenant, h.member = w.ID, m.ID
	h.token, err = signIn(ctx, h.app, "bench")
	return err
}

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

// get reads one answer of the node.
func (h *node) get(ctx context.Context, path string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+h.addr+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+h.token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", path, resp.Status)
	}
	return io.ReadAll(resp.Body)
}

// guardedDB is a migrated database with one record in it.
type guardedDB struct {
	db     *db.DB
	tenant uuid.UUID
	read   func(*db.Reader) error
}

func (e *env) guarded(ctx context.Context, rowSecurity bool) (*guardedDB, error) {
	if g, ok := e.reads[rowSecurity]; ok {
		return g, nil
	}
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
	if err != nil {
		return nil, err
	}
	g := &guardedDB{db: d, tenant: tenant, read: func(r *db.Reader) error {
		_, err := readEmail(r, id)
		return err
	}}
	if e.reads == nil {
		e.reads = map[bool]*guardedDB{}
	}
	e.reads[rowSecurity] = g
	return g, nil
}
