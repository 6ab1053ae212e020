package webhook

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/webhook/signature"
)

// The state machine of a lane matches the one in decision 0010, and it has no dead end:
// from every state a lane can be given back or lost.
func TestLaneTable(t *testing.T) {
	t.Parallel()
	states := map[laneState]string{
		loading: "loading", sending: "sending", idle: "idle", draining: "draining", releasing: "releasing", gone: "gone",
	}
	want := map[string]laneState{}
	for _, row := range []struct {
		from []laneState
		on   laneChange
		to   laneState
	}{
		{[]laneState{loading}, rowsRead, sending},
		{[]laneState{loading}, nothingRead, idle},
		{[]laneState{sending}, runsLow, loading},
		{[]laneState{sending}, allMarked, idle},
		{[]laneState{idle}, notified, loading},
		{[]laneState{idle}, waitedLong, releasing},
		{[]laneState{loading, sending, idle}, settingsChanged, loading},
		{[]laneState{loading, sending, idle}, halted, draining},
		{[]laneState{loading, sending, draining}, cameBack, loading},
		{[]laneState{draining}, drained, releasing},
		{[]laneState{releasing}, dueAgain, loading},
		{[]laneState{releasing}, released, gone},
		{[]laneState{loading, sending, idle, draining, releasing}, leaseLost, gone},
	} {
		for _, from := range row.from {
			want[states[from]+string(rune('a'+row.on))] = row.to
		}
	}
	for from := range states {
		for on := rowsRead; on <= leaseLost; on++ {
			l := &lane{state: from}
			to, ok := want[states[from]+string(rune('a'+on))]
			if moved := l.move(on); moved != ok || moved && l.state != to || !moved && l.state != from {
				t.Errorf("%s, change %d: %s", states[from], on, states[l.state])
			}
		}
		if end, ok := from, false; from != gone {
			for _, path := range [][]laneChange{{released}, {drained, released}, {halted, drained, released}} {
				l := &lane{state: end}
				for _, on := range path {
					l.move(on)
				}
				ok = ok || l.state == gone
			}
			if !ok {
				t.Errorf("a lane that is %s can never be given back", states[from])
			}
		}
	}
}

// The deliveries that a crash may repeat are few at first and grow with the number marked,
// up to a limit: they stay below one in a hundred from some thousand on.
func TestUnmarkedDeliveriesAreBounded(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ marked, most int }{{0, 6}, {199, 6}, {200, 7}, {1000, 11}, {2800, 20}, {1_000_000, 50}} {
		l := &lane{pace: &pace{limit: perEndpoint, marked: tc.marked}}
		if l.unmarked = tc.most - 1; l.full() {
			t.Errorf("after %d marks it is full with %d", tc.marked, l.unmarked)
		}
		if l.unmarked = tc.most; !l.full() {
			t.Errorf("after %d marks more than %d may be unmarked", tc.marked, tc.most)
		}
	}
}

// A tenant that is at its limit of attempts under way gets no other slot.
func TestTenantLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		inflight int
		inLine   bool
	}{{perTenant - 1, true}, {perTenant, false}} {
		s := &Sender{}
		l := &lane{
			state: sending, signer: signature.Signer{"secret"}, buffer: make([]job, 1),
			pace: &pace{limit: perEndpoint}, load: &tenantLoad{inflight: c.inflight},
		}
		if s.waitForSlot(l); l.load.inLine[fast] != c.inLine {
			t.Errorf("with %d under way it waits for a slot: %v", c.inflight, l.load.inLine[fast])
		}
		// It reached its limit while it waited.
		l.load.inflight, s.pools[fast].free = perTenant, 1
		if s.fillSlots(); s.pools[fast].free != 1 || len(l.buffer) != 1 {
			t.Error("an attempt began beyond the limit")
		}
	}
}

// A lane that has read a retry does not skip the positions that are reserved next, which
// begin a little before now; a page that was full continues after its last row.
func TestRetriesAreNotSkipped(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	from := func() readFrom {
		return readFrom{held: map[uuid.UUID]struct{}{}, newest: now.Add(-queueStart)}
	}
	rows := func(n int) []job {
		list := make([]job, n)
		for i := range list {
			list[i] = job{id: uuid.UUID{14: byte(i >> 8), 15: byte(i)}, event: uuid.UUID{15: 1}, nextAt: clock.At(now)}
		}
		return list
	}
	one := &lane{}
	one.take(from(), rows(1))
	if want := clock.At(now.Add(-queueStart)); one.cursorTime != want || one.unread {
		t.Errorf("after a retry the lane goes on at %v, not at %v", one.cursorTime, want)
	}
	full := &lane{}
	full.take(from(), rows(readRows))
	if full.cursorTime != clock.At(now) || !full.unread {
		t.Errorf("after a full page the lane goes on at %v", full.cursorTime)
	}
}
