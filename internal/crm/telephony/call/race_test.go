package call_test

import (
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

// twice is a wallet that is asked by two calls at once: the first to be asked, which was
// counted against the caps before, lets the second begin and waits until that one is kept
// back or asks as well.
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

// untilKeptBack waits until a transaction waits for another's lock, or for over. SQLite lets
// the second transaction begin only when the first has ended.
func (o *office) untilKeptBack(over <-chan struct{}) {
	o.t.Helper()
	for {
		var waits int64
		err := o.DB.System("test").Read(o.t.Context(), func(r *db.Reader) (err error) {
			if waits = 1; r.Dialect() == db.Postgres {
				waits, err = db.One(r, db.Scalar[int64], `SELECT COUNT(*) FROM pg_locks WHERE NOT granted
					AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
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

// Two calls at the same moment cannot both take the last place of a cap, whichever is first.
func TestTheLastPlaceOfACapIsForOne(t *testing.T) {
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
				looked := make(chan struct{})
				go func() { // not by who is in a transaction
					defer close(looked)
					o.untilKeptBack(asked)
				}()
				<-looked
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
