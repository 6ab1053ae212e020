package tenantrows

import (
	"slices"
	"testing"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// Every table of a workspace is copied or listed as momentary, and so is every table that
// belongs to a person. Each comes after those that it refers to.
func TestCopyTables(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tables, err := CopyTables(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, table := range tables {
			names = append(names, table.Name)
		}
		all, err := Tables(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range all {
			if slices.Contains(names, name) == slices.Contains(momentary, name) {
				t.Errorf("%s is copied and momentary, or neither", name)
			}
		}
		refs, err := db.Read(t.Context(), d.System("test"), references)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range refs {
			from, to := slices.Index(names, r.from), slices.Index(names, r.to)
			if from >= 0 && from < to {
				t.Errorf("%s is copied before %s, to which it refers", r.from, r.to)
			}
			if r.to == peopleTable && from < 0 && !slices.Contains(momentary, r.from) {
				t.Errorf("%s belongs to a person, and is neither copied nor momentary", r.from)
			}
		}
		columns, err := d.Columns(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range columns {
			if c.Name == "user_id" && !slices.Contains(names, c.Table) && !slices.Contains(momentary, c.Table) {
				t.Errorf("%s names a person, and is neither copied nor momentary", c.Table)
			}
			if at := slices.Index(names, c.Table); c.Name == "user_id" && at >= 0 && tables[at].Kind != OfMembership && tables[at].Kind != OfPerson {
				t.Errorf("%s.user_id would not be changed to the person of the same address", c.Table)
			}
		}
	})
}

// Lines that are not a row of the table are refused.
func TestDecodeLine(t *testing.T) {
	t.Parallel()
	table := CopyTable{Name: "t", Columns: []db.Column{
		{Name: "id", Type: "uuid"}, {Name: "n", Type: "bigint"}, {Name: "on", Type: "boolean"}, {Name: "b", Type: "bytea"}, {Name: "s", Type: "text"},
	}}
	const good = `{"id":"01a1de6f-5280-7000-8000-000000000001","n":-5,"on":true,"b":"","s":"\u2028 ğ"}`
	row, err := table.DecodeLine([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	line, err := table.EncodeLine(row)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := table.DecodeLine(line); err != nil || again[1] != int64(-5) || again[2] != true || again[3] == nil || again[4] != "\u2028 ğ" {
		t.Errorf("%v, %v", again, err)
	}
	for _, bad := range []string{
		``, `[]`, `null`, `{}`, good[:len(good)-1], good + good,
		`{"id":"01a1de6f528070008000000000000001","n":1,"on":true,"b":"","s":""}`,
		`{"id":"{01a1de6f-5280-7000-8000-000000000001}","n":1,"on":true,"b":"","s":""}`,
		`{"id":null,"n":1.5,"on":true,"b":"","s":""}`, `{"id":null,"n":"1","on":true,"b":"","s":""}`,
		`{"id":null,"n":1,"on":1,"b":"","s":""}`, `{"id":null,"n":1,"on":true,"b":"?","s":""}`, `{"id":null,"n":1,"on":true,"b":[1],"s":""}`,
		`{"id":null,"n":1,"on":true,"b":"","s":"\u0000"}`, `{"id":null,"n":1,"on":true,"b":"","s":{}}`, `{"id":null,"n":1,"on":true,"b":"","x":""}`,
	} {
		if row, err := table.DecodeLine([]byte(bad)); err == nil {
			t.Errorf("%s is %v", bad, row)
		}
	}
	if _, err := table.EncodeLine(Row{nil, nil, nil, nil, "\xff"}); err == nil {
		t.Error("a text that is not UTF-8 was written")
	}
}
