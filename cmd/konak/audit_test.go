package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"konak/internal/app"
	"konak/internal/identity"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// unaudited are the commands that change no record, or of which the log of a database
// cannot tell: they make it, bring it up to date or fill it.
var unaudited = []string{
	"serve", "migrate", "backup make", "backup verify", "restore", "doctor", "health", "config", "openapi", "webhooks listen", "mail outbox",
	"jobs list", "workspace list", "workspace show", "user list", "audit", "version",
	"move", // TestMoveDatabase looks at its line, which is in the new database
}

// operated is an installation that operators' commands change.
type operated struct {
	*testing.T
	data    string
	actions []string // of the audit log until now
}

// actionsNow reads the audit log of all workspaces and of the installation.
func (o *operated) actionsNow() []string {
	o.Helper()
	d, err := db.Open(o.Context(), db.Options{URL: "sqlite:" + filepath.Join(o.data, "konak.db")})
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

// change runs a command, which must leave a line with the action.
func (o *operated) change(action string, command ...string) {
	o.Helper()
	if code, text := runOn(append(command, "--data", o.data)...); code != 0 {
		o.Fatalf("%v ended with %d: %s", command, code, text)
	}
	count := func(list []string) (n int) {
		for _, a := range list {
			if a == action {
				n++
			}
		}
		return n
	}
	now := o.actionsNow()
	if count(now) == count(o.actions) {
		o.Errorf("%v left no line %s in the audit log", command, action)
	}
	o.actions = now
}

// prepare makes a workspace whose owner has a second step, and two jobs that failed for good.
func (o *operated) prepare() (failed []string) {
	o.Helper()
	log := slog.New(slog.DiscardHandler)
	a, err := app.Open(o.Context(), app.Config{Data: o.data, Listen: "127.0.0.1:0", Domain: "localhost"}, log, clock.System{})
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
		_, err := tx.Exec(`UPDATE app_user SET totp_sealed = $1, totp_confirmed_at = $2`, []byte("x"), clock.At(tx.Now()))
		return err
	}); err != nil {
		o.Fatal(err)
	}
	r, err := jobs.New(jobs.Config{DB: a.DB, Log: log, Random: func() float64 { return 0 }, Kinds: []jobs.Kind{{
		Name: "test.kind", PerNode: 1, PerTenant: 1, MaxAttempts: 1, Handler: func(context.Context, *jobs.Job) error { return jobs.ErrDrop },
	}}})
	if err != nil {
		o.Fatal(err)
	}
	for range 2 {
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

// Every command by which an operator changes something leaves a line in the audit log.
func TestOperatorsCommandsLeaveALine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := &operated{T: t, data: filepath.Join(dir, "data")}
	failed := o.prepare()
	corpus, archive := filepath.Join(dir, "corpus.jsonl"), filepath.Join(dir, "real.tar")
	script, err := os.ReadFile("testdata/script/advisor.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(script), "-- corpus.jsonl --\n")
	provisions, _, _ := strings.Cut(rest, "-- ")
	if err := os.WriteFile(corpus, []byte(provisions), 0o600); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		action  string
		command []string
		args    []string
	}{
		{"workspace.created", []string{"workspace", "create"}, []string{"Second", "--owner-name", "Ada", "--owner-email", "ada@real.example"}},
		{"storage.quota_set_by_operator", []string{"workspace", "storage"}, []string{"real", "--quota", "1GiB"}},
		{"workspace.licensed", []string{"workspace", "licences"}, []string{"real", "crm"}},
		{"wallet.adjusted", []string{"workspace", "credit"}, []string{"real", "--add", "5"}},
		{"member.added_by_operator", []string{"user", "grant"}, []string{"ada@real.example", "real", "agent"}},
		{"two_factor.reset_by_operator", []string{"user", "reset-2fa"}, []string{"owner@real.example"}},
		{"password.reset_by_operator", []string{"user", "reset-password"}, []string{"owner@real.example"}},
		{"sessions.ended_by_operator", []string{"user", "end-sessions"}, []string{"owner@real.example"}},
		{"job.retried_by_operator", []string{"jobs", "retry"}, failed[:1]},
		{"job.deleted_by_operator", []string{"jobs", "delete"}, failed[1:]},
		{"corpus.imported", []string{"advisor", "import"}, []string{corpus}},
		{"master_key.changed_by_operator", []string{"key", "rotate"}, nil},
		{"workspace.suspended_by_operator", []string{"workspace", "suspend"}, []string{"real"}},
		{"workspace.exported_by_operator", []string{"workspace", "export"}, []string{"real", archive}},
		{"workspace.deleted_by_operator", []string{"workspace", "delete"}, []string{"real", "--confirm", "Real"}},
		{"workspace.imported_by_operator", []string{"workspace", "import"}, []string{archive}},
		{"workspace.resumed_by_operator", []string{"workspace", "resume"}, []string{"real"}},
	}
	known := slices.Clone(unaudited)
	for _, s := range steps {
		if s.action == "workspace.imported_by_operator" {
			if code, text := runOn("workspace", "import", archive, "--slug", "mail", "--data", o.data); code != 1 || !strings.Contains(text, `"mail" is the installation's own; --slug NAME`) {
				t.Errorf("a reserved short name ended with %d: %s", code, text)
			}
		}
		known = append(known, strings.Join(s.command, " "))
		o.change(s.action, slices.Concat(s.command, s.args)...)
	}
	var c cli
	for _, leaf := range newParser(&c, fileResolver{}, os.Stdout, os.Stderr).Model.Leaves(false) {
		if name := commandName(leaf); !slices.Contains(known, name) {
			t.Errorf("konak %s: say whether it changes something, and look at its line", name)
		}
	}
}

// commandName is what is typed for a command.
func commandName(n *kong.Node) string {
	if n.Parent == nil || n.Parent.Type == kong.ApplicationNode {
		return n.Name
	}
	return commandName(n.Parent) + " " + n.Name
}
