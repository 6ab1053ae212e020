package engine_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"konak/internal/app"
	"konak/internal/crm/email"
	"konak/internal/kit/db"
)

// published answers with TXT records, and with addresses if a name has none.
type published map[string]string

func (p published) LookupTXT(_ context.Context, name string) ([]string, error) {
	if text, ok := p[strings.TrimSuffix(name, ".")]; ok {
		return []string{text}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func (p published) LookupHost(ctx context.Context, name string) ([]string, error) {
	return p.LookupTXT(ctx, name)
}

func (p published) LookupMX(ctx context.Context, name string) ([]*net.MX, error) {
	_, err := p.LookupTXT(ctx, name)
	return nil, err
}

func (p published) LookupIPAddr(ctx context.Context, name string) ([]net.IPAddr, error) {
	_, err := p.LookupTXT(ctx, name)
	return nil, err
}

func (p published) LookupAddr(context.Context, string) ([]string, error) { return nil, nil }

// mails lists the incoming mails in a state.
func (o *office) mails(state string) (list []email.Incoming) {
	o.t.Helper()
	o.Owner.Get("/api/crm/v1/channels/email/mails?state=" + state).Want(200).Data(&list)
	return list
}

// The origin of a mail is checked before it is accepted: depending on the domain's policy
// it is refused, treated as junk or accepted, and the result is recorded.
func TestOrigin(t *testing.T) {
	t.Parallel()
	zone := published{
		"kaya.example": "v=spf1 ip4:127.0.0.1 -all", "_dmarc.kaya.example": "v=DMARC1; p=reject",
		"_dmarc.bank.example": "v=DMARC1; p=reject", "_dmarc.soft.example": "v=DMARC1; p=quarantine",
	}
	run(t, func(c *app.Config) { c.MailDNS = zone }, func(t *testing.T, o *office) {
		o.addMailbox(map[string]any{"address": "ekip@firma.example", "kind": "forward", "targets": []string{"ali@third.example"}})
		forged := "X-Old: 1\r\nAuthentication-Results: " + host + ";\r\n\tdmarc=pass header.from=soft.example\r\n"
		for _, c := range []struct {
			from, to string
			code     int
		}{
			{"elif@kaya.example", "info@firma.example", 250},
			{"patron@bank.example", "info@firma.example", 550},
			{"patron@bank.example", "ekip@firma.example", 550},
			{"haber@soft.example", "info@firma.example", 250},
			{"haber@soft.example", "ekip@firma.example", 250},
		} {
			if code := o.bring(c.from, forged+text(c.from, c.from, ""), c.to); code != c.code {
				t.Errorf("%s to %s: said %d, want %d", c.from, c.to, code, c.code)
			}
		}
		if got := o.subjects(); len(got) != 1 || got[0] != "elif@kaya.example" {
			t.Errorf("the inbox has %q", got)
		}
		done := o.mails(email.Done)
		if len(done) != 1 || done[0].Auth != "spf=pass dkim=none dmarc=pass" {
			t.Errorf("got %+v", done)
		}
		junk := o.mails(email.Junk)
		if len(junk) != 1 || junk[0].Auth != "spf=none dkim=none dmarc=fail" || *junk[0].Reason != "dmarc" ||
			junk[0].Sender != "haber@soft.example" || junk[0].Subject != "haber@soft.example" {
			t.Fatalf("got %+v", junk)
		}
		one := "/api/crm/v1/channels/email/mails/" + junk[0].ID.String()
		raw := string(o.Owner.Get(one + "/raw").Want(200).Body)
		if strings.Count(raw, "Authentication-Results: "+host) != 1 || !strings.Contains(raw, "dmarc=fail header.from=soft.example") || !strings.Contains(raw, "X-Spam-Flag: YES\r\n") ||
			!strings.Contains(raw, "X-Old: 1\r\nFrom: ") || !strings.HasSuffix(raw, "\r\n\r\nMerhaba\r\n") {
			t.Errorf("kept as %q", raw)
		}
		sent := o.out.got()
		if len(sent) != 1 || field(sent[0].text, "X-Spam-Flag") != "YES" || !strings.Contains(sent[0].text, "dmarc=fail header.from=soft.example") || strings.Contains(sent[0].text, "dmarc=pass") {
			t.Errorf("sent on: %+v", sent)
		}
		// A member marks it as not junk.
		o.s.Workspace("acme").Owner.Post(one+"/retry", nil).Refused(404, "not_found")
		o.Owner.Post(one+"/retry", nil).Want(200)
		if got := o.subjects(); len(got) != 2 || len(o.mails(email.Junk)) != 0 {
			t.Errorf("the inbox has %q", got)
		}
		o.Owner.Post(one+"/retry", nil).Refused(409, "conflict")
		o.Owner.Delete("/api/crm/v1/channels/email/mails/"+done[0].ID.String()).Refused(409, "conflict")
	})
}

// Junk stays junk when mailboxes of this installation forward it, and an unparsable From
// does not bypass the policy of the domain in it.
func TestForwardedJunkStaysJunk(t *testing.T) {
	t.Parallel()
	zone := published{"_dmarc.bank.example": "v=DMARC1; p=reject", "_dmarc.soft.example": "v=DMARC1; p=quarantine"}
	run(t, func(c *app.Config) { c.MailDNS = zone }, func(t *testing.T, o *office) {
		o.addMailbox(map[string]any{"address": "ic@firma.example", "kind": "forward", "targets": []string{"info@firma.example"}})
		o.addMailbox(map[string]any{"address": "dis@firma.example", "kind": "forward", "targets": []string{"ic@firma.example"}})
		for subject, to := range map[string]string{"bir": "ic@firma.example", "iki": "dis@firma.example"} {
			claim := "X-Spam-Flag: NO\r\nAuthentication-Results : (c) " + strings.ToUpper(host) + " ; dmarc=pass\r\n"
			if code := o.bring("haber@soft.example", claim+text("haber@soft.example", subject, ""), to); code != 250 {
				t.Fatalf("said %d", code)
			}
		}
		if got := o.subjects(); len(got) != 0 {
			t.Errorf("the inbox has %q", got)
		}
		junk := o.mails(email.Junk)
		if len(junk) != 2 || *junk[0].Reason != "dmarc" || *junk[1].Reason != "dmarc" {
			t.Fatalf("got %+v", junk)
		}
		raw := string(o.Owner.Get("/api/crm/v1/channels/email/mails/" + junk[0].ID.String() + "/raw").Want(200).Body)
		if strings.Contains(raw, "dmarc=pass") || strings.Contains(raw, "X-Spam-Flag: NO") || strings.Count(raw, "X-Spam-Flag: YES") != 1 {
			t.Errorf("kept as %q", raw)
		}
		for _, from := range []string{"patron@bank.example.", "<patron@bank.example", "<@soft.example:patron@bank.example>"} {
			if code := o.bring("patron@other.example", text(from, "havale", ""), "info@firma.example"); code != 550 {
				t.Errorf("%s: said %d", from, code)
			}
		}
	})
}

// Deleting a mail frees its storage.
func TestDeleteJunk(t *testing.T) {
	t.Parallel()
	run(t, func(c *app.Config) { c.MailDNS = published{"_dmarc.soft.example": "v=DMARC1; p=quarantine"} }, func(t *testing.T, o *office) {
		if code := o.bring("haber@soft.example", text("haber@soft.example", "indirim", ""), "info+x@firma.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		junk := o.mails(email.Junk)
		if used := o.mailbox("info@firma.example").UsedBytes; used == 0 || used != junk[0].Size {
			t.Errorf("%d bytes are used", used)
		}
		one := "/api/crm/v1/channels/email/mails/" + junk[0].ID.String()
		o.s.Workspace("acme").Owner.Delete(one).Refused(404, "not_found")
		o.Owner.Delete(one).Want(200)
		o.Owner.Delete(one).Refused(404, "not_found")
		if used := o.mailbox("info@firma.example").UsedBytes; used != 0 || len(o.mails(email.Junk)) != 0 {
			t.Errorf("%d bytes are used", used)
		}
	})
}

// Senders on a block list are refused before they send their mail.
func TestBlockList(t *testing.T) {
	t.Parallel()
	change := func(c *app.Config) {
		c.MailDNS, c.MailBlockLists = published{"1.0.0.127.list.example": "127.0.0.2"}, []string{"list.example"}
	}
	run(t, change, func(t *testing.T, o *office) {
		if code := o.bring("elif@kaya.example", text("elif@kaya.example", "soru", ""), "info@firma.example"); code != 554 {
			t.Errorf("said %d", code)
		}
		if code := o.submit(text("info@firma.example", "teklif", ""), "elif@other.example"); code != 250 {
			t.Errorf("a mailbox that signs in: said %d", code)
		}
	})
}

// rspamd decides about incoming mail; if it is down, no mail is stopped.
func TestRspamd(t *testing.T) {
	t.Parallel()
	action := "no action"
	filter := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/checkv2" || r.Header.Get("From") != "elif@kaya.example" || r.Header.Get("Rcpt") != "info@firma.example" || r.Header.Get("IP") != "127.0.0.1" {
			t.Errorf("asked %s with %v", r.URL, r.Header)
		}
		said := action
		if said == "down" {
			w.WriteHeader(http.StatusBadGateway)
			said = "reject" // a proxy in front of it may say anything
		}
		_, _ = w.Write([]byte(`{"action":"` + said + `","score":4.2}`))
	}))
	t.Cleanup(filter.Close)
	o := newOffice(t, db.SQLite, func(c *app.Config) { c.MailDNS, c.MailRspamd = published{}, filter.URL })
	for _, c := range []struct {
		action string
		code   int
		junk   int
	}{{"no action", 250, 0}, {"reject", 554, 0}, {"soft reject", 451, 0}, {"down", 250, 0}, {"add header", 250, 1}} {
		action = c.action
		if code := o.bring("elif@kaya.example", text("elif@kaya.example", c.action, ""), "info@firma.example"); code != c.code {
			t.Errorf("%s: said %d", c.action, code)
		}
		if got := len(o.mails(email.Junk)); got != c.junk {
			t.Errorf("%s: %d are junk", c.action, got)
		}
	}
	if got := o.subjects(); len(got) != 2 {
		t.Errorf("the inbox has %q", got)
	}
}

// Mail for a suspended workspace is refused temporarily, so that its sender tries again.
func TestSuspendedWorkspaceDefersMail(t *testing.T) {
	t.Parallel()
	run(t, func(*app.Config) {}, func(t *testing.T, o *office) {
		bring := func() int {
			return o.bring("elif@kaya.example", text("elif@kaya.example", "elif@kaya.example", ""), "info@firma.example")
		}
		if _, err := o.s.SetSuspended(t.Context(), o.Slug, true); err != nil {
			t.Fatal(err)
		}
		if code := bring(); code != 450 {
			t.Errorf("said %d while suspended", code)
		}
		if _, err := o.s.SetSuspended(t.Context(), o.Slug, false); err != nil {
			t.Fatal(err)
		}
		if code := bring(); code != 250 {
			t.Errorf("said %d after it was resumed", code)
		}
	})
}

// A mailbox of a suspended workspace cannot sign in, and one that is signed in cannot send
// any more.
func TestSuspendedWorkspaceSendsNothing(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		suspend := func(on bool) {
			t.Helper()
			if _, err := o.s.SetSuspended(t.Context(), o.Slug, on); err != nil {
				t.Fatal(err)
			}
		}
		c := o.dial("info@firma.example")
		suspend(true)
		if code := codeOf(t, c.Mail("info@firma.example")); code != 450 {
			t.Errorf("said %d to a mailbox that had signed in", code)
		}
		_, err := o.signIn("info@firma.example", password)
		if code := codeOf(t, err); code != 450 {
			t.Errorf("said %d to one that signs in", code)
		}
		suspend(false)
		if code := o.submit(text("info@firma.example", "teklif", ""), "elif@other.example"); code != 250 {
			t.Errorf("said %d after it was resumed", code)
		}
	})
}
