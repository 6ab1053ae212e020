package flood

import (
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"konak/internal/kit/clock"
)

const (
	maxAttempts    = 50_000
	attemptsWindow = 10 * time.Minute
	longestBlock   = 5 * time.Minute
)

// The number of failures after which answers are refused unchecked: of a user from an
// address, of an address, and of a user from all addresses.
const (
	failuresOfPair    = 5
	failuresOfAddress = 50
	failuresOfUser    = 20
)

// Attempts slows down password guessing. A telephone that is signed in is held up only by
// failures of its own user from its own address, even behind a shared router.
type Attempts struct {
	clock clock.Source
	log   *slog.Logger
	mu    sync.Mutex
	by    map[attemptKey]*attempt
	swept time.Time
}

// attemptKey is a user, an address, or both.
type attemptKey struct {
	addr netip.Addr
	user string
}

type attempt struct {
	failures int
	last     time.Time
	until    time.Time
}

// NewAttempts returns Attempts without any failures.
func NewAttempts(c clock.Source, log *slog.Logger) *Attempts {
	return &Attempts{clock: c, log: log, by: map[attemptKey]*attempt{}}
}

// IsBlocked reports whether an answer is refused unchecked. known means that the user is
// signed in from this address.
func (a *Attempts) IsBlocked(addr netip.Addr, user string, known bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.clock.Now()
	blocked := func(k attemptKey) bool { t := a.by[k]; return t != nil && now.Before(t.until) }
	return blocked(attemptKey{addr, user}) || !known && (blocked(attemptKey{addr: addr}) || blocked(attemptKey{user: user}))
}

// Fail counts a wrong answer.
func (a *Attempts) Fail(addr netip.Addr, user string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.clock.Now()
	if len(a.by) >= maxAttempts {
		a.forget(now)
	}
	for key, limit := range map[attemptKey]int{{addr, user}: failuresOfPair, {addr: addr}: failuresOfAddress, {user: user}: failuresOfUser} {
		t := a.by[key]
		if t == nil {
			if len(a.by) >= maxAttempts {
				continue
			}
			t = &attempt{}
			a.by[key] = t
		}
		if now.Sub(t.last) > attemptsWindow {
			t.failures = 0
		}
		t.failures, t.last = t.failures+1, now
		if over := t.failures - limit; over >= 0 {
			t.until = now.Add(min(time.Second<<min(over, 16), longestBlock))
			if over == 0 {
				a.log.Warn("sign-ins of a telephone are slowed down: too many wrong passwords", "user", key.user, "address", key.addr)
			}
		}
	}
}

// forget drops what is older than the window, at most once a second.
func (a *Attempts) forget(now time.Time) {
	if now.Sub(a.swept) < time.Second {
		return
	}
	a.swept = now
	for key, t := range a.by {
		if now.Sub(t.last) > attemptsWindow {
			delete(a.by, key)
		}
	}
}
