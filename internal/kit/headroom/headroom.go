// Package headroom bounds the garbage that gathers between two collections.
//
// By default Go lets a heap double before it collects. One that holds search
// indexes then takes twice what it needs, and a small one that is busy collects
// many times a second: a sixth of the work of a node that delivers webhooks. Here
// garbage may take as much as what is alive apart from the indexes, and always a
// certain size, which is larger while collections follow each other closely.
package headroom

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"konak/internal/kit/clock"
)

const (
	// calm suits a node with little to do: a fraction of what it takes anyway.
	calm = 40 << 20
	// busy is what garbage may take at most where it comes fast.
	busy = 160 << 20
	// often and seldom are how far apart collections are that ask for more
	// room, and for less.
	often  = 400 * time.Millisecond
	seldom = 4 * time.Second
)

// Below least, collecting would become all that is done; most is Go's own, and
// holds for a calm node.
const least, most = 30, 100

// Keep holds the headroom until stop is called. Still says how much of the heap
// are indexes, arrays that live long and hold no pointers. Who sets GOGC wants
// it otherwise and is left alone.
func Keep(still func() int) (stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	k := &keeper{still: still, was: debug.SetGCPercent(most), now: most, room: calm, since: clock.Stopwatch()}
	k.arm()
	return func() {
		k.stopped.Store(true)
		debug.SetGCPercent(k.was)
	}
}

type keeper struct {
	still    func() int
	was, now int
	room     int                  // what garbage may take
	since    func() time.Duration // the last collection
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
	// The share is of what is alive and of what is looked through beside it.
	read := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(read)
	live, all := int(read[0].Value.Uint64()), 0
	for i := range read {
		all += int(read[i].Value.Uint64())
	}
	k.room = next(k.room, k.since())
	k.since = clock.Stopwatch()
	// Setting it stops the world for a moment, so small changes are let be.
	if p := percent(all, live-k.still(), k.room); p > k.now+k.now/10 || p < k.now-k.now/10 {
		k.now = p
		debug.SetGCPercent(p)
	}
	k.arm()
}

// next is how much room garbage gets after a collection that came so long after
// the one before.
func next(room int, since time.Duration) int {
	switch {
	case since < often:
		return min(2*room, busy)
	case since > seldom:
		return max(room/2, calm)
	}
	return room
}

// percent is the share of what is collected by that its headroom is, with so
// much alive apart from the indexes.
func percent(all, moving, room int) int {
	p := max(100*max(room, moving)/max(all, 1), least)
	if room > calm {
		return p
	}
	return min(p, most)
}
