package dbtest

import (
	"testing"

	"konak/internal/kit/db"
)

// CollectStatistics tells PostgreSQL's planner how many rows the tables have now, as
// autovacuum does within a minute on a real server and never in a test. SQLite plans by its
// indexes only.
func CollectStatistics(tb testing.TB, d *db.DB) {
	tb.Helper()
	if d.Dialect() == db.Postgres {
		change(tb, ownerOf(tb, d), `ANALYZE`)
	}
}
