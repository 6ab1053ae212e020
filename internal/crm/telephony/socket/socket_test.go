package socket_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/socket"
	"konak/internal/kit/db"
	"konak/internal/kit/secret"
)

// A ticket opens one socket, soon, in its own workspace, from our own pages.
func TestTicket(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		made := o.ticket(o.w.Owner)
		if want := "ws://localhost" + path + "/stream"; made.URL != want || made.ExpiresAt.Sub(o.Clock.Now()) != 30*time.Second {
			o.t.Errorf("made %+v, want %s", made, want)
		}
		if there := o.tickets(); !slices.Equal(there, []string{string(secret.Hash(made.Ticket))}) {
			o.t.Errorf("stored %q", there)
		}
		own := o.ticket(o.w.Owner.Host("demo.crm.localhost"))
		if want := "ws://demo.crm.localhost" + path + "/stream"; own.URL != want {
			o.t.Errorf("on its own host: %s, want %s", own.URL, want)
		}
		// An invalid request does not use up the ticket.
		o.wantRefused(attempt{ticket: made.Ticket, origin: "https://evil.example"}, 403, "cross_origin")
		o.wantRefused(attempt{ticket: made.Ticket, without: "phone.v1"}, 426, "upgrade_required")
		o.wantRefused(attempt{ticket: made.Ticket, query: "?after=x"}, 422, "validation_failed")
		if _, status, code := o.dial(attempt{ticket: made.Ticket}); status != 101 {
			o.t.Fatalf("refused with %d %s", status, code)
		}
		o.wantRefused(attempt{ticket: made.Ticket}, 401, "unauthenticated")
		o.wantRefused(attempt{}, 401, "unauthenticated")
		o.wantRefused(attempt{ticket: secret.NewToken(secret.PhonePrefix)}, 401, "unauthenticated")
		o.wantRefused(attempt{ticket: o.w.Owner.Token()}, 401, "unauthenticated")

		late := o.ticket(o.w.Owner)
		o.Clock.Advance(30 * time.Second)
		o.wantRefused(attempt{ticket: late.Ticket}, 401, "unauthenticated")

		o.Workspace("other")
		o.wantRefused(attempt{ticket: o.ticket(o.w.Owner).Ticket, host: "other.crm.localhost"}, 401, "unauthenticated")
		if _, status, _ := o.dial(attempt{ticket: o.ticket(o.w.Owner).Ticket, host: "demo.crm.localhost"}); status != 101 {
			o.t.Errorf("refused on its own host with %d", status)
		}
	})
}

// tickets lists the stored hashes.
func (o *office) tickets() (list []string) {
	o.t.Helper()
	err := o.DB.Tenant(o.w.ID).Read(o.t.Context(), func(r *db.Reader) (err error) {
		list, err = db.All(r, func(row db.Row) (string, error) {
			var hash []byte
			err := row.Scan(&hash)
			return string(hash), err
		}, `SELECT token_hash FROM phone_ticket WHERE tenant_id = $1 ORDER BY id`, o.w.ID)
		return err
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return list
}

// Unused tickets are deleted.
func TestOldTicketsAreDeleted(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.ticket(o.w.Owner)
		o.ticket(o.w.Owner)
		o.Clock.Advance(31 * time.Second)
		o.ticket(o.w.Owner)
		if n := len(o.tickets()); n != 1 {
			o.t.Errorf("%d tickets are kept", n)
		}
	})
}

// Behind https the address is wss.
func TestSocketAddressIsSecureBehindHTTPS(t *testing.T) {
	t.Parallel()
	s := apptest.NewWith(t, func(cfg *app.Config) { cfg.PublicURL = "https://konak.example" })
	var made socket.Ticket
	s.Workspace("demo").Owner.Post(path+"/stream-ticket", nil).Want(201).Data(&made)
	if want := "wss://konak.example" + path + "/stream"; made.URL != want {
		t.Errorf("%s, want %s", made.URL, want)
	}
}

// A person who may not make calls gets no ticket, and a ticket does not outlive the
// permission, the licence or the session.
func TestPermission(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		if got := o.w.Guest().Post(path+"/stream-ticket", nil).Refused(403, "forbidden"); got.Permission != "crm.calls.make" {
			o.t.Errorf("403 names %q", got.Permission)
		}
		o.w.FullKey().Post(path+"/stream-ticket", nil).Refused(401, "session_required")
		ayse, id := o.colleague("ayse")
		demoted, out := o.ticket(ayse), o.ticket(o.w.SignIn("ayse@demo.example"))
		veli, _ := o.colleague("veli")
		closed := o.ticket(veli)
		veli.Post("/api/v1/auth/sign-out", nil).Want(200)
		o.wantRefused(attempt{ticket: closed.Ticket}, 401, "unauthenticated")
		o.w.Owner.Put("/api/crm/v1/agents/"+id, map[string]any{"role": "guest"}).Want(200)
		o.wantRefused(attempt{ticket: demoted.Ticket}, 403, "forbidden")
		o.w.Owner.Post("/api/crm/v1/agents/"+id+"/suspension", nil).Want(200)
		o.wantRefused(attempt{ticket: out.Ticket}, 401, "unauthenticated")
		unlicensed := o.ticket(o.w.Owner)
		if err := o.Identity.SetLicences(o.t.Context(), "demo", []string{"crm"}); err != nil {
			o.t.Fatal(err)
		}
		o.wantRefused(attempt{ticket: unlicensed.Ticket}, 403, "not_licensed")
		o.w.Owner.Post(path+"/stream-ticket", nil).Refused(403, "not_licensed")
	})
}

// A socket shows the calls in progress and their events, and after a reconnect the missed
// events, once.
func TestEventsAndReplay(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		p, first, calls := o.open(o.w.Owner, "")
		if len(calls) != 0 {
			o.t.Errorf("calls go on: %+v", calls)
		}
		made := o.talk()
		started, answered := p.until(call.Started), p.until(call.AnsweredEvent)
		if started.Seq <= first || answered.Seq <= started.Seq || !strings.Contains(string(started.Data), made.ID.String()) {
			o.t.Errorf("told %+v and %+v after %d", started, answered, first)
		}
		_ = p.conn.CloseNow()
		if got := o.callOf(made.ID); got.State != call.Active {
			o.t.Errorf("the call is %s", got.State)
		}
		p, seq, calls := o.open(o.w.Owner, "?after="+itoa(started.Seq))
		if seq != started.Seq || len(calls) != 1 || calls[0].CallID != made.ID {
			o.t.Errorf("goes on after %d with %+v", seq, calls)
		}
		if m := p.until(call.AnsweredEvent); m.Seq != answered.Seq {
			o.t.Errorf("told again as %d, was %d", m.Seq, answered.Seq)
		}
		if m := p.ask("call.hangup", made.ID, ""); m.Type != "ack" {
			o.t.Errorf("not hung up: %+v", m)
		}
		o.Settle()
		if m := p.until(call.EndedEvent); m.Seq <= answered.Seq {
			o.t.Errorf("the end is %d", m.Seq)
		}
		// Nothing was sent twice: after the last event there is nothing.
		late, _, _ := o.open(o.w.Owner, "?after="+itoa(o.lastSequence()))
		if m := late.ask("call.hangup", made.ID, ""); m.Error.Code != "call_state" {
			o.t.Errorf("hung up twice: %+v", m)
		}
	})
}

// Commands work on one's own calls only; those of others are not found and do not change.
func TestCommands(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		made := o.talk()
		ayse, _ := o.colleague("ayse")
		p, _, _ := o.open(o.w.Owner, "")
		other, _, _ := o.open(ayse, "")
		for name, more := range map[string]string{"call.hangup": "", "call.hold": `,"on":true`, "call.mute": `,"on":true`, "call.dtmf": `,"digits":"1"`} {
			if m := other.ask(name, made.ID, more); m.Error.Code != "not_found" {
				o.t.Errorf("%s of another's call: %+v", name, m)
			}
			if m := p.ask(name, uuid.New(), more); m.Error.Code != "not_found" {
				o.t.Errorf("%s of no call: %+v", name, m)
			}
		}
		o.Settle()
		before := len(o.x.Log())
		wantAsked := func(want ...string) {
			o.t.Helper()
			o.Settle()
			log := o.x.Log()
			if got := log[before:]; !slices.Equal(got, want) {
				o.t.Errorf("the exchange was asked %v, want %v", got, want)
			}
			before = len(log)
		}
		wantAsked()
		for _, step := range []struct {
			name, more, code string
			asked            []string
		}{
			{"call.mute", `,"on":true`, "", []string{"mute true"}},
			{"call.mute", `,"on":false`, "", []string{"mute false"}},
			{"call.mute", ``, "validation_failed", nil},
			{"call.dtmf", `,"digits":"12#"`, "", []string{"press 12#"}},
			{"call.dtmf", `,"digits":"1\r\n"`, "validation_failed", nil},
			{"call.dtmf", `,"digits":"` + strings.Repeat("1", 33) + `"`, "validation_failed", nil},
			{"call.hold", `,"on":true`, "", []string{"leave", "play, again and again: true"}},
			{"call.dtmf", `,"digits":"1"`, "call_state", nil},
			{"call.hold", `,"on":false`, "", []string{"stop playing", "join"}},
			{"call.answer", ``, "not_supported", nil},
			{"call.decline", ``, "not_supported", nil},
			{"call.dance", ``, "validation_failed", nil},
			{"call.hangup", ``, "", []string{"hang up normal", "hang up normal", "unbridge"}},
		} {
			m := p.ask(step.name, made.ID, step.more)
			if m.Error.Code != step.code || (m.Type == "ack") != (step.code == "") {
				o.t.Errorf("%s%s: %+v, want %q", step.name, step.more, m, step.code)
			}
			wantAsked(step.asked...)
		}
		if c := o.callOf(made.ID); c.State != call.Ended || c.Disposition != call.Answered || c.EndedBy != "agent" {
			o.t.Errorf("it ended as %+v", c)
		}
		p.write(`no json`)
		if m := p.until("error"); m.Error.Code != "validation_failed" || m.ID != "" {
			o.t.Errorf("no JSON: %+v", m)
		}
	})
}

// If a page hangs up and then closes, the call is hung up.
func TestCommandsBeforeCloseAreCarriedOut(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		made := o.talk()
		p, _, _ := o.open(o.w.Owner, "")
		for _, name := range []string{"call.mute", "call.hold", "call.mute", "call.hangup"} {
			p.write(`{"type":"` + name + `","id":"c1","on":true,"call_id":"` + made.ID.String() + `"}`)
		}
		_ = p.conn.Close(websocket.StatusNormalClosure, "")
		for o.callOf(made.ID).State != call.Ended { // the server continues for a moment
			if o.t.Context().Err() != nil {
				o.t.Fatal("not hung up")
			}
		}
	})
}

// Without the permission to see calls, a person sees only their own.
func TestSnapshotShowsOwnCalls(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.talk()
		ayse, _ := o.colleague("ayse")
		if _, _, calls := o.open(ayse, ""); len(calls) != 1 {
			o.t.Errorf("who may see calls sees %d", len(calls))
		}
		o.w.Owner.Put("/api/v1/auth/roles", map[string]any{"name": "agent", "permissions": []string{"crm.calls.make"}}).Want(200)
		p, _, calls := o.open(ayse, "")
		if len(calls) != 0 {
			o.t.Errorf("who may not see calls sees %+v", calls)
		}
		if m := p.ask("call.answer", uuid.New(), ""); m.Error.Code != "not_supported" {
			o.t.Errorf("%+v", m)
		}
	})
}

// A message that is too large for a command, or not text, ends the socket.
func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		p, _, _ := o.open(o.w.Owner, "")
		p.write(strings.Repeat(" ", 16<<10-2) + "{}")
		if m := p.until("error"); m.Error.Code != "validation_failed" {
			o.t.Errorf("%+v", m)
		}
		p.write(strings.Repeat(" ", 16<<10-1) + "{}")
		p.wantEnd(websocket.StatusMessageTooBig)
		p, _, _ = o.open(o.w.Owner, "")
		if err := p.conn.Write(o.t.Context(), websocket.MessageBinary, []byte("{}")); err != nil {
			o.t.Fatal(err)
		}
		p.wantEnd(websocket.StatusUnsupportedData)
	})
}

// A member can have eight sockets open at once. When one of them ends, another can be
// opened.
func TestSocketsAreCounted(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		var last *phone
		for range 8 {
			last, _, _ = o.open(o.w.Owner, "")
		}
		o.wantRefused(attempt{ticket: o.ticket(o.w.Owner).Ticket}, 429, "too_many_streams")
		ayse, _ := o.colleague("ayse")
		o.open(ayse, "")
		if err := last.conn.Close(websocket.StatusNormalClosure, ""); err != nil {
			o.t.Fatal(err)
		}
		for { // the server stops counting it a moment after the close
			if _, status, _ := o.dial(attempt{ticket: o.ticket(o.w.Owner).Ticket}); status == 101 {
				return
			}
		}
	})
}

// A person who is suspended, signs out or loses the permission loses the socket at once,
// and when the server stops, everybody does.
func TestSocketEndsWhenAccessIsRevoked(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		suspended, id := o.colleague("ayse")
		signedOut, _ := o.colleague("veli")
		demoted, other := o.colleague("can")
		one, _, _ := o.open(suspended, "")
		two, _, _ := o.open(signedOut, "")
		three, _, _ := o.open(demoted, "")
		owner, _, _ := o.open(o.w.Owner, "")
		o.w.Owner.Post("/api/crm/v1/agents/"+id+"/suspension", nil).Want(200)
		one.wantEnd(3000)
		signedOut.Post("/api/v1/auth/sign-out", nil).Want(200)
		two.wantEnd(3000)
		o.w.Owner.Put("/api/crm/v1/agents/"+other, map[string]any{"role": "guest"}).Want(200)
		three.wantEnd(3000)
		if m := owner.ask("call.hangup", uuid.New(), ""); m.Error.Code != "not_found" {
			o.t.Errorf("the owner's socket: %+v", m)
		}
		o.API.Drain()
		owner.wantEnd(websocket.StatusGoingAway)
	})
}

// A command checks the session itself: it is refused even on a node that was not notified
// of a suspension.
func TestCommandChecksTheSession(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		made := o.talk()
		p, _, _ := o.open(o.w.Owner, "")
		err := o.DB.System("test").InTx(o.t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`UPDATE membership SET state = 'suspended' WHERE id = $1`, o.w.Member)
		})
		if err != nil {
			o.t.Fatal(err)
		}
		p.write(`{"type":"call.hangup","id":"c1","call_id":"` + made.ID.String() + `"}`)
		p.wantEnd(3000)
		o.Settle()
		if n := len(o.x.Legs()); n != 2 {
			o.t.Errorf("%d legs are left", n)
		}
	})
}
