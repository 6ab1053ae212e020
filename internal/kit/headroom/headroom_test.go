package headroom

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

func TestPercent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ live, still, want int }{
		{0, 0, most},
		{4 << 20, 0, most},
		{1 << 30, 0, most},
		{80 << 20, 60 << 20, 50},
		{1 << 30, 1 << 30, least},
		{1 << 20, 1 << 30, most},
	} {
		if got := percent(c.live, c.still); got != c.want {
			t.Errorf("%d, %d of it still: got %d, want %d", c.live, c.still, got, c.want)
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
	held := make([]byte, 160<<20)
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
