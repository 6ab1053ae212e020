package engine_test

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"konak/internal/kit/caller"
	"konak/internal/kit/policy"
	"konak/internal/mail"
	"konak/internal/mail/engine"
)

// colleagues returns another workspace with its own domain on the same installation.
func (o *office) colleagues(name string) *office {
	o.t.Helper()
	other := &office{Workspace: o.s.Workspace("acme"), t: o.t, s: o.s, names: o.names, server: o.server, out: o.out}
	other.of = other.addDomain(name)
	return other
}

// If mailboxes of two workspaces all forward to each other, each forwards a mail once, and
// its sender gets one report from each workspace.
func TestForwardingLoopIsBroken(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		other := o.colleagues("acme.example")
		o.allowForwarding("acme.example")
		other.allowForwarding("firma.example")
		names := []string{"bir", "iki", "uc", "dort"}
		at := func(domain string) (out []string) {
			for _, name := range names {
				out = append(out, name+"@"+domain)
			}
			return out
		}
		for _, name := range names {
			o.addMailbox(map[string]any{"address": name + "@firma.example", "kind": "forward", "targets": at("acme.example")})
			other.addMailbox(map[string]any{"address": name + "@acme.example", "kind": "forward", "targets": at("firma.example")})
		}
		if code := o.bring("ayse@third.example", text("ayse@third.example", "soru", ""), "bir@firma.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		o.s.Settle()
		for _, side := range []*office{o, other} {
			sentOn, loops := 0, 0
			for _, m := range side.queue() {
				if m.State != engine.StateDone {
					t.Errorf("got %+v", m)
				}
				if m.Origin != engine.OriginForward {
					continue
				}
				sentOn++
				for _, r := range m.Recipients {
					if strings.HasPrefix(r.Answer, "5.4.6") {
						loops++
					}
				}
			}
			if sentOn != len(names) || loops == 0 {
				t.Errorf("%s: %d mails were sent on, %d came back", side.Slug, sentOn, loops)
			}
		}
		reports := 0
		for _, m := range o.out.got() {
			if !slices.Equal(m.to, []string{"ayse@third.example"}) || m.from != "" {
				t.Errorf("got %+v", m)
			}
			reports++
		}
		if reports != 2 {
			t.Errorf("the writer got %d reports", reports)
		}
	})
}

// Two ways to the same inbox deliver one copy, and a mail that comes back from outside is
// not forwarded again.
func TestForwardOverTwoPathsDeliversOnce(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		add := func(address string, targets ...string) {
			t.Helper()
			o.addMailbox(map[string]any{"address": address, "kind": "forward", "targets": targets})
		}
		add("sol@firma.example", "son@firma.example")
		add("sag@firma.example", "son@firma.example")
		add("son@firma.example", "info@firma.example", "ali@third.example")
		add("ekip@firma.example", "sol@firma.example", "sag@firma.example", "info@firma.example")
		mail := text("ayse@third.example", "soru", "")
		if code := o.bring("ayse@third.example", mail, "ekip@firma.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		o.s.Settle()
		got := o.out.got()
		if len(got) != 1 || !slices.Equal(o.subjects(), []string{"soru"}) {
			t.Errorf("%d mails left, the inbox has %q", len(got), o.subjects())
		}
		for to, want := range map[string]int{"son@firma.example": 554, "SON+x@firma.example": 554, "ekip@firma.example": 554, "info@firma.example": 250} {
			if code := o.bring("ali@third.example", got[0].text, to); code != want {
				t.Errorf("back to %s: said %d, want %d", to, code, want)
			}
		}
		if code := o.bring("ali@third.example", got[0].text, "son@firma.example", "info@firma.example"); code != 250 {
			t.Errorf("back to an inbox too: said %d", code)
		}
		if code := o.bring("ayse@third.example", mail, "ekip@firma.example"); code != 250 {
			t.Errorf("sent anew: said %d", code)
		}
		o.s.Settle()
		if n := len(o.out.got()); n != 2 {
			t.Errorf("%d mails left", n)
		}
	})
}

// An inbox reached in two ways accepts one copy of a mail: one is counted, and one is in
// the journal.
func TestInboxReachedByTwoPathsGetsOneCopy(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.Owner.Put(base+"/settings/journaling", map[string]any{"enabled": true, "retention_days": 10}).Want(200)
		o.addMailbox(map[string]any{"address": "sol@firma.example", "kind": "forward", "targets": []string{"info@firma.example"}})
		o.addMailbox(map[string]any{"address": "ekip@firma.example", "kind": "forward", "targets": []string{"sol@firma.example", "Info@firma.example"}})
		for i, subject := range []string{"bir", "iki"} {
			if code := o.bring("ayse@third.example", text("ayse@third.example", subject, ""), "ekip@firma.example"); code != 250 {
				t.Fatalf("said %d", code)
			}
			o.s.Settle()
			var journal []mail.JournalItem
			o.Owner.Get(base + "/journal").Want(200).Data(&journal)
			taken := 0
			for _, item := range journal {
				if strings.EqualFold(item.Recipients[0].Address, "info@firma.example") {
					taken++
				}
			}
			if taken != i+1 {
				t.Errorf("after %q the journal has %d mails to the inbox", subject, taken)
			}
		}
	})
}

// A mail that a mailbox has forwarded is not checked again when it arrives in another way:
// changes since then do not affect it.
func TestForwardedMailIsCheckedOnce(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		add := func(address string, targets ...string) string {
			t.Helper()
			return base + "/mailboxes/" + o.addMailbox(map[string]any{"address": address, "kind": "forward", "targets": targets}).ID.String() + "/state"
		}
		add("son@firma.example", "ali@third.example")
		add("sol@firma.example", "son@firma.example")
		late := add("sag@firma.example", "son@firma.example")
		add("ekip@firma.example", "sol@firma.example", "sag@firma.example")
		o.Owner.Put(late, map[string]any{"state": "suspended"}).Want(200)
		if code := o.bring("ayse@third.example", text("ayse@third.example", "soru", ""), "ekip@firma.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		o.s.Settle()
		o.allowForwarding()
		o.Owner.Put(late, map[string]any{"state": "active"}).Want(200)
		o.s.Clock.Advance(time.Hour)
		o.s.Settle()
		for _, m := range o.queue() {
			if m.State != engine.StateDone || m.Origin == engine.OriginReport {
				t.Errorf("got %+v", m)
			}
		}
		if got := o.out.got(); len(got) != 1 || !slices.Equal(got[0].to, []string{"ali@third.example"}) {
			t.Errorf("got %+v", got)
		}
	})
}

// A mail that reaches a mailbox in two ways at the same time is forwarded once and is in
// the journal once.
func TestConcurrentForwardsAreSentOnce(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.Owner.Put(base+"/settings/journaling", map[string]any{"enabled": true, "retention_days": 10}).Want(200)
		box := o.addMailbox(map[string]any{"address": "son@firma.example", "kind": "forward", "targets": []string{"ali@third.example"}})
		if err := o.s.Engine.ForwardTwice(t.Context(), o.ID, box, "ayse@third.example", text("ayse@third.example", "soru", "")); err != nil {
			t.Fatal(err)
		}
		o.s.Settle()
		var journal []mail.JournalItem
		o.Owner.Get(base + "/journal").Want(200).Data(&journal)
		if left := o.out.got(); len(left) != 1 || len(o.queue()) != 1 || len(journal) != 1 {
			t.Errorf("%d mails left, the queue has %d, the journal %d", len(left), len(o.queue()), len(journal))
		}
	})
}

// A mail quarantined for longer than the lifetime of mails is still delivered after its
// release.
func TestReleaseAfterLongQuarantine(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.addRule("quarantine", nil)
		if code := o.submit(text("info@firma.example", "plan", "")+"gizli\r\n", "elif@other.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		o.s.Clock.Advance(5*24*time.Hour + time.Hour)
		o.s.Settle()
		o.Owner = o.SignIn("owner@demo.example")
		o.Owner.Post(base+"/dlp/incidents/"+o.incidents()[0].ID.String()+"/release", map[string]any{}).Want(200)
		o.s.Clock.Advance(2 * time.Minute)
		o.s.Settle()
		if got := o.queue()[0]; len(o.out.got()) != 1 || got.Recipients[0].State != engine.StateDelivered {
			t.Errorf("got %+v", got)
		}
	})
}

// An address at one's own domain can be written to as soon as it has a mailbox.
func TestOwnAddressIsNotSuppressed(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		send := func() int { return o.submit(text("info@firma.example", "merhaba", ""), "yeni@firma.example") }
		if code := send(); code != 250 {
			t.Fatalf("said %d", code)
		}
		o.s.Settle()
		list := o.queue()
		if i := slices.IndexFunc(list, func(m engine.QueueItem) bool { return m.Origin == engine.OriginSubmission }); !strings.HasPrefix(list[i].Recipients[0].Answer, "5.1.1") {
			t.Errorf("got %+v", list[i])
		}
		o.addInbox("yeni@firma.example")
		if code := send(); code != 250 {
			t.Errorf("with a mailbox: said %d", code)
		}
	})
}

// Asking the policy again about a held mail, as after a crash, still returns the exempt
// recipients.
func TestRepeatedPolicyCheckKeepsExemptions(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.addRule("quarantine", nil)
		o.Owner.Post(base+"/dlp/exceptions", map[string]any{"email": "denetci@other.example"}).Want(201)
		ctx := caller.With(t.Context(), &caller.Caller{Kind: caller.System, TenantID: o.ID})
		for range 2 {
			v, err := o.s.Mail.CheckMail(ctx, policy.Mail{
				Ref: "1", Source: policy.SourceSMTP, Sender: "info@firma.example", Recipients: []string{"elif@other.example", "denetci@other.example"},
				Open: func() io.Reader { return strings.NewReader(text("info@firma.example", "plan", "") + "gizli\r\n") },
			})
			if err != nil || !v.Hold || !slices.Equal(v.ExemptRecipients, []string{"denetci@other.example"}) {
				t.Errorf("got %+v, %v", v, err)
			}
		}
	})
}
