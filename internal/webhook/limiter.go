package webhook

import (
	"math"
	"sync"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
)

// Calls without a credential: each address may make so many in a minute, on
// each node. It makes guessing ids, which is hopeless, also conspicuous.
const (
	keylessPerMinute = 240
	keylessMemory    = 10_000
)

// limiter counts calls by address in windows of a minute.
type limiter struct {
	clock clock.Source
	mu    sync.Mutex
	since time.Time
	calls map[string]int
}

func newLimiter(c clock.Source) *limiter { return &limiter{clock: c, calls: map[string]int{}} }

// take counts one call and refuses it when there were too many.
func (l *limiter) take(ip string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.Now()
	if now.Sub(l.since) >= time.Minute || len(l.calls) >= keylessMemory {
		l.since = now
		clear(l.calls)
	}
	if l.calls[ip]++; l.calls[ip] <= keylessPerMinute {
		return nil
	}
	wait := int(math.Ceil((time.Minute - now.Sub(l.since)).Seconds()))
	f := fault.New(fault.RateLimited, wait)
	f.RetryAfter = wait
	return f
}
