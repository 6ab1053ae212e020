package call_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/setting"
	"konak/internal/exchange"
	"konak/internal/kit/db"
)

func TestRates(t *testing.T) {
	t.Parallel()
	rates, err := call.ParseRates(strings.NewReader("90,600000,0,60\n905,1200000,100000,6\n,9000000,0,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		number  string
		seconds int64
		cost    int64
	}{
		{"+902121234567", 0, 0},
		{"+902121234567", 1, 600_000},
		{"+902121234567", 61, 1_200_000},
		{"+905321234567", 1, 220_000},
		{"+905321234567", 61, 1_420_000},
		{"+447911123456", 2, 300_000},
	} {
		if got := rates.Find(c.number).Cost(c.seconds); got != c.cost {
			t.Errorf("%d s to %s cost %d, want %d", c.seconds, c.number, got, c.cost)
		}
	}
	if (call.Rates{{Prefix: "90", Increment: 60}}).Find("+447911123456") != nil {
		t.Error("a number without a price has one")
	}
	for _, wrong := range []string{"", "90,1,1\n", "x,1,1,60\n", "90,-1,0,60\n", "90,1,0,7\n", "90,1,0,0\n"} {
		if _, err := call.ParseRates(strings.NewReader(wrong)); err == nil {
			t.Errorf("%q is read", wrong)
		}
	}
}

// Without more credit the agent is warned, and the exchange cuts the call when what
// is paid is over: not a second more is billed.
func TestCreditEnds(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.buyNumber()
		o.credit(2 * micro) // one minute, and not two
		o.place(o.w.Owner, map[string]any{"to": customer})
		o.answer(o.legTo(o.username))
		o.answer(o.legTo(customer))
		o.wait(49 * time.Second)
		if slices.Contains(o.x.Log(), "play, again and again: false") {
			o.t.Error("warned too early")
		}
		o.wait(3 * time.Second)
		if !slices.Contains(o.x.Log(), "play, again and again: false") {
			o.t.Error("nobody was warned")
		}
		o.wait(10 * time.Second)
		c := o.want(call.Ended, call.Answered)
		if c.Cost != 1_500_000 || c.BilledSeconds != 60 || c.EndedBy != "system" || c.Cause != "no_credit" || c.Legs[1].Cause != "no_credit" && c.Legs[0].Cause != "no_credit" {
			o.t.Errorf("it ended as %+v", c)
		}
		o.wantWallet(500_000, 0)
	})
}

// However much credit there is, a call ends at the cap of the settings.
func TestLongestCall(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.buyNumber()
		o.credit(50 * micro)
		o.settings(func(s *setting.Settings) { s.Caps.MaxMinutes = 1 })
		o.place(o.w.Owner, map[string]any{"to": customer})
		o.answer(o.legTo(o.username))
		o.answer(o.legTo(customer))
		o.wait(65 * time.Second)
		if c := o.want(call.Ended, call.Answered); c.Cost != 1_500_000 || c.Cause != "max_duration" {
			o.t.Errorf("it ended as %+v", c)
		}
		o.wantWallet(48_500_000, 0)
	})
}

// A call that nobody answers gives back what was set aside, whatever the reason.
func TestUnansweredCostsNothing(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.buyNumber()
		o.credit(5 * micro)
		for cause, disposition := range map[exchange.Cause]string{
			exchange.CauseBusy: call.Busy, exchange.CauseRejected: call.Rejected, exchange.CauseNoAnswer: call.Missed, exchange.CauseFailed: call.Failed,
		} {
			o.place(o.w.Owner, map[string]any{"to": customer})
			o.answer(o.legTo(o.username))
			o.end(o.legTo(customer), cause)
			o.want(call.Ended, disposition)
			o.wantWallet(5*micro, 0)
		}
		o.place(o.w.Owner, map[string]any{"to": customer})
		o.end(o.legTo(o.username), exchange.CauseNoAnswer) // the agent's own phone
		o.want(call.Ended, call.Missed)
		o.wantWallet(5*micro, 0)
	})
}

// A node whose exchange does not run ends nobody's call and takes no command.
func TestStoppedExchange(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.place(o.w.Owner, map[string]any{"to": customer})
		o.answer(o.legTo(o.username))
		o.answer(o.legTo(customer))
		o.x.SetStopped(true)
		o.wait(3 * time.Minute)
		if n, err := o.Calls.Reconcile(o.t.Context()); err != nil || n != 0 {
			o.t.Errorf("%d legs are lost, %v", n, err)
		}
		if n, err := o.Calls.Step(o.t.Context()); err != nil || n != 0 {
			o.t.Errorf("%d things were done, %v", n, err)
		}
		o.x.SetStopped(false)
		o.want(call.Active, "")
	})
}

// The exchange lost everything: what was talked until then is paid, and nothing twice.
func TestLostExchange(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.buyNumber()
		o.credit(5 * micro)
		o.place(o.w.Owner, map[string]any{"to": customer})
		o.answer(o.legTo(o.username))
		o.answer(o.legTo(customer))
		o.x.Forget()
		if n, err := o.Calls.Reconcile(o.t.Context()); err != nil || n != 0 {
			o.t.Errorf("%d legs are lost at once, %v", n, err)
		}
		o.wait(3 * time.Minute)
		if n, err := o.Calls.Reconcile(o.t.Context()); err != nil || n != 2 {
			o.t.Errorf("%d legs are lost, %v", n, err)
		}
		c := o.want(call.Ended, call.Answered)
		if c.Cost != 0 { // nothing was heard of it after its answer
			o.t.Errorf("it cost %d", c.Cost)
		}
		o.wantWallet(5*micro, 0)
		if n, err := o.Calls.Reconcile(o.t.Context()); err != nil || n != 0 {
			o.t.Errorf("%d legs are lost again, %v", n, err)
		}
	})
}

// The same events again, as after a crash before the cursor was stored, change
// nothing.
func TestEventsApplyOnce(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.buyNumber()
		o.credit(5 * micro)
		o.place(o.w.Owner, map[string]any{"to": customer})
		o.answer(o.legTo(o.username))
		out := o.legTo(customer)
		o.answer(out)
		o.wait(20 * time.Second)
		o.end(out, exchange.CauseNormal)
		before := o.want(call.Ended, call.Answered)
		o.applyAgain()
		var list []call.Call
		if o.w.Owner.Get(path + "/calls").Want(200).Data(&list); len(list) != 1 || list[0].Cost != before.Cost || list[0].State != call.Ended {
			o.t.Errorf("applied again: %+v", list)
		}
		o.wantWallet(3_500_000, 0)
	})
}

// A key that was pressed before a crash is not pressed again after it.
func TestKeysApplyOnce(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		menu := func(key, to string) setting.Menu {
			return setting.Menu{Key: key, Text: key, Voice: "tr", Keys: []setting.MenuKey{{Digit: "2", Action: setting.KeyMenu, Menu: to}}}
		}
		o.settings(func(s *setting.Settings) { s.Menus = []setting.Menu{menu("one", "two"), menu("two", "one")} })
		in := o.incoming(customer)
		o.press(in, "2")
		before := len(o.x.Log())
		o.applyAgain()
		if log := o.x.Log(); len(log) != before {
			o.t.Errorf("applied again, the exchange was asked for %v", log[before:])
		}
	})
}

// applyAgain forgets how far the events were applied.
func (o *office) applyAgain() {
	o.t.Helper()
	err := o.DB.System("test").InTx(o.t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(`DELETE FROM phone_cursor`)
		return err
	})
	if err != nil {
		o.t.Fatal(err)
	}
	o.Settle()
}

// wantLedger holds what always holds: postings of an entry sum to zero, and the
// balances are the sums of their postings.
func (o *office) wantLedger(t *rapid.T) {
	err := o.DB.Tenant(o.w.ID).Read(o.t.Context(), func(r *db.Reader) error {
		odd, err := db.One(r, db.Scalar[int64], `SELECT COUNT(*) FROM (SELECT entry_id FROM wallet_posting WHERE tenant_id = $1
			GROUP BY entry_id HAVING SUM(amount) <> 0) AS odd`, r.Tenant())
		if err != nil {
			return err
		}
		if odd != 0 {
			t.Fatalf("%d entries do not sum to zero", odd)
		}
		for _, account := range []string{"available", "held"} {
			off, err := db.One(r, db.Scalar[int64], `SELECT CAST(w.`+account+` - COALESCE((SELECT SUM(p.amount) FROM wallet_posting p
				WHERE p.tenant_id = $1 AND p.account = $2), 0) AS bigint) FROM wallet w WHERE w.tenant_id = $1`, r.Tenant(), account)
			if err != nil {
				return err
			}
			if off != 0 {
				t.Fatalf("%s is off by %d", account, off)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever callers, phones, time and crashes do: the ledger balances, the credit is
// never below zero, and when all is over nothing is set aside.
func TestMoneyHolds(t *testing.T) {
	t.Parallel()
	s := apptest.NewWith(t, func(cfg *app.Config) { cfg.SIPTrunkServer = "sip.carrier.example" })
	o := newOffice(t, s)
	o.buyNumber()
	_, ayse, _ := o.colleague("ayse")
	causes := []exchange.Cause{exchange.CauseNormal, exchange.CauseBusy, exchange.CauseNoAnswer, exchange.CauseFailed, exchange.CauseLost}
	rapid.Check(t, func(t *rapid.T) {
		o.credit(rapid.Int64Range(1, 8).Draw(t, "credit") * micro)
		leg := func() uuid.UUID {
			legs := o.x.Legs()
			if len(legs) == 0 {
				return uuid.Nil
			}
			return legs[rapid.IntRange(0, len(legs)-1).Draw(t, "leg")].ID
		}
		own := func(what string, more map[string]any) {
			var list []call.Call
			o.w.Owner.Get(path + "/calls?limit=1").Want(200).Data(&list)
			if len(list) == 1 {
				more["call_id"] = list[0].ID
				o.w.Owner.Post(path+"/call/"+what, more) // it may be refused
			}
		}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"place", "incoming", "answer", "end", "wait", "forward", "detach", "resume", "transfer", "crash", "press"}).Draw(t, "step") {
			case "place":
				o.w.Owner.Post(path+"/call", map[string]any{"to": customer})
			case "incoming":
				o.x.Call(o.w.ID, "", o.line, "+905"+rapid.StringMatching(`[0-9]{9}`).Draw(t, "from"), "")
			case "answer":
				o.x.Happen(leg(), exchange.Event{Type: exchange.LegAnsweredEvent})
			case "press":
				o.x.Happen(leg(), exchange.Event{Type: exchange.LegDTMFEvent, Digit: "1"})
			case "end":
				o.x.Happen(leg(), exchange.Event{Type: exchange.LegEndedEvent, Cause: rapid.SampledFrom(causes).Draw(t, "cause")})
			case "wait":
				o.Clock.Advance(time.Duration(rapid.IntRange(1, 90).Draw(t, "seconds")) * time.Second)
			case "forward":
				own("forward", map[string]any{"to": "+905329999999", "mode": rapid.SampledFrom([]string{"blind", "asked"}).Draw(t, "mode")})
			case "transfer":
				own("transfer", map[string]any{"agent_id": ayse})
			case "detach":
				own("detach", map[string]any{})
			case "resume":
				own("resume", map[string]any{})
			case "crash":
				o.x.Forget()
			}
			if rapid.Bool().Draw(t, "settled") {
				o.Settle()
			}
			o.x.Cut()
			o.wantLedger(t)
		}
		o.Settle()
		for _, l := range o.x.Legs() {
			o.x.Happen(l.ID, exchange.Event{Type: exchange.LegEndedEvent, Cause: exchange.CauseNormal})
		}
		o.Settle()
		o.Clock.Advance(10 * time.Minute)
		for range 3 { // what is lost brings back what rings, which is lost, too
			if _, err := o.Calls.Reconcile(o.t.Context()); err != nil {
				t.Fatal(err)
			}
			o.Settle()
			for _, l := range o.x.Legs() {
				o.x.Happen(l.ID, exchange.Event{Type: exchange.LegEndedEvent, Cause: exchange.CauseNormal})
			}
			o.Settle()
			o.Clock.Advance(10 * time.Minute)
		}
		o.wantLedger(t)
		got, err := o.Wallet.Wallet(o.t.Context(), o.w.ID)
		var live []call.Live
		o.w.Owner.Get(path + "/live").Want(200).Data(&live)
		if err != nil || got.Held != 0 || len(live) != 0 {
			t.Fatalf("when all is over %+v is set aside, and %+v goes on (%v)", got, live, err)
		}
		if got.Available > 0 {
			o.credit(-got.Available)
		}
	})
}
