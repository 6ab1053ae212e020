package app_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/mail"
)

const (
	hookKills = 30
	// hookRound is how many deliveries are made between two kills on average: less than
	// half a second of work.
	hookRound = 1500
	// mostRepeatedShare is which part of all deliveries may be repetitions, at
	// one kill for every hookRound of them.
	mostRepeatedShare = 0.01
)

// A sender that is killed again and again in the middle of a long queue loses
// nothing and repeats less than one delivery in a hundred. Each one goes on where
// the one before stopped, without waiting for its lease.
func TestKillSender(t *testing.T) {
	t.Parallel()
	onBoth(t, func(k *trial) { k.runQueue(1) })
}

// Two nodes share a database and one of them is killed in the middle, at last
// for good: nothing is lost, and what it held goes on with its successor, or with
// the other node when its lease ends.
func TestKillOneOfTwo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the server several times")
	}
	onPostgres(t, buildBinary(t)).runQueue(2)
}

// runQueue works a long queue off with so many nodes, killing the first one
// over and over, or once where there are two.
func (k *trial) runQueue(nodes int) {
	hook := httptest.NewServer(k.hook)
	k.t.Cleanup(hook.Close)
	p := k.start()
	k.subscribe(p, hook.URL)
	d := k.open()
	rounds := hookKills
	if nodes > 1 {
		rounds = 3
	}
	want := k.emit(d, (rounds+1)*hookRound)
	others := make([]*process, nodes-1)
	for i := range others {
		others[i] = k.start()
	}
	for i := range rounds {
		all, _ := k.hook.repeated()
		goal := all + 1 + k.rand.IntN(2*hookRound)
		k.until("deliveries under way", func() bool {
			n, again := k.hook.repeated()
			return n >= goal || n-again >= len(want)
		})
		k.must(p.kill())
		if p = nil; nodes > 1 && i == rounds-1 {
			k.endLeases(d)
			break
		}
		p = k.start()
	}
	k.until("deliveries", func() bool {
		n, again := k.hook.repeated()
		return n-again >= len(want)
	})
	k.settle(d)
	if p != nil {
		k.must(p.stop())
	}
	for _, o := range others {
		k.must(o.stop())
	}
	got := k.hook.received(k.t)
	for id := range want {
		if !got[id] {
			k.t.Errorf("%s is lost", id)
		}
	}
	for _, fault := range k.hook.faults {
		k.t.Error(fault)
	}
	all, again := k.hook.repeated()
	if float64(again) >= mostRepeatedShare*float64(all) {
		k.t.Errorf("%d of %d deliveries were repetitions, not less than %.0f %%", again, all, 100*mostRepeatedShare)
	}
	k.t.Logf("%d events, %d deliveries, %d repetitions at %d kills (%.2f %%)", len(want), all, again, rounds, 100*float64(again)/float64(all))
}

// emit announces events in the workspace that has the endpoint, many to a
// transaction, and gives the ids of what they speak of.
func (k *trial) emit(d *db.DB, n int) map[string]bool {
	var tenant uuid.UUID
	k.must(d.System("test").Read(k.ctx, func(r *db.Reader) (err error) {
		tenant, err = db.One(r, db.Scalar[uuid.UUID], `SELECT id FROM tenant WHERE slug = 'demo'`)
		return err
	}))
	ids := map[string]bool{}
	ctx := caller.With(context.WithoutCancel(k.ctx), &caller.Caller{Kind: caller.System, TenantID: tenant, Slug: "demo"})
	for len(ids) < n {
		batch := min(500, n-len(ids))
		first := len(ids)
		k.must(d.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
			for i := range batch {
				object := map[string]string{"id": fmt.Sprintf("object %d", first+i)}
				if _, err := event.Emit(tx, event.Change{Type: mail.ExceptionCreated, Object: object, Emitted: true}); err != nil {
					return err
				}
			}
			return nil
		}))
		for i := range batch {
			ids[fmt.Sprintf("object %d", first+i)] = true
		}
	}
	return ids
}
