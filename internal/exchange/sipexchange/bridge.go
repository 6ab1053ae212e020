package sipexchange

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"konak/internal/exchange"
)

// bridge joins two legs. The exchange's lock protects it.
type bridge struct {
	id, tenant uuid.UUID
	legs       []*leg
}

// CreateBridge implements exchange.Bridges.
func (x *Exchange) CreateBridge(_ context.Context, tenant, id uuid.UUID) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if b := x.bridges[id]; b != nil {
		if b.tenant != tenant {
			return exchange.ErrUnknown
		}
		return nil
	}
	count := 0
	for _, b := range x.bridges {
		if b.tenant == tenant {
			count++
		}
	}
	if count >= x.cfg.Limits.LegsOfTenant {
		return exchange.ErrBusy
	}
	x.bridges[id] = &bridge{id: id, tenant: tenant}
	return nil
}

// Join implements exchange.Bridges. A third leg is refused with exchange.ErrState.
func (x *Exchange) Join(_ context.Context, tenant, id, legID uuid.UUID) error {
	l, err := x.findLeg(tenant, legID)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	b := x.bridges[id]
	if b == nil || b.tenant != tenant {
		return exchange.ErrUnknown
	}
	if x.legs[legID] != l {
		return exchange.ErrState // it has ended meanwhile
	}
	if slices.Contains(b.legs, l) {
		return nil
	}
	if len(b.legs) == 2 {
		return exchange.ErrState
	}
	l.unbridge()
	b.legs = append(b.legs, l)
	l.mu.Lock()
	l.bridge = b
	l.mu.Unlock()
	b.connect()
	return nil
}

// connect lets the legs of a bridge hear each other.
func (b *bridge) connect() {
	for _, l := range b.legs {
		l.peer.Store(nil)
	}
	if len(b.legs) == 2 {
		b.legs[0].peer.Store(b.legs[1])
		b.legs[1].peer.Store(b.legs[0])
	}
}

// unbridge takes a leg out of its bridge. The caller holds the exchange's lock.
func (l *leg) unbridge() {
	l.mu.Lock()
	b := l.bridge
	l.bridge = nil
	l.mu.Unlock()
	l.peer.Store(nil)
	if b != nil {
		b.legs = slices.DeleteFunc(b.legs, func(other *leg) bool { return other == l })
		b.connect()
	}
}

func (l *leg) leave() {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	l.unbridge()
}

// Leave implements exchange.Bridges.
func (x *Exchange) Leave(_ context.Context, tenant, legID uuid.UUID) error {
	l, err := x.findLeg(tenant, legID)
	if err != nil {
		return err
	}
	l.leave()
	return nil
}

// DestroyBridge implements exchange.Bridges.
func (x *Exchange) DestroyBridge(_ context.Context, tenant, id uuid.UUID) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	b := x.bridges[id]
	if b == nil || b.tenant != tenant {
		return nil
	}
	for _, l := range slices.Clone(b.legs) {
		l.unbridge()
	}
	delete(x.bridges, id)
	return nil
}
