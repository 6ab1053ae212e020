package db

import "strconv"

// Window is a page of a list whose filters no index serves as a whole. Query
// reads the next rows in the order of the list by an index, Rows of them at
// most; Where says which of them the page shows. So a page looks at a bounded
// number of rows, however little matches.
type Window struct {
	Rows int
	// Query reads the rows, with a limit of Rows. Its arguments are Args.
	Query string
	Args  []any
	// Columns, Where and Order are of the page, with the rows as Alias. The
	// arguments of Where are WhereArgs, numbered after Args.
	Columns, Alias, Where, Order string
	WhereArgs                    []any
}

// ReadWindow reads a page of a window. Where the window is full and the page is
// not, it ends with what was found and the key of the last row that was looked
// at: a short or empty page after which there may be more.
func ReadWindow[T any](r *Reader, scan func(Row) (T, error), w Window, p Page, key func(T) Key) (List[T], error) {
	from := ` FROM (` + w.Query + `) AS ` + w.Alias
	args := append(append([]any{}, w.Args...), w.WhereArgs...)
	args = append(args, p.Limit+1)
	rows, err := All(r, scan, `SELECT `+w.Columns+from+` WHERE `+w.Where+` ORDER BY `+w.Order+` LIMIT $`+strconv.Itoa(len(args)), args...)
	if err != nil {
		return List[T]{}, err
	}
	out := Cut(rows, p, key)
	if out.Next != nil {
		return out, nil
	}
	last, err := All(r, scan, `SELECT `+w.Columns+from+` ORDER BY `+w.Order+` LIMIT 1 OFFSET `+strconv.Itoa(w.Rows-1), w.Args...)
	if err == nil && len(last) == 1 {
		k := key(last[0])
		out.Next = &k
	}
	return out, err
}
