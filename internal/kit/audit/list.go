package audit

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Line is a line of the log.
type Line struct {
	ID        uuid.UUID
	At        clock.Time
	ActorKind string
	ActorID   *uuid.UUID
	IP        string
	TraceID   string
	Action    string
	Object    string
	Details   any
}

// Filter narrows a list; zero fields do not filter.
type Filter struct {
	Actor uuid.UUID
	// Action is a full name, or a prefix that ends in a dot and a star.
	Action string
	Object string
	// From is inclusive, To is exclusive.
	From, To time.Time
}

// late is the longest time between the time of a line and the creation of its id: no
// transaction lasts longer.
const late = time.Minute

// windowRows is the number of lines that a page reads if no index serves its filters.
const windowRows = 5000

// List returns lines, newest first. Ids are in the order of time; bounds of time are
// applied to the ids as well, so that rows outside them are not even read. A page reads a
// bounded number of lines: a page with few results that has a next key may be followed by
// more.
func List(r *db.Reader, f Filter, p db.Page) (db.List[Line], error) {
	indexed, rest := f.indexed(), f.rest()
	args := append([]any{r.Tenant(), p.After.ID}, indexed.args...)
	query := `SELECT ` + columns + ` FROM audit_log WHERE ` +
		strings.Join(append([]string{"tenant_id = $1", "id < $2"}, indexed.numbered(3)...), " AND ") + ` ORDER BY id DESC LIMIT `
	key := func(l Line) db.Key { return db.Key{ID: l.ID} }
	if len(rest.args) == 0 {
		found, err := db.All(r, scanLine, query+strconv.Itoa(p.Limit+1), args...)
		return db.Cut(found, p, key), err
	}
	rows := cmp.Or(p.Window, windowRows)
	return db.ReadWindow(r, scanLine, db.Window{
		Query: query + strconv.Itoa(rows), Args: args, Rows: rows, Columns: columns, Alias: "line", Order: "id DESC",
		Where: strings.Join(rest.numbered(3+len(indexed.args)), " AND "), WhereArgs: rest.args,
	}, p, key)
}

// ListInstallation returns the newest lines that belong to no workspace, such as the line
// about a deleted workspace.
func ListInstallation(ctx context.Context, d *db.DB, limit int) ([]Line, error) {
	return db.Read(ctx, d.System("installation's audit log"), func(r *db.Reader) ([]Line, error) {
		found, err := List(r, Filter{}, db.Page{Limit: limit, After: db.First})
		return found.Rows, err
	})
}

// conditions are parts of a WHERE clause, each with one argument.
type conditions struct {
	parts []string // "column operator"
	args  []any
}

func (c *conditions) add(part string, arg any) {
	c.parts, c.args = append(c.parts, part), append(c.args, arg)
}

// numbered returns the parts with placeholders numbered from $first.
func (c *conditions) numbered(first int) []string {
	out := make([]string, len(c.parts))
	for i, part := range c.parts {
		out[i] = part + " $" + strconv.Itoa(first+i)
	}
	return out
}

// indexed returns the conditions that an index serves: the lines of an actor, or else of an
// action, are indexed by id.
func (f Filter) indexed() (c conditions) {
	if f.Actor != uuid.Nil {
		c.add("actor_id =", f.Actor)
	} else if f.Action != "" && !strings.HasSuffix(f.Action, ".*") {
		c.add("action =", f.Action)
	}
	if !f.From.IsZero() {
		c.add("id >=", clock.FirstID(f.From))
	}
	if !f.To.IsZero() {
		c.add("id <", clock.FirstID(f.To.Add(late)))
	}
	return c
}

// rest returns the conditions that are checked on a window of the indexed rows.
func (f Filter) rest() (c conditions) {
	if prefix, ok := strings.CutSuffix(f.Action, ".*"); ok {
		// The slash follows the dot in ASCII, so this range covers exactly the prefix.
		c.add("action >=", prefix+".")
		c.add("action <", prefix+"/")
	} else if f.Action != "" && f.Actor != uuid.Nil {
		c.add("action =", f.Action)
	}
	if f.Object != "" {
		c.add("object =", f.Object)
	}
	if !f.From.IsZero() {
		c.add("at >=", clock.At(f.From))
	}
	if !f.To.IsZero() {
		c.add("at <", clock.At(f.To))
	}
	return c
}

const columns = `id, at, actor_kind, actor_id, ip, trace_id, action, object, details`

func scanLine(row db.Row) (l Line, err error) {
	err = row.Scan(&l.ID, &l.At, &l.ActorKind, &l.ActorID, &l.IP, &l.TraceID, &l.Action, &l.Object, db.FromJSON(&l.Details))
	return l, err
}
