// Package headroom bounds the garbage that gathers between two collections.
//
// By default Go lets a heap double before it collects. One that holds search
// indexes then takes twice what it needs. Here garbage may take as much as what
// is alive apart from the indexes, and always a certain size.
package headroom

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// size is what suits a node: a fraction of what one takes anyway.
const size = 40 << 20

// Below least, collecting would become all that is done; most is Go's own.
const least, most = 30, 100

// Keep holds the headroom until stop is called. Still says how much of the heap
// are indexes, arrays that live long and hold no pointers. Who sets GOGC wants
// it otherwise and is left alone.
func Keep(still func() int) (stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	k := &keeper{still: still, was: debug.SetGCPercent(100), now: 100}
	k.arm()
	return func() {
		k.stopped.Store(true)
		debug.SetGCPercent(k.was)
	}
}

type keeper struct {
	still    func() int
	was, now int
	stopped  atomic.Bool
}

// arm has adjust called after the next collection: it finds an object that
// nobody holds.
func (k *keeper) arm() {
	runtime.AddCleanup(new([16]byte), (*keeper).adjust, k)
}

func (k *keeper) adjust() {
	if k.stopped.Load() {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	// Setting it stops the world for a moment, so small changes are let be.
	if p := percent(int(live[0].Value.Uint64()), k.still()); p > k.now+k.now/10 || p < k.now-k.now/10 {
		k.now = p
		debug.SetGCPercent(p)
	}
	k.arm()
}

// percent is the share of a live heap that its headroom is.
func percent(live, still int) int {
	return min(max(100*max(size, live-still)/max(live, 1), least), most)
}
