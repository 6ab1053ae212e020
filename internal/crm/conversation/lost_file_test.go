package conversation_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/db"
)

// A file whose content is gone is 410 file_missing, one of the wrong size 410 file_damaged,
// and the download of one whose bytes changed never ends cleanly. An export names the lost
// files, and uploading the same content again repairs them.
func TestLostFiles(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			folder := ""
			s := apptest.NewOn(t, dialect, func(c *app.Config) { folder = c.FilesFolder() })
			in := open(t, s)
			contents := map[string]string{"gone.txt": "this one goes", "cut.txt": "this one is cut", "changed.txt": strings.Repeat("this one changes ", 10_000)}
			uploads, id := map[string]uuid.UUID{}, in.begin()
			var all []uuid.UUID
			for name, content := range contents {
				uploads[name] = upload(t, in.Owner, files, name, content).ID
				all = append(all, uploads[name])
			}
			in.Owner.Post(base+"/"+id.String()+"/reply-as-agent", map[string]any{"body": "", "message_type": "note", "attachments": all}).Want(200)
			onDisk(t, folder, func(path, content string) {
				var err error
				switch content {
				case contents["gone.txt"]:
					err = os.Remove(path)
				case contents["cut.txt"]:
					err = os.WriteFile(path, []byte(content[:5]), 0o600)
				case contents["changed.txt"]:
					err = os.WriteFile(path, []byte("T"+content[1:]), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			})
			path := func(name string) string { return files + "/" + uploads[name].String() }
			in.Owner.Get(path("gone.txt")).Refused(410, "file_missing")
			in.Owner.Get(path("cut.txt")).Refused(410, "file_damaged")
			req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+path("changed.txt"), nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+in.Owner.Token())
			if resp, err := http.DefaultClient.Do(req); err == nil {
				n, err := io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				if err == nil || resp.StatusCode != 200 {
					t.Errorf("%d: %d bytes that are not the file's came to a clean end", resp.StatusCode, n)
				}
			}
			if !strings.Contains(s.Logs.String(), "the stream was interrupted") {
				t.Error("the log does not say that the answer was cut")
			}
			in.Owner.Get(path("changed.txt")).Refused(410, "file_damaged")
			if got := strings.Count(s.Logs.String(), "a stored file is "); got != 3 {
				t.Errorf("%d alarms in the log", got)
			}
			box := string(in.Owner.Get(base + "/" + id.String() + "/export?format=mbox").Want(200).Body)
			for name := range contents {
				if !strings.Contains(box, name+".txt") {
					t.Errorf("the export does not say that %s is lost", name)
				}
			}
			for name, content := range contents {
				upload(t, in.Owner, files, name, content)
				if r := in.Owner.Get(path(name)).Want(200); string(r.Body) != content {
					t.Errorf("%s is not healed: %d bytes", name, len(r.Body))
				}
			}
		})
	}
}

// onDisk calls fn for each file below a folder.
func onDisk(t *testing.T, folder string, fn func(path, content string)) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "*", "*", "*"))
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	for _, path := range found {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fn(path, string(content))
	}
}
