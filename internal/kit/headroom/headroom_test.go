package headroom

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

func TestPercent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ all, moving, room, want int }{
		{0, 0, calm, most},
		{4 << 20, 4 << 20, calm, most},
		{1 << 30, 1 << 30, calm, most},
		{80 << 20, 20 << 20, calm, 50},
		{1 << 30, 0, calm, least},
		{1 << 20, -1 << 30, calm, most},
		{20 << 20, 20 << 20, busy, 800},
		{40 << 20, 20 << 20, busy, 400},
		{1 << 30, 1 << 30, busy, 100},
	} {
		if got := percent(c.all, c.moving, c.room); got != c.want {
			t.Errorf("%d, %d of it moving, room for %d: got %d, want %d", c.all, c.moving, c.room, got, c.want)
		}
	}
}

// Room doubles while collections come often and halves when they are rare.
func TestNext(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		room  int
		since time.Duration
		want  int
	}{
		{calm, often - 1, 2 * calm},
		{calm, often, calm},
		{busy, 0, busy},
		{busy, seldom, busy},
		{busy, 2 * time.Minute, busy / 2},
		{calm, 2 * time.Minute, calm},
	} {
		if got := next(c.room, c.since); got != c.want {
			t.Errorf("%d after %s: got %d, want %d", c.room, c.since, got, c.want)
		}
	}
}

func current() uint64 {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// A heap of indexes gets a smaller share, and all is as before afterwards.
func TestKeep(t *testing.T) {
	t.Setenv("GOGC", "")
	before := current()
	held := make([]byte, 2*busy)
	stop := Keep(func() int { return len(held) })
	for i := 0; current() > 60; i++ {
		if i == 1000 {
			t.Fatalf("after %d collections the share is %d", i, current())
		}
		runtime.GC()
	}
	runtime.KeepAlive(held)
	stop()
	if got := current(); got != before {
		t.Errorf("the share stays at %d, not %d as before", got, before)
	}
}
