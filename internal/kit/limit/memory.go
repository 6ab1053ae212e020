package limit

import (
	"context"
	"maps"
	"math/rand/v2"
	"sync"
	"time"

	"konak/internal/kit/clock"
)

const (
	shards = 64
	// perShard limits the memory that a flood of keys can use. Beyond it some key is
	// forgotten, which at worst gives its owner a fresh burst.
	perShard = 16 << 10
)

// Memory is a Limiter in the process. It stores one number per key: the time until which
// its uses are spread out at the policy's even pace (the generic cell rate algorithm), so
// that nothing has to be refilled.
type Memory struct {
	clock  clock.Source
	factor int
	noting bool // whether to record uses for other nodes
	shards [shards]shard
}

type shard struct {
	mu    sync.Mutex
	until map[slot]time.Time
	noted map[slot]uses
	sweep int // number of keys at which expired ones are removed
}

// uses are the uses of a key since other nodes were last informed.
type uses struct{ spent, window time.Duration }

type slot struct {
	policy string
	key    Key
}

// NewMemory returns a limiter. The factor multiplies every burst, so that tests run the
// same code without being held up.
func NewMemory(c clock.Source, factor int) *Memory {
	m := &Memory{clock: c, factor: max(factor, 1)}
	for i := range m.shards {
		m.shards[i] = shard{until: map[slot]time.Time{}, sweep: 256}
	}
	return m
}

// Take implements Limiter.
func (m *Memory) Take(_ context.Context, p Policy, k Key) Result {
	p.Burst *= m.factor
	now := m.clock.Now()
	sh := &m.shards[shardOf(k)]
	at := slot{p.Name, k}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	spread := sh.until[at]
	if spread.Before(now) {
		spread = now
	}
	if latest := now.Add(p.Window); spread.After(latest) {
		// The clock was set back: nobody waits longer than a window.
		spread = latest
		sh.until[at] = latest
	}
	next := spread.Add(p.costOfOne())
	if next.Sub(now) > p.Window {
		return p.refused(spread, now)
	}
	sh.evict(now)
	sh.until[at] = next
	if m.noting && !p.Strict && next.Sub(now) > p.Window/noticeable {
		if sh.noted == nil {
			sh.noted = map[slot]uses{}
		}
		sh.noted[at] = uses{sh.noted[at].spent + p.costOfOne(), p.Window}
	}
	return p.allowed(next, now)
}

// takeNoted returns the uses since its last call.
func (m *Memory) takeNoted() map[slot]uses {
	out := map[slot]uses{}
	for i := range m.shards {
		sh := &m.shards[i]
		sh.mu.Lock()
		maps.Copy(out, sh.noted)
		sh.noted = nil
		sh.mu.Unlock()
	}
	return out
}

// raise takes the uses of a key on other nodes into account.
func (m *Memory) raise(at slot, until time.Time) {
	sh := &m.shards[shardOf(at.key)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if until.After(sh.until[at]) {
		sh.evict(m.clock.Now())
		sh.until[at] = until
	}
}

// shardOf mixes the key's bytes, since ids and addresses differ in only a few of them.
func shardOf(k Key) int {
	h := uint32(2166136261)
	for _, b := range k {
		h = (h ^ uint32(b)) * 16777619
	}
	return int(h % shards)
}

// evict removes old keys until one more fits.
func (sh *shard) evict(now time.Time) {
	if len(sh.until) < sh.sweep {
		return
	}
	for at, until := range sh.until {
		if until.Before(now) {
			delete(sh.until, at)
		}
	}
	for at := range sh.until { // in random order, so that nobody can choose the victim
		if len(sh.until) < perShard {
			break
		}
		delete(sh.until, at)
	}
	sh.sweep = min(max(256, 2*len(sh.until)), perShard) + rand.IntN(16) //nolint:gosec // spreads the sweeps of the shards
}
