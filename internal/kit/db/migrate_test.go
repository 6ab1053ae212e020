package db_test

import (
	"sync"
	"testing"
	"testing/fstest"

	"konak/internal/kit/db"
	"konak/internal/kit/pgtest"
)

// Nodes that start at the same moment on a new database migrate one after the other: one of
// them applies everything, and none fails.
func TestNodesMigrateInTurn(t *testing.T) {
	t.Parallel()
	url := pgtest.NewDatabase(t, "").Owner
	files := fstest.MapFS{
		"00001_one.sql": {Data: []byte("-- +goose Up\nCREATE TABLE one (id bigint PRIMARY KEY);\n")},
		"00002_two.sql": {Data: []byte("-- +goose Up\nCREATE TABLE two (id bigint PRIMARY KEY);\n")},
	}
	var wg sync.WaitGroup
	applied := make([]int, 8)
	for i := range applied {
		wg.Go(func() {
			d, err := db.Open(t.Context(), db.Options{URL: url, MaxConns: 1})
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = d.Close() }()
			versions, err := d.Migrate(t.Context(), files)
			if err != nil {
				t.Error(err)
			}
			applied[i] = len(versions)
		})
	}
	wg.Wait()
	sum, most := 0, 0
	for _, n := range applied {
		sum, most = sum+n, max(most, n)
	}
	if sum != 2 || most != 2 {
		t.Errorf("the nodes applied %v", applied)
	}
}
