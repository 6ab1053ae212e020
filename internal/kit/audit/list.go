package audit

import (
	"fmt"
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

// List reads lines, the newest first. Ids are in the order of time; bounds of
// time are said of both, so that the rows outside of them are not even read.
func List(r *db.Reader, f Filter, p db.Page) (db.List[Line], error) {
	where, args := []string{"tenant_id = $1"}, []any{r.Tenant()}
	and := func(cond string, v any) {
		args = append(args, v)
		where = append(where, fmt.Sprintf(cond, len(args)))
	}
	if f.Actor != uuid.Nil {
		and("actor_id = $%d", f.Actor)
	}
	if prefix, ok := strings.CutSuffix(f.Action, ".*"); ok {
		// The slash follows the dot in ASCII, so the range is the prefix's.
		and("action >= $%d", prefix+".")
		and("action < $%d", prefix+"/")
	} else if f.Action != "" {
		and("action = $%d", f.Action)
	}
	if f.Object != "" {
		and("object = $%d", f.Object)
	}
	if !f.From.IsZero() {
		and("at >= $%d", clock.At(f.From))
		and("id >= $%d", clock.FirstID(f.From))
	}
	if !f.To.IsZero() {
		and("at < $%d", clock.At(f.To))
		and("id < $%d", clock.FirstID(f.To.Add(late)))
	}
	n := len(args)
	args = append(args, p.After.ID, p.Limit+1)
	rows, err := db.All(r, scanLine, fmt.Sprintf(`SELECT id, at, actor_kind, actor_id, ip, trace_id, action, object, details
		FROM audit_log WHERE %s AND id < $%d ORDER BY id DESC LIMIT $%d`,
		strings.Join(where, " AND "), n+1, n+2), args...)
	return db.Cut(rows, p, func(l Line) db.Key { return db.Key{ID: l.ID} }), err
}

func scanLine(row db.Row) (Line, error) {
	var l Line
	var details db.JSON[any]
	err := row.Scan(&l.ID, &l.At, &l.ActorKind, &l.ActorID, &l.IP, &l.TraceID, &l.Action, &l.Object, &details)
	l.Details = details.V
	return l, err
}
