// Package clock is the only source of time and of identifiers.
//
// Everything that needs "now" or a new id receives a Source, so that tests are
// deterministic and demo data can be written in the past. No other package
// calls time.Now or uuid.New.
package clock

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Source provides the current time and new identifiers.
type Source interface {
	// Now returns the current time in UTC, truncated to microseconds, the precision of the
	// databases.
	Now() time.Time
	// NewID returns a UUIDv7, which sorts by creation time.
	NewID() uuid.UUID
	// NewCapability returns a UUIDv4 for an id that grants access to anyone who knows it.
	NewCapability() uuid.UUID
}

// System is the real clock.
type System struct{}

// Now implements Source.
func (System) Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// NewID implements Source.
func (System) NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// NewCapability implements Source.
func (System) NewCapability() uuid.UUID { return uuid.Must(uuid.NewRandom()) }

// Fake is a clock that stands still until it is moved. Its ids are real UUIDv7s built from
// the fake time and a counter, so they are ordered and the same in every run.
type Fake struct {
	mu  sync.Mutex
	now time.Time
	seq uint64
}

// NewFake starts a fake clock at t.
func NewFake(t time.Time) *Fake { return &Fake{now: t.UTC().Truncate(time.Microsecond)} }

// Now implements Source.
func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// Advance moves the clock forward.
func (f *Fake) Advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d).Truncate(time.Microsecond)
}

// Set moves the clock to t, which may lie in the past.
func (f *Fake) Set(t time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = t.UTC().Truncate(time.Microsecond)
}

// NewID implements Source.
func (f *Fake) NewID() uuid.UUID {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seq++
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], uint64(f.now.UnixMilli())<<16)
	id[6] = 0x70
	binary.BigEndian.PutUint64(id[8:], f.seq)
	id[8] = 0x80
	return id
}

// NewCapability implements Source. Capabilities stay random even in tests: nothing may
// depend on predicting one.
func (f *Fake) NewCapability() uuid.UUID {
	var id uuid.UUID
	if _, err := rand.Read(id[:]); err != nil {
		panic(err)
	}
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id
}

// Stopwatch starts now and returns a function for the time elapsed. It only measures and
// decides nothing, so it always uses the real clock.
func Stopwatch() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// Deadline returns the time d from now on the clock of the operating system, the one that
// sockets use.
func Deadline(d time.Duration) time.Time { return time.Now().Add(d) }

// FirstID returns the smallest record id for a point in time: ids of earlier records sort
// before it.
func FirstID(t time.Time) uuid.UUID {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], uint64(t.UnixMilli())<<16)
	id[6] = 0x70
	id[8] = 0x80
	return id
}

// Left returns the time until the context's deadline, and whether it has one.
func Left(ctx context.Context) (time.Duration, bool) {
	end, ok := ctx.Deadline()
	if !ok {
		return 0, false
	}
	return time.Until(end), true
}
