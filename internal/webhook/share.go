package webhook

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/outbound"
)

const (
	// A fast slot is held for at most a second: an attempt that takes longer gives it back,
	// and its endpoint's next attempts wait for a slow slot. So fast endpoints never wait
	// for slow ones.
	slotsPerPool = 256
	slowAfter    = time.Second
	maxPaces     = 20_000
)

// The pools of slots.
const (
	fast = iota
	slow
	pools
)

// pace is what is remembered of an endpoint between tenures.
type pace struct {
	limit  int  // attempts that may be under way: grows with success
	slow   bool // it takes long to answer
	marked int  // since this process first sent to it
	second time.Time
	sent   int // in that second
}

// recordAttempt records how an attempt went.
func (p *pace) recordAttempt(a *outbound.Answer) {
	p.slow = a.Duration > slowAfter
	if a.Class == "" {
		p.limit = min(2*p.limit, perEndpoint)
	} else {
		p.limit = max(p.limit/2, 1)
	}
}

// tenantLoad counts a tenant's attempts under way and holds its lanes that wait for a slot.
type tenantLoad struct {
	lanes    int
	inflight int
	waiting  [pools][]*lane
	inLine   [pools]bool
}

// slotPool shares slots among tenants, one attempt each in turn.
type slotPool struct {
	free int
	line []*tenantLoad
}

// slot is a place in a pool that an attempt holds. It is given back once.
type slot struct {
	pool  *slotPool
	freed bool
}

func (x *slot) free() {
	if !x.freed {
		x.freed = true
		x.pool.free++
	}
}

func (s *Sender) tenantLoadOf(tenant uuid.UUID) *tenantLoad {
	l, ok := s.tenants[tenant]
	if !ok {
		l = &tenantLoad{}
		s.tenants[tenant] = l
	}
	return l
}

func (s *Sender) paceOf(endpoint uuid.UUID) *pace {
	p, ok := s.paces[endpoint]
	if !ok {
		if len(s.paces) >= maxPaces {
			clear(s.paces) // it is only a memory of how fast they were
		}
		p = &pace{limit: 1}
		s.paces[endpoint] = p
	}
	return p
}

// waitForSlot puts a lane into its tenant's line for a slot if it may begin an attempt. The
// caller holds the lock.
func (s *Sender) waitForSlot(l *lane) {
	if l.waiting || !l.startable() {
		return
	}
	pool := fast
	if l.pace.slow || l.mode() == probe {
		pool = slow
	}
	l.waiting = true
	l.load.waiting[pool] = append(l.load.waiting[pool], l)
	s.queueTenant(l.load)
}

// queueTenant puts a tenant into the line of each pool from which it may have a slot. The
// caller holds the lock.
func (s *Sender) queueTenant(t *tenantLoad) {
	for i := range s.pools {
		if !t.inLine[i] && len(t.waiting[i]) > 0 && t.inflight < perTenant {
			t.inLine[i] = true
			s.pools[i].line = append(s.pools[i].line, t)
		}
	}
}

// fillSlots begins attempts while slots are free, one of each tenant in turn. The caller
// holds the lock.
func (s *Sender) fillSlots() {
	for i := range s.pools {
		p := &s.pools[i]
		for p.free > 0 && len(p.line) > 0 {
			t := p.line[0]
			p.line = slices.Delete(p.line, 0, 1)
			t.inLine[i] = false
			if t.inflight >= perTenant || len(t.waiting[i]) == 0 {
				continue
			}
			l := t.waiting[i][0]
			t.waiting[i] = slices.Delete(t.waiting[i], 0, 1)
			l.waiting = false
			if l.startable() {
				s.start(l, p)
			}
			s.waitForSlot(l)
			s.queueTenant(t)
		}
	}
}
