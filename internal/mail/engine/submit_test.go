package engine_test

import (
	"errors"
	"net/smtp"
	"slices"
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"
	"github.com/google/go-cmp/cmp"

	"konak/internal/app"
	"konak/internal/mail/domain"
	"konak/internal/mail/engine"
)

// A mail of a mailbox reaches the server of its recipient, signed by the domain and without
// hidden fields.
func TestSubmission(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		if code := o.submit(text("info@firma.example", "teklif", "Bcc: gizli@other.example\r\nAuthentication-Results: "+host+"; dmarc=pass\r\n"), "elif@other.example", "gizli@other.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		if list := o.queue(); len(list) != 1 || list[0].State != engine.StateQueued || len(list[0].Recipients) != 2 {
			t.Errorf("got %+v", list)
		}
		o.s.Settle()
		got := o.out.got()
		if len(got) != 1 || got[0].from != "info@firma.example" || !slices.Equal(got[0].to, []string{"elif@other.example", "gizli@other.example"}) {
			t.Fatalf("got %+v", got)
		}
		if strings.Contains(got[0].text, "gizli") || strings.Contains(got[0].text, "dmarc=pass") || field(got[0].text, "Date") == "" || !strings.HasSuffix(got[0].text, "\r\n\r\nMerhaba\r\n") {
			t.Errorf("got %s", got[0].text)
		}
		checks, err := dkim.VerifyWithOptions(strings.NewReader(got[0].text), &dkim.VerifyOptions{LookupTXT: o.lookUpTXT})
		if err != nil || len(checks) != 2 {
			t.Fatalf("%d signatures: %v", len(checks), err)
		}
		for _, c := range checks {
			if c.Err != nil || c.Domain != "firma.example" || !slices.Contains(c.HeaderKeys, "Subject") {
				t.Errorf("got %+v", c)
			}
		}
		changed := strings.Replace(got[0].text, "Subject: teklif", "Subject: fatura", 1)
		if checks, _ := dkim.VerifyWithOptions(strings.NewReader(changed), &dkim.VerifyOptions{LookupTXT: o.lookUpTXT}); checks[0].Err == nil {
			t.Error("a changed subject is signed")
		}
		list := o.queue()
		if list[0].State != engine.StateDone || list[0].Recipients[0].State != engine.StateDelivered || list[0].Subject != "teklif" {
			t.Errorf("got %+v", list)
		}
		if diff := cmp.Diff([]string{domain.Verified, engine.Delivered}, o.mailEvents()); diff != "" {
			t.Error(diff)
		}
	})
}

// lookUpTXT answers with the records that the domain's owner was told to publish.
func (o *office) lookUpTXT(name string) ([]string, error) {
	for _, r := range o.of.Records {
		if r.FQDN == name && r.Type == "TXT" {
			return []string{r.Value}, nil
		}
	}
	return nil, errors.New("no such record")
}

// A mailbox sends as itself and as addresses that it has a grant for, in the envelope and
// in the mail.
func TestSendAs(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		var box []domain.Mailbox
		o.Owner.Get(base + "/mailboxes").Want(200).Data(&box)
		other := &office{Workspace: o.s.Workspace("acme"), t: t, s: o.s, names: o.names, server: o.server, out: o.out}
		other.addDomain("acme.example")
		other.addInbox("info@acme.example")
		expect := func(envelope, from, more string, code int) {
			t.Helper()
			if got := transfer(t, o.dial("info@firma.example"), envelope, text(from, "x", more), "elif@other.example"); got != code {
				t.Errorf("%s, %s %s: said %d, want %d", envelope, from, more, got, code)
			}
		}
		const own = "info@firma.example"
		expect(own, own, "", 250)
		expect("INFO+haber@firma.example", `"Firma" <Info@Firma.example>`, "", 250)
		expect("satis@firma.example", own, "", 553)
		expect("info@acme.example", own, "", 553)
		expect("elif@other.example", own, "", 553)
		expect("", own, "", 553)
		expect(own, "satis@firma.example", "", 550)
		expect(own, own+", satis@firma.example", "", 550)
		expect(own, own, "From: satis@firma.example\r\n", 550)
		expect(own, own, "Sender: satis@firma.example\r\n", 550)
		expect(own, "nobody", "", 550)

		body := map[string]any{"mailbox_id": box[0].ID, "address": "Satis@firma.example"}
		var g domain.Grant
		o.Owner.Post(base+"/send-as", body).Want(201).Data(&g)
		if g.Address != "satis@firma.example" || g.MailboxID != box[0].ID || g.GrantedBy == nil {
			t.Errorf("got %+v", g)
		}
		o.Owner.Post(base+"/send-as", body).Refused(409, "conflict")
		body["address"] = own
		o.Owner.Post(base+"/send-as", body).Refused(409, "conflict")
		for address, code := range map[string]string{"x": "invalid_address", "info@acme.example": "unknown_domain"} {
			body["address"] = address
			if f := o.Owner.Post(base+"/send-as", body).Refused(422, "validation_failed"); !slices.Equal(f.Fields["address"], []string{code}) {
				t.Errorf("%s: got %+v", address, f.Fields)
			}
		}
		if f := other.Owner.Post(base+"/send-as", map[string]any{"mailbox_id": box[0].ID, "address": "x@acme.example"}).Refused(422, "validation_failed"); !slices.Equal(f.Fields["mailbox_id"], []string{"unknown"}) {
			t.Errorf("got %+v", f.Fields)
		}
		expect("satis@firma.example", "satis@firma.example", "Sender: info@firma.example\r\n", 250)

		var list []domain.Grant
		o.Owner.Get(base + "/send-as").Want(200).Data(&list)
		if len(list) != 1 || list[0].ID != g.ID {
			t.Errorf("got %+v", list)
		}
		one := base + "/send-as/" + g.ID.String()
		other.Owner.Delete(one).Refused(404, "not_found")
		o.Owner.Delete(one).Want(200)
		o.Owner.Delete(one).Refused(404, "not_found")
		expect("satis@firma.example", own, "", 553)

		// A mailbox's grants are deleted with it.
		body["address"] = "satis@firma.example"
		o.Owner.Post(base+"/send-as", body).Want(201)
		o.Owner.Delete(base + "/mailboxes/" + box[0].ID.String()).Want(200)
		o.Owner.Get(base + "/send-as").Want(200).Data(&list)
		if len(list) != 0 {
			t.Errorf("got %+v", list)
		}
	})
}

// Only a mailbox's own password signs it in, only over an encrypted connection, and the
// number of attempts is limited.
func TestSignIn(t *testing.T) {
	t.Parallel()
	run(t, func(c *app.Config) { c.LimitFactor = 1 }, func(t *testing.T, o *office) {
		o.addMailbox(map[string]any{"address": "ekip@firma.example", "kind": "forward", "targets": []string{"elif@other.example"}})
		plain, err := smtp.Dial(o.server)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = plain.Close() }()
		if offered, _ := plain.Extension("AUTH"); offered {
			t.Error("offers AUTH without encryption")
		}
		if _, err := plain.Text.Cmd("AUTH PLAIN AGEAYg=="); err != nil {
			t.Fatal(err)
		}
		if _, _, err := plain.Text.ReadResponse(235); codeOf(t, err) != 538 {
			t.Errorf("without encryption: %v", err)
		}
		for _, c := range []struct {
			user, password string
			code           int
		}{
			{"info@firma.example", password, 250},
			{"INFO@firma.example", password, 250},
			{"info@firma.example", password + "x", 535},
			{"info@firma.example", "", 535},
			{"info+x@firma.example", password, 535},
			{"nobody@firma.example", password, 535},
			{"ekip@firma.example", "", 535}, // has no password
			{"info", password, 535},
		} {
			if _, err := o.signIn(c.user, c.password); codeOf(t, err) != c.code {
				t.Errorf("%s: %v, want %d", c.user, err, c.code)
			}
		}
		code := 0
		for range 101 {
			_, err := o.signIn("info@firma.example", "wrong")
			code = codeOf(t, err)
		}
		if code != 454 {
			t.Errorf("too many tries: %d", code)
		}
		if _, err := o.signIn("ekip@firma.example", "wrong"); codeOf(t, err) != 535 {
			t.Errorf("another mailbox: %v", err)
		}
	})
}

// Changes to a mailbox affect its open sessions.
func TestOpenSession(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		m := o.addInbox("satis@firma.example")
		c := o.dial("satis@firma.example")
		expect := func(code int) {
			t.Helper()
			if got := codeOf(t, c.Mail("satis@firma.example")); got != code {
				t.Errorf("said %d, want %d", got, code)
			}
			if code == 250 {
				_ = c.Reset()
			}
		}
		expect(250)
		one := base + "/mailboxes/" + m.ID.String()
		state := func(name string) (m domain.Mailbox) {
			t.Helper()
			o.Owner.Put(one+"/state", map[string]any{"state": name}).Want(200).Data(&m)
			return m
		}
		if m := state("suspended"); m.State != domain.MailboxSuspended {
			t.Errorf("got %+v", m)
		}
		state("suspended")
		expect(550)
		state("active")
		expect(250)
		o.Owner.Delete(one).Want(200)
		expect(530)
		o.Owner.Put(one+"/state", map[string]any{"state": "active"}).Refused(404, "not_found")
		if diff := cmp.Diff([]string{domain.Verified, domain.MailboxSuspendedEvent}, o.mailEvents()); diff != "" {
			t.Error(diff)
		}
	})
}

// Mail between mailboxes of the installation stays within it.
func TestLocalDelivery(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		other := &office{Workspace: o.s.Workspace("acme"), t: t, s: o.s, names: o.names, server: o.server, out: o.out}
		other.addDomain("acme.example")
		other.addInbox("info@acme.example")
		if code := o.submit(text("info@firma.example", "merhaba", ""), "info@acme.example", "nobody@acme.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		if got := other.subjects(); !slices.Equal(got, []string{"merhaba"}) {
			t.Errorf("got %q", got)
		}
		if n := len(o.out.got()); n != 0 {
			t.Errorf("%d mails left", n)
		}
		states := map[string]string{}
		for _, m := range o.queue() {
			for _, r := range m.Recipients {
				states[r.Address] = r.State
			}
		}
		want := map[string]string{"info@acme.example": engine.StateDelivered, "nobody@acme.example": engine.StateFailed, "info@firma.example": engine.StateDelivered}
		if diff := cmp.Diff(want, states); diff != "" {
			t.Error(diff)
		}
	})
}
