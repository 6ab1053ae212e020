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

// TopicSuspended is woken when a workspace was suspended or resumed.
const TopicSuspended = "suspended"

// suspendedFor is how long a node believes what it read of suspended workspaces, and
// suspendedWait how long a request waits for them where the database is slow.
const (
	suspendedFor  = time.Second
	suspendedWait = 5 * time.Second
)

// suspendedCache holds the suspended workspaces as they were read last.
type suspendedCache struct {
	reading sync.Mutex // held by the one who reads them again
	last    atomic.Pointer[suspendedList]
	stale   atomic.Bool
}

type suspendedList struct {
	tenants map[uuid.UUID]bool
	age     func() time.Duration
}

func (c *suspendedCache) forget() { c.stale.Store(true) }

// known returns what was read within the last second, nil where it is to be read again.
func (c *suspendedCache) known() *suspendedList {
	if last := c.last.Load(); last != nil && last.age() < suspendedFor && !c.stale.Load() {
		return last
	}
	return nil
}

type refusedKey struct{}

// RefuseSuspended returns a context in which handles of workspaces that are suspended
// now return the fault workspace_suspended. Whoever lets a request in from outside calls
// it once, at the beginning: what was begun before a suspension is finished, and what was
// accepted by others is recorded.
func (d *DB) RefuseSuspended(ctx context.Context) context.Context {
	tenants := d.readSuspended(ctx)
	if len(tenants) == 0 && ctx.Value(refusedKey{}) == nil {
		return ctx
	}
	return context.WithValue(ctx, refusedKey{}, tenants)
}

// readSuspended returns the suspended workspaces. One request reads them again and the
// others wait for it, suspendedWait at most: in an outage all go by what is known.
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
	// It is read for all: a caller who hangs up does not end it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), suspendedWait)
	defer cancel()
	list, err := Read(ctx, d.System("suspended workspaces"), func(r *Reader) ([]uuid.UUID, error) {
		return All(r, scanOne[uuid.UUID], `SELECT id FROM tenant WHERE suspended_at IS NOT NULL`)
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

// AllowSuspended returns a context that does not refuse a workspace: a person leaves a
// suspended one through their own account.
func AllowSuspended(ctx context.Context, tenant uuid.UUID) context.Context {
	if !IsRefused(ctx, tenant) {
		return ctx
	}
	rest := maps.Clone(ctx.Value(refusedKey{}).(map[uuid.UUID]bool))
	delete(rest, tenant)
	return context.WithValue(ctx, refusedKey{}, rest)
}

// IsRefused says whether a context of RefuseSuspended refuses a workspace.
func IsRefused(ctx context.Context, tenant uuid.UUID) bool {
	tenants, _ := ctx.Value(refusedKey{}).(map[uuid.UUID]bool)
	return tenants[tenant]
}

// IsSuspended says whether the workspace of a reader is suspended, for a check in the
// transaction that acts on it.
func IsSuspended(r *Reader) (bool, error) {
	return One(r, scanOne[bool], `SELECT EXISTS (SELECT 1 FROM tenant WHERE id = $1 AND suspended_at IS NOT NULL)`, r.Tenant())
}

// NotSuspended is a condition of a query on a table with a tenant_id: that its workspace
// is not suspended. Whoever claims work which sends something has it.
func NotSuspended(table string) string {
	return ` NOT EXISTS (SELECT 1 FROM tenant suspended WHERE suspended.id = ` + table + `.tenant_id AND suspended.suspended_at IS NOT NULL) `
}
