package webhook

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// What a crash may repeat is a few at first and grows with what was marked, up
// to a bound: it stays below one in a hundred from some thousand on.
func TestUnmarkedIsBounded(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ marked, most int }{{0, 6}, {199, 6}, {200, 7}, {1000, 11}, {2800, 20}, {1_000_000, 50}} {
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

// A lane takes what is offered only where it has read everything before it and
// nothing of it.
func TestAccept(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	id := func(n byte) uuid.UUID { return uuid.UUID{15: n} }
	offered := func(n byte) offer {
		return offer{newDelivery{id: id(n), event: id(n), nextAt: clock.At(at), createdAt: clock.At(at)}, func() []byte { return nil }}
	}
	now := func() time.Duration { return 0 }
	for _, c := range []struct {
		name string
		bend func(*lane)
		want bool
	}{
		{"up to date", func(*lane) {}, true},
		{"never read", func(l *lane) { l.looked = nil }, false},
		{"read long ago", func(l *lane) { l.looked = func() time.Duration { return look } }, false},
		{"old settings", func(l *lane) { l.fresh = func() time.Duration { return look } }, false},
		{"more to read", func(l *lane) { l.more = true }, false},
		{"reading", func(l *lane) { l.fetching = true }, false},
		{"disabled", func(l *lane) { l.probe = true }, false},
		{"strict", func(l *lane) { l.strict = true }, false},
		{"lost", func(l *lane) { l.lost = true }, false},
		{"read by now", func(l *lane) { l.cursorTime, l.cursorID = clock.At(at), id(2) }, false},
		{"full", func(l *lane) { l.buffer = make([]job, fetchRows) }, false},
	} {
		l := &lane{looked: now, fresh: now, cursorTime: clock.At(at), cursorID: id(1)}
		c.bend(l)
		before := len(l.buffer)
		if got := l.accept([]offer{offered(2), offered(3)}); got != c.want || (len(l.buffer) == before+2) != c.want {
			t.Errorf("%s: %v, %d in the buffer", c.name, got, len(l.buffer))
		}
		if c.want && l.cursorID != id(3) {
			t.Errorf("%s: the next fetch would begin at %s", c.name, l.cursorID)
		}
	}
}

// A lane that has read a retry does not pass over the places that are given
// next, which begin a little before now; a page that was full goes on behind its
// last row.
func TestRetryIsNotPassed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	from := func() point { return point{held: map[uuid.UUID]struct{}{}, places: now.Add(-queueStart)} }
	rows := func(n int) []job {
		list := make([]job, n)
		for i := range list {
			list[i] = job{id: uuid.UUID{14: byte(i >> 8), 15: byte(i)}, event: uuid.UUID{15: 1}, nextAt: clock.At(now)}
		}
		return list
	}
	one := &lane{}
	one.take(from(), rows(1), false)
	if want := clock.At(now.Add(-queueStart)); one.cursorTime != want {
		t.Errorf("after a retry the lane goes on at %v, not at %v", one.cursorTime, want)
	}
	full := &lane{}
	full.take(from(), rows(fetchRows), false)
	if full.cursorTime != clock.At(now) || !full.more {
		t.Errorf("after a full page the lane goes on at %v", full.cursorTime)
	}
}
