package contact

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Filter narrows the list.
type Filter struct {
	Kind, Tag, Query string
	OwnerID          *uuid.UUID
	Blocked          *bool
	// Test limits the list to contacts of the test environment, or to live ones.
	Test *bool
	// onlyTest is set for keys of the test environment.
	onlyTest bool
}

// list returns a page of contacts, newest first, and reads a limited number of rows.
func list(r *db.Reader, f Filter, p db.Page) (db.List[Contact], error) {
	out, err := readPage(r, scan, columns, f, p, func(c Contact) db.Key { return db.Key{Sort: c.CreatedAt.UnixMicro(), ID: c.ID} })
	if err != nil {
		return db.List[Contact]{}, err
	}
	return out, fill(r, out.Rows)
}

func readPage[T any](r *db.Reader, scan func(db.Row) (T, error), what string, f Filter, p db.Page, key func(T) db.Key) (db.List[T], error) {
	query, args, window := listQuery(r, what, f, p)
	if window != nil {
		return db.ReadWindow(r, scan, *window, p, key)
	}
	found, err := db.All(r, scan, query, args...)
	return db.Cut(found, p, key), err
}

// attributeNames returns the sorted names of all custom attributes that the listed contacts
// have.
func attributeNames(r *db.Reader, f Filter) ([]string, error) {
	type row struct {
		key        db.Key
		attributes map[string]any
	}
	seen := map[string]bool{}
	for p := (db.Page{Limit: 2000, After: db.First}); ; {
		page, err := readPage(r, func(s db.Row) (w row, err error) {
			var at clock.Time
			err = s.Scan(&at, &w.key.ID, db.FromJSON(&w.attributes))
			w.key.Sort = at.UnixMicro()
			return w, err
		}, `created_at, id, custom_attributes`, f, p, func(w row) db.Key { return w.key })
		if err != nil {
			return nil, err
		}
		for _, w := range page.Rows {
			for name := range w.attributes {
				seen[name] = true
			}
		}
		if page.Next == nil {
			return slices.Sorted(maps.Keys(seen)), nil
		}
		p.After = *page.Next
	}
}

// windowRows is the number of contacts that are read for a page if no index serves its
// filters.
const windowRows = 5000

// listQuery builds the query of a page that shows some columns, among them created_at and
// id; if no index serves its filters, it is a window.
func listQuery(r *db.Reader, what string, f Filter, p db.Page) (string, []any, *db.Window) {
	args := []any{r.Tenant(), p.After.Sort, p.After.ID}
	arg := func(v any) string {
		args = append(args, v)
		return "$" + strconv.Itoa(len(args))
	}
	f.onlyTest = f.onlyTest || inTest(r)
	if terms := queryTerms(f.Query); len(terms) > 0 {
		// The contacts of a word are a limited set: it is read completely and sorted. The
		// plus keeps the planner from reading the table in its order.
		from := `(` + termQuery(arg(terms[0]), arg(terms[0]+"\U0010ffff")) + `) AS k CROSS JOIN contact`
		return `SELECT ` + what + ` FROM ` + from + ` WHERE tenant_id = $1 AND id = k.contact_id AND deleted_at IS NULL` +
			conditions(f, terms[1:], arg) + ` AND (+created_at, id) < ($2, $3) ORDER BY +created_at DESC, id DESC LIMIT ` + arg(p.Limit+1), args, nil
	}
	driver, rest := f.split()
	ordered := func(limit int, what string) string {
		return `SELECT ` + what + ` FROM contact WHERE tenant_id = $1 AND deleted_at IS NULL AND (created_at, id) < ($2, $3)` +
			conditions(driver, nil, arg) + ` ORDER BY created_at DESC, id DESC LIMIT ` + arg(limit)
	}
	if conditions(rest, nil, func(any) string { return "" }) == "" {
		return ordered(p.Limit+1, what), args, nil
	}
	rows := cmp.Or(p.Window, windowRows)
	w := &db.Window{Rows: rows, Query: ordered(rows, "*"), Columns: what, Alias: "looked", Order: "created_at DESC, id DESC"}
	n := len(args)
	w.Where = "1 = 1" + conditions(rest, nil, arg)
	w.Args, w.WhereArgs = args[:n:n], args[n:]
	return w.Query, w.Args, w
}

// split separates the filter that an index serves in the order of the list from the rest.
func (f Filter) split() (driver, rest Filter) {
	rest = f
	switch {
	case f.onlyTest:
		driver.onlyTest, rest.onlyTest = true, false
	case f.Tag != "":
		driver.Tag, rest.Tag = f.Tag, ""
	case f.OwnerID != nil:
		driver.OwnerID, rest.OwnerID = f.OwnerID, nil
	case f.Blocked != nil && *f.Blocked:
		driver.Blocked, rest.Blocked = f.Blocked, nil
	case f.Kind != "":
		driver.Kind, rest.Kind = f.Kind, ""
	}
	return driver, rest
}

// conditions returns a filter's conditions in SQL, "" for none. Terms are words that a
// contact must have.
func conditions(f Filter, terms []string, arg func(any) string) string {
	var where strings.Builder
	if f.Kind != "" {
		where.WriteString(" AND kind = " + arg(f.Kind))
	}
	if f.OwnerID != nil {
		where.WriteString(" AND owner_id = " + arg(*f.OwnerID))
	}
	if f.Blocked != nil {
		if *f.Blocked {
			where.WriteString(" AND blocked")
		} else {
			where.WriteString(" AND NOT blocked")
		}
	}
	if f.onlyTest {
		where.WriteString(" AND test")
	}
	if f.Test != nil {
		where.WriteString(" AND test = " + arg(*f.Test))
	}
	if f.Tag != "" {
		where.WriteString(" AND id IN (SELECT contact_id FROM contact_tag WHERE tenant_id = $1 AND tag = " + arg(TagKey(f.Tag)) +
			" AND (created_at, contact_id) < ($2, $3) ORDER BY created_at DESC, contact_id DESC)")
	}
	for _, q := range terms {
		where.WriteString(" AND id IN (" + termQuery(arg(q), arg(q+"\U0010ffff")) + ")")
	}
	return where.String()
}
