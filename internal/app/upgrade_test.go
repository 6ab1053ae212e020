package app_test

import (
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/identity/signin"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/pgtest"
	"konak/migrations"
)

// This program starts on a database with the schema and the rows of each released version,
// migrates it, and everything in it is there: its owner signs in and reads the
// conversation, its file and its webhooks, and its key opens the API.
func TestUpgradeFromReleasedVersions(t *testing.T) {
	t.Parallel()
	released := fstest.MapFS{}
	for i, f := range migrations.Released() {
		text, err := fs.ReadFile(migrations.Files, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		released[f.Name] = &fstest.MapFile{Data: text}
		if list := migrations.Released(); i+1 < len(list) && list[i+1].Version == f.Version {
			continue
		}
		files := fstest.MapFS{}
		for name, file := range released {
			files[name] = file
		}
		rows := readReleasedRows(t, f.Version)
		for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
			t.Run(f.Version+"/"+string(dialect), func(t *testing.T) {
				t.Parallel()
				data := t.TempDir()
				url := "sqlite:" + filepath.Join(data, "konak.db")
				if dialect == db.Postgres {
					url = pgtest.NewDatabase(t, "").Owner
				}
				rows.fill(t, url, data, files)
				s := apptest.NewCalledBack(t, dialect, func(cfg *app.Config, c clock.Source) {
					cfg.DB, cfg.Data, cfg.RowSecurity = url, data, false
					c.(*clock.Fake).Advance(24 * time.Hour)
				})
				if pending, err := s.DB.Pending(t.Context(), migrations.Files); err != nil || pending {
					t.Errorf("migrations wait: %v, %v", pending, err)
				}
				readAfterUpgrade(t, s, rows.key)
				s.Workspace("new")
			})
		}
	}
}

// readAfterUpgrade checks for what writeRows created.
func readAfterUpgrade(t *testing.T, s *apptest.Server, key string) {
	t.Helper()
	s.Client("").Post("/api/v1/auth/sign-in", map[string]any{"email": "owner@firma.example", "password": apptest.Password}).Want(200)
	in, err := s.Accounts.SignIn(t.Context(), signin.Proof{
		Email: "owner@firma.example", Password: apptest.Password, Slug: "firma", Device: identity.Device{Name: "test", IP: "127.0.0.1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	owner := s.Client(in.Token)
	var contacts []struct{ Name string }
	owner.Get("/api/crm/v1/contacts?q=Deniz").Want(200).Data(&contacts)
	if len(contacts) != 1 || contacts[0].Name != "Deniz Er" {
		t.Errorf("the contacts are %+v", contacts)
	}
	var list []struct{ ID, Subject string }
	owner.Get("/api/crm/v1/conversations").Want(200).Data(&list)
	if len(list) != 1 || list[0].Subject != "Kargom nerede?" {
		t.Fatalf("the conversations are %+v", list)
	}
	var items []struct {
		Body        string
		Attachments []struct{ ID string }
	}
	owner.Get("/api/crm/v1/conversations/" + list[0].ID + "/items").Want(200).Data(&items)
	found, file := map[string]bool{}, ""
	for _, i := range items {
		found[i.Body] = true
		for _, a := range i.Attachments {
			file = a.ID
		}
	}
	if !found["Sipariş üç gündür yolda."] || !found["Fişi de ekledim; 'acele' lütfen."] || !found["Bugün size ulaşır."] {
		t.Errorf("the conversation holds %+v", items)
	}
	if body := string(owner.Get("/api/crm/v1/attachments/" + file).Want(200).Body); body != "the receipt" {
		t.Errorf("the file is %q", body)
	}
	var hooks []struct{ ID, Address string }
	owner.Get("/api/erp/v1/webhooks").Want(200).Data(&hooks)
	if len(hooks) != 1 || hooks[0].Address != "https://hook.firma.example/konak" {
		t.Fatalf("the webhooks are %+v", hooks)
	}
	var sent []struct{ ID, Status string }
	owner.Get("/api/erp/v1/webhooks/" + hooks[0].ID + "/events").Want(200).Data(&sent)
	if len(sent) == 0 {
		t.Error("no delivery is listed")
	}
	s.Client(key).Get("/api/commerce/public/v1/orders").Want(200)
	// Old records can be written to, and waiting work continues.
	owner.Post("/api/crm/v1/conversations/"+list[0].ID+"/reply-as-customer", map[string]any{"body": "Geldi, teşekkürler."}).Want(200)
	s.Settle()
	if strings.Contains(s.Logs.String(), "level=ERROR") {
		t.Errorf("the log has %s", s.Logs)
	}
}

// releasedRows is the content of a version's installation: its master key, the API key of
// its workspace, files by their path, and the statements that fill its tables.
type releasedRows struct {
	master, key string
	files       map[string][]byte
	inserts     []string
}

const rowsFolder = "testdata/upgrade"

// readReleasedRows reads the rows of a version. Its first lines are comments with what is
// not in the database.
func readReleasedRows(t *testing.T, version string) *releasedRows {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(rowsFolder, version+".sql"))
	if err != nil {
		t.Fatalf("%v; KONAK_TEST_WRITE_ROWS=1 go test ./internal/app -run TestWriteReleasedRows writes it", err)
	}
	head, rest, _ := strings.Cut(string(text), "\n\n")
	out := &releasedRows{files: map[string][]byte{}}
	for line := range strings.Lines(head) {
		f := strings.Fields(strings.TrimPrefix(line, "--"))
		switch {
		case len(f) == 2 && f[0] == "master-key":
			out.master = f[1]
		case len(f) == 2 && f[0] == "api-key":
			out.key = f[1]
		case len(f) == 3 && f[0] == "file":
			if out.files[f[1]], err = hex.DecodeString(f[2]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, part := range strings.Split("\n"+rest, "\nINSERT INTO ") {
		if i > 0 {
			out.inserts = append(out.inserts, "INSERT INTO "+strings.TrimSuffix(strings.TrimSpace(part), ";"))
		}
	}
	if out.master == "" || out.key == "" || len(out.files) == 0 || len(out.inserts) == 0 {
		t.Fatalf("%s has %d files and %d rows", version, len(out.files), len(out.inserts))
	}
	return out
}

var (
	uuidLiteral  = regexp.MustCompile(`uuid'([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})'`)
	bytesLiteral = regexp.MustCompile(`bytes'([0-9a-f]*)'`)
)

// fill creates an installation: the tables of the migrations with the rows, and the data
// folder with the key and the files.
func (r *releasedRows) fill(t *testing.T, url, data string, files fs.FS) {
	t.Helper()
	d, err := db.Open(t.Context(), db.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Migrate(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	err = d.System("test").InTx(t.Context(), func(tx *db.Tx) error {
		for _, insert := range r.inserts {
			if d.Dialect() == db.SQLite {
				insert = bytesLiteral.ReplaceAllString(uuidLiteral.ReplaceAllString(insert, `x'$1$2$3$4$5'`), `x'$1'`)
			} else {
				insert = bytesLiteral.ReplaceAllString(uuidLiteral.ReplaceAllString(insert, `'$1-$2-$3-$4-$5'`), `'\x$1'`)
			}
			if err := tx.Exec(insert); err != nil {
				t.Errorf("%.200s: %v", insert, err)
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for path, content := range r.files {
		path = filepath.Join(data, "files", filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(data, "master.key"), []byte(r.master+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}
