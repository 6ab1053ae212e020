package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"konak/internal/app"
	"konak/internal/identity"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
	"konak/internal/kit/pgtest"
)

// unaudited are the commands that change no record, or that the database's log cannot
// record: they create, migrate or fill it.
var unaudited = []string{
	"serve", "migrate", "backup make", "backup verify", "restore", "doctor", "health", "config", "openapi", "webhooks listen", "version",
	"move", // TestMoveDatabase looks at its line, which is in the new database
}

// operated is an installation that operators' commands inspect and change.
type operated struct {
	*testing.T
	data    string
	db      string   // "" for the embedded database
	actions []string // of the audit log until now
}

// where returns the settings of the installation.
func (o *operated) where() []string {
	out := []string{"--data", o.data, "--listen", "127.0.0.1:0", "--private-listen", "off"}
	if o.db != "" {
		out = append(out, "--db", o.db)
	}
	return out
}

func (o *operated) config() app.Config {
	return app.Config{Data: o.data, DB: o.db, Listen: "127.0.0.1:0", Domain: "localhost"}
}

// actionsNow reads the audit log of all workspaces and of the installation.
func (o *operated) actionsNow() []string {
	o.Helper()
	c := o.config()
	d, err := db.Open(o.Context(), db.Options{URL: c.DatabaseURL()})
	if err != nil {
		o.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	list, err := db.Read(o.Context(), d.System("test"), func(r *db.Reader) ([]string, error) {
		return db.All(r, db.Scalar[string], `SELECT action FROM audit_log`)
	})
	if err != nil {
		o.Fatal(err)
	}
	return list
}

// do runs a command, with --json where it has that, and returns what it printed.
func (o *operated) do(command ...string) string {
	o.Helper()
	args := slices.Concat(command, o.where())
	hasJSON := o.hasJSON(command)
	if hasJSON {
		args = append(args, "--json")
	}
	var out, errs bytes.Buffer
	if code := run(args, &out, &errs); code != 0 {
		o.Fatalf("%v ended with %d: %s", command, code, errs.String())
	}
	if hasJSON && !json.Valid(out.Bytes()) {
		o.Errorf("%v --json printed %s", command, out.String())
	}
	return out.String()
}

// hasJSON reports whether a command has --json. Those of workspaces, people and jobs all
// do.
func (o *operated) hasJSON(command []string) bool {
	o.Helper()
	var c cli
	for _, leaf := range newParser(&c, fileResolver{}, io.Discard, io.Discard).Model.Leaves(false) {
		name := strings.Fields(commandName(leaf))
		last := len(name) - 1
		if len(command) <= last || !slices.Equal(name[:last], command[:last]) || !slices.Contains(append(leaf.Aliases, leaf.Name), command[last]) {
			continue
		}
		has := slices.ContainsFunc(leaf.Flags, func(f *kong.Flag) bool { return f.Name == "json" })
		if !has && slices.Contains([]string{"workspace", "user", "jobs"}, name[0]) {
			o.Errorf("%v has no --json", name)
		}
		return has
	}
	o.Fatalf("there is no command %v", command)
	return false
}

// change runs a command, which must leave an audit line with the action; "" for one that
// only reads and leaves none.
func (o *operated) change(action string, command ...string) {
	o.Helper()
	o.do(command...)
	count := func(list []string) (n int) {
		for _, a := range list {
			if a == action || action == "" {
				n++
			}
		}
		return n
	}
	now := o.actionsNow()
	if left := count(now) > count(o.actions); left != (action != "") {
		o.Errorf("%v: a line %q in the audit log: %t", command, action, left)
	}
	o.actions = now
}

// prepare creates a workspace whose owner has a second step, and three jobs that failed for
// good.
func (o *operated) prepare() (failed []string) {
	o.Helper()
	log := slog.New(slog.DiscardHandler)
	a, err := app.Open(o.Context(), o.config(), log, clock.System{})
	if err != nil {
		o.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	w, _, err := a.Identity.CreateWorkspace(o.Context(), identity.NewWorkspace{
		Slug: "real", Name: "Real", OwnerName: "Owner", OwnerEmail: "owner@real.example", Password: "correct horse battery staple",
	})
	if err != nil {
		o.Fatal(err)
	}
	if err := a.DB.System("test").InTx(o.Context(), func(tx *db.Tx) error {
		return tx.Exec(`UPDATE app_user SET totp_sealed = $1, totp_confirmed_at = $2`, []byte("x"), clock.At(tx.Now()))
	}); err != nil {
		o.Fatal(err)
	}
	r, err := jobs.New(jobs.Config{DB: a.DB, Log: log, Random: func() float64 { return 0 }, Kinds: []jobs.Kind{{
		Name: "test.kind", PerNode: 1, PerTenant: 1, MaxAttempts: 1, Handler: func(context.Context, *jobs.Job) error { return jobs.ErrDrop },
	}}})
	if err != nil {
		o.Fatal(err)
	}
	for range 3 {
		if err := a.DB.Tenant(w.ID).InTx(o.Context(), func(tx *db.Tx) error {
			id, err := jobs.Enqueue(tx, "test.kind", tx.Now(), nil)
			failed = append(failed, id.String())
			return err
		}); err != nil {
			o.Fatal(err)
		}
	}
	for n := 1; n > 0; {
		if n, err = r.Step(o.Context()); err != nil {
			o.Fatal(err)
		}
	}
	return failed
}

// serve starts a server in its own process and waits until it is ready. The returned
// function stops it.
func (o *operated) serve() (base string, stop func()) {
	o.Helper()
	path, err := exec.LookPath("konak")
	if err != nil {
		o.Fatal(err)
	}
	cmd := exec.Command(path, append([]string{"serve", "--limit-account", "100000"}, o.where()...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.Getenv("TMPDIR")}
	for name, value := range kubernetesVariables("KONAK", 80) { // they do not break the start
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	said := &tail{}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		o.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	o.Cleanup(func() { _ = cmd.Process.Kill() })
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if m := panelLine.FindStringSubmatch(said.String()); m != nil {
			base = "http://127.0.0.1:" + m[1]
			if strings.HasPrefix(ask(o.Context(), base+"/readyz"), "ready") {
				break
			}
		}
		select {
		case err := <-ended:
			o.Fatalf("the server ended: %v\n%s", err, said)
		case <-o.Context().Done():
			o.Fatalf("the server was never ready\n%s", said)
		case <-tick.C:
		}
	}
	return base, func() {
		o.Helper()
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			o.Fatal(err)
		}
		if err := <-ended; err != nil {
			o.Fatalf("the server ended: %v\n%s", err, said)
		}
	}
}

// load lets its own workspace write by the API until stop is called, which returns the
// number of contacts created. A refused request is an error.
func (o *operated) load(base string) (stop func() int64) {
	o.Helper()
	var made struct{ Password string }
	if err := json.Unmarshal([]byte(o.do("workspace", "create", "Busy", "--owner-name", "Can", "--owner-email", "can@busy.example")), &made); err != nil {
		o.Fatal(err)
	}
	ctx, cancel := context.WithCancel(o.Context())
	cookies := o.signIn(base, "can@busy.example", made.Password)
	var n atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			status, _, err := post(ctx, base+"/api/crm/v1/contacts", cookies, fmt.Sprintf(`{"name": "Contact %d"}`, n.Load()))
			if ctx.Err() != nil {
				return
			}
			if err != nil || status != http.StatusCreated {
				o.Errorf("after %d contacts: %d, %v", n.Load(), status, err)
				return
			}
			n.Add(1)
		}
	}()
	return func() int64 {
		cancel()
		<-done
		return n.Load()
	}
}

// signIn returns the cookies of a session.
func (o *operated) signIn(base, email, password string) []*http.Cookie {
	o.Helper()
	status, cookies, err := post(o.Context(), base+"/api/v1/auth/sign-in", nil, fmt.Sprintf(`{"email": %q, "password": %q}`, email, password))
	if err != nil || status != http.StatusOK {
		o.Fatalf("%s cannot sign in: %d, %v", email, status, err)
	}
	return cookies
}

// post sends JSON.
func post(ctx context.Context, address string, cookies []*http.Cookie, body string) (int, []*http.Cookie, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	for _, c := range cookies {
		req.AddCookie(c)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode, resp.Cookies(), err
}

// Every operator's command works while a server writes, on both databases, and prints JSON;
// each that changes something leaves a line in the audit log.
func TestOperatorCommandsWhileServerRuns(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			o := &operated{T: t, data: filepath.Join(dir, "data")}
			if dialect == db.Postgres {
				o.db = pgtest.NewDatabase(t, "").Owner
			}
			failed := o.prepare()
			base, stopServer := o.serve()
			stopLoad := o.load(base)
			o.actions = o.actionsNow()
			known := append(o.operate(dir, failed), unaudited...)
			if o.db != "" {
				o.secondNode()
			}
			if n := stopLoad(); n == 0 {
				t.Error("the server wrote nothing meanwhile")
			}
			stopServer()
			o.change("master_key.changed_by_operator", "key", "rotate")
			known = append(known, "key rotate")
			var c cli
			for _, leaf := range newParser(&c, fileResolver{}, os.Stdout, os.Stderr).Model.Leaves(false) {
				if name := commandName(leaf); !slices.Contains(known, name) {
					t.Errorf("konak %s: say whether it changes something, and look at its line", name)
				}
			}
		})
	}
}

// operate runs the commands and returns their names.
func (o *operated) operate(dir string, failed []string) (known []string) {
	o.Helper()
	corpus, archive := filepath.Join(dir, "corpus.jsonl"), filepath.Join(dir, "real.tar")
	script, err := os.ReadFile("testdata/script/advisor.txtar")
	if err != nil {
		o.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(script), "-- corpus.jsonl --\n")
	provisions, _, _ := strings.Cut(rest, "-- ")
	if err := os.WriteFile(corpus, []byte(provisions), 0o600); err != nil {
		o.Fatal(err)
	}
	for _, s := range []struct {
		action  string // "" for a command that only looks
		command []string
		args    []string
	}{
		{"workspace.created", []string{"workspace", "create"}, []string{"Second", "--owner-name", "Ada", "--owner-email", "ada@real.example"}},
		{"", []string{"workspace", "list"}, nil},
		{"", []string{"workspace", "show"}, []string{"real"}},
		{"storage.quota_set_by_operator", []string{"workspace", "storage"}, []string{"real", "--quota", "1GiB"}},
		{"workspace.licensed", []string{"workspace", "licences"}, []string{"real", "crm"}},
		{"", []string{"workspace", "licences"}, []string{"real"}},
		{"wallet.adjusted", []string{"workspace", "credit"}, []string{"real", "--add", "5"}},
		{"", []string{"user", "list"}, nil},
		{"member.added_by_operator", []string{"user", "grant"}, []string{"ada@real.example", "real", "agent"}},
		{"member.changed", []string{"user", "grant"}, []string{"ada@real.example", "real", "admin"}},
		{"two_factor.reset_by_operator", []string{"user", "reset-2fa"}, []string{"owner@real.example"}},
		{"password.reset_by_operator", []string{"user", "reset-password"}, []string{"owner@real.example"}},
		{"sessions.ended_by_operator", []string{"user", "end-sessions"}, []string{"owner@real.example"}},
		{"", []string{"jobs", "list"}, nil},
		{"job.retried_by_operator", []string{"jobs", "retry"}, failed[:1]},
		{"job.deleted_by_operator", []string{"jobs", "delete"}, failed[1:2]},
		{"job.deleted_by_operator", []string{"jobs", "drop"}, failed[2:]},
		{"", []string{"mail", "outbox"}, nil},
		{"", []string{"audit"}, nil},
		{"corpus.imported", []string{"advisor", "import"}, []string{corpus}},
		{"workspace.suspended_by_operator", []string{"workspace", "suspend"}, []string{"real"}},
		{"workspace.exported_by_operator", []string{"workspace", "export"}, []string{"real", archive}},
		{"workspace.deleted_by_operator", []string{"workspace", "delete"}, []string{"real", "--confirm", "Real"}},
		{"workspace.imported_by_operator", []string{"workspace", "import"}, []string{archive}},
		{"workspace.resumed_by_operator", []string{"workspace", "resume"}, []string{"real"}},
	} {
		if s.action == "workspace.imported_by_operator" {
			code, text := runOn(append([]string{"workspace", "import", archive, "--slug", "mail"}, o.where()...)...)
			if code != 1 || !strings.Contains(text, `"mail" is reserved by the installation; --slug NAME`) {
				o.Errorf("a reserved short name ended with %d: %s", code, text)
			}
		}
		known = append(known, strings.Join(s.command, " "))
		o.change(s.action, slices.Concat(s.command, s.args)...)
	}
	return known
}

// secondNode starts another node on the database, with the key but its own files: it is
// refused before it greets anybody.
func (o *operated) secondNode() {
	o.Helper()
	key, err := os.ReadFile(filepath.Join(o.data, "master.key"))
	if err != nil {
		o.Fatal(err)
	}
	second := &operated{T: o.T, data: filepath.Join(filepath.Dir(o.data), "second"), db: o.db}
	code, text := runOn(append([]string{"serve", "--master-key", strings.TrimSpace(string(key))}, second.where()...)...)
	if code != 1 || !strings.Contains(text, "another node serves this database and keeps its files elsewhere") {
		o.Errorf("a second node with other files ended with %d: %s", code, text)
	}
	for _, greeting := range []string{"is running", "first-owner", "Panel"} {
		if strings.Contains(text, greeting) {
			o.Errorf("a node that is refused greets with %q: %s", greeting, text)
		}
	}
}

// commandName returns the name that is typed for a command.
func commandName(n *kong.Node) string {
	if n.Parent == nil || n.Parent.Type == kong.ApplicationNode {
		return n.Name
	}
	return commandName(n.Parent) + " " + n.Name
}
