package db

import "testing"

func TestHideLimitParam(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`SELECT 1 FROM t WHERE a = $1 LIMIT $2`:                `SELECT 1 FROM t WHERE a = $1 LIMIT $2 + 0`,
		`SELECT 1 FROM (SELECT 1 FROM t LIMIT $12) AS x`:       `SELECT 1 FROM (SELECT 1 FROM t LIMIT $12 + 0) AS x`,
		`SELECT 1 FROM t LIMIT 1`:                              `SELECT 1 FROM t LIMIT 1`,
		`UPDATE t SET a = $1 WHERE id IN (SELECT id LIMIT $2)`: `UPDATE t SET a = $1 WHERE id IN (SELECT id LIMIT $2 + 0)`,
	} {
		if got := hideLimitParam(in); got != want {
			t.Errorf("got %s", got)
		}
	}
}
