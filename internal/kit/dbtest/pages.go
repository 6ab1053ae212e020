package dbtest

import (
	"testing"

	"konak/internal/kit/db"
)

// CountPages reads a list, starting at page p, until there is no next page. It returns the
// number of rows and of pages. An error of the list ends the test.
func CountPages[T any](t *testing.T, p db.Page, list func(db.Page) (db.List[T], error)) (rows, pages int) {
	t.Helper()
	for more := true; more; pages++ {
		got, err := list(p)
		if err != nil {
			t.Fatal(err)
		}
		rows += len(got.Rows)
		if more = got.Next != nil; more {
			p.After = *got.Next
		}
	}
	return rows, pages
}
