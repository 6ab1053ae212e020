package archtest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestRules checks this repository against its rules.
func TestRules(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	faults, err := check(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, fault := range faults[r.name] {
				t.Error(fault)
			}
		})
	}
}

// TestTreeIsRead guards against a check that passes because it saw nothing.
func TestTreeIsRead(t *testing.T) {
	t.Parallel()
	files, err := readTree(os.DirFS(filepath.Join("..", "..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"internal/kit/archtest/rules.go", "internal/kit/archtest/archtest_test.go"} {
		if !slices.ContainsFunc(files, func(f *file) bool { return f.path == want && f.syntax != nil }) {
			t.Errorf("%s was not read", want)
		}
	}
}

// A fixture is a small tree: the content of one file, and the one fault that a rule must
// find in it. An empty fault means that no rule may find anything.
type fixture struct {
	name, path, text string
	rule, fault      string
}

func source(imports ...string) string {
	return "package x\n\nimport (\n\t\"" + strings.Join(imports, "\"\n\t\"") + "\"\n)\n"
}

var fixtures = []fixture{
	{
		name: "a store writes the outbox", path: "internal/mail/store.go",
		text: "package mail\n\nconst q = `INSERT INTO outbox (id) VALUES ($1)`\n",
		rule: "tables have owners", fault: "writes outbox, which belongs to internal/kit/event",
	},
	{
		name: "an unlisted reason to cross tenants", path: "internal/mail/service.go",
		text: "package mail\n\nfunc f(d db) { d.System(\"because\") }\n",
		rule: "few reasons to cross tenants", fault: `crosses tenants for "because"`,
	},
	{
		name: "a transaction inside a transaction", path: "internal/mail/service.go",
		text: "package mail\n\nfunc f(h db.Handle) {\n\th.InTx(ctx, func(tx *db.Tx) error {\n\t\treturn h.InTx(ctx, func(tx *db.Tx) error { return nil })\n\t})\n}\n",
		rule: "no transaction inside a transaction", fault: "service.go:5: a transaction inside",
	},
	{
		name: "a transaction with a result inside a transaction", path: "internal/mail/service.go",
		text: "package mail\n\nfunc f(h db.Handle) {\n\tdb.Write(ctx, h, func(tx *db.Tx) (int, error) {\n\t\treturn db.Write(ctx, h, func(tx *db.Tx) (int, error) { return 0, nil })\n\t})\n}\n",
		rule: "no transaction inside a transaction", fault: "service.go:5: a transaction inside",
	},
	{
		name: "a read beside its transaction", path: "internal/mail/service.go",
		text: "package mail\n\nfunc f(h db.Handle) {\n\th.InTx(ctx, func(tx *db.Tx) error {\n\t\tdb.Read(ctx, h, func(r *db.Reader) (int, error) { return 0, nil })\n\t\treturn nil\n\t})\n}\n",
		rule: "no transaction inside a transaction", fault: "service.go:5: a transaction inside",
	},
	{
		name: "kit imports a module", path: "internal/kit/db/db.go", text: source("konak/internal/identity"),
		rule: "imports run one way", fault: "kit may not import identity",
	},
	{
		name: "a test of the kit imports a module", path: "internal/kit/db/db_test.go", text: source("konak/internal/identity"),
		rule: "imports run one way", fault: "kit may not import identity",
	},
	{
		name: "kit imports app", path: "internal/kit/api/api.go", text: source("konak/internal/app"),
		rule: "imports run one way", fault: "kit may not import app",
	},
	{
		name: "a module imports another", path: "internal/mail/service.go", text: source("konak/internal/webhook"),
		rule: "imports run one way", fault: "module mail may not import module webhook",
	},
	{
		name: "a package below a module imports another module", path: "internal/advisor/index/build.go", text: source("konak/internal/crm/contact"),
		rule: "imports run one way", fault: "module advisor may not import module crm",
	},
	{
		name: "a module imports app", path: "internal/mail/service.go", text: source("konak/internal/app"),
		rule: "imports run one way", fault: "mail may not import app",
	},
	{
		name: "a module imports a provider", path: "internal/crm/channel/service.go", text: source("konak/internal/provider/chat"),
		rule: "imports run one way", fault: "crm/channel may not import provider/chat",
	},
	{
		name: "crm runs backwards", path: "internal/crm/contact/service.go", text: source("konak/internal/crm/conversation"),
		rule: "imports run one way", fault: "crm/contact may not import crm/conversation",
	},
	{
		name: "crm runs sideways", path: "internal/crm/telephony/service.go", text: source("konak/internal/crm/channel"),
		rule: "imports run one way", fault: "crm/telephony may not import crm/channel",
	},
	{
		name: "telephony makes an exchange", path: "internal/crm/telephony/service.go", text: source("konak/internal/exchange/sipexchange"),
		rule: "imports run one way", fault: "module crm may not import module exchange",
	},
	{
		name: "another than telephony knows the exchange", path: "internal/crm/channel/service.go", text: source("konak/internal/exchange"),
		rule: "imports run one way", fault: "module crm may not import module exchange",
	},
	{
		name: "a store imports the gate", path: "internal/crm/conversation/file/service.go", text: source("konak/internal/crm/conversation"),
		rule: "imports run one way", fault: "crm/conversation/file may not import crm/conversation",
	},
	{
		name: "the gate imports what stands on it", path: "internal/crm/conversation/gate.go", text: source("konak/internal/crm/conversation/inbound"),
		rule: "imports run one way", fault: "crm/conversation may not import crm/conversation/inbound",
	},
	{
		name: "an unknown package of crm", path: "internal/crm/lobby/service.go", text: source("konak/internal/crm/contact"),
		rule: "imports run one way", fault: "crm's package lobby has no place",
	},
	{
		name: "the product imports a tool", path: "internal/app/app.go", text: source("konak/internal/tools/withpostgres"),
		rule: "imports run one way", fault: "app may not import tools",
	},
	{
		name: "a provider knows two modules", path: "internal/provider/chat/client.go",
		text: source("konak/internal/crm/channel", "konak/internal/mail"),
		rule: "only app and cmd know several modules", fault: "imports the modules crm, mail",
	},
	{
		name: "a service opens a database", path: "internal/mail/service.go", text: source("database/sql"),
		rule: "SQL stays in stores", fault: "service.go:4: imports database/sql",
	},
	{
		name: "app uses a driver", path: "internal/app/app.go", text: source("github.com/jackc/pgx/v5/stdlib"),
		rule: "SQL stays in stores", fault: "imports github.com/jackc/pgx/v5/stdlib",
	},
	{
		name: "a service holds a statement", path: "internal/mail/service.go",
		text: "package mail\n\nconst all = `\n\tSELECT id\n\tFROM domain`\n",
		rule: "SQL stays in stores", fault: "service.go:3: SQL",
	},
	{
		name: "a service holds a small statement", path: "internal/mail/service.go",
		text: "package mail\n\nconst all = \"update domain set x = $1\"\n",
		rule: "SQL stays in stores", fault: "service.go:3: SQL",
	},
	{
		name: "a service speaks HTTP", path: "internal/mail/service.go", text: source("net/http"),
		rule: "HTTP stays in api files", fault: "imports net/http",
	},
	{
		name: "a domain type speaks huma", path: "internal/mail/domain.go", text: source("github.com/danielgtaylor/huma/v2"),
		rule: "HTTP stays in api files", fault: "imports github.com/danielgtaylor/huma/v2",
	},
	{
		name: "a test sleeps", path: "internal/mail/mail_test.go",
		text: source("time") + "\nfunc f() { time.Sleep(1) }\n",
		rule: "no sleeping", fault: "mail_test.go:7: time.Sleep",
	},
	{
		name: "a renamed sleep", path: "internal/mail/mail.go",
		text: "package mail\n\nimport clock \"time\"\n\nvar nap = clock.Sleep\n",
		rule: "no sleeping", fault: "mail.go:5: time.Sleep",
	},
	{
		name: "a dot import hides names", path: "internal/mail/mail_test.go",
		text: "package mail\n\nimport . \"time\"\n\nfunc f() { Sleep(1) }\n",
		rule: "no sleeping", fault: "mail_test.go:3",
	},
	{
		name: "registration by init", path: "internal/provider/chat/chat.go", text: "package chat\n\nfunc init() {}\n",
		rule: "no init functions", fault: "chat.go:3: func init",
	},
	{
		name: "a module reads the clock", path: "internal/mail/service.go",
		text: source("time") + "\nfunc f() time.Time { return time.Now() }\n",
		rule: "time and ids come from kit/clock", fault: "service.go:7: reads the real clock",
	},
	{
		name: "a module makes an id", path: "internal/mail/service.go",
		text: source("github.com/google/uuid") + "\nvar id = uuid.Must(uuid.NewV7())\n",
		rule: "time and ids come from kit/clock", fault: "service.go:7: makes an id",
	},
	{
		name: "a long file", path: "internal/mail/service.go", text: "package mail\n" + strings.Repeat("\n", longestFile),
		rule: "files stay short", fault: "501 lines",
	},
	{
		name: "a long screen", path: "web/src/inbox.tsx", text: strings.Repeat("\n", longestFile+1),
		rule: "files stay short", fault: "501 lines",
	},

	{
		name: "a long test", path: "internal/mail/service_test.go", text: "package mail\n" + strings.Repeat("\n", longestTest),
		rule: "files stay short", fault: "701 lines",
	},
	{
		name: "a part writes the heart's table", path: "internal/identity/signin/store.go",
		text: "package signin\n\nconst q = `UPDATE app_user SET name = $1`\n",
		rule: "tables have owners", fault: "store.go:3: writes app_user, which belongs to internal/identity",
	},
	{
		name: "a reader writes", path: "internal/webhook/store.go",
		text: "package webhook\n\nconst q = `DELETE FROM tenant WHERE id = $1`\n",
		rule: "tables have owners", fault: "writes tenant",
	},
	{
		name: "a module reads another's table", path: "internal/mail/store.go",
		text: "package mail\n\nconst q = `SELECT d.id FROM dlp_exception d JOIN contact c ON c.id = d.id`\n",
		rule: "tables have owners", fault: "reads contact, which belongs to internal/crm/contact",
	},
	{
		name: "the heart imports a part", path: "internal/identity/service.go", text: source("konak/internal/identity/oauth"),
		rule: "identity runs one way", fault: "identity/ may not import identity/oauth",
	},

	{name: "a listed reader", path: "internal/webhook/store.go", text: "package webhook\n\nconst q = `SELECT slug FROM tenant WHERE id = $1`\n"},
	{name: "a part imports the heart", path: "internal/identity/signin/service.go", text: source("konak/internal/identity", "konak/internal/identity/captcha")},
	{name: "a transaction after a commit", path: "internal/mail/service.go", text: "package mail\n\nfunc f(h db.Handle) {\n" +
		"\th.InTx(ctx, func(tx *db.Tx) error {\n\t\ttx.AfterCommit(func() { h.InTx(ctx, func(tx *db.Tx) error { return nil }) })\n\t\treturn nil\n\t})\n}\n"},
	{name: "app wires all", path: "internal/app/app.go", text: source(
		"net/http", "konak/internal/identity", "konak/internal/mail", "konak/internal/crm/channel",
		"konak/internal/provider/chat", "konak/internal/sandbox/chat", "konak/migrations", "konak/web")},
	{name: "the program", path: "cmd/konak/main.go", text: source("time", "konak/internal/app") + "\nvar start = time.Now()\n"},
	{name: "crm runs forward", path: "internal/crm/channel/service.go", text: source(
		"konak/internal/crm/conversation", "konak/internal/crm/contact", "konak/internal/crm/agent", "konak/internal/kit/db")},
	{name: "below one module", path: "internal/advisor/service.go", text: source("konak/internal/advisor/index")},
	{name: "a store", path: "internal/mail/store_domain.go", text: source("database/sql") + "\nconst q = `DELETE FROM domain`\n"},
	{name: "routes", path: "internal/mail/api_domain.go", text: source("net/http", "github.com/danielgtaylor/huma/v2")},
	{name: "a sentence", path: "internal/mail/text.go", text: "package mail\n\nconst help = \"Select a channel from the list where you like\"\n"},
	{name: "a test uses a sandbox", path: "internal/crm/channel/channel_test.go", text: source("net/http", "time",
		"konak/internal/sandbox/chat", "konak/internal/identity") + "\nvar now = time.Now()\n"},
	{name: "the clock", path: "internal/kit/clock/clock.go", text: source("time") + "\nvar now = time.Now\n"},
	{name: "a name of its own", path: "internal/mail/mail.go", text: "package mail\n\nvar time struct{ Sleep int }\n\nvar _ = time.Sleep\n"},
	{name: "a method named init", path: "internal/mail/mail.go", text: "package mail\n\ntype t int\n\nfunc (t) init() {}\n"},
	{name: "generated", path: "web/src/api/schema.gen.ts", text: strings.Repeat("\n", longestFile+1)},
	{name: "somebody else's", path: "web/node_modules/x/x.ts", text: strings.Repeat("\n", longestFile+1)},
}

func TestRulesOnFixtures(t *testing.T) {
	t.Parallel()
	for _, fx := range fixtures {
		t.Run(fx.name, func(t *testing.T) {
			t.Parallel()
			faults, err := check(fstest.MapFS{fx.path: {Data: []byte(fx.text)}})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rules {
				got := strings.Join(faults[r.name], "\n")
				switch {
				case r.name != fx.rule && got != "":
					t.Errorf("%s: unexpected %s", r.name, got)
				case r.name == fx.rule && !strings.Contains(got, fx.fault):
					t.Errorf("%s: got %q, want %q", r.name, got, fx.fault)
				}
			}
		})
	}
}

// A package that is too large is one fault, whatever the size of its files.
func TestSmallPackages(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{}
	for i := range 11 {
		tree[fmt.Sprintf("internal/mail/store_%d.go", i)] = &fstest.MapFile{Data: []byte("package mail\n" + strings.Repeat("\n", longestFile-1))}
		tree[fmt.Sprintf("internal/mail/store_%d_test.go", i)] = &fstest.MapFile{Data: []byte("package mail\n" + strings.Repeat("\n", longestFile-1))}
	}
	faults, err := check(tree)
	if err != nil {
		t.Fatal(err)
	}
	if got := faults["packages stay small"]; len(got) != 1 || !strings.Contains(got[0], "internal/mail: 5500 lines") {
		t.Errorf("got %q", got)
	}
	delete(tree, "internal/mail/store_0.go")
	if faults, err = check(tree); err != nil || len(faults["packages stay small"]) != 0 {
		t.Errorf("a package of 5000 lines: %v, %v", faults["packages stay small"], err)
	}
}

// TestEveryTableHasAnOwner compares the lists of tables with the migrations.
func TestEveryTableHasAnOwner(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "..", "..", "migrations")
	names, err := filepath.Glob(filepath.Join(folder, "*.sql"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	created := map[string]bool{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`CREATE TABLE (\w+)`).FindAllStringSubmatch(string(text), -1) {
			created[m[1]] = true
			if ownerOf(m[1]) == "" {
				t.Errorf("%s has no owner in tableOwners", m[1])
			}
		}
	}
	seen := map[string]bool{}
	for owner, tables := range tableOwners {
		for _, table := range tables {
			if !created[table] {
				t.Errorf("%s of %s is no table", table, owner)
			}
			if seen[table] {
				t.Errorf("%s has two owners", table)
			}
			seen[table] = true
		}
	}
	for table := range tableReaders {
		if !created[table] {
			t.Errorf("%s in tableReaders is no table", table)
		}
	}
}

// TestEveryRuleHasAFixture fails for a rule that no fixture proves able to fail.
func TestEveryRuleHasAFixture(t *testing.T) {
	t.Parallel()
	for _, r := range rules {
		if r.checkAll == nil && !slices.ContainsFunc(fixtures, func(fx fixture) bool { return fx.rule == r.name }) {
			t.Errorf("%q has no fixture", r.name)
		}
	}
	for _, fx := range fixtures {
		if fx.rule != "" && !slices.ContainsFunc(rules, func(r rule) bool { return r.name == fx.rule }) {
			t.Errorf("fixture %q names no rule: %q", fx.name, fx.rule)
		}
	}
}

func TestOtherModulesAreNotRead(t *testing.T) {
	t.Parallel()
	faults, err := check(fstest.MapFS{
		"go.mod":             {Data: []byte("module konak\n")},
		"tools/go.mod":       {Data: []byte("module tools\n")},
		"tools/x.go":         {Data: []byte("package x\n\nfunc init() {}\n")},
		"web/testdata/a.go":  {Data: []byte("no Go at all")},
		"internal/kit/x.go":  {Data: []byte("package kit\n")},
		".hidden/x.go":       {Data: []byte("no Go at all")},
		"internal/_old/x.go": {Data: []byte("no Go at all")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, found := range faults {
		if len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
	if _, err := check(fstest.MapFS{"a.go": {Data: []byte("no Go at all")}}); err == nil {
		t.Error("a file that does not parse passes")
	}
}
