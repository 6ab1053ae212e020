package limit

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// Shared is a Limiter of several nodes on one database.
//
// A strict policy is counted in the database, use by use: such policies guard
// what is expensive anyway, such as a password hash or a letter. Uses that the
// node's own count refuses do not reach the database.
//
// Other policies are counted in the process, and holders who have used up a
// noticeable part of a policy are reported to the other nodes every second. So an
// ordinary request costs no statement, and with n nodes a holder can exceed the
// burst at most by their uses of one second and n tenths of the burst.
type Shared struct {
	*Memory
	db  *db.DB
	log *slog.Logger
}

const (
	// syncEvery is the interval at which the nodes exchange their counts.
	syncEvery = time.Second
	// noticeable is the fraction of a window that must be used up before other nodes are
	// informed: one tenth.
	noticeable = 10
	syncBatch  = 200
	cleanBatch = 500
)

// NewShared returns a limiter that counts together with other nodes.
func NewShared(d *db.DB, log *slog.Logger, factor int) *Shared {
	m := NewMemory(d.Clock(), factor)
	m.noting = true
	return &Shared{Memory: m, db: d, log: log}
}

// Take implements Limiter.
func (s *Shared) Take(ctx context.Context, p Policy, k Key) Result {
	r := s.Memory.Take(ctx, p, k)
	if !p.Strict || !r.Allowed {
		return r
	}
	p = r.Policy // with the factor
	at, now := slot{p.Name, k}, s.clock.Now()
	var until time.Time
	var ok bool
	err := s.db.System("limits").InTx(ctx, func(tx *db.Tx) (err error) {
		until, ok, err = useOne(tx, at, now, p.costOfOne(), p.Window)
		return err
	})
	if err != nil && ctx.Err() != nil {
		return r // the caller left
	}
	if err != nil {
		// The node's own count still applies.
		s.log.ErrorContext(ctx, "rate limits cannot be shared with other nodes", "policy", p.Name, "error", err)
		return r
	}
	s.raise(at, until)
	if !ok {
		return p.refused(until, now)
	}
	return p.allowed(until, now)
}

// Sync informs the other nodes of the uses here since the last time, and learns of theirs.
// It returns the number of holders it reported.
func (s *Shared) Sync(ctx context.Context) (int, error) {
	used := s.takeNoted()
	all := make([]slot, 0, len(used))
	for at := range used {
		all = append(all, at)
	}
	// All nodes use the same order, to avoid deadlocks.
	slices.SortFunc(all, func(a, b slot) int {
		return cmp.Or(cmp.Compare(a.policy, b.policy), bytes.Compare(a.key[:], b.key[:]))
	})
	for batch := range slices.Chunk(all, syncBatch) {
		now, shared := s.clock.Now(), map[slot]time.Time{}
		err := s.db.System("limits").InTx(ctx, func(tx *db.Tx) error {
			for _, at := range batch {
				until, err := addUses(tx, at, now, used[at])
				if err != nil {
					return err
				}
				shared[at] = until
			}
			return nil
		})
		if err != nil {
			return 0, fmt.Errorf("limit: sync: %w", err)
		}
		for at, until := range shared {
			s.raise(at, until)
		}
	}
	return len(all), nil
}

// Run syncs until ctx ends.
func (s *Shared) Run(ctx context.Context) {
	jobs.Loop{Name: "limits", DB: s.db, Log: s.log, Every: syncEvery, Step: s.Sync}.Run(ctx)
}

// Clean deletes a batch of expired counts and returns their number.
func Clean(ctx context.Context, d *db.DB) (int, error) {
	n, err := db.Write(ctx, d.System("janitor"), func(tx *db.Tx) (int64, error) { return dropOld(tx, tx.Now(), cleanBatch) })
	return int(n), err
}
