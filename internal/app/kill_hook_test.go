package app_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/pgtest"
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
	if testing.Short() {
		t.Skip("starts the server sixty times")
	}
	binary := buildBinary(t)
	t.Run("sqlite", func(t *testing.T) {
		dir := t.TempDir()
		newTrial(t, binary, "sqlite:"+filepath.Join(dir, "konak.db"), "--data="+dir).runQueue(1)
	})
	t.Run("postgres", func(t *testing.T) {
		d := durablePostgres(t)
		newTrial(t, binary, d, "--data="+t.TempDir(), "--db="+d).runQueue(1)
	})
}

// Two nodes share a database and one of them is killed in the middle, at last
// for good: nothing is lost, and what it held goes on with its successor, or with
// the other node when its lease ends.
func TestKillOneOfTwo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the server several times")
	}
	d := durablePostgres(t)
	newTrial(t, buildBinary(t), d, "--data="+t.TempDir(), "--db="+d).runQueue(2)
}

func durablePostgres(t *testing.T) string {
	t.Helper()
	server, err := pgtest.Start(pgtest.Options{Durable: true})
	if errors.Is(err, pgtest.ErrNoServer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	d, err := server.CreateDatabase(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return d.Owner
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
