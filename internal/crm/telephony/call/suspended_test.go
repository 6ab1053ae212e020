package call_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/phonetest"
	"konak/internal/exchange"
)

// A suspended workspace takes no call that a carrier brings, over its line or to its
// number, and places none that is dialled on a phone, except one for help. A call that was
// under way goes on. Resumed, it takes calls again.
func TestSuspendedWorkspaceTakesNoCalls(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.buyNumber()
		_, trunk, err := o.Calls.FindNumber(o.t.Context(), "+902125550199")
		if err != nil {
			o.t.Fatal(err)
		}
		suspend := func(on bool) {
			o.t.Helper()
			if _, err := o.SetSuspended(o.t.Context(), o.w.Slug, on); err != nil {
				o.t.Fatal(err)
			}
		}
		before := o.incoming(customer)
		o.answer(o.legTo(o.username))
		under := o.want(call.Active, "")
		suspend(true)
		for name, dial := range map[string]func() uuid.UUID{
			"line":   func() uuid.UUID { return o.x.Call(o.w.ID, "", o.line, customer, "902125550101") },
			"number": func() uuid.UUID { return o.x.Call(o.w.ID, "", trunk, customer, "902125550199") },
			"phone":  func() uuid.UUID { return o.x.Call(o.w.ID, o.username, uuid.Nil, "100", "05321234567") },
		} {
			leg := dial()
			o.Settle()
			for _, l := range o.x.Legs() {
				if l.ID == leg {
					o.t.Errorf("%s: the call is taken", name)
				}
			}
			if log := o.x.Log(); log[len(log)-1] != "hang up unavailable" {
				o.t.Errorf("%s: the exchange was asked %v", name, log)
			}
		}
		o.x.Call(o.w.ID, o.username, uuid.Nil, "100", "112")
		o.Settle()
		if !o.rings("112") {
			o.t.Error("help is not called")
		}
		o.end(o.legTo("112"), exchange.CauseNormal)
		if !slices.ContainsFunc(o.x.Legs(), func(l phonetest.Leg) bool { return l.ID == before }) {
			o.t.Error("the call that was under way ended")
		}
		o.end(before, exchange.CauseNormal)
		suspend(false)
		var calls []call.Call
		o.w.Owner.Get(path + "/calls").Want(200).Data(&calls)
		if len(calls) != 2 || calls[1].ID != under.ID || calls[1].Disposition != call.Answered {
			o.t.Errorf("the log has %+v", calls)
		}
		o.incoming(customer)
		o.want(call.Ringing, "")
	})
}
