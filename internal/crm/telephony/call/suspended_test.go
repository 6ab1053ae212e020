package call_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/phonetest"
	"konak/internal/exchange"
)

// A suspended workspace takes no incoming calls, over its line or to its number, and places
// none that are dialled on a phone, except emergency calls. A call in progress goes on.
// After the suspension ends, it takes calls again.
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
		if list, err := o.PhoneTeam.RefusedPhones(o.t.Context(), o.w.ID, []string{o.username}); err != nil || list[o.username] == "" {
			o.t.Errorf("the phone may be signed in: %v", err)
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

// A workspace without a licence for telephony takes and makes no calls, except emergency
// calls, and none of its phones may be signed in. With one of the two licences everything
// works again.
func TestUnlicensedWorkspaceTakesNoCalls(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		license := func(list ...string) {
			o.t.Helper()
			if err := o.Identity.SetLicences(o.t.Context(), o.w.Slug, list); err != nil {
				o.t.Fatal(err)
			}
		}
		refused := func() bool {
			o.t.Helper()
			list, err := o.PhoneTeam.RefusedPhones(o.t.Context(), o.w.ID, []string{o.username})
			if err != nil {
				o.t.Fatal(err)
			}
			return list[o.username] != ""
		}
		license("crm")
		for name, dial := range map[string]func() uuid.UUID{
			"line":  func() uuid.UUID { return o.x.Call(o.w.ID, "", o.line, customer, "902125550101") },
			"phone": func() uuid.UUID { return o.x.Call(o.w.ID, o.username, uuid.Nil, "100", "05321234567") },
		} {
			dial()
			o.Settle()
			if log := o.x.Log(); log[len(log)-1] != "hang up not_licensed" || len(o.x.Legs()) != 0 {
				o.t.Errorf("%s: the exchange was asked %v", name, log)
			}
		}
		if !refused() {
			o.t.Error("the phone may be signed in")
		}
		o.x.Call(o.w.ID, o.username, uuid.Nil, "100", "112")
		o.Settle()
		if !o.rings("112") {
			o.t.Error("help is not called")
		}
		o.end(o.legTo("112"), exchange.CauseNormal)
		license("crm", "telephony_line")
		if refused() {
			o.t.Error("the phone may not be signed in")
		}
		o.incoming(customer)
		o.want(call.Ringing, "")
	})
}

// An agent who may not call any more is not rung by the team's calls, a transfer or a
// colleague, can make only emergency calls, and may not sign in their phone. With the
// permission everything works again.
func TestAgentsWithoutPermissionAreNotRung(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		client, id, ayse := o.colleague("ayse")
		refused := func() bool {
			o.t.Helper()
			list, err := o.PhoneTeam.RefusedPhones(o.t.Context(), o.w.ID, []string{o.username, ayse, "stranger"})
			if err != nil || list[o.username] != "" || list["stranger"] == "" {
				o.t.Fatal(list, err)
			}
			return list[ayse] != ""
		}
		o.w.Owner.Put("/api/v1/auth/roles", map[string]any{"name": "agent", "title": "Agent", "permissions": []string{"crm.contacts.view", "crm.calls.view"}}).Want(200)
		if !refused() {
			o.t.Error("the phone may be signed in")
		}
		in := o.incoming(customer)
		if o.rings(ayse) {
			o.t.Error("the team's call rings there")
		}
		o.answer(o.legTo(o.username))
		c := o.want(call.Active, "")
		o.w.Owner.Post(path+"/call/transfer", map[string]any{"call_id": c.ID, "agent_id": id}).Refused(409, "no_device")
		o.end(in, exchange.CauseNormal)
		o.w.Owner.Post(path+"/call", map[string]any{"to": "101"}).Refused(409, "no_device")
		leg := o.x.Call(o.w.ID, ayse, uuid.Nil, "101", "05321234567")
		o.Settle()
		if slices.ContainsFunc(o.x.Legs(), func(l phonetest.Leg) bool { return l.ID == leg }) {
			o.t.Error("their call is taken")
		}
		o.w.Owner.Put(path+"/team/"+id.String(), map[string]any{"rings": false}).Want(200)
		if got := o.w.Owner.Put(path+"/team/"+id.String(), map[string]any{"rings": true}).Refused(422, "validation_failed"); len(got.Fields["rings"]) != 1 {
			o.t.Errorf("it rings again: %v", got.Fields)
		}
		o.w.Owner.Delete("/api/v1/auth/roles/agent").Want(200)
		o.w.Owner.Put(path+"/team/"+id.String(), map[string]any{"rings": true}).Want(200)
		if refused() {
			o.t.Error("the phone may not be signed in")
		}
		o.incoming(customer)
		o.answer(o.legTo(ayse))
		client.Post(path+"/call/detach", map[string]any{"call_id": o.want(call.Active, "").ID}).Want(200)
	})
}
