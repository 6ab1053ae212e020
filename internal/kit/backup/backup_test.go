package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"konak/internal/kit/backup"
)

// source is an installation with one file, whose database is a text.
func source(t *testing.T, database string) backup.Source {
	t.Helper()
	files := t.TempDir()
	write(t, filepath.Join(files, "ab", "one"), "a price list")
	write(t, filepath.Join(files, "incoming", "half"), "still being written")
	return backup.Source{
		Version: "1", Now: time.Unix(0, 0), Files: files, Key: "the key",
		Database: func(_ context.Context, path string) error { return os.WriteFile(path, []byte(database), 0o600) },
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// made creates a backup in a folder.
func made(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "backup")
	m, err := backup.WriteFolder(t.Context(), source(t, "rows"), folder, "")
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, row := range m.Files {
		paths = append(paths, row.Path)
	}
	if !slices.Equal(paths, []string{"konak.db", "master.key", "files/ab/one"}) {
		t.Fatalf("the backup holds %v", paths)
	}
	return folder
}

// A backup in which a byte, a file or the manifest was changed is refused; an interrupted
// one has no manifest.
func TestDamagedBackupIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage func(t *testing.T, folder string)
		want   string
	}{
		"whole":         {func(*testing.T, string) {}, ""},
		"another byte":  {func(t *testing.T, f string) { write(t, filepath.Join(f, "files/ab/one"), "b price list") }, "is damaged"},
		"shorter":       {func(t *testing.T, f string) { write(t, filepath.Join(f, "konak.db"), "row") }, "is damaged"},
		"longer":        {func(t *testing.T, f string) { write(t, filepath.Join(f, "konak.db"), "rows and more") }, "is damaged"},
		"a file less":   {func(t *testing.T, f string) { _ = os.Remove(filepath.Join(f, "files/ab/one")) }, "files/ab/one is missing from the backup"},
		"broke off":     {func(t *testing.T, f string) { _ = os.Remove(filepath.Join(f, "manifest.json")) }, "or an incomplete one"},
		"no manifest":   {func(t *testing.T, f string) { write(t, filepath.Join(f, "manifest.json"), "{") }, "manifest.json of the backup is cut off or damaged"},
		"empty":         {func(t *testing.T, f string) { write(t, filepath.Join(f, "manifest.json"), "{}") }, "does not list konak.db"},
		"outside":       {func(t *testing.T, f string) { rename(t, f, "../one") }, "is outside the backup"},
		"absolute path": {func(t *testing.T, f string) { rename(t, f, "/etc/passwd") }, "is outside the backup"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := made(t)
			c.damage(t, folder)
			_, err := backup.Compare(t.Context(), folder)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// rename makes the manifest of a backup name a file elsewhere.
func rename(t *testing.T, folder, to string) {
	t.Helper()
	path := filepath.Join(folder, "manifest.json")
	var m backup.Manifest
	if err := json.Unmarshal([]byte(read(t, path)), &m); err != nil {
		t.Fatal(err)
	}
	m.Files[2].Path = to
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, string(text))
}

// A backup restores everything into an empty folder and overwrites nothing: an existing key
// is kept, and an existing database stops it.
func TestCopyInto(t *testing.T) {
	t.Parallel()
	folder := made(t)
	m, err := backup.Compare(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	write(t, filepath.Join(data, "master.key"), "another key")
	if err := m.CopyInto(t.Context(), folder, data); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"konak.db": "rows", "files/ab/one": "a price list", "master.key": "another key"} {
		if got := read(t, filepath.Join(data, path)); got != want {
			t.Errorf("%s is %q", path, got)
		}
	}
	taken := t.TempDir()
	write(t, filepath.Join(taken, "konak.db"), "mine")
	if err := m.CopyInto(t.Context(), folder, taken); err == nil || read(t, filepath.Join(taken, "konak.db")) != "mine" {
		t.Errorf("a database that is there: %v", err)
	}
}

// A later backup shares the disk space of files with the earlier one, unless a file there
// was damaged since: then it is copied again from the source.
func TestPreviousBackup(t *testing.T) {
	t.Parallel()
	src, base := source(t, "rows"), t.TempDir()
	one, two, three := filepath.Join(base, "1"), filepath.Join(base, "2"), filepath.Join(base, "3")
	if _, err := backup.WriteFolder(t.Context(), src, one, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.WriteFolder(t.Context(), src, two, one); err != nil {
		t.Fatal(err)
	}
	if a, b := stat(t, filepath.Join(one, "files/ab/one")), stat(t, filepath.Join(two, "files/ab/one")); !os.SameFile(a, b) {
		t.Error("the file was copied again")
	}
	write(t, filepath.Join(two, "files/ab/one"), "a PRICE list") // this changes the first one too, because they share the file
	if _, err := backup.WriteFolder(t.Context(), src, three, two); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Compare(t.Context(), three); err != nil || read(t, filepath.Join(three, "files/ab/one")) != "a price list" {
		t.Errorf("a file that was damaged in the earlier backup: %v", err)
	}
	if _, err := backup.WriteFolder(t.Context(), src, three, ""); err == nil {
		t.Error("a backup was written into a folder that is there")
	}
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// A backup in one file writes nothing outside the folder into which it is unpacked, and
// contains only files and folders.
func TestUnpackStaysInItsFolder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		head tar.Header
		want string
	}{
		"a file":         {tar.Header{Name: "files/one", Typeflag: tar.TypeReg}, ""},
		"above":          {tar.Header{Name: "../one", Typeflag: tar.TypeReg}, "is outside"},
		"hidden above":   {tar.Header{Name: "files/../../one", Typeflag: tar.TypeReg}, "is outside"},
		"absolute":       {tar.Header{Name: "/tmp/one", Typeflag: tar.TypeReg}, "is outside"},
		"a link":         {tar.Header{Name: "files", Linkname: "/tmp", Typeflag: tar.TypeSymlink}, "neither a file nor a folder"},
		"a hard link":    {tar.Header{Name: "files", Linkname: "/etc/passwd", Typeflag: tar.TypeLink}, "neither a file nor a folder"},
		"a folder":       {tar.Header{Name: "files", Typeflag: tar.TypeDir}, ""},
		"a folder above": {tar.Header{Name: "../files", Typeflag: tar.TypeDir}, "is outside"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			var packed bytes.Buffer
			w := tar.NewWriter(&packed)
			c.head.Mode = 0o600
			for _, head := range []*tar.Header{&c.head, {Name: "manifest.json", Typeflag: tar.TypeReg, Mode: 0o600}} {
				if err := w.WriteHeader(head); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(base, "in", "backup.tar")
			write(t, path, packed.String())
			err := backup.Unpack(t.Context(), path, "", filepath.Join(base, "in", "folder"))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			left, err := os.ReadDir(base)
			if err != nil || len(left) != 1 {
				t.Errorf("%d things lie outside, %v", len(left)-1, err)
			}
		})
	}
}

// A backup in one file is complete when it gets its name, and never overwrites another.
func TestBackupInOneFile(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	path := filepath.Join(base, "one.tar")
	if _, err := backup.WriteFile(t.Context(), source(t, "rows"), path, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.WriteFile(t.Context(), source(t, "other"), path, nil); err == nil {
		t.Error("a backup was overwritten")
	}
	if _, err := backup.WriteFile(t.Context(), source(t, "rows"), filepath.Join(base, "two.tar.age"), nil); err == nil {
		t.Error("an encrypted backup without a recipient")
	}
	err := backup.WithFolder(t.Context(), path, "", base, func(folder string) error {
		m, err := backup.Compare(t.Context(), folder)
		if err == nil && len(m.Files) != 3 {
			t.Errorf("it holds %v", m.Files)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(base)
	if err != nil || len(left) != 1 {
		t.Errorf("%d things are left beside it, %v", len(left)-1, err)
	}
}

// The error for a truncated or damaged archive says where: after which file, or in which.
func TestDamagedArchiveErrorNamesPlace(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	plain, sealed, key := filepath.Join(base, "one.tar"), filepath.Join(base, "one.tar.age"), filepath.Join(base, "key")
	mine, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	write(t, key, mine.String())
	for path, to := range map[string][]age.Recipient{plain: nil, sealed: {mine.Recipient()}} {
		if _, err := backup.WriteFile(t.Context(), source(t, strings.Repeat("rows", 1<<16)), path, to); err != nil {
			t.Fatal(err)
		}
	}
	whole, locked := read(t, plain), read(t, sealed)
	if _, err := backup.Verify(t.Context(), sealed, ""); err == nil || !strings.HasSuffix(err.Error(), "with --age-identity") {
		t.Errorf("without an identity: %v", err)
	}
	at := func(text string) int {
		t.Helper()
		i := strings.Index(whole, text)
		if i < 0 {
			t.Fatalf("%q is not in the archive", text)
		}
		return i
	}
	for name, c := range map[string]struct{ text, want string }{
		"nothing":                  {"", "has no manifest.json: it is cut off at its beginning, or not a backup"},
		"a workspace":              {workspaceArchive(t), "use `konak workspace import`"},
		"a text":                   {strings.Repeat("no backup ", 200), "is damaged at its beginning, or not a valid backup"},
		"cut in a file":            {whole[:at("rowsrows")+1000], "is cut off in konak.db"},
		"cut in a header":          {whole[:at("konak.db")+100], "is cut off after files/ab/one"},
		"cut between files":        {whole[:at("konak.db")], "has no manifest.json: it is cut off after files/ab/one"},
		"another header":           {whole[:at("konak.db")] + "X" + whole[at("konak.db")+1:], "is damaged after files/ab/one"},
		"cut after the manifest":   {whole[:at("master.key\x00")], "master.key is missing from the backup"},
		"encrypted, cut":           {locked[:len(locked)-1000], "is damaged in "},
		"encrypted, cut beginning": {locked[:100], "is cut off or damaged at its beginning"},
		"encrypted, another byte":  {locked[:1000] + string(locked[1000]^1) + locked[1001:], "is damaged at its beginning"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "backup.tar")
			if strings.HasPrefix(name, "encrypted") {
				path += ".age"
			}
			write(t, path, c.text)
			_, err := backup.Verify(t.Context(), path, key)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), ".restore-") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// workspaceArchive returns the beginning of what `konak workspace export` writes.
func workspaceArchive(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, name := range []string{"tables/tenant.jsonl", "manifest.json"} {
		if err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o600}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Files that the database refers to and that are missing or different are named in the
// manifest; the rest of the backup is made.
func TestMissingFilesAreNamed(t *testing.T) {
	t.Parallel()
	src := source(t, "rows")
	write(t, filepath.Join(src.Files, "ab", "two"), "another list")
	sum := sha256.Sum256([]byte("a price list"))
	src.Counted = func(context.Context, string) (map[string]string, error) {
		return map[string]string{"files/ab/one": hex.EncodeToString(sum[:]), "files/ab/two": hex.EncodeToString(sum[:]), "files/ab/gone": "x"}, nil
	}
	folder := filepath.Join(t.TempDir(), "backup")
	m, err := backup.WriteFolder(t.Context(), src, folder, "")
	if err != nil || !slices.Equal(m.Missing, []string{"files/ab/gone", "files/ab/two"}) {
		t.Errorf("missing are %q, %v", m.Missing, err)
	}
	if again, err := backup.Compare(t.Context(), folder); err != nil || !slices.Equal(again.Missing, m.Missing) || len(again.Files) != 4 {
		t.Errorf("the manifest has %+v, %v", again, err)
	}
}
