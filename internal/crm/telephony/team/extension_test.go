package team

import "testing"

// Nobody's extension is a number of help.
func TestFreeExtension(t *testing.T) {
	t.Parallel()
	taken := map[string]bool{}
	for range 100 {
		next := freeExtension(taken)
		if next == "110" || next == "112" || next == "155" {
			t.Errorf("extension %s is given", next)
		}
		taken[next] = true
	}
	if !taken["109"] || !taken["111"] || taken["999"] {
		t.Errorf("given: %v", taken)
	}
}
