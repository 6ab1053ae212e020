package db

import "strconv"

// Window is a page of a list whose filters are not fully covered by an index. Query reads
// the next rows in list order by an index, Rows of them at most; Where selects those that
// the page shows. So a page examines a bounded number of rows, however few match.
type Window struct {
	Rows int
	// Query reads the rows, with a limit of Rows. Its arguments are Args.
	Query string
	Args  []any
	// Columns, Where and Order belong to the page's query, with the rows as Alias. The
	// arguments of Where are WhereArgs, numbered after Args.
	Columns, Alias, Where, Order string
	WhereArgs                    []any
}

// ReadWindow reads a page of a window. If the window is full but the page is not, it
// returns the rows found and the key of the last row examined: a short or empty page that
// others may follow.
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
