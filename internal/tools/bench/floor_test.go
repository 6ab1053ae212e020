package main

import (
	"strings"
	"testing"

	"konak/internal/kit/db"
)

// The floor of an operation writes what the operation writes, once for each
// request.
func TestFloor(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		e := newEnv()
		for _, sized := range []struct {
			operation
			size int
		}{{reply, 20}, {create, 20}, {exception, 0}} {
			op := sized.operation
			f, err := e.openFloor(t.Context(), dialect, op, sized.size)
			if err != nil {
				t.Fatal(dialect, op.name, err)
			}
			events := 0
			for _, s := range f.all {
				if strings.Contains(s.query, "INTO outbox") {
					events++
				}
			}
			before, err := countEvents(t.Context(), f.db, f.tenant)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if err := f.run(t.Context()); err != nil {
					t.Fatal(dialect, op.name, err)
				}
			}
			after, err := countEvents(t.Context(), f.db, f.tenant)
			if err != nil {
				t.Fatal(err)
			}
			if events == 0 || after-before != 3*events {
				t.Errorf("%s, %s: %d events more, the operation writes %d", dialect, op.name, after-before, events)
			}
		}
		if err := e.close(); err != nil {
			t.Error(err)
		}
	}
}
