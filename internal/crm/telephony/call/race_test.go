package call_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/setting"
	"konak/internal/exchange"
	"konak/internal/kit/db"
)

// twice is a wallet that two calls ask at once. The first one, already counted against the
// caps, lets the second begin and waits until that one blocks or asks as well.
type twice struct {
	call.Wallet
	asked  atomic.Int32
	second chan struct{} // closed when the second asks
	begin  func(second <-chan struct{})
}

// HoldForCall implements call.Wallet.
func (t *twice) HoldForCall(tx *db.Tx, ref, id uuid.UUID, amount int64) error {
	switch t.asked.Add(1) {
	case 1:
		t.begin(t.second)
	case 2:
		close(t.second)
	}
	return t.Wallet.HoldForCall(tx, ref, id, amount)
}

// untilKeptBack waits until a transaction waits for another's lock, or until over is
// closed. SQLite lets the second transaction begin only when the first has ended.
func (o *office) untilKeptBack(over <-chan struct{}) {
	o.t.Helper()
	looked := make(chan struct{})
	go func() { // not in a goroutine that is in a transaction
		defer close(looked)
		o.lookForLocks(over)
	}()
	<-looked
}

func (o *office) lookForLocks(over <-chan struct{}) {
	for {
		var waits int64
		err := o.DB.System("test").Read(o.t.Context(), func(r *db.Reader) (err error) {
			if waits = 1; r.Dialect() == db.Postgres {
				waits, err = db.One(r, db.Scalar[int64], `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
			}
			return err
		})
		if err != nil {
			o.t.Error(err)
			return
		}
		if waits > 0 {
			return
		}
		select {
		case <-over:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Two simultaneous calls cannot both take the last place under a cap, whichever is first.
func TestConcurrentCallsCannotExceedCap(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.buyNumber()
		o.credit(50 * micro)
		o.settings(func(s *setting.Settings) { s.Caps.Concurrent = 1 })
		ayse, _, phone := o.colleague("ayse")
		ways := map[string]func(talk call.Call) *apptest.Response{
			"call": func(call.Call) *apptest.Response { return o.w.Owner.Post(path+"/call", map[string]any{"to": customer}) },
			"forward": func(c call.Call) *apptest.Response {
				return ayse.Post(path+"/call/forward", map[string]any{"call_id": c.ID, "to": mobile})
			},
		}
		wallet := o.Calls.Wallet
		for first, second := range map[string]string{"call": "forward", "forward": "call"} {
			in := o.incoming("+905321111111")
			o.end(o.legTo(o.username), exchange.CauseRejected)
			o.answer(o.legTo(phone))
			talk := o.want(call.Active, "")
			late := make(chan *apptest.Response, 1)
			o.Calls.Wallet = &twice{Wallet: wallet, second: make(chan struct{}), begin: func(asked <-chan struct{}) {
				go func() { late <- ways[second](talk) }()
				o.untilKeptBack(asked)
			}}
			if got := ways[first](talk); got.Status >= 300 {
				o.t.Errorf("%s before %s: %d %s", first, second, got.Status, got.Body)
			}
			(<-late).Refused(409, "cap_reached")
			o.Calls.Wallet = wallet
			o.Settle()
			for _, l := range o.x.Legs() {
				o.end(l.ID, exchange.CauseNormal)
			}
			o.end(in, exchange.CauseNormal)
			o.wantWallet(50*micro, 0)
			o.Clock.Advance(time.Minute)
		}
	})
}

// counting is a wallet that counts its holds, and after the first release lets another
// transaction begin.
type counting struct {
	call.Wallet
	asked atomic.Int32
	freed func()
}

// HoldForCall implements call.Wallet.
func (c *counting) HoldForCall(tx *db.Tx, ref, id uuid.UUID, amount int64) error {
	c.asked.Add(1)
	return c.Wallet.HoldForCall(tx, ref, id, amount)
}

// Release implements call.Wallet.
func (c *counting) Release(tx *db.Tx, ref uuid.UUID) error {
	err := c.Wallet.Release(tx, ref)
	c.freed()
	return err
}

// A call that ends and goes on at another outside phone, and one that begins at the same
// time, lock the wallet and the caps in the same order: neither is retried because of a
// deadlock.
func TestWalletAndCapsAreLockedInOneOrder(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.buyNumber()
		o.credit(50 * micro)
		ayse, _, phone := o.colleague("ayse")
		in := o.incoming("+905321111111")
		o.end(o.legTo(phone), exchange.CauseRejected)
		o.answer(o.legTo(o.username))
		talk := o.want(call.Active, "")
		o.rungOutside(mobile)
		o.w.Owner.Post(path+"/call/forward", map[string]any{"call_id": talk.ID, "to": "+905329999999"}).Want(200)
		third, late := o.legTo("+905329999999"), make(chan *apptest.Response, 1)
		wallet := &counting{Wallet: o.Calls.Wallet}
		wallet.freed = sync.OnceFunc(func() {
			go func() { late <- ayse.Post(path+"/call", map[string]any{"to": customer}) }()
			o.untilKeptBack(nil)
		})
		o.Calls.Wallet = wallet
		o.end(third, exchange.CauseNoAnswer)
		(<-late).Want(201)
		o.legTo(mobile)
		if n := wallet.asked.Load(); n != 2 {
			o.t.Errorf("the wallet was asked %d times for two calls", n)
		}
		o.end(in, exchange.CauseNormal)
	})
}

// watched is a timeline that signals when a call is written into it.
type watched struct {
	call.Timeline
	writes func(call.State)
}

// WriteCall implements call.Timeline.
func (w watched) WriteCall(tx *db.Tx, c *call.Call, item *uuid.UUID) (conversation, newItem *uuid.UUID, err error) {
	w.writes(c.State)
	return w.Timeline.WriteCall(tx, c, item)
}

// An agent whose phone starts to ring, or who has just had a call, can be suspended at that
// moment: a call locks its agent's row last.
func TestAgentIsLockedLast(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		timeline := o.Calls.Timeline
		o.w.Owner.Put(path+"/team/"+o.w.Member.String(), map[string]any{"rings": false}).Want(200)
		for moment, name := range map[call.State]string{call.Ringing: "ayse", call.Ended: "veli"} {
			_, id, phone := o.colleague(name)
			var got *apptest.Response
			done := make(chan struct{})
			suspend := sync.OnceFunc(func() {
				go func() {
					defer close(done)
					got = o.w.Owner.Post("/api/crm/v1/agents/"+id.String()+"/suspension", nil)
				}()
				o.untilKeptBack(done)
				select {
				case <-done:
				default:
					if o.DB.Dialect() == db.Postgres {
						o.t.Errorf("in the moment %q the suspension waits for the call", moment)
					}
				}
			})
			o.Calls.Timeline = watched{timeline, func(now call.State) {
				if now == moment {
					suspend()
				}
			}}
			in := o.incoming(customer)
			if moment == call.Ended {
				o.answer(o.legTo(phone))
			}
			o.end(in, exchange.CauseNormal)
			<-done
			got.Want(200)
			o.Calls.Timeline = timeline
			o.Settle()
			o.Clock.Advance(time.Minute)
		}
	})
}
