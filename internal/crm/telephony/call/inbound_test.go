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
	"konak/internal/kit/api"
	"konak/internal/kit/hours"
)

// All phones of the team ring; the first that answers gets the call.
func TestIncomingCall(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		_, _, ayse := o.colleague("ayse")
		contact := o.w.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Elif", "phones": []string{customer}}).Want(201).ID()
		in := o.incoming("05321234567")
		c := o.want(call.Ringing, "")
		if c.From != customer || c.To != "+902125550101" || c.ContactID == nil || c.ContactID.String() != contact || c.ConversationID == nil {
			o.t.Errorf("it came in as %+v", c)
		}
		o.legTo(o.username)
		o.answer(o.legTo(ayse))
		if c = o.want(call.Active, ""); o.rings(o.username) || o.joined() != 2 {
			o.t.Errorf("taken: %+v", c)
		}
		o.wait(30 * time.Second)
		o.end(in, exchange.CauseNormal)
		if c = o.want(call.Ended, call.Answered); c.TalkSeconds != 30 || c.ToReturn || c.EndedBy != "customer" {
			o.t.Errorf("it ended as %+v", c)
		}
		items := string(o.w.Owner.Get("/api/crm/v1/conversations/" + c.ConversationID.String() + "/items").Want(200).Body)
		if strings.Count(items, `"kind":"call"`) != 1 || !strings.Contains(items, `"disposition":"answered"`) || !strings.Contains(items, `"talk_s":30`) {
			o.t.Errorf("the conversation has %s", items)
		}
		if slices.Contains(o.w.Events(), "conversation.replied") {
			o.t.Error("a call is told as a reply")
		}
	})
}

// Agents are rung one after the other, starting with the one rung longest ago.
func TestRoundRobin(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		_, _, ayse := o.colleague("ayse")
		o.settings(func(s *setting.Settings) { s.RingStrategy, s.Voicemail.Enabled = setting.RingRoundRobin, false })
		rung := func() (first, second string) {
			o.t.Helper()
			in := o.incoming(customer)
			if first, second = o.username, ayse; !o.rings(first) {
				first, second = ayse, o.username
			}
			if o.rings(second) {
				o.t.Error("both ring at once")
			}
			o.Clock.Advance(time.Second)
			o.end(o.legTo(first), exchange.CauseNoAnswer)
			o.end(o.legTo(second), exchange.CauseNoAnswer)
			if c := o.want(call.Ended, call.Missed); !c.ToReturn || c.Cause != "no_answer" {
				o.t.Errorf("it ended as %+v", c)
			}
			o.end(in, exchange.CauseNormal)
			return first, second
		}
		a, _ := rung()
		if b, _ := rung(); a == b {
			// Both were rung in the first call; the one rung first has moved behind.
			o.t.Errorf("%s is rung first again", a)
		}
	})
}

// A blocked number is refused before anything rings.
func TestBlockedCaller(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.w.Owner.Post(path+"/blocked", map[string]any{"prefix": "+9053"}).Want(201)
		o.incoming(customer)
		if c := o.want(call.Ended, call.Blocked); c.ToReturn || o.rings(o.username) {
			o.t.Errorf("a blocked caller: %+v", c)
		}
		if log := o.x.Log(); !slices.Contains(log, "hang up rejected") || slices.Contains(log, "answer") {
			o.t.Errorf("the exchange was asked %v", log)
		}
	})
}

// Outside business hours a caller is told so and can leave a message, which counts as
// unheard until it is heard.
func TestVoicemail(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.settings(func(s *setting.Settings) {
			s.Hours = api.Some(hours.Hours{Timezone: "UTC", Spans: []hours.Span{}})
			s.Voicemail.Email = "santral@demo.example"
		})
		c := o.leaveMessage(o.incoming(customer))
		mails := o.Mails(o.w.ID, "santral@demo.example")
		if len(mails) != 1 || !strings.Contains(mails[0].Subject, customer) || !strings.Contains(mails[0].Text, "0:05") || !strings.Contains(mails[0].Text, "/calls") {
			o.t.Errorf("told by mail: %+v", mails)
		}
		if !c.ToReturn || c.Message.V == nil || c.Message.V.HeardAt != nil || !c.Recorded || c.RecordingMS != 5000 {
			o.t.Errorf("it ended as %+v", c)
		}
		counts := func(toReturn, unheard int64) {
			o.t.Helper()
			var got call.Counts
			o.w.Owner.Get(path + "/calls/counts").Want(200).Data(&got)
			if got.ToReturn != toReturn || got.Unheard != unheard {
				o.t.Errorf("the counters are %+v", got)
			}
		}
		counts(1, 1)
		heard := o.w.Owner.Header("Range", "bytes=0-3").Get(path + "/recordings/" + c.CDRID.String())
		if heard.Status != 206 || string(heard.Body) != "RIFF" || heard.Header.Get("Cache-Control") != "no-store" {
			o.t.Errorf("heard %d %q, %v", heard.Status, heard.Body, heard.Header)
		}
		past := o.w.Owner.Header("Range", "bytes=99999999-").Get(path + "/recordings/" + c.CDRID.String())
		past.Refused(416, "range_not_satisfiable") // and the audit log has only one access
		if past.Header.Get("Cache-Control") != "no-store" || past.Header.Get("Content-Type") != "application/json" || past.Header.Get("Content-Disposition") != "" {
			o.t.Errorf("refused with %v", past.Header)
		}
		o.w.Owner.Put(path+"/calls/"+c.ID.String()+"/heard", nil).Want(200).Data(&c)
		if c.Message.V.HeardAt == nil || *c.Message.V.By != o.w.Member {
			o.t.Errorf("heard: %+v", c.Message.V)
		}
		counts(1, 0)
		o.w.Owner.Put(path+"/calls/"+c.ID.String()+"/dismiss", nil).Want(200)
		counts(0, 0)
		if events := o.w.Events(); !slices.Contains(events, "voicemail.received") || slices.Contains(events, "call.missed") {
			o.t.Errorf("the events are %v", events)
		}
		audit := string(o.w.Owner.Get("/api/v1/auth/audit?limit=50").Want(200).Body)
		for _, action := range []string{"recording.opened", "voicemail.heard", "call.dismissed"} {
			if strings.Count(audit, action) != 1 {
				o.t.Errorf("%s is not in the audit log", action)
			}
		}
	})
}

// A call is recorded if the settings say so, for people with the permission to listen, and
// for as long as the settings say.
func TestRecording(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.settings(func(s *setting.Settings) {
			s.Recording = setting.Recording{Mode: setting.RecordInbound, RetentionDays: 1}
		})
		ayse, _, _ := o.colleague("ayse")
		talk := func(leg uuid.UUID) call.Call {
			o.t.Helper()
			o.answer(o.legTo(o.username))
			o.wait(5 * time.Second)
			o.end(leg, exchange.CauseNormal)
			return o.want(call.Ended, call.Answered)
		}
		c := talk(o.incoming(customer))
		if !c.Recorded || c.Message.V != nil {
			o.t.Errorf("it was recorded as %+v", c)
		}
		recording := path + "/recordings/" + c.CDRID.String()
		o.w.Owner.Get(recording).Want(200)
		if got := ayse.Get(recording).Refused(403, "forbidden"); got.Permission != "crm.recordings.listen" {
			o.t.Errorf("needs %q", got.Permission)
		}
		o.Workspace("acme").Owner.Get(recording).Refused(404, "not_found")
		o.place(o.w.Owner, map[string]any{"to": customer})
		o.answer(o.legTo(o.username))
		out := o.legTo(customer)
		o.answer(out)
		o.end(out, exchange.CauseNormal)
		if c := o.want(call.Ended, call.Answered); c.Recorded {
			o.t.Error("an outgoing call was recorded")
		}
		o.Clock.Advance(23 * time.Hour)
		o.Settle()
		if log := o.x.Log(); slices.Contains(log, "drop recording") {
			o.t.Error("deleted too early")
		}
		o.Clock.Advance(2 * time.Hour)
		o.Settle()
		if log := o.x.Log(); !slices.Contains(log, "drop recording") {
			o.t.Error("it is kept for longer than the settings say")
		}
	})
}

// A caller who hangs up before anybody answers is to be called back, until somebody
// does.
func TestMissedCallIsReturned(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		in := o.incoming(customer)
		o.end(in, exchange.CauseCancelled)
		if c := o.want(call.Ended, call.Missed); !c.ToReturn {
			o.t.Errorf("it ended as %+v", c)
		}
		var list []call.Call
		if o.w.Owner.Get(path + "/calls?to_return=true").Want(200).Data(&list); len(list) != 1 {
			o.t.Errorf("%d calls wait to be returned", len(list))
		}
		o.w.Owner.Put(path+"/calls/"+o.last().ID.String()+"/heard", nil).Refused(409, "call_state")
		o.w.Owner.Get(path+"/recordings/"+o.last().ID.String()).Refused(404, "not_found")
		o.place(o.w.Owner, map[string]any{"to": customer})
		o.answer(o.legTo(o.username))
		o.answer(o.legTo(customer))
		var got call.Counts
		if o.w.Owner.Get(path + "/calls/counts").Want(200).Data(&got); got.ToReturn != 0 {
			o.t.Errorf("called back, the counters are %+v", got)
		}
		if !slices.Contains(o.w.Events(), "call.missed") {
			o.t.Error("the missed call was not announced")
		}
	})
}

// A menu leads to a colleague; after a wrong key it repeats, and after three it leads to
// the team.
func TestMenu(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		_, id, ayse := o.colleague("ayse")
		o.settings(func(s *setting.Settings) {
			s.Menus = []setting.Menu{
				{Key: "main", Text: "2", Voice: "tr", Keys: []setting.MenuKey{{Digit: "2", Action: setting.KeyMenu, Menu: "more"}, {Digit: "9", Action: setting.KeyVoicemail}}},
				{Key: "more", Text: "1", Voice: "tr", Keys: []setting.MenuKey{{Digit: "1", Action: setting.KeyAgent, AgentID: &id}}},
			}
		})
		in := o.incoming(customer)
		o.want(call.Routing, "")
		o.press(in, "2")
		o.hear(in)
		o.press(in, "1")
		o.want(call.Ringing, "")
		if o.rings(o.username) || !o.rings(ayse) {
			o.t.Error("another rings than was chosen")
		}
		o.end(in, exchange.CauseNormal)
		o.want(call.Ended, call.Missed)

		in = o.incoming(customer)
		o.press(in, "5")
		o.hear(in)
		o.wait(9 * time.Second) // no key at all
		o.press(in, "7")
		o.want(call.Ringing, "")
		if !o.rings(o.username) || !o.rings(ayse) {
			o.t.Error("the team does not ring")
		}
		o.end(in, exchange.CauseNormal)
		in = o.incoming(customer)
		o.press(in, "9")
		o.want(call.Voicemail, "")
		o.end(in, exchange.CauseNormal)
		o.want(call.Ended, call.Missed) // nothing was recorded
	})
}

// The call log with its filters, summary and export; and the live calls.
func TestCallLog(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.end(o.incoming(customer), exchange.CauseCancelled)
		o.Clock.Advance(time.Hour)
		middle := o.Clock.Now()
		o.place(o.w.Owner, map[string]any{"to": customer})
		o.answer(o.legTo(o.username))
		o.answer(o.legTo(customer))
		var live []call.Live
		o.w.Owner.Get(path + "/live").Want(200).Data(&live)
		if len(live) != 1 || live[0].State != call.Active || live[0].Agent != "Owner of demo" || live[0].Device != "desk" {
			o.t.Errorf("live are %+v", live)
		}
		o.wait(20 * time.Second)
		o.end(o.legTo(customer), exchange.CauseNormal)
		for filter, n := range map[string]int{
			"": 2, "?direction=inbound": 1, "?disposition=missed": 1, "?disposition=busy": 0, "?to_return=true": 0, "?unheard=true": 0,
			"?from=" + middle.Format(time.RFC3339): 1, "?to=" + middle.Format(time.RFC3339): 1, "?agent_id=" + o.w.Member.String(): 1,
			"?contact_id=" + uuid.NewString(): 0, "?number_id=" + uuid.NewString(): 0,
		} {
			var list []call.Call
			if o.w.Owner.Get(path + "/calls" + filter).Want(200).Data(&list); len(list) != n {
				o.t.Errorf("%s: %d calls", filter, len(list))
			}
		}
		var sum call.Summary
		o.w.Owner.Get(path + "/calls/summary").Want(200).Data(&sum)
		if sum.Total != 2 || sum.Answered != 1 || sum.Missed != 1 || sum.Talk != 20 {
			o.t.Errorf("the summary is %+v", sum)
		}
		csv := string(o.w.Owner.Get(path + "/calls/export?direction=outbound").Want(200).Body)
		if strings.Count(csv, "\n") != 2 || !strings.Contains(csv, customer) || !strings.HasPrefix(csv, "id,started_at") {
			o.t.Errorf("the export is %q", csv)
		}
		if o.w.Owner.Get(path + "/live").Want(200).Data(&live); len(live) != 0 {
			o.t.Errorf("live are %+v", live)
		}
		// Another workspace sees nothing of it.
		acme := o.Workspace("acme").Owner
		var list []call.Call
		if acme.Get(path + "/calls").Want(200).Data(&list); len(list) != 0 {
			o.t.Errorf("another workspace sees %+v", list)
		}
		acme.Put(path+"/calls/"+o.last().ID.String()+"/dismiss", nil).Refused(404, "not_found")
		o.w.Guest().Get(path+"/calls/export").Refused(403, "forbidden")
	})
}
