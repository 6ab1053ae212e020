// Package headroom bounds the garbage that gathers between two collections.
//
// By default Go lets a heap double before it collects. A small heap is then
// collected all the time, and one that holds search indexes takes twice what
// it needs. With a headroom of a fixed size the first collects rarely and the
// second stays near its size.
package headroom

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// Size is what suits a node: a fraction of what one takes anyway.
const Size = 40 << 20

// A percentage outside of these is not worth it: below, collecting would
// become all that is done; above, nothing is saved any more.
const least, most = 30, 400

// Keep holds the headroom at size until stop is called. Who sets GOGC wants it
// otherwise and is left alone.
func Keep(size uint64) (stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	k := &keeper{size: size, was: debug.SetGCPercent(100)}
	k.now = 100
	k.arm()
	return func() {
		k.stopped.Store(true)
		debug.SetGCPercent(k.was)
	}
}

type keeper struct {
	size     uint64
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
	if p := percent(k.size, live[0].Value.Uint64()); p > k.now+k.now/10 || p < k.now-k.now/10 {
		k.now = p
		debug.SetGCPercent(p)
	}
	k.arm()
}

// percent is the share of a live heap that a headroom is.
func percent(size, live uint64) int {
	return int(min(max(100*size/max(live, 1), least), most))
}
