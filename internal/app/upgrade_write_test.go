package app_test

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/migrations"
)

// TestWriteReleasedInstallations writes a data folder of each released version, for the
// script that plays the administrator, into the folder that KONAK_TEST_RELEASED names, or
// otherwise into a temporary one.
func TestWriteReleasedInstallations(t *testing.T) {
	t.Parallel()
	to := cmp.Or(os.Getenv("KONAK_TEST_RELEASED"), t.TempDir())
	versions := map[string]fstest.MapFS{}
	released := fstest.MapFS{}
	for _, f := range migrations.Released() {
		text, err := fs.ReadFile(migrations.Files, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		released[f.Name] = &fstest.MapFile{Data: text}
		versions[f.Version] = maps.Clone(released)
	}
	for version, files := range versions {
		data := filepath.Join(to, version)
		if err := os.MkdirAll(data, 0o700); err != nil {
			t.Fatal(err)
		}
		readReleasedRows(t, version).fill(t, "sqlite:"+filepath.Join(data, "konak.db"), data, files)
	}
}

// TestWriteReleasedRows writes the rows of this version's small workspace for the test of
// upgrades: over the existing ones if asked to, before a version is tagged, and otherwise
// into a temporary folder, so that it is known to work.
func TestWriteReleasedRows(t *testing.T) {
	t.Parallel()
	to := t.TempDir()
	if os.Getenv("KONAK_TEST_WRITE_ROWS") != "" {
		to = rowsFolder
	}
	s := apptest.New(t, db.SQLite)
	w := s.Workspace("firma")
	key := w.FullKey().Token()
	const crm = "/api/crm/v1"
	w.Owner.Post("/api/erp/v1/webhooks", map[string]any{
		"address": "https://hook.firma.example/konak", "events": []string{"conversation.created", "conversation.replied"},
	}).Want(201)
	contact := w.Owner.Post(crm+"/contacts", map[string]any{"name": "Deniz Er", "emails": []string{"deniz@musteri.example"}}).Want(201).ID()
	one := crm + "/conversations/" + w.Owner.Post(crm+"/conversations", map[string]any{
		"contact_id": contact, "subject": "Kargom nerede?", "body": "Sipariş üç gündür yolda.",
	}).Want(201).ID()
	file := w.Owner.Header("Content-Type", "text/plain").Post(crm+"/attachments?filename=receipt.txt", "the receipt").Want(201).ID()
	w.Owner.Post(one+"/reply-as-customer", map[string]any{"body": "Fişi de ekledim; 'acele' lütfen.", "attachments": []string{file}}).Want(200)
	w.Owner.Post(one+"/reply-as-agent", map[string]any{"body": "Bugün size ulaşır.", "message_type": "note"}).Want(200)
	s.Settle()

	var out strings.Builder
	fmt.Fprintf(&out, "-- A small workspace of version %s, for the test of upgrades.\n", app.Version)
	folder := s.FilesFolder()
	master, err := os.ReadFile(filepath.Join(filepath.Dir(folder), "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&out, "-- master-key %s\n-- api-key %s\n", strings.TrimSpace(string(master)), key)
	err = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		fmt.Fprintf(&out, "-- file %s %s\n", filepath.ToSlash(rel), hex.EncodeToString(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	out.WriteString("\n")
	err = s.DB.System("test").Read(t.Context(), func(r *db.Reader) error { return writeRows(&out, s, r) })
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(to, app.Version+".sql"), []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// ofDatabase are the tables that belong to a database and not to its content.
var ofDatabase = []string{"goose_db_version", "migration_checksum", "serving_node"}

// writeRows writes an insert for each row, referenced tables first.
func writeRows(out *strings.Builder, s *apptest.Server, r *db.Reader) error {
	columns, err := s.DB.Columns(r.Context())
	if err != nil {
		return err
	}
	tables := map[string][]db.Column{}
	var names []string
	for _, c := range columns {
		if !c.Generated && !slices.Contains(ofDatabase, c.Table) {
			if tables[c.Table] == nil {
				names = append(names, c.Table)
			}
			tables[c.Table] = append(tables[c.Table], c)
		}
	}
	written := map[string]bool{}
	var write func(name string) error
	write = func(name string) error {
		if written[name] {
			return nil
		}
		written[name] = true
		before, err := db.All(r, db.Scalar[string], `SELECT DISTINCT "table" FROM pragma_foreign_key_list($1)`, name)
		if err != nil {
			return err
		}
		for _, b := range before {
			if err := write(b); err != nil {
				return err
			}
		}
		return writeTable(out, r, tables[name])
	}
	for _, name := range names {
		if err := write(name); err != nil {
			return err
		}
	}
	return nil
}

func writeTable(out *strings.Builder, r *db.Reader, columns []db.Column) error {
	var names []string
	for _, c := range columns {
		names = append(names, `"`+c.Name+`"`)
	}
	list := strings.Join(names, ", ")
	_, err := db.All(r, func(row db.Row) (n int, err error) {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := row.Scan(into...); err != nil {
			return 0, err
		}
		texts := make([]string, len(values))
		for i, v := range values {
			if texts[i], err = literal(v, columns[i].Type); err != nil {
				return 0, fmt.Errorf("%s.%s: %w", columns[i].Table, columns[i].Name, err)
			}
		}
		fmt.Fprintf(out, "INSERT INTO %s (%s) VALUES (%s);\n", columns[0].Table, list, strings.Join(texts, ", "))
		return 0, nil
	}, `SELECT `+list+` FROM `+columns[0].Table+` ORDER BY rowid`)
	return err
}

// literal writes a value of SQLite in a form that both databases read, except ids and
// bytes.
func literal(v any, kind string) (string, error) {
	text, isText := v.(string)
	if b, ok := v.([]byte); ok {
		text, isText = string(b), true
	}
	switch n, isNumber := v.(int64); {
	case v == nil:
		return "NULL", nil
	case isText && kind == "uuid":
		id, err := uuid.FromBytes([]byte(text))
		return "uuid'" + id.String() + "'", err
	case isText && kind == "bytea":
		return "bytes'" + hex.EncodeToString([]byte(text)) + "'", nil
	case isText:
		return "'" + strings.ReplaceAll(text, "'", "''") + "'", nil
	case isNumber && kind == "boolean":
		return strings.ToUpper(strconv.FormatBool(n != 0)), nil
	case isNumber:
		return strconv.FormatInt(n, 10), nil
	}
	if b, ok := v.(bool); ok {
		return strings.ToUpper(strconv.FormatBool(b)), nil
	}
	return "", fmt.Errorf("a value of type %T", v)
}
