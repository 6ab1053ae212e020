package call

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// unheard matches unheard messages that still have a recording: recordings are deleted
// after some time.
const unheard = ` AND voicemail AND heard_at IS NULL AND recording_id IS NOT NULL`

// where returns the filter as an SQL condition and appends its arguments to args.
func (f Filter) where(args *[]any) string {
	var b strings.Builder
	add := func(condition string, v any) {
		*args = append(*args, v)
		fmt.Fprintf(&b, " AND "+condition, len(*args))
	}
	if f.From != nil {
		add("started_at >= $%d", *f.From)
	}
	if f.To != nil {
		add("started_at < $%d", *f.To)
	}
	if f.Direction != "" {
		add("direction = $%d", f.Direction)
	}
	if f.Disposition != "" {
		add("disposition = $%d", f.Disposition)
	}
	for column, id := range map[string]*uuid.UUID{"agent_id": f.AgentID, "number_id": f.NumberID, "contact_id": f.ContactID} {
		if id != nil {
			add(column+" = $%d", *id)
		}
	}
	if f.ToReturn {
		b.WriteString(" AND to_return")
	}
	if f.Unheard {
		b.WriteString(unheard)
	}
	return b.String()
}

// listCalls reads a page of calls with their legs, newest first.
func listCalls(r *db.Reader, f Filter, p db.Page) (db.List[Call], error) {
	args := []any{r.Tenant(), p.After.Sort, p.After.ID, p.Limit + 1}
	rows, err := db.All(r, scanCall, `SELECT `+columns+` FROM phone_call WHERE tenant_id = $1 AND (started_at, id) < ($2, $3)`+f.where(&args)+`
		ORDER BY started_at DESC, id DESC LIMIT $4`, args...)
	if err != nil {
		return db.List[Call]{}, err
	}
	list := db.Cut(rows, p, func(c Call) db.Key { return db.Key{Sort: c.StartedAt.UnixMicro(), ID: c.ID} })
	return list, fillLegs(r, list.Rows)
}

// listOpenCalls reads the calls in progress, newest first.
func listOpenCalls(r *db.Reader) ([]Call, error) {
	rows, err := db.All(r, scanCall, `SELECT `+columns+` FROM phone_call WHERE tenant_id = $1 AND open ORDER BY started_at DESC, id DESC LIMIT 1000`, r.Tenant())
	if err != nil {
		return nil, err
	}
	return rows, fillLegs(r, rows)
}

// fillLegs adds the legs of calls.
func fillLegs(r *db.Reader, list []Call) error {
	at, ids := make(map[uuid.UUID]int, len(list)), make([]uuid.UUID, len(list))
	for i, c := range list {
		at[c.ID], ids[i] = i, c.ID
	}
	in, arg := db.In(r.Dialect(), 2, ids)
	type row struct {
		call uuid.UUID
		leg  Leg
	}
	rows, err := db.All(r, func(v db.Row) (out row, err error) {
		out.leg, err = scanLeg(withFirst{v, &out.call})
		return out, err
	}, `SELECT call_id, `+legColumns+` FROM phone_leg WHERE tenant_id = $1 AND call_id `+in+` ORDER BY created_at, id`, r.Tenant(), arg)
	for _, v := range rows {
		c := &list[at[v.call]]
		c.Legs = append(c.Legs, v.leg)
	}
	return err
}

// withFirst scans one extra column before those of the wrapped row.
type withFirst struct {
	db.Row
	first any
}

// Scan implements db.Row.
func (w withFirst) Scan(dest ...any) error { return w.Row.Scan(append([]any{w.first}, dest...)...) }

// sumCalls adds up the calls that have ended.
func sumCalls(r *db.Reader, f Filter) (Summary, error) {
	args := []any{r.Tenant()}
	count := func(disposition string) string {
		return `COALESCE(SUM(CASE WHEN disposition = '` + disposition + `' THEN 1 ELSE 0 END), 0)`
	}
	return db.One(r, func(row db.Row) (s Summary, err error) {
		err = row.Scan(&s.Total, &s.Answered, &s.Missed, &s.Abandoned, &s.Voicemail, &s.Talk, &s.Wait, &s.Cost)
		return s, err
	}, `SELECT COUNT(*), `+count(Answered)+`, `+count(Missed)+`, `+count(Abandoned)+`, `+count(LeftMail)+`,
		CAST(COALESCE(SUM(CASE WHEN answered_at IS NULL THEN 0 ELSE (ended_at - answered_at - hold_us) / 1000000 END), 0) AS bigint),
		CAST(COALESCE(SUM(CASE WHEN direction = 'inbound' THEN (COALESCE(answered_at, voicemail_at, ended_at) - started_at) / 1000000 ELSE 0 END), 0) AS bigint),
		CAST(COALESCE(SUM(cost), 0) AS bigint)
		FROM phone_call WHERE tenant_id = $1 AND NOT open`+f.where(&args), args...)
}

// countWaiting counts the calls to return and the unheard messages.
func countWaiting(r *db.Reader) (c Counts, err error) {
	if c.ToReturn, err = db.One(r, db.Scalar[int64], `SELECT COUNT(*) FROM phone_call WHERE tenant_id = $1 AND to_return`, r.Tenant()); err != nil {
		return c, err
	}
	c.Unheard, err = db.One(r, db.Scalar[int64], `SELECT COUNT(*) FROM phone_call WHERE tenant_id = $1 `+unheard, r.Tenant())
	return c, err
}
