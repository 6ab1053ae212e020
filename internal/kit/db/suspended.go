package db

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// TopicSuspended is woken when a workspace has been suspended or resumed.
const TopicSuspended = "suspended"

// suspendedFor is how long a node trusts the suspended workspaces that it read, and
// suspendedWait how long a request waits for them if the database is slow.
const (
	suspendedFor  = time.Second
	suspendedWait = 5 * time.Second
)

// suspendedCache holds the most recently read suspended workspaces.
type suspendedCache struct {
	reading sync.Mutex // held while they are read again
	last    atomic.Pointer[suspendedList]
	stale   atomic.Bool
}

type suspendedList struct {
	tenants map[uuid.UUID]bool
	age     func() time.Duration
}

func (c *suspendedCache) forget() { c.stale.Store(true) }

// known returns the list if it was read within the last second, nil if it must be read
// again.
func (c *suspendedCache) known() *suspendedList {
	if last := c.last.Load(); last != nil && last.age() < suspendedFor && !c.stale.Load() {
		return last
	}
	return nil
}

type refusedKey struct{}

// RefuseSuspended returns a context in which handles of currently suspended workspaces
// return the fault workspace_suspended. Code that accepts a request from outside calls it
// once, at the beginning: work begun before a suspension is finished, and what others have
// already accepted is recorded.
func (d *DB) RefuseSuspended(ctx context.Context) context.Context {
	tenants := d.readSuspended(ctx)
	if len(tenants) == 0 && ctx.Value(refusedKey{}) == nil {
		return ctx
	}
	return context.WithValue(ctx, refusedKey{}, tenants)
}

// readSuspended returns the suspended workspaces. One request reads them again while the
// others wait for it, for suspendedWait at most; in an outage the last known list is used.
func (d *DB) readSuspended(ctx context.Context) map[uuid.UUID]bool {
	c := &d.suspended
	if known := c.known(); known != nil {
		return known.tenants
	}
	c.reading.Lock()
	defer c.reading.Unlock()
	if known := c.known(); known != nil {
		return known.tenants
	}
	c.stale.Store(false)
	next := &suspendedList{age: clock.Stopwatch()}
	if last := c.last.Load(); last != nil {
		next.tenants = last.tenants
	}
	// It is read for everyone, so a caller that hangs up does not cancel it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), suspendedWait)
	defer cancel()
	list, err := Read(ctx, d.System("suspended workspaces"), func(r *Reader) ([]uuid.UUID, error) {
		return All(r, Scalar[uuid.UUID], `SELECT id FROM tenant WHERE suspended_at IS NOT NULL`)
	})
	if err != nil {
		next.age = clock.Stopwatch()
	} else {
		next.tenants = make(map[uuid.UUID]bool, len(list))
		for _, id := range list {
			next.tenants[id] = true
		}
	}
	c.last.Store(next)
	return next.tenants
}

// AllowSuspended returns a context that does not refuse a workspace: people can leave a
// suspended one through their own account.
func AllowSuspended(ctx context.Context, tenant uuid.UUID) context.Context {
	if !IsRefused(ctx, tenant) {
		return ctx
	}
	rest := maps.Clone(ctx.Value(refusedKey{}).(map[uuid.UUID]bool))
	delete(rest, tenant)
	return context.WithValue(ctx, refusedKey{}, rest)
}

// IsRefused reports whether a context of RefuseSuspended refuses a workspace.
func IsRefused(ctx context.Context, tenant uuid.UUID) bool {
	tenants, _ := ctx.Value(refusedKey{}).(map[uuid.UUID]bool)
	return tenants[tenant]
}

// IsSuspended reports whether the reader's workspace is suspended, for a check in the
// transaction that acts on it.
func IsSuspended(r *Reader) (bool, error) {
	return One(r, Scalar[bool], `SELECT EXISTS (SELECT 1 FROM tenant WHERE id = $1 AND suspended_at IS NOT NULL)`, r.Tenant())
}

// NotSuspended returns a query condition for a table with a tenant_id: its workspace is not
// suspended. Queries that claim work which sends something use it.
func NotSuspended(table string) string {
	return ` NOT EXISTS (SELECT 1 FROM tenant suspended WHERE suspended.id = ` + table + `.tenant_id AND suspended.suspended_at IS NOT NULL) `
}
