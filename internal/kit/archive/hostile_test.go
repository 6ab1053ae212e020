package archive_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/archive"
	"konak/internal/kit/db"
)

// pack writes an archive of files. If honest is set, its manifest is corrected to match
// them.
func pack(t *testing.T, entries []entry, honest bool) string {
	t.Helper()
	if honest {
		correctManifest(t, entries)
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.typ, Size: int64(len(e.body)), Mode: 0o600}
		if e.typ != tar.TypeReg {
			h.Size, h.Linkname, e.body = 0, "/etc/passwd", nil
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(e.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "hostile.tar")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// correctManifest makes the manifest match the other files.
func correctManifest(t *testing.T, entries []entry) {
	t.Helper()
	last := &entries[len(entries)-1]
	var m map[string]any
	if err := json.Unmarshal(last.body, &m); err != nil {
		t.Fatal(err)
	}
	var tables []map[string]any
	rows, files, size := 0, 0, 0
	for _, e := range entries {
		if name, ok := strings.CutPrefix(e.name, "tables/"); ok {
			sum := sha256.Sum256(e.body)
			n := bytes.Count(e.body, []byte("\n"))
			tables = append(tables, map[string]any{"name": strings.TrimSuffix(name, ".jsonl"), "rows": n, "sha256": hex.EncodeToString(sum[:])})
			rows += n
		}
		if strings.HasPrefix(e.name, "files/") {
			files, size = files+1, size+len(e.body)
		}
	}
	m["tables"], m["rows"], m["files"], m["bytes"] = tables, rows, files, size
	var err error
	if last.body, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
}

// change replaces text in one file of an archive.
func change(entries []entry, name, old, replacement string) []entry {
	for i := range entries {
		if entries[i].name == name {
			if !bytes.Contains(entries[i].body, []byte(old)) {
				panic(name + " has no " + old)
			}
			entries[i].body = bytes.ReplaceAll(entries[i].body, []byte(old), []byte(replacement))
		}
	}
	return entries
}

// find returns the first file whose name begins with a prefix.
func find(entries []entry, prefix string) *entry {
	for i := range entries {
		if strings.HasPrefix(entries[i].name, prefix) {
			return &entries[i]
		}
	}
	panic(prefix)
}

// insertFirst inserts a file before the others.
func insertFirst(entries []entry, e entry) []entry { return append([]entry{e}, entries...) }

// Archives that are damaged, or that somebody wrote by hand to get more than a workspace,
// are refused, and nothing of them is written.
func TestHostileArchives(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		src := newInstallation(t, dialect, nil)
		w := src.fill(t, "mine")
		good, _ := src.export(t, w, "mine.tar")
		dst := newInstallation(t, dialect, src.Box)
		stranger := dst.fill(t, "stranger")
		id, victim := w.ID.String(), uuid.NewString()
		if err := os.RemoveAll(filepath.Join(dst.files, stranger.ID.String())); err != nil {
			t.Fatal(err)
		}
		if err := dst.DB.System("test").InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`UPDATE app_user SET name = 'Victim'`)
		}); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name   string
			honest bool // the manifest matches, so that another check must refuse
			want   error
			says   string
			change func([]entry) []entry
		}{
			{"a path that leads out", true, archive.ErrRefused, "../../etc", func(e []entry) []entry {
				return insertFirst(e, entry{"../../etc/cron.d/x", tar.TypeReg, []byte("x")})
			}},
			{"a file that leads out", true, archive.ErrRefused, "../../x", func(e []entry) []entry {
				find(e, "files/").name = "files/../../x"
				return e
			}},
			{"a table that leads out", true, archive.ErrRefused, "no table", func(e []entry) []entry {
				find(e, "tables/job").name = "tables/../job.jsonl"
				return e
			}},
			{"a backup", false, archive.ErrRefused, "`konak restore` reads those", func(e []entry) []entry {
				return insertFirst(e, entry{name: "konak.db", typ: tar.TypeReg})
			}},
			{"a backup with files", false, archive.ErrRefused, "`konak restore` reads those", func(e []entry) []entry {
				return insertFirst(e, entry{name: "files/", typ: tar.TypeDir})
			}},
			{"a link", true, archive.ErrRefused, "it holds", func(e []entry) []entry {
				find(e, "files/").typ = tar.TypeSymlink
				return e
			}},
			{"a table of the installation", true, archive.ErrRefused, "no table of a workspace", func(e []entry) []entry {
				return insertFirst(e, entry{"tables/installation_key.jsonl", tar.TypeReg, []byte("{}\n")})
			}},
			{"sessions", true, archive.ErrRefused, "no table of a workspace", func(e []entry) []entry {
				return insertFirst(e, entry{"tables/session.jsonl", tar.TypeReg, []byte("{}\n")})
			}},
			{"a row of another workspace", true, archive.ErrRefused, "another workspace", func(e []entry) []entry {
				return change(e, "tables/privacy_subject_key.jsonl", id, stranger.ID.String())
			}},
			{"a membership in another workspace", true, archive.ErrRefused, "another workspace", func(e []entry) []entry {
				return change(e, "tables/membership.jsonl", `"tenant_id":"`+id, `"tenant_id":"`+stranger.ID.String())
			}},
			{"a row of no workspace", true, archive.ErrRefused, "another workspace", func(e []entry) []entry {
				return change(e, "tables/privacy_subject_key.jsonl", `"`+id+`"`, `null`)
			}},
			{"two workspaces", true, archive.ErrRefused, "more than one", func(e []entry) []entry {
				t := find(e, "tables/tenant")
				t.body = append(bytes.Clone(t.body), bytes.ReplaceAll(t.body, []byte(id), []byte(stranger.ID.String()))...)
				return e
			}},
			{"a manifest of another workspace", false, archive.ErrRefused, "names another workspace", func(e []entry) []entry {
				return change(e, "manifest.json", id, stranger.ID.String())
			}},
			{"a membership of somebody else", true, archive.ErrRefused, "not in the archive", func(e []entry) []entry {
				m := find(e, "tables/membership")
				at := bytes.Index(m.body, []byte(`"user_id":"`)) + len(`"user_id":"`)
				m.body = append(append(bytes.Clone(m.body[:at]), victim...), m.body[at+len(victim):]...)
				return e
			}},
			{"a code of somebody else", true, archive.ErrRefused, "nobody of the archive", func(e []entry) []entry {
				m := find(e, "tables/recovery_code")
				at := bytes.Index(m.body, []byte(`"user_id":"`)) + len(`"user_id":"`)
				m.body = append(append(bytes.Clone(m.body[:at]), victim...), m.body[at+len(victim):]...)
				return e
			}},
			{"a person who is no member", true, archive.ErrRefused, "no member", func(e []entry) []entry {
				p := find(e, "tables/app_user")
				first, _, _ := bytes.Cut(p.body, []byte("\n"))
				more := bytes.ReplaceAll(append(bytes.Clone(first), '\n'), []byte("mine.example"), []byte("victim.example"))
				at := bytes.Index(more, []byte(`"id":"`)) + len(`"id":"`)
				copy(more[at:], victim)
				p.body = append(bytes.Clone(p.body), more...)
				return e
			}},
			{"an address under the key of another", true, archive.ErrRefused, "not theirs", func(e []entry) []entry {
				return change(e, "tables/app_user.jsonl", `"email":"owner@mine.example"`, `"email":"victim@mine.example"`)
			}},
			{"the id of somebody who is here", true, archive.ErrTaken, "app_user", func(e []entry) []entry {
				here, err := db.Read(t.Context(), dst.DB.System("test"), func(r *db.Reader) (uuid.UUID, error) {
					return db.One(r, db.Scalar[uuid.UUID], `SELECT id FROM app_user WHERE email LIKE 'owner%'`)
				})
				if err != nil {
					t.Fatal(err)
				}
				p := find(e, "tables/app_user")
				at := bytes.Index(p.body, []byte(`"id":"`)) + len(`"id":"`)
				own := string(p.body[at : at+len(victim)])
				for _, name := range []string{"tables/app_user.jsonl", "tables/recovery_code.jsonl", "tables/membership.jsonl"} {
					e = change(e, name, own, here.String())
				}
				return e
			}},
			{"the name of a workspace that is here", true, archive.ErrTaken, "stranger", func(e []entry) []entry {
				return change(change(e, "tables/tenant.jsonl", `"slug":"mine"`, `"slug":"stranger"`), "manifest.json", `"slug": "mine"`, `"slug": "stranger"`)
			}},
			{"a column that is none", true, archive.ErrRefused, "job", func(e []entry) []entry {
				return change(e, "tables/job.jsonl", `"payload"`, `"payload\" = '', \"kind"`)
			}},
			{"a column too many", true, archive.ErrRefused, "columns", func(e []entry) []entry {
				return change(e, "tables/job.jsonl", `{"account_id"`, `{"more":1,"account_id"`)
			}},
			{"a value of another type", true, archive.ErrRefused, "attempts", func(e []entry) []entry {
				return change(e, "tables/job.jsonl", `"attempts":0`, `"attempts":"many"`)
			}},
			{"a number that is too large", true, archive.ErrRefused, "attempts", func(e []entry) []entry {
				return change(e, "tables/job.jsonl", `"attempts":0`, `"attempts":99999999999999999999`)
			}},
			{"a row that the database refuses", true, nil, "membership", func(e []entry) []entry {
				return change(e, "tables/membership.jsonl", `"role":"owner"`, `"role":null`)
			}},
			{"the same row twice", true, archive.ErrTaken, "job", func(e []entry) []entry {
				j := find(e, "tables/job")
				j.body = append(bytes.Clone(j.body), j.body...)
				return e
			}},
			{"the same table twice", true, archive.ErrRefused, "twice", func(e []entry) []entry {
				return insertFirst(insertFirst(e, *find(e, "tables/tenant")), *find(e, "tables/tenant"))
			}},
			{"huge counts of rows", false, archive.ErrDamaged, "rows", func(e []entry) []entry {
				m := find(e, "manifest")
				m.body = bytes.Replace(m.body, []byte(`"rows": 1,`), []byte(`"rows": 9000000000000000000,`), 1)
				return e
			}},
			{"a huge count of all rows", false, archive.ErrDamaged, "do not match its manifest", func(e []entry) []entry {
				m := find(e, "manifest")
				m.body = regexp.MustCompile(`("rows": )\d+(,\s+"files")`).ReplaceAll(m.body, []byte("${1}9000000000000000000$2"))
				return e
			}},
			{"huge counts of files", false, archive.ErrDamaged, "do not match its manifest", func(e []entry) []entry {
				return change(e, "manifest.json", `"files": 1,`, `"files": 9000000000000000000,`)
			}},
			{"a huge count of bytes", false, archive.ErrDamaged, "do not match its manifest", func(e []entry) []entry {
				m := find(e, "manifest")
				m.body = regexp.MustCompile(`"bytes": \d+`).ReplaceAll(m.body, []byte(`"bytes": 9000000000000000000`))
				return e
			}},
			{"a huge manifest", false, archive.ErrRefused, "its manifest has", func(e []entry) []entry {
				m := find(e, "manifest")
				m.body = append(bytes.Repeat([]byte(" "), 1<<20), m.body...)
				return e
			}},
			{"secrets that do not open", true, archive.ErrRefused, "1 of its 3 secrets cannot be decrypted", func(e []entry) []entry {
				return change(e, "tables/privacy_subject_key.jsonl", `"sealed":"k2tuawEAAAAB`, `"sealed":"k2tuawEAAAAJ`)
			}},
			{"a changed row", false, archive.ErrDamaged, "job", func(e []entry) []entry {
				return change(e, "tables/job.jsonl", `"attempts":0`, `"attempts":1`)
			}},
			{"a changed file", true, archive.ErrDamaged, "does not match its record", func(e []entry) []entry {
				find(e, "files/").body[0]++
				return e
			}},
			{"a file without a record", true, archive.ErrRefused, "no record", func(e []entry) []entry {
				f := *find(e, "files/")
				f.name = "files/" + victim
				return append(e[:len(e)-1:len(e)-1], f, e[len(e)-1])
			}},
			{"the same file twice", true, archive.ErrRefused, "twice", func(e []entry) []entry {
				return append(e[:len(e)-1:len(e)-1], *find(e, "files/"), e[len(e)-1])
			}},
			{"a file that is missing", true, archive.ErrDamaged, "is missing", func(e []entry) []entry {
				at := len(e) - 2 // the file before the manifest
				return append(e[:at:at], e[at+1])
			}},
			{"no manifest", false, archive.ErrDamaged, "no manifest.json", func(e []entry) []entry { return e[:len(e)-1] }},
			{"something after the manifest", false, archive.ErrRefused, "tables/x", func(e []entry) []entry {
				return append(e, entry{"tables/x.jsonl", tar.TypeReg, nil})
			}},
			{"another form", false, archive.ErrRefused, "form", func(e []entry) []entry {
				return change(e, "manifest.json", `"format": 1`, `"format": 2`)
			}},
			{"another schema", false, archive.ErrOtherSchema, "0.1.0", func(e []entry) []entry {
				return change(e, "manifest.json", `"schema": "schema"`, `"schema": "older"`)
			}},
		} {
			if dialect == db.Postgres && (errors.Is(c.want, archive.ErrDamaged) || errors.Is(c.want, archive.ErrRefused)) && !strings.Contains(c.says, "secrets") {
				continue // it is refused before the database is used
			}
			t.Run(string(dialect)+"/"+c.name, func(t *testing.T) {
				_, err := archive.Import(t.Context(), dst.Config, pack(t, c.change(unpack(t, good)), c.honest), "")
				if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v; want %v with %q", err, c.want, c.says)
				}
				dst.wantEmpty(t, w)
			})
		}
		// They were refused because of the change.
		defer func() {
			if _, err := archive.Import(t.Context(), dst.Config, pack(t, unpack(t, good), true), ""); err != nil {
				t.Error(err)
			}
		}()
		if dialect == db.Postgres {
			continue
		}
		t.Run("cut", func(t *testing.T) {
			whole, err := os.ReadFile(good)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{0, 100, 1000, len(whole) / 2, len(whole) - 2000} {
				path := filepath.Join(t.TempDir(), "cut.tar")
				if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
					t.Fatal(err)
				}
				if _, err := archive.Import(t.Context(), dst.Config, path, ""); !errors.Is(err, archive.ErrDamaged) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "is cut off ") {
					t.Errorf("%d bytes: %v", n, err)
				}
				dst.wantEmpty(t, w)
			}
			other := append([]byte("X"), whole[1:]...)
			path := filepath.Join(t.TempDir(), "other.tar")
			if err := os.WriteFile(path, other, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := archive.Import(t.Context(), dst.Config, path, ""); !errors.Is(err, archive.ErrDamaged) || !strings.Contains(err.Error(), path+" is damaged at its beginning, or not a valid archive") {
				t.Errorf("another byte: %v", err)
			}
			if _, err := archive.Import(t.Context(), dst.Config, path+".age", ""); err == nil {
				t.Error("a file that is not there was imported")
			}
		})
	}
}

// An export does not touch an existing file, and one that fails leaves none.
func TestExportDoesNotOverwriteFiles(t *testing.T) {
	t.Parallel()
	src := newInstallation(t, db.SQLite, nil)
	w := src.fill(t, "mine")
	path, _ := src.export(t, w, "mine.tar")
	if _, err := archive.Export(t.Context(), src.Config, w, path, nil); err == nil || !strings.Contains(err.Error(), "new file") {
		t.Errorf("over a file: %v", err)
	}
	folder := t.TempDir()
	if _, err := archive.Export(t.Context(), src.Config, w, filepath.Join(folder, "mine.tar.age"), nil); err == nil || !strings.Contains(err.Error(), "--age-recipient") {
		t.Errorf("an encrypted one for nobody: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(src.files, w.ID.String())); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Export(t.Context(), src.Config, w, filepath.Join(folder, "mine.tar"), nil); err == nil || !strings.Contains(err.Error(), "the file ") {
		t.Errorf("without its file: %v", err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// An archive that claims to be an existing workspace does not touch that workspace's files.
func TestImportSparesFilesOfOtherWorkspaces(t *testing.T) {
	t.Parallel()
	src := newInstallation(t, db.SQLite, nil)
	w := src.fill(t, "mine")
	path, _ := src.export(t, w, "mine.tar")
	dst := newInstallation(t, db.SQLite, src.Box)
	if _, err := archive.Import(t.Context(), dst.Config, path, ""); err != nil {
		t.Fatal(err)
	}
	hostile := unpack(t, path)
	file, record := find(hostile, "files/"), find(hostile, "tables/blob")
	old := sha256.Sum256(file.body)
	file.body[0]++
	sum := sha256.Sum256(file.body)
	record.body = bytes.ReplaceAll(record.body, []byte(base64.StdEncoding.EncodeToString(old[:])), []byte(base64.StdEncoding.EncodeToString(sum[:])))
	if _, err := archive.Import(t.Context(), dst.Config, pack(t, hostile, true), ""); !errors.Is(err, archive.ErrTaken) {
		t.Errorf("over a workspace: %v", err)
	}
	dst.wantSecrets(t, w)
}
