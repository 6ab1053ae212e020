package commerce

import (
	"strconv"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// table is where the records of one kind are stored.
type table[T any] struct {
	name, columns string
	// sort is the time by which lists are sorted, the newest first.
	sort string
	scan func(db.Row) (T, error)
	key  func(T) db.Key
	// put inserts a record, and reports whether the shop's id was free; save changes one.
	put  func(*db.Tx, bool, T) (bool, error)
	save func(*db.Tx, T) error
	// created and updated are the events of a new and a changed record.
	created, updated string
}

// page reads a page of the records that meet a condition, whose parameters begin with $6.
func (t table[T]) page(r *db.Reader, test bool, p db.Page, condition string, args ...any) (db.List[T], error) {
	rows, err := db.All(r, t.scan, `SELECT `+t.columns+` FROM `+t.name+`
		WHERE tenant_id = $1 AND test = $2 AND (`+t.sort+`, id) < ($3, $4)`+condition+`
		ORDER BY `+t.sort+` DESC, id DESC LIMIT $5`, append([]any{r.Tenant(), test, p.After.Sort, p.After.ID, p.Limit + 1}, args...)...)
	return db.Cut(rows, p, t.key), err
}

// list reads a page of the records that belong to another one, named in a column, and have
// the shop's id; nil and "" match all.
func (t table[T]) list(r *db.Reader, test bool, p db.Page, column string, of *uuid.UUID, external string) (db.List[T], error) {
	var condition string
	var args []any
	if of != nil {
		args = append(args, *of)
		condition = ` AND ` + column + ` = $6`
	}
	if external != "" {
		args = append(args, external)
		condition += ` AND external_id = $` + strconv.Itoa(5+len(args))
	}
	return t.page(r, test, p, condition, args...)
}

// lock reads the record with the shop's id, and locks it against changes.
func (t table[T]) lock(tx *db.Tx, test bool, external string) (T, error) {
	return db.One(&tx.Reader, t.scan, `SELECT `+t.columns+` FROM `+t.name+`
		WHERE tenant_id = $1 AND test = $2 AND external_id = $3`+tx.Dialect().ForUpdate(t.name), tx.Tenant(), test, external)
}
