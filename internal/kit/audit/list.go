package audit

import (
	"fmt"
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

// Filter narrows a list; what is zero does not.
type Filter struct {
	Actor uuid.UUID
	// Action is a name, or a beginning that ends in a dot and a star.
	Action string
	Object string
	// From is included, To is not.
	From, To time.Time
}

// late is how long after the time of its line an id may have been made: no
// transaction lasts longer.
const late = time.Minute

// windowRows is how many lines a page looks at where no index serves its
// filters.
const windowRows = 5000

// List reads lines, the newest first. Ids are in the order of time; bounds of
// time are said of both, so that the rows outside of them are not even read. A
// page looks at a bounded number of lines: one that found little ends with a
// key, and there may be more.
func List(r *db.Reader, f Filter, p db.Page) (db.List[Line], error) {
	return list(r, f, p, windowRows)
}

func list(r *db.Reader, f Filter, p db.Page, rows int) (db.List[Line], error) {
	args := []any{r.Tenant(), p.After.ID}
	where := func(conds *[]string) func(string, any) {
		return func(cond string, v any) {
			args = append(args, v)
			*conds = append(*conds, fmt.Sprintf(cond, len(args)))
		}
	}
	// An index has the lines of an actor, or else of an action, by id.
	ordered, rest := []string{"tenant_id = $1", "id < $2"}, []string{"1 = 1"}
	by := where(&ordered)
	prefix, isPrefix := strings.CutSuffix(f.Action, ".*")
	if f.Actor != uuid.Nil {
		by("actor_id = $%d", f.Actor)
	} else if f.Action != "" && !isPrefix {
		by("action = $%d", f.Action)
	}
	if !f.From.IsZero() {
		by("id >= $%d", clock.FirstID(f.From))
	}
	if !f.To.IsZero() {
		by("id < $%d", clock.FirstID(f.To.Add(late)))
	}
	w := db.Window{Rows: rows, Columns: columns, Alias: "looked", Order: "id DESC"}
	w.Query = `SELECT ` + columns + ` FROM audit_log WHERE ` + strings.Join(ordered, " AND ") + ` ORDER BY id DESC LIMIT ` + strconv.Itoa(rows)
	n := len(args)
	by = where(&rest)
	switch {
	case isPrefix:
		// The slash follows the dot in ASCII, so the range is the prefix's.
		by("action >= $%d", prefix+".")
		by("action < $%d", prefix+"/")
	case f.Action != "" && f.Actor != uuid.Nil:
		by("action = $%d", f.Action)
	}
	if f.Object != "" {
		by("object = $%d", f.Object)
	}
	if !f.From.IsZero() {
		by("at >= $%d", clock.At(f.From))
	}
	if !f.To.IsZero() {
		by("at < $%d", clock.At(f.To))
	}
	key := func(l Line) db.Key { return db.Key{ID: l.ID} }
	if len(args) == n {
		found, err := db.All(r, scanLine, `SELECT `+columns+` FROM audit_log WHERE `+strings.Join(ordered, " AND ")+
			` ORDER BY id DESC LIMIT `+strconv.Itoa(p.Limit+1), args...)
		return db.Cut(found, p, key), err
	}
	w.Where, w.Args, w.WhereArgs = strings.Join(rest, " AND "), args[:n:n], args[n:]
	return db.ReadWindow(r, scanLine, w, p, key)
}

const columns = `id, at, actor_kind, actor_id, ip, trace_id, action, object, details`

func scanLine(row db.Row) (Line, error) {
	var l Line
	var details db.JSON[any]
	err := row.Scan(&l.ID, &l.At, &l.ActorKind, &l.ActorID, &l.IP, &l.TraceID, &l.Action, &l.Object, &details)
	l.Details = details.V
	return l, err
}
