package call_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/setting"
	"konak/internal/exchange"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

const mobile = "+905327777777"

// rungOutside makes the owner's calls ring at an outside number.
func (o *office) rungOutside(number string) {
	o.t.Helper()
	o.w.Owner.Put(path+"/device", map[string]any{"kind": "outside", "e164": number}).Want(200)
}

// exec changes the database directly.
func (o *office) exec(query string, args ...any) {
	o.t.Helper()
	err := o.DB.Tenant(o.w.ID).InTx(o.t.Context(), func(tx *db.Tx) error {
		return tx.Exec(query, append([]any{o.w.ID}, args...)...)
	})
	if err != nil {
		o.t.Fatal(err)
	}
}

// Every outside leg counts towards the caps, also in incoming calls: those that are
// forwarded, and those that ring at outside phones.
func TestCapsCountEveryOutsideLeg(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.settings(func(s *setting.Settings) { s.Caps.Concurrent, s.Caps.Daily = 2, 3 })
		_, ayse, phone := o.colleague("ayse")
		in := o.incoming(customer)
		o.end(o.legTo(o.username), exchange.CauseRejected)
		o.answer(o.legTo(phone))
		o.want(call.Active, "")
		o.rungOutside(mobile)
		o.Clock.Advance(time.Second)
		first := o.incoming("+905321111111")
		o.legTo(mobile)
		if _, err := o.Calls.Forward(o.as(ayse), o.callOf(in).ID, "+905329999999", call.ModeBlind); err != nil {
			o.t.Errorf("the second leg to the outside: %v", err)
		}
		o.w.Owner.Post(path+"/call", map[string]any{"to": "+905328888888"}).Refused(409, "cap_reached")
		o.end(first, exchange.CauseNormal)
		o.end(in, exchange.CauseNormal)
		o.Settle()
		o.Clock.Advance(time.Second)
		o.incoming("+905322222222")
		o.end(o.legTo(phone), exchange.CauseRejected)
		o.end(o.legTo(mobile), exchange.CauseRejected)
		o.Clock.Advance(time.Second)
		o.incoming("+905323333333") // a fourth today
		o.legTo(phone)
		if o.rings(mobile) {
			o.t.Error("the phone outside rings past the cap of a day")
		}
	})
}

// No call is sent to one of the workspace's own numbers: it would come in again and again.
func TestNoCallToOwnNumbers(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.w.Owner.Post(path+"/call", map[string]any{"to": "+902125550101"}).Refused(422, "validation_failed") // the line's number
		o.buyNumber()
		const own = "+902125550199"
		_, ayse, phone := o.colleague("ayse")
		for _, to := range []string{own, "0212 555 01 99"} {
			o.w.Owner.Post(path+"/call", map[string]any{"to": to}).Refused(422, "validation_failed")
		}
		o.rungOutside(own)
		in := o.incoming(customer)
		o.answer(o.legTo(phone))
		if o.rings(own) {
			o.t.Error("the workspace's own number rings")
		}
		if _, err := o.Calls.Forward(o.as(ayse), o.callOf(in).ID, own, call.ModeBlind); !fault.Is(err, fault.ValidationFailed) {
			o.t.Errorf("forwarded to the own number: %v", err)
		}
	})
}

// Outside phones that ring at once all count towards the caps.
func TestCapsCountPhonesThatRingAtOnce(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.settings(func(s *setting.Settings) { s.Caps.Concurrent = 1 })
		ayse, _, _ := o.colleague("ayse")
		o.rungOutside(mobile)
		ayse.Put(path+"/device", map[string]any{"kind": "outside", "e164": "+905326666666"}).Want(200)
		o.incoming(customer)
		if o.rings(mobile) == o.rings("+905326666666") {
			o.t.Error("not exactly one phone rings outside")
		}
	})
}

// A call placed with an outside phone takes two places under a cap.
func TestCapsCountBothLegsOfACall(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.settings(func(s *setting.Settings) { s.Caps.Concurrent = 1 })
		o.rungOutside(mobile)
		o.w.Owner.Post(path+"/call", map[string]any{"to": customer}).Refused(409, "cap_reached")
		o.settings(func(s *setting.Settings) { s.Caps.Concurrent = 2 })
		o.w.Owner.Post(path+"/call", map[string]any{"to": customer}).Want(201)
	})
}

// Outside phones to which a call is transferred all count towards the caps.
func TestCapsCountTransferTargets(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.settings(func(s *setting.Settings) { s.Caps.Concurrent = 1 })
		in := o.incoming(customer)
		o.answer(o.legTo(o.username))
		o.want(call.Active, "")
		var colleagues []uuid.UUID
		for name, number := range map[string]string{"ayse": "+905325555555", "can": "+905326666666"} {
			agent, id, _ := o.colleague(name)
			agent.Put(path+"/device", map[string]any{"kind": "outside", "e164": number}).Want(200)
			colleagues = append(colleagues, id)
		}
		if _, err := o.Calls.Transfer(o.as(o.w.Member), o.callOf(in).ID, colleagues); err != nil {
			o.t.Fatal(err)
		}
		o.Settle()
		if o.rings("+905325555555") == o.rings("+905326666666") {
			o.t.Error("not exactly one phone rings outside")
		}
	})
}

// Neither an unpaid number nor an outside phone that cannot be paid prevents an emergency
// call.
func TestEmergencyCallWithoutCredit(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.w.Owner.Delete(path + "/line").Want(200)
		o.buyNumber()
		o.exec(`UPDATE phone_number SET status = 'suspended' WHERE tenant_id = $1`)
		o.rungOutside(mobile)
		o.w.Owner.Post(path+"/call", map[string]any{"to": customer}).Refused(409, "no_line")
		o.place(o.w.Owner, map[string]any{"to": "112"})
		if o.rings(mobile) {
			o.t.Error("the phone outside rings without credit")
		}
		o.answer(o.legTo(o.username))
		o.answer(o.legTo("112"))
		if c := o.want(call.Active, ""); c.From != "+902125550199" {
			o.t.Errorf("help is called as %+v", c)
		}
		o.wantWallet(0, 0)
	})
}

// A forwarded call that nobody takes comes back even if its agent cannot be rung now: the
// end of its leg is stored and paid, and the agent is rung later.
func TestUnansweredForwardReturnsToUnreachableAgent(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.buyNumber()
		o.credit(20 * micro)
		in := o.incoming(customer)
		o.answer(o.legTo(o.username))
		c := o.want(call.Active, "")
		o.rungOutside("+14155550100") // which the caps do not allow
		o.w.Owner.Post(path+"/call/forward", map[string]any{"call_id": c.ID, "to": "+905329999999"}).Want(200)
		o.end(o.legTo("+905329999999"), exchange.CauseNoAnswer)
		o.want(call.Detached, "")
		o.wantWallet(20*micro, 0)
		o.w.Owner.Put(path+"/device", map[string]any{"kind": "desk"}).Want(200)
		o.wait(6 * time.Minute)
		o.answer(o.legTo(o.username))
		o.want(call.Active, "")
		o.end(in, exchange.CauseNormal)
		o.want(call.Ended, call.Answered)
	})
}

// After a start the exchange gets the operator's line with its current settings, whatever
// it had before.
func TestOperatorLineIsSetAtStart(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.buyNumber()
		o.credit(20 * micro)
		_, trunk, err := o.Calls.FindNumber(o.t.Context(), "+902125550199")
		if err != nil {
			o.t.Fatal(err)
		}
		old := exchange.Trunk{Tenant: o.w.ID, ID: trunk, Server: "sip.carrier.example", Transport: "tcp", Username: "old"}
		if err := o.x.PutTrunk(o.t.Context(), old); err != nil {
			o.t.Fatal(err)
		}
		for range 2 {
			o.place(o.w.Owner, map[string]any{"to": customer})
			o.answer(o.legTo(o.username))
			o.end(o.legTo(customer), exchange.CauseBusy)
			o.want(call.Ended, call.Busy)
			o.Clock.Advance(time.Second)
		}
		if now, _ := o.x.Trunk(trunk); now.Username != "" || now.Transport == "tcp" {
			o.t.Errorf("the line is %+v", now)
		}
		puts := func() int {
			return len(slices.DeleteFunc(o.x.Log(), func(line string) bool { return line != "put trunk sip.carrier.example" }))
		}
		if puts() != 2 { // once above and once by the calls
			o.t.Errorf("the exchange was given the line %d times", puts())
		}
		// An exchange that lost the line gets it again.
		if err := o.x.DropTrunk(o.t.Context(), o.w.ID, trunk); err != nil {
			o.t.Fatal(err)
		}
		o.place(o.w.Owner, map[string]any{"to": customer})
		o.answer(o.legTo(o.username))
		o.answer(o.legTo(customer))
		if o.want(call.Active, ""); puts() != 3 {
			o.t.Errorf("the exchange was given the line %d times", puts())
		}
	})
}

// If the exchange lost the workspace's own line with its store, the line needs its
// password, and reports that when it is used next; with the password, calls go out as
// before.
func TestLostLineNeedsItsPassword(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		if err := o.x.DropTrunk(o.t.Context(), o.w.ID, o.line); err != nil {
			o.t.Fatal(err)
		}
		o.place(o.w.Owner, map[string]any{"to": customer})
		o.answer(o.legTo(o.username))
		if c := o.want(call.Ended, call.Failed); c.Cause != string(exchange.CauseUnavailable) {
			o.t.Errorf("it ended as %+v", c)
		}
		o.Clock.Advance(time.Second)
		if got := o.w.Owner.Post(path+"/call", map[string]any{"to": customer}).Refused(409, "no_line"); got.Reason != "needs_password" {
			o.t.Errorf("the next call is refused as %+v", got)
		}
		o.w.Owner.Put(path+"/line", map[string]any{"server": "sip.santral.example", "username": "u", "password": "p", "e164": "+902125550101"}).Want(200)
		o.x.Tell(o.w.ID, exchange.Event{Type: exchange.TrunkStatusEvent, Trunk: o.line, Status: &exchange.TrunkStatus{State: exchange.TrunkRegistered}})
		o.Settle()
		o.place(o.w.Owner, map[string]any{"to": customer})
		o.answer(o.legTo(o.username))
		o.answer(o.legTo(customer))
		o.want(call.Active, "")
	})
}

// A call whose row cannot be read does not hold back other calls.
func TestUnreadableCallDoesNotBlockOthers(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		_, ayse, phone := o.colleague("ayse")
		detach := func(from, mine string, who func(call.Call)) call.Call {
			o.t.Helper()
			o.incoming(from)
			o.answer(o.legTo(mine))
			c := o.want(call.Active, "")
			who(c)
			o.want(call.Detached, "")
			o.Clock.Advance(time.Second)
			return c
		}
		broken := detach(customer, o.username, func(c call.Call) {
			o.w.Owner.Post(path+"/call/detach", map[string]any{"call_id": c.ID}).Want(200)
		})
		detach("+905321111111", phone, func(c call.Call) {
			if _, err := o.Calls.Detach(o.as(ayse), c.ID); err != nil {
				o.t.Fatal(err)
			}
		})
		o.exec(`UPDATE phone_call SET plan = '[]' WHERE tenant_id = $1 AND id = $2`, broken.ID)
		o.Clock.Advance(6 * time.Minute)
		if _, err := o.Calls.Step(o.t.Context()); err != nil {
			o.t.Error(err)
		}
		o.legTo(phone)
	})
}
