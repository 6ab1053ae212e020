package limit

import (
	"sync"
	"time"

	"konak/internal/kit/clock"
)

// Recent counts how often something happened to a key in a window that moves
// with time, up to a bound: what matters is whether a threshold is reached.
type Recent struct {
	clock  clock.Source
	window time.Duration
	keep   int

	mu    sync.Mutex
	times map[Key][]time.Time
	sweep int
}

// maxRecent bounds the keys that are remembered.
const maxRecent = 100_000

// NewRecent counts up to keep in a window.
func NewRecent(c clock.Source, window time.Duration, keep int) *Recent {
	return &Recent{clock: c, window: window, keep: keep, times: map[Key][]time.Time{}, sweep: 1024}
}

// Add notes that it happened.
func (r *Recent) Add(k Key) {
	now := r.clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.room(now)
	list := append(r.times[k], now)
	r.times[k] = list[max(0, len(list)-r.keep):]
}

// Count says how often it happened, up to the bound.
func (r *Recent) Count(k Key) int {
	from := r.clock.Now().Add(-r.window)
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, t := range r.times[k] {
		if t.After(from) {
			n++
		}
	}
	return n
}

// Forget drops a key, e.g. once it proved itself.
func (r *Recent) Forget(k Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.times, k)
}

func (r *Recent) room(now time.Time) {
	if len(r.times) < r.sweep {
		return
	}
	from := now.Add(-r.window)
	for k, list := range r.times {
		if !list[len(list)-1].After(from) {
			delete(r.times, k)
		}
	}
	for k := range r.times {
		if len(r.times) < maxRecent {
			break
		}
		delete(r.times, k)
	}
	r.sweep = min(max(1024, 2*len(r.times)), maxRecent)
}
