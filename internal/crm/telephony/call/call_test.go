package call_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/setting"
	"konak/internal/exchange"
	"konak/internal/kit/db"
)

// The agent's own phone rings first, then the customer's; the cost is paid.
func TestPlaceCall(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		number := o.buyNumber()
		o.credit(10 * micro)
		made := o.place(o.w.Owner, map[string]any{"to": "0532 123 45 67"})
		if made.State != call.Created || made.To != customer || made.Via != call.ViaNumber || *made.NumberID != number || made.From != "+902125550199" {
			o.t.Errorf("placed %+v", made)
		}
		o.wantWallet(8_500_000, 1_500_000) // a minute to a mobile
		if o.rings(customer) {
			o.t.Error("the customer's phone rings before the agent's is answered")
		}
		own := o.legTo(o.username)
		o.answer(own)
		out := o.legTo(customer)
		o.want(call.Ringing, "")
		o.wait(7 * time.Second)
		o.answer(out)
		c := o.want(call.Active, "")
		if c.AnsweredAt == nil || o.joined() != 2 {
			o.t.Errorf("answered %v, %d legs hear each other", c.AnsweredAt, o.joined())
		}
		o.wait(65 * time.Second) // into the second minute
		o.wantWallet(7*micro, 3*micro)
		o.end(out, exchange.CauseNormal)
		c = o.want(call.Ended, call.Answered)
		if c.TalkSeconds != 65 || c.RingSeconds != 7 || c.BilledSeconds != 120 || c.Cost != 3*micro || c.EndedBy != "customer" || len(c.Legs) != 2 {
			o.t.Errorf("it ended as %+v", c)
		}
		o.wantWallet(7*micro, 0)
		statement := string(o.w.Owner.Get(path + "/wallet/statement?from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z").Want(200).Body)
		if strings.Count(statement, ",calls,") != 4 || strings.Count(statement, ","+c.ID.String()+"\n") != 4 {
			o.t.Errorf("the statement does not lead to the call:\n%s", statement)
		}
		if legs := o.x.Legs(); len(legs) != 0 {
			o.t.Errorf("legs are left: %+v", legs)
		}
		events := slices.DeleteFunc(o.w.Events(), func(e string) bool { return !strings.HasPrefix(e, "call.") })
		if want := []string{"call.started", "call.answered", "call.ended"}; !slices.Equal(events, want) {
			o.t.Errorf("the events are %v", events)
		}
	})
}

// The same request twice is one call, paid once.
func TestPlaceCallOnce(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.buyNumber()
		o.credit(10 * micro)
		keyed := o.w.Owner.Header("Idempotency-Key", "once")
		one, two := o.place(keyed, map[string]any{"to": customer}), o.place(keyed, map[string]any{"to": customer})
		if one.ID != two.ID || len(o.x.Legs()) != 1 {
			o.t.Error("placed twice under one key")
		}
		o.wantWallet(8_500_000, 1_500_000)
	})
}

// Over the workspace's own line a call costs nothing here.
func TestCallOverOwnLine(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		made := o.place(o.w.Owner, map[string]any{"to": customer})
		if made.Via != call.ViaLine || made.From != "+902125550101" {
			o.t.Errorf("placed %+v", made)
		}
		o.answer(o.legTo(o.username))
		o.answer(o.legTo(customer))
		o.wait(70 * time.Second)
		o.w.Owner.Post(path+"/call/detach", map[string]any{"call_id": made.ID}).Want(200)
		o.want(call.Detached, "")
		o.end(o.legTo(customer), exchange.CauseNormal)
		if c := o.want(call.Ended, call.Answered); c.Cost != 0 || c.BilledSeconds != 0 {
			o.t.Errorf("it cost %+v", c)
		}
	})
}

// The reasons for refusing a call, with their status and code.
func TestPlaceCallRefusals(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		owner := o.w.Owner
		post := func(body map[string]any) string {
			o.t.Helper()
			return owner.Post(path+"/call", body).Refused(409, "cap_reached").Reason
		}
		o.buyNumber()
		owner.Post(path+"/call", map[string]any{"to": customer}).Refused(409, "no_credit")
		o.wantWallet(0, 0)
		owner.Post(path+"/call", map[string]any{"to": "12"}).Refused(422, "validation_failed")
		for _, field := range []string{"number_id", "contact_id", "conversation_id"} {
			if got := owner.Post(path+"/call", map[string]any{"to": customer, field: uuid.NewString(), "via": "line"}).Refused(422, "validation_failed"); len(got.Fields[field]) != 1 {
				o.t.Errorf("%s: %v", field, got.Fields)
			}
		}
		if reason := post(map[string]any{"to": "+447911123456"}); reason != "country" {
			o.t.Errorf("abroad: %s", reason)
		}
		o.settings(func(s *setting.Settings) { s.Caps.Concurrent, s.Caps.Daily = 1, 2 })
		o.place(owner, map[string]any{"to": customer, "via": "line"})
		if reason := post(map[string]any{"to": customer, "via": "line"}); reason != "concurrent" {
			o.t.Errorf("a second at once: %s", reason)
		}
		o.end(o.legTo(o.username), exchange.CauseRejected)
		o.want(call.Ended, call.Rejected)
		o.place(owner, map[string]any{"to": customer, "via": "line"})
		o.end(o.legTo(o.username), exchange.CauseNoAnswer)
		if reason := post(map[string]any{"to": customer, "via": "line"}); reason != "daily" {
			o.t.Errorf("a third today: %s", reason)
		}
		// Nothing holds back an emergency call, not even a colleague with that extension.
		ayse, id, _ := o.colleague("ayse")
		if err := o.DB.Tenant(o.w.ID).InTx(o.t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`UPDATE phone_member SET extension = $3 WHERE tenant_id = $1 AND agent_id = $2`, o.w.ID, id, "112")
		}); err != nil {
			o.t.Fatal(err)
		}
		made := o.place(owner, map[string]any{"to": "112"})
		o.answer(o.legTo(o.username))
		o.answer(o.legTo("112"))
		if c := o.want(call.Active, ""); c.ID != made.ID {
			o.t.Error("help was not called")
		}
		o.wantWallet(0, 0)

		guest := o.w.Guest()
		guest.Post(path+"/call", map[string]any{"to": customer}).Refused(403, "forbidden")
		o.settings(func(*setting.Settings) {})
		owner.Delete(path + "/line").Want(200)
		o.Settle()
		owner.Post(path+"/call", map[string]any{"to": customer, "via": "line"}).Refused(409, "no_line")
		ayse.Post(path+"/phone", nil).Want(201) // it signed the phone out
		ayse.Post(path+"/call", map[string]any{"to": "100"}).Refused(409, "no_device")
		owner.Post("/api/crm/v1/agents/"+id.String()+"/suspension", nil).Want(200)
	})
}

// The caller cannot see a call of another agent.
func TestCallOfAnotherAgentIsInvisible(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		ayse, _, _ := o.colleague("ayse")
		made := o.place(o.w.Owner, map[string]any{"to": customer})
		o.answer(o.legTo(o.username))
		o.answer(o.legTo(customer))
		for what, more := range map[string]map[string]any{
			"detach": {}, "resume": {}, "forward": {"to": customer}, "transfer": {"agent_id": o.w.Member},
		} {
			more["call_id"] = made.ID
			ayse.Post(path+"/call/"+what, more).Refused(404, "not_found")
			more["call_id"] = uuid.NewString()
			o.w.Owner.Post(path+"/call/"+what, more).Refused(404, "not_found")
		}
		o.w.Owner.Post(path+"/call/resume", map[string]any{"call_id": made.ID}).Refused(409, "call_state")
		o.want(call.Active, "")
	})
}

// A call reports the sound quality over all its legs.
func TestQuality(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.place(o.w.Owner, map[string]any{"to": customer})
		mine := o.legTo(o.username)
		o.answer(mine)
		theirs := o.legTo(customer)
		o.answer(theirs)
		if c := o.want(call.Active, ""); c.Quality.V != nil {
			o.t.Errorf("it already has %+v", *c.Quality.V)
		}
		o.x.Measure(mine, exchange.MediaStats{PacketsReceived: 100, PacketsLost: 2, JitterMicros: 1400})
		o.x.Measure(theirs, exchange.MediaStats{PacketsReceived: 90, PacketsLost: 1, JitterMicros: 3600})
		o.end(theirs, exchange.CauseNormal)
		if c := o.want(call.Ended, call.Answered); c.Quality.V == nil || *c.Quality.V != (call.Quality{Received: 190, Lost: 3, Jitter: 4}) {
			o.t.Errorf("its sound travelled %+v", c.Quality.V)
		}
		o.applyAgain()
		if c := o.last(); c.Quality.V.Received != 190 {
			o.t.Errorf("applied again: %+v", *c.Quality.V)
		}
	})
}

// The agent leaves while the customer hears music, and comes back.
func TestDetachAndResume(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		made := o.place(o.w.Owner, map[string]any{"to": customer})
		o.answer(o.legTo(o.username))
		o.answer(o.legTo(customer))
		body := map[string]any{"call_id": made.ID}
		o.w.Owner.Post(path+"/call/detach", body).Want(200)
		o.want(call.Detached, "")
		if o.rings(o.username) || o.joined() != 0 {
			o.t.Error("the agent's phone is still in the call")
		}
		o.w.Owner.Post(path+"/call/detach", body).Refused(409, "call_state")
		o.w.Owner.Post(path+"/call/resume", body).Want(200)
		o.answer(o.legTo(o.username))
		if c := o.want(call.Active, ""); o.joined() != 2 || *c.AgentID != o.w.Member {
			o.t.Errorf("%d legs hear each other", o.joined())
		}
		o.w.Owner.Post(path+"/call/detach", body).Want(200)
		o.Settle()
		o.wait(5*time.Minute - time.Second)
		if o.rings(o.username) {
			o.t.Error("it rings too early")
		}
		o.wait(2 * time.Second)
		o.want(call.Detached, "") // the customer still waits
		o.answer(o.legTo(o.username))
		o.end(o.legTo(customer), exchange.CauseNormal)
		o.want(call.Ended, call.Answered)
	})
}

// While the agent's phone holds the call, the customer hears music; this time is not talk
// time.
func TestHold(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.place(o.w.Owner, map[string]any{"to": customer})
		own := o.legTo(o.username)
		o.answer(own)
		out := o.legTo(customer)
		o.answer(out)
		o.wait(10 * time.Second)
		o.x.Happen(own, exchange.Event{Type: exchange.LegHeldEvent})
		o.want(call.Held, "")
		if o.joined() != 1 || !slices.Contains(o.x.Log(), "play, again and again: true") {
			o.t.Errorf("%d legs hear each other", o.joined())
		}
		o.wait(20 * time.Second)
		o.x.Happen(own, exchange.Event{Type: exchange.LegResumedEvent})
		o.want(call.Active, "")
		o.wait(5 * time.Second)
		o.end(out, exchange.CauseNormal)
		if c := o.want(call.Ended, call.Answered); c.HoldSeconds != 20 || c.TalkSeconds != 15 || o.joined() != 0 {
			o.t.Errorf("it ended as %+v", c)
		}
	})
}

// In mode blind the agent's phone leaves at once; if nobody answers, the call comes back.
func TestForward(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		const third = "+905329999999"
		talk := func() call.Call {
			o.t.Helper()
			made := o.place(o.w.Owner, map[string]any{"to": customer})
			o.answer(o.legTo(o.username))
			o.answer(o.legTo(customer))
			return made
		}
		forward := func(c call.Call, mode string) {
			o.t.Helper()
			o.w.Owner.Post(path+"/call/forward", map[string]any{"call_id": c.ID, "to": third, "mode": mode}).Want(200)
			o.want(call.Forwarding, "")
		}
		c := talk()
		o.w.Owner.Post(path+"/call/forward", map[string]any{"call_id": c.ID, "to": "+447911123456"}).Refused(409, "cap_reached")
		forward(c, "blind")
		if o.rings(o.username) {
			o.t.Error("the agent's phone is still in the call")
		}
		o.answer(o.legTo(third))
		o.want(call.Active, "")
		if o.joined() != 2 {
			o.t.Errorf("%d legs hear each other", o.joined())
		}
		o.end(o.legTo(third), exchange.CauseNormal)
		o.want(call.Ended, call.Answered)

		c = talk()
		forward(c, "blind")
		o.end(o.legTo(third), exchange.CauseBusy)
		o.want(call.Detached, "")
		o.answer(o.legTo(o.username))
		o.want(call.Active, "")

		forward(c, "asked")
		o.answer(o.legTo(third))
		o.want(call.Forwarding, "")
		if o.joined() != 2 { // the agent and the third; the customer hears music
			o.t.Errorf("%d legs hear each other", o.joined())
		}
		o.end(o.legTo(third), exchange.CauseNormal)
		o.want(call.Active, "")
		forward(c, "asked")
		o.answer(o.legTo(third))
		o.end(o.legTo(o.username), exchange.CauseNormal)
		o.want(call.Active, "")
		o.end(o.legTo(customer), exchange.CauseNormal)
		if c := o.want(call.Ended, call.Answered); len(o.x.Legs()) != 0 {
			o.t.Errorf("legs are left of %+v", c)
		}
	})
}

// A colleague takes the call; if nobody does, nothing changes.
func TestTransfer(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		_, ayseID, aysePhone := o.colleague("ayse")
		_, veliID, veliPhone := o.colleague("veli")
		group := o.w.Owner.Post("/api/crm/v1/groups", map[string]any{"name": "Satış", "agent_ids": []uuid.UUID{ayseID, veliID}}).Want(201).ID()
		made := o.place(o.w.Owner, map[string]any{"to": customer})
		o.answer(o.legTo(o.username))
		o.answer(o.legTo(customer))
		transfer := func(more map[string]any) map[string]any { more["call_id"] = made.ID; return more }
		o.w.Owner.Post(path+"/call/transfer", transfer(map[string]any{})).Refused(422, "validation_failed")
		o.w.Owner.Post(path+"/call/transfer", transfer(map[string]any{"agent_id": uuid.NewString()})).Refused(409, "no_device")
		o.w.Owner.Post(path+"/call/transfer", transfer(map[string]any{"agent_id": ayseID})).Want(200)
		o.end(o.legTo(aysePhone), exchange.CauseNoAnswer)
		if c := o.want(call.Active, ""); *c.AgentID != o.w.Member || o.joined() != 2 {
			o.t.Errorf("nobody took it, and it is %+v", c)
		}
		o.w.Owner.Post(path+"/call/transfer", transfer(map[string]any{"group_id": group})).Want(200)
		o.legTo(aysePhone)
		o.answer(o.legTo(veliPhone))
		c := o.want(call.Active, "")
		if *c.AgentID != veliID || o.joined() != 2 || o.rings(o.username) || o.rings(aysePhone) {
			o.t.Errorf("taken over, it is %+v", c)
		}
		o.end(o.legTo(veliPhone), exchange.CauseNormal)
		if c := o.want(call.Ended, call.Answered); c.EndedBy != "agent" {
			o.t.Errorf("ended by %s", c.EndedBy)
		}
	})
}

// Internal calls from phone to phone, by the API and dialled on the phone itself.
func TestInternalCalls(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		_, _, ayse := o.colleague("ayse")
		made := o.place(o.w.Owner, map[string]any{"to": "101"})
		if made.Via != call.ViaInside || made.To != "101" || made.From != "100" {
			o.t.Errorf("placed %+v", made)
		}
		o.answer(o.legTo(o.username))
		o.answer(o.legTo(ayse))
		o.want(call.Active, "")
		o.end(o.legTo(ayse), exchange.CauseNormal)
		o.want(call.Ended, call.Answered)
		o.w.Owner.Post(path+"/call", map[string]any{"to": "100"}).Refused(422, "validation_failed")

		own := o.x.Call(o.w.ID, o.username, uuid.Nil, "100", "05321234567")
		o.answer(o.legTo(customer))
		if c := o.want(call.Active, ""); *c.AgentID != o.w.Member || c.To != customer || o.joined() != 2 {
			o.t.Errorf("dialled on the phone: %+v", c)
		}
		o.end(own, exchange.CauseNormal)
		o.want(call.Ended, call.Answered)
		// A number that may not be called is refused on the phone, too.
		o.x.Call(o.w.ID, o.username, uuid.Nil, "100", "+447911123456")
		o.Settle()
		if legs := o.x.Legs(); len(legs) != 0 || o.last().To != customer {
			o.t.Errorf("left are %+v", legs)
		}
	})
}
