package contact_test

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/kit/db"
)

func brought(t *testing.T, s *apptest.Server, w *apptest.Workspace, file string) (imp contact.Import) {
	t.Helper()
	w.Owner.Header("Content-Type", "text/csv").Post(contacts+"/imports", file).Want(202).Data(&imp)
	s.Settle()
	w.Owner.Get(contacts + "/imports/" + imp.ID.String()).Want(200).Data(&imp)
	return imp
}

func listed(w *apptest.Workspace) (list []contact.Contact) {
	w.Owner.Get(contacts + "?limit=100").Want(200).Data(&list)
	return list
}

// An export also holds custom attributes. Imported into its own workspace it changes
// nothing; into another it creates the same contacts.
func TestExportCanBeImportedAgain(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for _, body := range []map[string]any{
			{"name": "-Elif", "external_id": "-77", "company": "=1+1", "tags": []string{"+vip", "bayi", `a;b\c\`, `\;`}, "custom_attributes": map[string]any{"Plan": "=pro", "seats": 3, "active": true, "a;=1+1": "x;@y"}},
			{"name": "'-Ali", "external_id": "'-77", "phones": []string{"+905321234567"}, "custom_attributes": map[string]any{"Şube": "İzmir, \"Alsancak\"\nkat 2"}},
			{"name": "'Ayşe", "external_id": "''", "emails": []string{"a@example.com"}, "custom_attributes": map[string]any{"seats": 2.5, "Plan": "'x"}},
			{"name": "Sade"},
		} {
			w.Owner.Post(contacts, body).Want(201)
			s.Clock.Advance(time.Second)
		}
		was := listed(w)
		file := w.Owner.Get(contacts + "/export").Want(200).Body
		rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(file), "\ufeff"))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(append(slices.Clone(contact.Columns), "attr:Plan", "attr:a;'=1+1", "attr:active", "attr:seats", "attr:Şube"), rows[0]); diff != "" {
			t.Error(diff)
		}
		for _, row := range rows {
			for _, cell := range row {
				for part := range strings.SplitSeq(cell, ";") { // if a semicolon ends a cell
					if part != "" && strings.ContainsRune("=-@", rune(part[0])) {
						t.Errorf("a spreadsheet would run %q of %q", part, cell)
					}
				}
			}
		}
		// Without a key there is nothing to find a contact by.
		keyed := strings.Replace(string(file), "\n,lead,Sade", "\nsade,lead,Sade", 1)
		sade := slices.IndexFunc(was, func(c contact.Contact) bool { return c.Name == "Sade" })
		w.Owner.Put(contacts+"/"+was[sade].ID.String(), map[string]any{"external_id": "sade"}).Want(200)
		was = listed(w)
		s.Clock.Advance(time.Minute)
		if imp := brought(t, s, w, keyed); imp.Updated != 4 || imp.Failed != 0 {
			t.Errorf("got %+v", imp)
		}
		if diff := cmp.Diff(was, listed(w)); diff != "" {
			t.Errorf("bringing an export back changed contacts\n%s", diff)
		}
		other := s.Workspace("other")
		if imp := brought(t, s, other, keyed); imp.Created != 4 {
			t.Errorf("got %+v", imp)
		}
		if again := other.Owner.Get(contacts + "/export").Want(200).Body; !equalRows(string(again), keyed) {
			t.Errorf("got\n%s\nwant\n%s", again, keyed)
		}
	})
}

// equalRows compares two files, ignoring the order of their rows.
func equalRows(a, b string) bool {
	rows := func(file string) []string {
		list, _ := csv.NewReader(strings.NewReader(strings.TrimPrefix(file, "\ufeff"))).ReadAll()
		out := []string{}
		for _, row := range list {
			out = append(out, fmt.Sprintf("%q", row))
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(rows(a), rows(b))
}

// A merged contact is blocked if one of the two was; undoing the merge unblocks the other.
func TestMergeWithBlockedContact(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		var win, lose contact.Contact
		w.Owner.Post(contacts, map[string]any{"name": "Kalan"}).Want(201).Data(&win)
		w.Owner.Post(contacts, map[string]any{"name": "Giden"}).Want(201).Data(&lose)
		path := contacts + "/" + win.ID.String()
		w.Owner.Post(contacts+"/"+lose.ID.String()+"/block", nil).Want(200)
		blocked := func(id string) bool {
			var c contact.Contact
			w.Owner.Get(contacts + "/" + id).Want(200).Data(&c)
			return c.Blocked
		}
		merge := func() string {
			var out contact.MergeResult
			w.Owner.Post(path+"/merge", map[string]any{"contact_id": lose.ID}).Want(200).Data(&out)
			if !out.Contact.Blocked || !blocked(win.ID.String()) {
				t.Error("the merge let a blocked contact in")
			}
			return contacts + "/merges/" + out.Merge.ID.String() + "/undo"
		}
		w.Owner.Post(merge(), nil).Want(200)
		if blocked(win.ID.String()) || !blocked(lose.ID.String()) {
			t.Error("the undo did not give each their own")
		}
		w.Owner.Post(path+"/block", nil).Want(200)
		w.Owner.Post(contacts+"/"+lose.ID.String()+"/unblock", nil).Want(200)
		w.Owner.Post(merge(), nil).Want(200)
		if !blocked(win.ID.String()) || blocked(lose.ID.String()) {
			t.Error("the undo did not give each their own")
		}
	})
}

// Imported rows are not kept, because they are personal data.
func TestImportedRowsAreNotKept(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		var b strings.Builder
		b.WriteString("name,external_id\n")
		for i := range 401 {
			fmt.Fprintf(&b, "Kişi %d,k%d\n", i, i)
		}
		if imp := brought(t, s, w, b.String()); imp.Status != "done" || imp.Created != 401 || imp.Processed != 401 {
			t.Errorf("got %+v", imp)
		}
		var n int
		err := s.DB.Tenant(w.ID).Read(t.Context(), func(r *db.Reader) (err error) {
			n, err = db.One(r, db.Scalar[int], `SELECT count(*) FROM contact_import_batch WHERE tenant_id = $1`, r.Tenant())
			return err
		})
		if err != nil || n != 0 {
			t.Errorf("%d batches are left, %v", n, err)
		}
	})
}

// BenchmarkImport imports a file of 28,000 rows and 14 MB, which took a quarter of an hour
// when the whole file was rewritten with every row.
func BenchmarkImport(b *testing.B) {
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		b.Run(string(dialect), func(b *testing.B) {
			s := apptest.NewOn(b, dialect, func(cfg *app.Config) { cfg.SQLiteSync = "full" })
			w := s.Workspace("demo")
			const rows = 28_000
			for b.Loop() {
				var file strings.Builder
				file.WriteString("name,emails,attr:note\n")
				for i := range rows {
					fmt.Fprintf(&file, "Kişi %d,kisi%d@example.com,%s\n", i, i, strings.Repeat("x", 460))
				}
				imp, err := s.Contacts.Import(w.Context(), "big.csv", file.String())
				if err != nil {
					b.Fatal(err)
				}
				start := time.Now()
				s.Settle()
				took := time.Since(start)
				if imp, err = s.Contacts.GetImport(w.Context(), imp.ID); err != nil || imp.Status != "done" {
					b.Fatal(imp, err)
				}
				b.ReportMetric(rows/took.Seconds(), "rows/s")
			}
		})
	}
}
