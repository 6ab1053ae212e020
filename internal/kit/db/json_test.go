package db_test

import (
	"testing"

	"konak/internal/kit/db"
)

// JSON refuses NULL, which would otherwise pass as an empty value; FromJSON leaves the
// variable as it was.
func TestJSONOfNull(t *testing.T) {
	t.Parallel()
	var strict db.JSON[[]string]
	if err := strict.Scan(nil); err == nil {
		t.Error("JSON took NULL")
	}
	lenient := []string{"kept"}
	if err := db.FromJSON(&lenient).Scan(nil); err != nil || len(lenient) != 1 {
		t.Errorf("FromJSON of NULL: %v, %v", lenient, err)
	}
	for _, src := range []any{`["a","b"]`, []byte(`["a","b"]`)} {
		if err := strict.Scan(src); err != nil || len(strict.V) != 2 {
			t.Errorf("JSON of %T: %v, %v", src, strict.V, err)
		}
		if err := db.FromJSON(&lenient).Scan(src); err != nil || len(lenient) != 2 {
			t.Errorf("FromJSON of %T: %v, %v", src, lenient, err)
		}
	}
}
