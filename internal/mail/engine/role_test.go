package engine_test

import (
	"slices"
	"strings"
	"testing"

	"konak/internal/app"
	"konak/internal/mail"
	"konak/internal/mail/engine"
)

// Every domain has a postmaster address, an abuse address, and those in its DNS records,
// without mailboxes for them.
func TestRoles(t *testing.T) {
	t.Parallel()
	run(t, func(c *app.Config) { c.MailDomain = "posta.example" }, func(t *testing.T, o *office) {
		o.addDomain("ikinci.example")
		o.addInbox("bilgi@ikinci.example")
		bring := func(to string) int {
			return o.bring("ayse@third.example", text("ayse@third.example", "to "+to, ""), to)
		}
		for _, to := range []string{
			"Postmaster@firma.example", "abuse+spam@firma.example", "postmaster@ikinci.example", "dmarc@firma.example", "tlsrpt@ikinci.example",
			"postmaster@posta.example", "Postmaster@" + host, "postmaster",
		} {
			if code := bring(to); code != 250 {
				t.Errorf("%s: said %d", to, code)
			}
		}
		for _, to := range []string{"root@firma.example", "postmaster@nobody.example", "dmarc@posta.example"} {
			if code := bring(to); code != 550 {
				t.Errorf("%s: said %d", to, code)
			}
		}
		if code := o.submit(text("info@firma.example", "by a mailbox", ""), "postmaster@ikinci.example", "dmarc@firma.example"); code != 250 {
			t.Errorf("said %d", code)
		}
		o.s.Settle()
		got := o.subjects()
		slices.Sort(got)
		want := []string{"by a mailbox", "to Postmaster@firma.example", "to abuse+spam@firma.example", "to postmaster@ikinci.example"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		for _, m := range o.queue() {
			if m.State != engine.StateDone || m.Origin == engine.OriginReport {
				t.Errorf("got %+v", m)
			}
		}
		// A mailbox with such a name gets its own mail.
		o.addInbox("dmarc@firma.example")
		if code := bring("dmarc@firma.example"); code != 250 {
			t.Errorf("said %d", code)
		}
		o.s.Settle()
		if got := o.subjects(); !slices.Contains(got, "to dmarc@firma.example") {
			t.Errorf("got %q", got)
		}
		// If there is no inbox, a mailbox that forwards gets the mail; if there is no
		// mailbox at all, the sender is refused.
		for _, addr := range []string{"info@firma.example", "bilgi@ikinci.example", "dmarc@firma.example"} {
			o.Owner.Delete(base + "/mailboxes/" + o.mailbox(addr).ID.String()).Want(200)
		}
		box := o.addMailbox(map[string]any{"address": "ekip@ikinci.example", "kind": "forward", "targets": []string{"elif@other.example"}})
		if code := bring("abuse@firma.example"); code != 250 {
			t.Errorf("without an inbox: said %d", code)
		}
		o.s.Settle()
		if got := o.out.got(); len(got) != 1 || !slices.Equal(got[0].to, []string{"elif@other.example"}) {
			t.Errorf("sent on %+v", got)
		}
		o.Owner.Delete(base + "/mailboxes/" + box.ID.String()).Want(200)
		for to, want := range map[string]int{"postmaster@firma.example": 550, "abuse@ikinci.example": 550, "tlsrpt@firma.example": 250} {
			if code := bring(to); code != want {
				t.Errorf("%s without any mailbox: said %d, want %d", to, code, want)
			}
		}
	})
}

// Mail to a postmaster is delivered to an inbox even if a mailbox that forwards is older
// and at the domain itself.
func TestRolePrefersInbox(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.Owner.Delete(base + "/mailboxes/" + o.mailbox("info@firma.example").ID.String()).Want(200)
		o.addDomain("ikinci.example")
		o.addMailbox(map[string]any{"address": "ekip@firma.example", "kind": "forward", "targets": []string{"elif@other.example"}})
		o.addInbox("bilgi@ikinci.example")
		if code := o.bring("ayse@third.example", text("ayse@third.example", "sikayet", ""), "abuse@firma.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		if got := o.subjects(); len(o.out.got()) != 0 || !slices.Equal(got, []string{"sikayet"}) {
			t.Errorf("%d mails left, the inbox has %q", len(o.out.got()), got)
		}
	})
}

// Mail to a postmaster is not delivered to a mailbox at a domain that is only pending,
// because another workspace owns that domain.
func TestRoleOfPendingDomain(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		other := o.colleagues("acme.example")
		// Both want the domain while nobody owns it; the other workspace gets it.
		o.Owner.Post(base+"/provision/domain/quickstart", map[string]any{"domain": "ortak.example"}).Want(200)
		o.Owner.Delete(base + "/mailboxes/" + o.mailbox("info@firma.example").ID.String()).Want(200)
		o.addInbox("info@ortak.example")
		other.addDomain("ortak.example")
		other.addInbox("info@ortak.example")
		if code := o.bring("ayse@third.example", text("ayse@third.example", "sikayet", ""), "abuse@firma.example"); code != 550 {
			t.Errorf("said %d", code)
		}
		if got := other.subjects(); len(got) != 0 {
			t.Errorf("the other workspace has %q", got)
		}
	})
}

// Reports that nobody reads are in the journal if the workspace keeps one, whether they
// come from outside or from its own mailboxes.
func TestReportsAreJournaled(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		report := func(subject string) int {
			return o.bring("ayse@third.example", text("ayse@third.example", subject, ""), "dmarc@firma.example", "tlsrpt@firma.example", "DMARC@firma.example")
		}
		if code := report("before"); code != 250 {
			t.Fatalf("said %d", code)
		}
		o.Owner.Put(base+"/settings/journaling", map[string]any{"enabled": true, "retention_days": 10}).Want(200)
		if code := report("report"); code != 250 {
			t.Fatalf("said %d", code)
		}
		if code := o.submit(text("info@firma.example", "own", ""), "dmarc@firma.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		o.s.Settle()
		var list []mail.JournalItem
		o.Owner.Get(base + "/journal").Want(200).Data(&list)
		var got []string
		for _, i := range list {
			got = append(got, i.Direction+" "+i.Subject+" "+strings.ToLower(i.Recipients[0].Address))
		}
		slices.Sort(got)
		want := []string{
			"inbound own dmarc@firma.example", "inbound report dmarc@firma.example", "inbound report tlsrpt@firma.example", "outbound own dmarc@firma.example",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
	})
}
