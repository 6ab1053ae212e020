package dbtest

import (
	"testing"

	"konak/internal/kit/db"
)

// CountPages reads a list from a page on until there is no next page. It returns
// how many rows it found on how many pages. An error of the list ends the test.
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
