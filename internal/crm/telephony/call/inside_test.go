package call_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/phonetest"
	"konak/internal/crm/telephony/setting"
	"konak/internal/crm/telephony/team"
	"konak/internal/exchange"
	"konak/internal/kit/caller"
	"konak/internal/kit/fault"
)

// as returns a context of a member who is connected to the telephony socket.
func (o *office) as(id uuid.UUID) context.Context {
	return caller.With(o.t.Context(), &caller.Caller{Kind: caller.Agent, ID: id, TenantID: o.w.ID})
}

// talkInside makes the owner call a colleague's extension, and the colleague answer.
func (o *office) talkInside(phone string) (call.Call, uuid.UUID, uuid.UUID) {
	o.t.Helper()
	o.place(o.w.Owner, map[string]any{"to": "101"})
	mine := o.legTo(o.username)
	o.answer(mine)
	theirs := o.legTo(phone)
	o.answer(theirs)
	return o.want(call.Active, ""), mine, theirs
}

// busy returns how many of the team are in a call.
func (o *office) busy() (n int) {
	o.t.Helper()
	var list []team.Member
	o.w.Owner.Get(path + "/team").Want(200).Data(&list)
	for _, m := range list {
		if m.InCall {
			n++
		}
	}
	return n
}

// Both ends of an internal call are in a call: calls to the team and to groups do not ring
// there.
func TestBothEndsOfInternalCallAreBusy(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		_, id, ayse := o.colleague("ayse")
		group := o.w.Owner.Post("/api/crm/v1/groups", map[string]any{"name": "Sales", "agent_ids": []string{id.String()}}).Want(201).ID()
		o.place(o.w.Owner, map[string]any{"to": "101"})
		if o.busy() != 1 {
			o.t.Error("the colleague is in a call before their phone rings")
		}
		o.end(o.legTo(o.username), exchange.CauseNormal)
		o.talkInside(ayse)
		if n := o.busy(); n != 2 {
			o.t.Errorf("%d are in a call", n)
		}
		o.settings(func(s *setting.Settings) {
			s.Menus = []setting.Menu{{Key: "main", Text: "Press one", Voice: "en", Keys: []setting.MenuKey{{Digit: "1", Action: setting.KeyGroup, GroupID: new(uuid.MustParse(group))}}}}
		})
		in := o.incoming(customer)
		o.hear(in)
		o.press(in, "1")
		rung := slices.ContainsFunc(o.x.Legs(), func(l phonetest.Leg) bool { return l.Asked.CallerNumber == customer })
		if c := o.last(); c.State != call.Voicemail || rung {
			o.t.Errorf("the call of the group is %s", c.State)
		}
	})
}

// The called colleague can hold, mute, press keys and hang up just as the calling one.
func TestCalledColleagueControlsCall(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		_, id, ayse := o.colleague("ayse")
		_, stranger, _ := o.colleague("veli")
		c, mine, theirs := o.talkInside(ayse)
		do := func(name string, what func(ctx context.Context) (call.Call, error)) {
			o.t.Helper()
			if _, err := what(o.as(stranger)); !fault.Is(err, fault.NotFound) {
				o.t.Errorf("%s by another: %v", name, err)
			}
			if _, err := what(o.as(id)); err != nil {
				o.t.Errorf("%s: %v", name, err)
			}
			o.Settle()
		}
		hears := func(leg uuid.UUID) phonetest.Leg {
			i := slices.IndexFunc(o.x.Legs(), func(l phonetest.Leg) bool { return l.ID == leg })
			return o.x.Legs()[i]
		}
		hold := func(on bool) func(ctx context.Context) (call.Call, error) {
			return func(ctx context.Context) (call.Call, error) { return o.Calls.Hold(ctx, c.ID, on) }
		}
		do("hold", hold(true))
		if !hears(mine).Playing.Loop || hears(theirs).Playing.Loop || hears(mine).Joined {
			o.t.Error("the one who called hears no music")
		}
		o.want(call.Held, "")
		do("resume", hold(false))
		if o.want(call.Active, ""); o.joined() != 2 || hears(mine).Playing.Loop {
			o.t.Error("they do not talk again")
		}
		o.x.Happen(theirs, exchange.Event{Type: exchange.LegHeldEvent})
		o.want(call.Held, "")
		if _, err := o.Calls.Hold(o.as(o.w.Member), c.ID, false); err != nil || o.want(call.Active, "").ID != c.ID || o.joined() != 2 {
			o.t.Errorf("held by one and resumed by the other: %v", err)
		}
		do("mute", func(ctx context.Context) (call.Call, error) { return o.Calls.Mute(ctx, c.ID, true) })
		do("keys", func(ctx context.Context) (call.Call, error) { return o.Calls.PressKeys(ctx, c.ID, "5") })
		if log := strings.Join(o.x.Log(), "\n"); !strings.Contains(log, "mute true") || !strings.Contains(log, "press 5") {
			o.t.Errorf("the exchange was asked %s", log)
		}
		do("hang up", func(ctx context.Context) (call.Call, error) { return o.Calls.Hangup(ctx, c.ID) })
		if c = o.want(call.Ended, call.Answered); c.EndedBy != "customer" || len(o.x.Legs()) != 0 {
			o.t.Errorf("it ended as %+v", c)
		}
	})
}

// The called colleague leaves the call and comes back to it, and declines a ringing one.
func TestCalledColleagueDetaches(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		client, id, ayse := o.colleague("ayse")
		c, mine, _ := o.talkInside(ayse)
		body := map[string]any{"call_id": c.ID}
		client.Post(path+"/call/detach", body).Want(200)
		o.want(call.Detached, "")
		if o.rings(ayse) || !o.rings(o.username) {
			o.t.Error("the wrong phone left")
		}
		client.Post(path+"/call/resume", body).Want(200)
		back := o.legTo(ayse)
		for _, l := range o.x.Legs() {
			if l.ID == back && l.Asked.CallerNumber != "100" {
				o.t.Errorf("the phone shows %q", l.Asked.CallerNumber)
			}
		}
		o.answer(back)
		if c = o.want(call.Active, ""); o.joined() != 2 || *c.AgentID != id {
			o.t.Errorf("%d legs hear each other in %+v", o.joined(), c)
		}
		o.w.Owner.Post(path+"/call/detach", body).Want(200) // the calling agent can do so as well
		o.w.Owner.Post(path+"/call/resume", body).Want(200)
		o.answer(o.legTo(o.username))
		o.end(back, exchange.CauseNormal)
		o.want(call.Ended, call.Answered)
		_ = mine

		o.place(o.w.Owner, map[string]any{"to": "101"})
		o.answer(o.legTo(o.username))
		rings := o.want(call.Ringing, "")
		if _, err := o.Calls.Hangup(o.as(id), rings.ID); err != nil {
			o.t.Error(err)
		}
		o.want(call.Ended, call.Rejected)
	})
}

// A colleague whose phone is not signed in cannot be called: the API refuses it, and a
// phone that dials them is told. A phone is also told that an extension is nobody's or that
// there is no line.
func TestCallToSignedOutPhoneIsRefused(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		_, id, ayse := o.colleague("ayse")
		dial := func(phone, to string) string {
			o.t.Helper()
			o.x.Call(o.w.ID, phone, uuid.Nil, "", to)
			o.Settle()
			if n := len(o.x.Legs()); n != 0 {
				o.t.Errorf("dialling %s leaves %d legs", to, n)
			}
			log := slices.DeleteFunc(o.x.Log(), func(s string) bool { return !strings.HasPrefix(s, "hang up") })
			return strings.TrimPrefix(log[len(log)-1], "hang up ")
		}
		o.x.SignOut(ayse)
		if got := o.w.Owner.Post(path+"/call", map[string]any{"to": "101"}).Refused(409, "no_device"); got.Reason != "colleague" {
			o.t.Errorf("the reason is %q", got.Reason)
		}
		if got := dial(o.username, "101"); got != "no_device" {
			o.t.Errorf("a colleague who is not signed in: %s", got)
		}
		if c := o.last(); c.Disposition != call.Failed || c.Cause != "no_device" {
			o.t.Errorf("the log has %+v", c)
		}
		o.w.Owner.Put(path+"/team/"+id.String(), map[string]any{"extension": "102"}).Want(200)
		if got := dial(o.username, "102"); got != "no_device" {
			o.t.Errorf("a colleague without a phone: %s", got)
		}
		o.w.Owner.Post(path+"/call", map[string]any{"to": "102"}).Refused(409, "no_device")
		if got := dial(o.username, "555"); got != "not_found" {
			o.t.Errorf("nobody's extension: %s", got)
		}
		o.w.Owner.Delete(path + "/line").Want(200)
		if got := dial(o.username, "05321234567"); got != "no_line" {
			o.t.Errorf("without a line: %s", got)
		}
		if !strings.Contains(o.Logs.String(), "a call from a phone was refused") {
			o.t.Error("no refusal is in the log")
		}
	})
}

// No call is made over a line that is not signed in.
func TestNoCallOverUnregisteredLine(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		for _, state := range []exchange.TrunkState{exchange.TrunkRegistering, exchange.TrunkFailed, exchange.TrunkNeedsPassword} {
			o.x.Tell(o.w.ID, exchange.Event{Type: exchange.TrunkStatusEvent, Trunk: o.line, Status: &exchange.TrunkStatus{State: state}})
			o.Settle()
			if got := o.w.Owner.Post(path+"/call", map[string]any{"to": customer, "via": "line"}).Refused(409, "no_line"); got.Reason != string(state) {
				o.t.Errorf("%s: the reason is %q", state, got.Reason)
			}
		}
		o.x.Tell(o.w.ID, exchange.Event{Type: exchange.TrunkStatusEvent, Trunk: o.line, Status: &exchange.TrunkStatus{State: exchange.TrunkReady}})
		o.Settle()
		o.place(o.w.Owner, map[string]any{"to": customer, "via": "line"})
	})
}

// The extension of somebody in a call cannot change until the call ends.
func TestExtensionCannotChangeDuringCall(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		_, id, ayse := o.colleague("ayse")
		_, mine, _ := o.talkInside(ayse)
		for _, agent := range []uuid.UUID{id, o.w.Member} {
			o.w.Owner.Put(path+"/team/"+agent.String(), map[string]any{"extension": "205"}).Refused(409, "call_state")
		}
		o.want(call.Active, "")
		o.end(mine, exchange.CauseNormal)
		o.w.Owner.Put(path+"/team/"+id.String(), map[string]any{"extension": "205"}).Want(200)
	})
}

// While its agent has left a call, the time is not talk time. Events that are reported late
// count at their own time: an outage is neither talk nor ringing time.
func TestTalkTimeExcludesAbsenceAndOutage(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		in := o.incoming(customer)
		o.wait(4 * time.Second)
		own := o.legTo(o.username)
		o.answer(own)
		c := o.want(call.Active, "")
		o.wait(10 * time.Second)
		body := map[string]any{"call_id": c.ID}
		o.w.Owner.Post(path+"/call/detach", body).Want(200)
		o.wait(30 * time.Second)
		o.w.Owner.Post(path+"/call/resume", body).Want(200)
		own = o.legTo(o.username)
		o.answer(own)
		o.wait(5 * time.Second)
		for _, leg := range []uuid.UUID{own, in} { // as the exchange reports after a crash
			o.x.Happen(leg, exchange.Event{Type: exchange.LegEndedEvent, Cause: exchange.CauseLost, EndedBy: exchange.EndedByExchange})
		}
		o.Clock.Advance(10 * time.Minute)
		c = o.want(call.Ended, call.Answered)
		if c.RingSeconds != 4 || c.TalkSeconds != 15 || c.HoldSeconds != 30 {
			o.t.Errorf("rang %d, talked %d, held %d", c.RingSeconds, c.TalkSeconds, c.HoldSeconds)
		}
		var sum call.Summary
		if o.w.Owner.Get(path + "/calls/summary").Want(200).Data(&sum); sum.Talk != 15 || sum.Wait != 4 {
			o.t.Errorf("the summary is %+v", sum)
		}
	})
}

// A call in progress has no recording to hear yet, and an answered call need not be
// returned.
func TestCallStateLimitsActions(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.settings(func(s *setting.Settings) { s.Recording.Mode = "all" })
		in := o.incoming(customer)
		for o.last().State == call.Routing {
			o.hear(in)
		}
		o.answer(o.legTo(o.username))
		c := o.want(call.Active, "")
		o.w.Owner.Get(path+"/recordings/"+c.ID.String()).Refused(409, "call_state")
		o.end(in, exchange.CauseNormal)
		o.want(call.Ended, call.Answered)
		o.w.Owner.Get(path + "/recordings/" + c.ID.String()).Want(200)
		o.w.Owner.Put(path+"/calls/"+c.ID.String()+"/dismiss", nil).Refused(409, "call_state")
	})
}

// Ringing time ends when the voicemail begins, however long the message is.
func TestVoicemailIsNotRingingTime(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		in := o.incoming(customer)
		o.wait(6 * time.Second)
		o.end(o.legTo(o.username), exchange.CauseNoAnswer)
		o.want(call.Voicemail, "")
		o.hear(in)
		o.hear(in)
		o.wait(20 * time.Second)
		o.end(in, exchange.CauseNormal)
		if c := o.want(call.Ended, call.LeftMail); c.RingSeconds != 6 || c.TalkSeconds != 0 {
			o.t.Errorf("rang %d, talked %d", c.RingSeconds, c.TalkSeconds)
		}
		var sum call.Summary
		if o.w.Owner.Get(path + "/calls/summary").Want(200).Data(&sum); sum.Wait != 6 {
			o.t.Errorf("the summary is %+v", sum)
		}
	})
}
