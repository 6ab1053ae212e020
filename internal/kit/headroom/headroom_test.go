package headroom

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

func TestPercent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size, live uint64
		want       int
	}{
		{48 << 20, 0, most},
		{48 << 20, 4 << 20, most},
		{48 << 20, 24 << 20, 200},
		{48 << 20, 96 << 20, 50},
		{48 << 20, 1 << 30, least},
	} {
		if got := percent(c.size, c.live); got != c.want {
			t.Errorf("%d of %d: got %d, want %d", c.size, c.live, got, c.want)
		}
	}
}

func current() uint64 {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// A heap that grows gets a smaller share, and all is as before afterwards.
func TestKeep(t *testing.T) {
	if current() != 100 {
		t.Skip("GOGC is set")
	}
	stop := Keep(8 << 20)
	held := make([]byte, 16<<20)
	for i := 0; current() > 60; i++ {
		if i == 1000 {
			t.Fatalf("after %d collections the share is %d", i, current())
		}
		runtime.GC()
	}
	runtime.KeepAlive(held)
	stop()
	if got := current(); got != 100 {
		t.Errorf("the share stays at %d", got)
	}
}
