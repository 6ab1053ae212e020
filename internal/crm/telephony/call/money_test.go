package call_test

import (
	"slices"
	"strings"
	"testing"
	"time"

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

// Without more credit the agent is warned, and the exchange cuts the call at the end of the
// paid time: not a second more is billed.
func TestCallIsCutWhenCreditEnds(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.buyNumber()
		o.credit(2 * micro) // one minute, not two
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

// However much credit there is, a call ends at the cap in the settings.
func TestCallIsCutAtLongestDuration(t *testing.T) {
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

// An unanswered call releases what was set aside, whatever the reason.
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

// A node whose exchange is not running ends no calls and carries out no commands.
func TestStoppedExchangeChangesNothing(t *testing.T) {
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

// The exchange lost everything: its legs end at the last event received of them, only the
// time until then is paid, and nothing twice.
func TestLostExchangeIsBilledUntilLastEvent(t *testing.T) {
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
		if c.Cost != 0 { // there was no event after its answer
			o.t.Errorf("it cost %d", c.Cost)
		}
		o.wantWallet(5*micro, 0)
		if n, err := o.Calls.Reconcile(o.t.Context()); err != nil || n != 0 {
			o.t.Errorf("%d legs are lost again, %v", n, err)
		}
	})
}

// Replaying the same events, as after a crash before the cursor was stored, changes
// nothing.
func TestReplayedEventsChangeNothing(t *testing.T) {
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
func TestPressedKeysAreNotReplayed(t *testing.T) {
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

// applyAgain applies all events again.
func (o *office) applyAgain() {
	o.t.Helper()
	o.forgetCursor()
	o.Settle()
}

// forgetCursor resets how far the events were applied.
func (o *office) forgetCursor() {
	o.t.Helper()
	err := o.DB.System("test").InTx(o.t.Context(), func(tx *db.Tx) error {
		return tx.Exec(`DELETE FROM phone_cursor`)
	})
	if err != nil {
		o.t.Fatal(err)
	}
}
