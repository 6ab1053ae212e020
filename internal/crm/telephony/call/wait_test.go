package call_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/setting"
	"konak/internal/exchange"
)

// callOf returns the call of a leg.
func (o *office) callOf(leg uuid.UUID) call.Call {
	o.t.Helper()
	o.Settle()
	var list []call.Call
	o.w.Owner.Get(path + "/calls").Want(200).Data(&list)
	for _, c := range list {
		if slices.ContainsFunc(c.Legs, func(l call.Leg) bool { return l.ID == leg }) {
			return c
		}
	}
	o.t.Fatalf("no call has the leg %s", leg)
	return call.Call{}
}

// state returns the state of a leg's call.
func (o *office) state(leg uuid.UUID) call.State {
	o.t.Helper()
	return o.callOf(leg).State
}

// A caller who finds the whole team being rung for another caller hears ringing until a
// phone is free.
func TestSecondCallerWaitsForPhone(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		_, _, ayse := o.colleague("ayse")
		o.incoming(customer)
		o.legTo(ayse)
		o.Clock.Advance(time.Second)
		second := o.incoming("+905321111111")
		o.wait(3 * time.Second)
		if got := o.state(second); got != call.Ringing {
			o.t.Fatalf("the second caller is %s", got)
		}
		o.answer(o.legTo(ayse)) // the owner's phone is free again
		o.wait(2 * time.Second)
		o.answer(o.legTo(o.username))
		if got := o.state(second); got != call.Active {
			o.t.Errorf("the second caller is %s", got)
		}
		// If everybody is talking, nobody waits.
		if third := o.incoming("+905322222222"); o.state(third) != call.Voicemail {
			o.t.Errorf("the third caller is %s", o.state(third))
		}
	})
}

// A caller who waits for a phone goes to the voicemail when the ring time is over, even if
// that phone is in a call by then, and stops waiting when they hang up.
func TestSecondCallerWaitIsLimitedByRingTime(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.settings(func(s *setting.Settings) { s.RingSeconds = 10 })
		o.incoming(customer)
		own := o.legTo(o.username)
		o.Clock.Advance(time.Second)
		second, third := o.incoming("+905321111111"), o.incoming("+905322222222")
		o.wait(4 * time.Second)
		o.answer(own)
		o.end(third, exchange.CauseNormal)
		o.wait(4 * time.Second)
		if got := o.state(second); got != call.Ringing {
			o.t.Errorf("after eight seconds the second caller is %s", got)
		}
		o.wait(3 * time.Second)
		if got := o.state(second); got != call.Voicemail {
			o.t.Errorf("after eleven seconds the second caller is %s", got)
		}
		if got := o.state(third); got != call.Ended {
			o.t.Errorf("who hung up is %s", got)
		}
	})
}

// An agent may hang up while the customer is being transferred to a ringing colleague: the
// customer waits, and comes back if nobody takes the call.
func TestAgentHangsUpDuringTransfer(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		_, ayse, phone := o.colleague("ayse")
		talk := func() (call.Call, uuid.UUID) {
			o.t.Helper()
			in := o.incoming(customer)
			o.end(o.legTo(phone), exchange.CauseRejected)
			o.answer(o.legTo(o.username))
			c := o.want(call.Active, "")
			o.w.Owner.Post(path+"/call/transfer", map[string]any{"call_id": c.ID, "agent_id": ayse}).Want(200)
			return c, in
		}
		_, in := talk()
		o.end(o.legTo(o.username), exchange.CauseNormal)
		o.want(call.Detached, "")
		o.answer(o.legTo(phone))
		if c := o.want(call.Active, ""); *c.AgentID != ayse || o.joined() != 2 {
			o.t.Errorf("%d talk in %+v", o.joined(), c)
		}
		o.end(in, exchange.CauseNormal)
		o.want(call.Ended, call.Answered)

		c, in := talk()
		if _, err := o.Calls.Hangup(o.as(o.w.Member), c.ID); err != nil {
			o.t.Error(err)
		}
		o.want(call.Detached, "")
		o.end(o.legTo(phone), exchange.CauseNoAnswer)
		o.answer(o.legTo(o.username))
		if c := o.want(call.Active, ""); *c.AgentID != o.w.Member || o.joined() != 2 {
			o.t.Errorf("%d talk in %+v", o.joined(), c)
		}
		o.end(in, exchange.CauseNormal)
		o.want(call.Ended, call.Answered)
	})
}

// A transfer to a group does not ring agents who are talking.
func TestTransferDoesNotRingBusyAgents(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		_, ayse, busy := o.colleague("ayse")
		_, veli, free := o.colleague("veli")
		group := o.w.Owner.Post("/api/crm/v1/groups", map[string]any{"name": "Sales", "agent_ids": []uuid.UUID{ayse, veli}}).Want(201).ID()
		o.incoming(customer)
		o.answer(o.legTo(busy))
		o.Clock.Advance(time.Second)
		o.incoming("+905321111111")
		o.answer(o.legTo(o.username))
		c := o.want(call.Active, "")
		before := len(o.x.Legs())
		o.w.Owner.Post(path+"/call/transfer", map[string]any{"call_id": c.ID, "group_id": group}).Want(200)
		o.legTo(free)
		if n := len(o.x.Legs()) - before; n != 1 {
			o.t.Errorf("%d phones ring", n)
		}
	})
}

// A customer whom an agent parked does not hear music forever: after five minutes the agent
// is rung, then the team, and if nobody comes the call ends and waits to be returned.
func TestParkedCallReturnsAfterFiveMinutes(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		client, ayse, phone := o.colleague("ayse")
		park := func(c *apptest.Client, own, other string) uuid.UUID {
			o.t.Helper()
			o.Clock.Advance(time.Second)
			in := o.incoming(customer)
			o.end(o.legTo(other), exchange.CauseRejected)
			o.answer(o.legTo(own))
			c.Post(path+"/call/detach", map[string]any{"call_id": o.want(call.Active, "").ID}).Want(200)
			return in
		}
		seek := func() {
			o.t.Helper()
			o.want(call.Detached, "")
			o.Clock.Advance(5 * time.Minute)
			o.Settle()
		}
		takes := func(in uuid.UUID, own string, agent uuid.UUID) {
			o.t.Helper()
			o.answer(o.legTo(own))
			if c := o.want(call.Active, ""); *c.AgentID != agent || o.joined() != 2 {
				o.t.Errorf("%d talk in %+v", o.joined(), c)
			}
			o.end(in, exchange.CauseNormal)
			o.want(call.Ended, call.Answered)
		}
		nobody := func(toReturn bool) {
			o.t.Helper()
			if c := o.want(call.Ended, call.Answered); c.EndedBy != "system" || c.Cause != "no_answer" || c.ToReturn != toReturn || len(o.x.Legs()) != 0 {
				o.t.Errorf("it ended as %+v", c)
			}
		}

		in := park(o.w.Owner, o.username, phone)
		seek()
		if o.rings(phone) {
			o.t.Error("the team rings before the agent")
		}
		o.end(o.legTo(o.username), exchange.CauseNoAnswer)
		if o.want(call.Detached, ""); o.rings(o.username) {
			o.t.Error("the agent who did not come is rung with the team")
		}
		takes(in, phone, ayse)

		park(o.w.Owner, o.username, phone)
		seek()
		o.end(o.legTo(o.username), exchange.CauseNoAnswer)
		o.end(o.legTo(phone), exchange.CauseNoAnswer)
		nobody(true)

		o.colleague("veli") // who must not be rung for a waiting colleague
		o.Clock.Advance(time.Second)
		inside, _, _ := o.talkInside(phone)
		o.w.Owner.Post(path+"/call/detach", map[string]any{"call_id": inside.ID}).Want(200)
		seek()
		o.end(o.legTo(o.username), exchange.CauseNoAnswer)
		nobody(false)

		in = park(client, phone, o.username)
		o.w.Owner.Post("/api/crm/v1/agents/"+ayse.String()+"/suspension", nil).Want(200)
		seek()
		takes(in, o.username, o.w.Member)
	})
}

// An agent who resumes the call while the team already rings is rung, too.
func TestResumeWhileTheTeamRings(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		_, _, phone := o.colleague("ayse")
		in := o.incoming(customer)
		o.end(o.legTo(phone), exchange.CauseRejected)
		o.answer(o.legTo(o.username))
		body := map[string]any{"call_id": o.want(call.Active, "").ID}
		o.w.Owner.Post(path+"/call/detach", body).Want(200)
		o.Settle()
		o.Clock.Advance(5 * time.Minute)
		o.end(o.legTo(o.username), exchange.CauseNoAnswer)
		o.legTo(phone)
		before := len(o.x.Legs())
		for range 2 { // it rings once
			o.w.Owner.Post(path+"/call/resume", body).Want(200)
			o.Settle()
		}
		if n := len(o.x.Legs()) - before; n != 1 {
			o.t.Errorf("%d phones ring more", n)
		}
		o.answer(o.legTo(o.username))
		if c := o.want(call.Active, ""); *c.AgentID != o.w.Member || o.rings(phone) {
			o.t.Errorf("the call is %+v", c)
		}
		o.end(in, exchange.CauseNormal)
		o.want(call.Ended, call.Answered)
	})
}

// An agent who has just had a call is not rung for a while.
func TestWrapUp(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.settings(func(s *setting.Settings) { s.WrapUp = 30 })
		_, _, phone := o.colleague("ayse")
		in := o.incoming(customer)
		o.answer(o.legTo(phone))
		o.end(in, exchange.CauseNormal)
		for _, rings := range []bool{false, true} {
			o.Clock.Advance(15 * time.Second)
			next := o.incoming(customer)
			if o.legTo(o.username); o.rings(phone) != rings {
				o.t.Errorf("rung: %v", !rings)
			}
			o.end(next, exchange.CauseNormal)
		}
	})
}

// Only the agent who was rung first moves behind the others, not one who could not be rung.
func TestUnreachableAgentKeepsTurn(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.settings(func(s *setting.Settings) { s.RingStrategy = setting.RingRoundRobin })
		o.w.Owner.Put(path+"/device", map[string]any{"kind": "outside", "e164": "+14155550100"}).Want(200) // which the caps do not allow
		_, _, ayse := o.colleague("ayse")
		_, _, veli := o.colleague("veli")
		for _, first := range []string{ayse, veli, ayse} {
			o.Clock.Advance(time.Second)
			in := o.incoming(customer)
			o.end(o.legTo(first), exchange.CauseRejected)
			o.end(in, exchange.CauseNormal)
		}
	})
}
