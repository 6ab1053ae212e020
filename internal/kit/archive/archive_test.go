package archive_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/kit/archive"
	"konak/internal/kit/blob"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

// installation is a database with a file store and keys.
type installation struct {
	archive.Config
	files string
}

var started atomic.Int64

// newInstallation opens an empty installation. If box is nil, it gets its own keys.
func newInstallation(t *testing.T, dialect db.Dialect, box *secret.Box) installation {
	t.Helper()
	// Ids come from the time, and those of two installations must differ.
	d := dbtest.Open(t, dialect, clock.NewFake(dbtest.Start.Add(time.Duration(started.Add(1))*time.Hour)))
	if box == nil {
		master, _ := secret.NewMaster()
		if err := master.RecordKey(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		var err error
		if box, err = master.OpenKeys(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	files := t.TempDir()
	store, err := blob.New(blob.Config{DB: d, Folder: files})
	if err != nil {
		t.Fatal(err)
	}
	return installation{archive.Config{DB: d, Blobs: store, Box: box, Version: "0.1.0", Schema: "schema"}, files}
}

// fill creates a workspace with a person, a file and secrets.
func (i installation) fill(t *testing.T, slug string) archive.Workspace {
	t.Helper()
	w := archive.Workspace{ID: dbtest.Tenant(t, i.DB, slug), Slug: slug, Name: slug}
	b, err := i.Blobs.Put(t.Context(), w.ID, strings.NewReader("the invoice of "+slug), 1000)
	if err != nil {
		t.Fatal(err)
	}
	err = i.DB.Tenant(w.ID).InTx(t.Context(), func(tx *db.Tx) error {
		user, member, second := tx.NewID(), tx.NewID(), tx.NewID()
		email := "owner@" + slug + ".example"
		for _, s := range []struct {
			query string
			args  []any
		}{
			{
				`INSERT INTO app_user (id, email, email_key, name, password_hash, password_changed_at, totp_sealed, created_at) VALUES ($1, $2, $2, 'Ayşe', 'hash', 0, $3, 0)`,
				[]any{user, email, i.Box.Seal(uuid.Nil, user.String(), []byte("seed"))},
			},
			{`INSERT INTO recovery_code (user_id, code_hash) VALUES ($1, $2)`, []any{user, []byte("code")}},
			{`INSERT INTO membership (tenant_id, id, user_id, role, state, created_at) VALUES ($1, $2, $3, 'owner', 'active', 0)`, []any{w.ID, member, user}},
			{`INSERT INTO membership (tenant_id, id, email, email_key, role, state, created_at) VALUES ($1, $2, 'x@y.example', 'x@y.example', 'agent', 'invited', 0)`, []any{w.ID, tx.NewID()}},
			{`INSERT INTO session (id, tenant_id, membership_id, user_id, family_id, token_hash, kind, device_name, platform, ip, verified_at, last_seen_at, absolute_expires_at, created_at)
				VALUES ($1, $2, $3, $4, $1, $5, 'panel', '', '', '', 0, 0, 0, 0)`, []any{tx.NewID(), w.ID, member, user, []byte("token of " + slug)}},
			{`INSERT INTO privacy_subject_key (tenant_id, subject_ref, sealed) VALUES ($1, 'a', $2)`, []any{w.ID, i.Box.Seal(w.ID, "a", []byte("key"))}},
			{`INSERT INTO privacy_ledger_signature (tenant_id, day, seq, hash, signature) VALUES ($1, 1, 1, 'h', 's')`, []any{w.ID}},
			{
				`INSERT INTO app_user (id, email, email_key, name, password_hash, password_changed_at, created_at) VALUES ($1, $2, $2, 'Ayşe', 'hash', 0, 0)`,
				[]any{second, "second." + email},
			},
			{`INSERT INTO membership (tenant_id, id, user_id, role, state, created_at) VALUES ($1, $2, $2, 'agent', 'removed', 0)`, []any{w.ID, second}},
			// Data from outside that begins like a sealed value, and empty data.
			{`INSERT INTO idempotency (tenant_id, caller_id, key, row_id, request, created_at) VALUES ($1, $1, 'k', '', $2, 0)`, []any{w.ID, []byte("\x93knk\x01\x00\x00\x00\x01forged")}},
			{`INSERT INTO idempotency (tenant_id, caller_id, key, row_id, request, created_at) VALUES ($1, $1, 'l', '', $2, 0)`, []any{w.ID, []byte{}}},
		} {
			if err := tx.Exec(s.query, s.args...); err != nil {
				return err
			}
		}
		for n := range 250 { // more than one insert takes
			if err := tx.Exec(`INSERT INTO mail_suppression (tenant_id, id, address, answer, created_at) VALUES ($1, $2, $3, '', 0)`, w.ID, tx.NewID(), fmt.Sprint(n)); err != nil {
				return err
			}
		}
		if _, err := jobs.Enqueue(tx, "test.kind", tx.Now(), map[string]any{"sealed": i.Box.Seal(w.ID, "job", []byte("token")), "text": "<ğ> \u2028"}); err != nil {
			return err
		}
		return blob.Hold(tx, b.ID)
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// export writes a workspace into a new file and returns its path.
func (i installation) export(t *testing.T, w archive.Workspace, name string, to ...age.Recipient) (string, archive.Summary) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	s, err := archive.Export(t.Context(), i.Config, w, path, to)
	if err != nil {
		t.Fatal(err)
	}
	return path, s
}

// wantEmpty fails the test if anything of a workspace is in the database or the files.
func (i installation) wantEmpty(t *testing.T, w archive.Workspace) {
	t.Helper()
	counts := []string{`(SELECT count(*) FROM tenant WHERE id = $1)`, `(SELECT count(*) FROM app_user WHERE name = 'Ayşe')`}
	for _, table := range []string{"membership", "job", "blob", "storage", "privacy_subject_key", "idempotency", "audit_log"} {
		counts = append(counts, `(SELECT count(*) FROM `+table+` WHERE tenant_id = $1)`)
	}
	n, err := db.Read(t.Context(), i.DB.System("test"), func(r *db.Reader) (int, error) {
		return db.One(r, db.Scalar[int], `SELECT `+strings.Join(counts, " + "), w.ID)
	})
	if err != nil || n != 0 {
		t.Errorf("%d rows were written, %v", n, err)
	}
	err = filepath.WalkDir(i.files, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			t.Errorf("a file was written: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// entry is a file of an archive.
type entry struct {
	name string
	typ  byte
	body []byte
}

func unpack(t *testing.T, path string) (out []entry) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for in := tar.NewReader(f); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, entry{h.Name, h.Typeflag, b})
	}
}

// rows returns the rows of an archive, sorted, without the wrapping of sealed values, which
// differs each time, and without the named tables.
func rows(t *testing.T, path string, without ...string) (out []string) {
	t.Helper()
	for _, e := range unpack(t, path) {
		if !strings.HasPrefix(e.name, "tables/") || slices.Contains(without, strings.TrimSuffix(filepath.Base(e.name), ".jsonl")) {
			continue
		}
		for line := range bytes.Lines(e.body) {
			var row map[string]any
			if err := json.Unmarshal(line, &row); err != nil {
				t.Fatal(err)
			}
			for _, column := range []string{"sealed", "totp_sealed"} {
				if s, ok := row[column].(string); ok {
					row[column] = s[92:] // the key of the value, wrapped
				}
			}
			if e.name == "tables/job.jsonl" {
				delete(row, "payload")
			}
			delete(row, "suspended_at")
			b, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, e.name+" "+string(b))
		}
	}
	slices.Sort(out)
	return out
}

// An exported workspace is imported, row for row and file for file, into the same
// installation and into others, whichever database each has. Nothing of another workspace
// is included, and nobody is signed in.
func TestExportAndImport(t *testing.T) {
	t.Parallel()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	keyFile := filepath.Join(t.TempDir(), "key.txt")
	if err := os.WriteFile(keyFile, []byte(identity.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, from := range []db.Dialect{db.SQLite, db.Postgres} {
		for _, to := range []db.Dialect{db.SQLite, db.Postgres} {
			for _, elsewhere := range []bool{false, true} {
				if elsewhere && from == to {
					continue // like the others, and it is slow
				}
				name := string(from) + " to " + string(to)
				if elsewhere {
					name += " elsewhere"
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					src := newInstallation(t, from, nil)
					other := src.fill(t, "other")
					w := src.fill(t, "mine")
					plain, s := src.export(t, w, "mine.tar")
					if s.Files != 1 || s.Secrets != 3 || s.Rows < 10 || s.Workspace != w {
						t.Errorf("exported %+v", s)
					}
					for _, e := range unpack(t, plain) {
						if bytes.Contains(e.body, []byte(other.ID.String())) || bytes.Contains(e.body, []byte("other")) {
							t.Errorf("%s holds something of another workspace", e.name)
						}
						if strings.Contains(e.name, "session") {
							t.Error("sessions are in the archive")
						}
					}
					dst, path := newInstallation(t, to, src.Box), plain
					var without []string
					if elsewhere {
						path, _ = src.export(t, w, "mine.tar.age", identity.Recipient())
						dst = newInstallation(t, to, nil)
						without = []string{"recovery_code", "privacy_ledger_signature"}
						if b, err := os.ReadFile(path); err != nil || bytes.Contains(b, []byte("mine.example")) {
							t.Errorf("the encrypted archive can be read, %v", err)
						}
						if _, err := archive.Import(t.Context(), dst.Config, plain, ""); !errors.Is(err, archive.ErrOtherInstallation) {
							t.Errorf("an archive without its secrets: %v", err)
						}
						dst.wantEmpty(t, w)
					}
					got, err := archive.Import(t.Context(), dst.Config, path, keyFile)
					if err != nil {
						t.Fatal(err)
					}
					if got.People != 2 || got.Joined != 0 || got.Elsewhere != elsewhere || got.Files != 1 {
						t.Errorf("imported %+v", got)
					}
					again, _ := dst.export(t, w, "again.tar")
					without = append(without, "audit_log")
					if diff := cmp.Diff(rows(t, plain, without...), rows(t, again, without...)); diff != "" {
						t.Errorf("what was imported is not what was exported:\n%s", diff)
					}
					for _, name := range []string{"recovery_code", "privacy_ledger_signature"} {
						kept := slices.ContainsFunc(rows(t, again), func(row string) bool { return strings.HasPrefix(row, "tables/"+name) })
						if kept == elsewhere {
							t.Errorf("%s came along: %v", name, kept)
						}
					}
					dst.wantSecrets(t, w)
					if _, err := archive.Import(t.Context(), dst.Config, path, keyFile); !errors.Is(err, archive.ErrTaken) {
						t.Errorf("a second time: %v", err)
					}
				})
			}
		}
	}
}

// wantSecrets fails the test if a secret of fill cannot be opened, the file is different,
// the workspace is not suspended, or the audit log does not record the import.
func (i installation) wantSecrets(t *testing.T, w archive.Workspace) {
	t.Helper()
	var user, file uuid.UUID
	var totp, subject, payload []byte
	err := i.DB.Tenant(w.ID).Read(t.Context(), func(r *db.Reader) error {
		read := func(query string, into ...any) error {
			_, err := db.One(r, func(row db.Row) (struct{}, error) { return struct{}{}, row.Scan(into...) }, query, w.ID)
			return err
		}
		var n int64
		return errors.Join(
			read(`SELECT u.id, u.totp_sealed FROM app_user u JOIN membership m ON m.user_id = u.id WHERE m.tenant_id = $1 AND m.state = 'active'`, &user, &totp),
			read(`SELECT sealed FROM privacy_subject_key WHERE tenant_id = $1`, &subject),
			read(`SELECT payload FROM job WHERE tenant_id = $1`, &payload),
			read(`SELECT id FROM blob WHERE tenant_id = $1`, &file),
			read(`SELECT suspended_at FROM tenant WHERE id = $1`, &n),
			read(`SELECT 1 FROM audit_log WHERE tenant_id = $1 AND action = 'workspace.imported_by_operator'`, &n),
			read(`SELECT 1 FROM audit_log WHERE tenant_id = $1 AND action = 'workspace.exported_by_operator'`, &n),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	var job struct{ Sealed []byte }
	if err := json.Unmarshal(payload, &job); err != nil {
		t.Fatal(err)
	}
	for _, s := range []struct {
		tenant       uuid.UUID
		place, plain string
		sealed       []byte
	}{{uuid.Nil, user.String(), "seed", totp}, {w.ID, "a", "key", subject}, {w.ID, "job", "token", job.Sealed}} {
		if plain, err := i.Box.Open(s.tenant, s.place, s.sealed); err != nil || string(plain) != s.plain {
			t.Errorf("%s opens as %q, %v", s.place, plain, err)
		}
	}
	f, err := i.Blobs.Open(t.Context(), w.ID, file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if b, err := io.ReadAll(f); err != nil || string(b) != "the invoice of "+w.Slug {
		t.Errorf("the file is %q, %v", b, err)
	}
}

// People who have an account here become members of the workspace with it, and keep their
// password and second factor.
func TestExistingAccountsBecomeMembers(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		src := newInstallation(t, db.SQLite, nil)
		w := src.fill(t, "mine")
		path, _ := src.export(t, w, "mine.tar")
		dst := newInstallation(t, d.Dialect(), src.Box)
		here := uuid.New()
		err := dst.DB.System("test").InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`INSERT INTO app_user (id, email, email_key, name, password_hash, password_changed_at, created_at)
				VALUES ($1, 'owner@mine.example', 'owner@mine.example', 'Here', 'own', 0, 0)`, here)
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := archive.Import(t.Context(), dst.Config, path, "")
		if err != nil || got.Joined != 1 || got.People != 1 {
			t.Fatalf("%+v, %v", got, err)
		}
		type person struct {
			ID           uuid.UUID
			Name, Hash   string
			TOTP         []byte
			Codes, Total int
		}
		p, err := db.Read(t.Context(), dst.DB.System("test"), func(r *db.Reader) (person, error) {
			return db.One(r, func(row db.Row) (p person, err error) {
				err = row.Scan(&p.ID, &p.Name, &p.Hash, &p.TOTP, &p.Codes, &p.Total)
				return p, err
			}, `SELECT u.id, u.name, u.password_hash, u.totp_sealed, (SELECT count(*) FROM recovery_code), (SELECT count(*) FROM app_user)
				FROM app_user u JOIN membership m ON m.user_id = u.id WHERE m.tenant_id = $1 AND m.state = 'active'`, w.ID)
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(person{ID: here, Name: "Here", Hash: "own", Total: 2}, p); diff != "" {
			t.Error(diff)
		}
	})
}
