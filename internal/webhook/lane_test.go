package webhook

import "testing"

// What a crash may repeat is a few at first and grows with what was marked, up
// to a bound: it stays below one in a hundred from some thousand on.
func TestUnmarkedIsBounded(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ marked, most int }{{0, 6}, {199, 6}, {200, 7}, {1000, 11}, {2800, 20}, {1_000_000, 20}} {
		l := &lane{pace: &pace{limit: perEndpoint, marked: tc.marked}}
		for range tc.most - 1 {
			if l.full() {
				t.Fatalf("after %d marks it is full with %d", tc.marked, len(l.results))
			}
			l.results = append(l.results, result{})
		}
		l.marking, l.results = 2, l.results[:len(l.results)-2]
		if l.inflight = 1; !l.full() {
			t.Errorf("after %d marks more than %d may be unmarked", tc.marked, tc.most)
		}
	}
}
