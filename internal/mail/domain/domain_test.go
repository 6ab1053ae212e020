package domain_test

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/kit/dns/dnstest"
	"konak/internal/mail/domain"
)

const (
	base  = "/api/mail/v1"
	quick = base + "/provision/domain/quickstart"
	host  = "mx.konak.example"
)

// desk is a workspace together with the name server of its domains.
type desk struct {
	*apptest.Workspace
	t     *testing.T
	s     *apptest.Server
	names *dnstest.Server
}

func run(t *testing.T, fn func(t *testing.T, d *desk)) {
	t.Helper()
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			names := dnstest.Start(t)
			s := apptest.NewOn(t, dialect, func(c *app.Config) { c.NameServers, c.MailHost = names.Find, host })
			fn(t, &desk{s.Workspace("demo"), t, s, names})
		})
	}
}

func (d *desk) add(name string) (out domain.Details) {
	d.t.Helper()
	d.Owner.Post(quick, map[string]any{"domain": name}).Want(200).Data(&out)
	return out
}

// look looks up the records now.
func (d *desk) look(of domain.Details) (out domain.Details) {
	d.t.Helper()
	d.s.Clock.Advance(10 * time.Second)
	d.Owner.Get(base + "/domains/" + of.Domain.ID.String() + "/dns").Want(200).Data(&out)
	return out
}

// round advances the clock and runs the scheduled round that is then due.
func (d *desk) round(of domain.Details, after time.Duration) (state string) {
	d.t.Helper()
	d.s.Clock.Advance(after)
	d.s.Settle()
	d.Owner = d.SignIn("owner@" + d.Slug + ".example") // the session may have ended meanwhile
	var list []domain.Domain
	d.Owner.Get(base + "/domains").Want(200).Data(&list)
	i := slices.IndexFunc(list, func(x domain.Domain) bool { return x.ID == of.Domain.ID })
	return list[i].State
}

// publish puts records into the DNS, all of them if no purposes are given.
func (d *desk) publish(of domain.Details, purposes ...string) {
	for _, r := range of.Records {
		if len(purposes) > 0 && !slices.Contains(purposes, r.Purpose) {
			continue
		}
		switch r.Type {
		case "TXT":
			d.names.SetTXT(r.FQDN, r.Chunks)
		case "MX":
			d.names.SetMX(r.FQDN, fmt.Sprintf("%d %s", *r.Priority, r.Value))
		case "SRV":
			d.names.SetSRV(r.FQDN, r.Value)
		}
	}
}

func record(d domain.Details, purpose string) domain.Record {
	return d.Records[slices.IndexFunc(d.Records, func(r domain.Record) bool { return r.Purpose == purpose })]
}

// A domain that is added with all its records becomes active, and the response contains
// what the DNS provider needs.
func TestQuickstart(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, d *desk) {
		of := d.add("Örnek.example.")
		if of.Domain.Domain != "xn--rnek-4qa.example" || of.Domain.Display != "örnek.example" || of.Domain.State != domain.Pending || of.Domain.Selector != "s"+d.s.Clock.Now().Format("200601") {
			t.Errorf("got %+v", of.Domain)
		}
		rsa := record(of, "dkim_rsa")
		if len(rsa.Chunks) != 2 || len(rsa.Chunks[0]) != 255 || strings.Join(rsa.Chunks, "") != rsa.Value || !rsa.Required {
			t.Errorf("got %+v", rsa)
		}
		for _, line := range []string{
			"$ORIGIN xn--rnek-4qa.example.\n", "@ IN MX 10 " + host + ".\n", `@ IN TXT "v=spf1 mx ~all"` + "\n", "_imap._tcp IN SRV 0 0 0 .\n",
			`"` + rsa.Chunks[0] + `" "` + rsa.Chunks[1] + `"` + "\n",
		} {
			if !strings.Contains(of.ZoneFile, line) {
				t.Errorf("%q is not in %s", line, of.ZoneFile)
			}
		}
		if strings.Contains(of.ZoneFile, "_submissions") {
			t.Error("a service is offered that nobody serves")
		}
		if again := d.add("örnek.example"); cmp.Diff(of, again) != "" {
			t.Error(cmp.Diff(of, again))
		}
		if got := d.look(of); got.Domain.State != domain.Pending || record(got, "mx").Status != domain.StatusMissing || record(got, "mx").CheckedAt == nil {
			t.Errorf("got %+v", got)
		}
		d.publish(of, "ownership")
		if got := d.look(of); got.Domain.State != domain.Verifying || got.Domain.VerifiedAt != nil {
			t.Errorf("got %+v", got.Domain)
		}
		d.publish(of)
		got := d.look(of)
		if got.Domain.State != domain.Active || got.Domain.VerifiedAt == nil {
			t.Errorf("got %+v", got.Domain)
		}
		for _, r := range got.Records {
			if r.Status != domain.StatusOK {
				t.Errorf("%s: %+v", r.Purpose, r.Result)
			}
		}
		if diff := cmp.Diff([]string{domain.Verified}, d.Events()); diff != "" {
			t.Error(diff)
		}
		// A check within ten seconds of the last one queries no server.
		d.names.SetMX(got.Domain.Domain)
		d.Owner.Get(base + "/domains/" + of.Domain.ID.String() + "/dns").Want(200).Data(&got)
		if record(got, "mx").Status != domain.StatusOK {
			t.Errorf("got %+v", record(got, "mx"))
		}
		one := base + "/provision/domain/" + of.Domain.ID.String()
		d.Owner.Delete(one).Want(200)
		d.Owner.Delete(one).Refused(404, "not_found")
		d.s.Clock.Advance(24 * time.Hour)
		d.s.Settle() // the round finds nothing
	})
}

func TestProvision(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, d *desk) {
		const path = base + "/provision/domain"
		for field, body := range map[string]map[string]any{
			"domain":   {"domain": "firma", "routing": "embedded"},
			"selector": {"domain": "firma.example", "routing": "embedded", "selector": "-x"},
			"routing":  {"domain": "firma.example", "routing": "postfix"},
		} {
			if f := d.Owner.Post(path, body).Refused(422, "validation_failed"); len(f.Fields[field]) != 1 {
				t.Errorf("%s: got %+v", field, f)
			}
		}
		var first, same, other domain.Domain
		d.Owner.Post(path, map[string]any{"domain": "firma.example", "routing": "embedded", "selector": "a"}).Want(200).Data(&first)
		d.Owner.Post(path, map[string]any{"domain": "FIRMA.example", "routing": "embedded"}).Want(200).Data(&same)
		if first.Selector != "a" || cmp.Diff(first, same) != "" {
			t.Error(cmp.Diff(first, same))
		}
		// Another selector gets its own keys, immediately if nobody could verify the
		// current ones.
		before := d.look(d.add("firma.example"))
		d.Owner.Post(path, map[string]any{"domain": "firma.example", "routing": "embedded", "selector": "b"}).Want(200).Data(&other)
		after := d.look(before)
		if other.ID != first.ID || other.Selector != "b" || other.NextSelector != "" || record(after, "dkim_rsa").FQDN != "br._domainkey.firma.example" ||
			record(after, "dkim_rsa").Value == record(before, "dkim_rsa").Value || record(after, "dkim_ed25519").Value == record(before, "dkim_ed25519").Value ||
			record(after, "dkim_rsa").Status != domain.StatusMissing || len(after.Records) != len(before.Records) {
			t.Errorf("got %+v", after)
		}
		if n := d.countAudit("mail.domain.changed"); n != 1 {
			t.Errorf("%d lines in the audit log", n)
		}
	})
}

func (d *desk) countAudit(action string) int {
	d.t.Helper()
	var lines []struct{}
	d.Owner.Get("/api/v1/auth/audit?action=" + action).Want(200).Data(&lines)
	return len(lines)
}

// rotate requests keys at a selector.
func (d *desk) rotate(of domain.Details, selector string) (out domain.Domain) {
	d.t.Helper()
	d.Owner.Post(base+"/provision/domain", map[string]any{"domain": of.Domain.Domain, "routing": "embedded", "selector": selector}).Want(200).Data(&out)
	return out
}

// If the records of the current keys have been seen, new keys wait for theirs. The domain's
// state stays unchanged meanwhile, and a round finds the record.
func TestNewKeysWait(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, d *desk) {
		of := d.add("firma.example")
		d.publish(of)
		d.round(of, time.Minute)
		was := of.Domain.Selector
		if got := d.rotate(of, "b"); got.Selector != was || got.NextSelector != "b" || got.OldSelector != "" {
			t.Fatalf("got %+v", got)
		}
		if got := d.round(of, 3*time.Hour); got != domain.Active {
			t.Errorf("the domain is %s", got)
		}
		got := d.look(of)
		next := record(got, "next_dkim_rsa")
		if record(got, "dkim_rsa").Value != record(of, "dkim_rsa").Value || record(got, "dkim_rsa").Status != domain.StatusOK || !record(got, "dkim_rsa").Required ||
			next.FQDN != "br._domainkey.firma.example" || next.Status != domain.StatusMissing || next.Required || !strings.Contains(got.ZoneFile, "\nbe._domainkey IN TXT ") {
			t.Errorf("got %+v", got)
		}
		// Repeating the request changes nothing, and the optional Ed25519 record is not
		// enough.
		d.rotate(of, "b")
		d.publish(got, "next_dkim_ed25519")
		if again := d.look(of); record(again, "next_dkim_rsa").Value != next.Value || again.Domain.NextSelector != "b" || record(again, "next_dkim_ed25519").Status != domain.StatusOK {
			t.Errorf("got %+v", again)
		}
		// The old selector discards the new keys, another one replaces them.
		if back := d.rotate(of, was); back.Selector != was || back.NextSelector != "" || len(d.look(of).Records) != len(of.Records) {
			t.Errorf("got %+v", back)
		}
		d.publish(got) // records of discarded keys
		d.rotate(of, "b")
		if again := d.look(of); record(again, "next_dkim_rsa").Error != "wrong_key" || again.Domain.Selector != was {
			t.Errorf("got %+v", again)
		}
		d.rotate(of, "c")
		d.round(of, 0)
		d.publish(d.look(of))
		if state := d.round(of, 5*time.Minute); state != domain.Active {
			t.Errorf("the domain is %s", state)
		}
		var listed []domain.Domain
		if d.Owner.Get(base + "/domains").Want(200).Data(&listed); listed[0].Selector != "c" {
			t.Errorf("keys whose records are there wait: %+v", listed[0])
		}
		done := d.look(of)
		if done.Domain.Selector != "c" || done.Domain.NextSelector != "" || done.Domain.OldSelector != was || done.Domain.OldUntil == nil ||
			record(done, "dkim_rsa").FQDN != "cr._domainkey.firma.example" || record(done, "dkim_rsa").Status != domain.StatusOK || len(done.Records) != len(of.Records) {
			t.Errorf("got %+v", done)
		}
		if n := d.countAudit("mail.domain.keys_switched"); n != 1 {
			t.Errorf("%d lines in the audit log", n)
		}
		if week := done.Domain.OldUntil.Sub(d.s.Clock.Now()); week > 7*24*time.Hour || week < 7*24*time.Hour-time.Hour {
			t.Errorf("the old records are needed for %s", week)
		}
		d.Owner.Post(base+"/provision/domain", map[string]any{"domain": "firma.example", "routing": "embedded", "selector": was}).Refused(422, "validation_failed")
		// The previous selector is shown for a month.
		for range 28 {
			d.round(of, 24*time.Hour)
		}
		if again := d.look(of); again.Domain.OldSelector != was {
			t.Errorf("got %+v", again.Domain)
		}
		for range 4 {
			d.round(of, 24*time.Hour)
		}
		if again := d.look(of); again.Domain.OldSelector != "" || again.Domain.OldUntil != nil || again.Domain.Selector != "c" || again.Domain.State != domain.Active {
			t.Errorf("got %+v", again.Domain)
		}
	})
}

// Lookup results for keys that were replaced meanwhile are not applied to the new ones.
func TestKeysReplacedDuringLookup(t *testing.T) {
	t.Parallel()
	names := dnstest.Start(t)
	var during atomic.Pointer[func()]
	s := apptest.NewOn(t, db.SQLite, func(c *app.Config) {
		c.MailHost = host
		c.NameServers = func(ctx context.Context, zone string) ([]netip.AddrPort, error) {
			if fn := during.Swap(nil); fn != nil {
				(*fn)()
			}
			return names.Find(ctx, zone)
		}
	})
	d := &desk{s.Workspace("demo"), t, s, names}
	of := d.add("firma.example")
	d.publish(of)
	d.look(of)
	d.rotate(of, "b")
	d.publish(d.look(of))
	rotate := func() { d.rotate(of, "c") }
	during.Store(&rotate)
	if got := d.look(of); got.Domain.Selector != of.Domain.Selector || got.Domain.NextSelector != "c" || record(got, "next_dkim_rsa").Status != domain.StatusMissing {
		t.Errorf("got %+v", got.Domain)
	}
}

// The status of each record for different DNS contents.
func TestRecords(t *testing.T) {
	t.Parallel()
	names := dnstest.Start(t)
	s := apptest.NewOn(t, db.SQLite, func(c *app.Config) {
		c.NameServers, c.MailHost, c.MailSPF = names.Find, host, "include:_spf.konak.example"
		c.MailDomain, c.MailListen, c.MailTLSListen, c.MailTLSCert, c.MailTLSKey = "in.konak.example", "0.0.0.0:25", "0.0.0.0:465", "cert.pem", "key.pem"
	})
	d := &desk{s.Workspace("demo"), t, s, names}
	of := d.add("firma.example")
	const name = "firma.example"
	rsa, ed := record(of, "dkim_rsa"), record(of, "dkim_ed25519")
	text := func(at string, texts ...string) func() {
		return func() {
			var list [][]string
			for _, v := range texts {
				list = append(list, []string{v})
			}
			names.SetTXT(at, list...)
		}
	}
	mx := func(values ...string) func() { return func() { names.SetMX(name, values...) } }
	p := func(value string) string { return value[strings.Index(value, "p="):] }
	for _, c := range []struct {
		purpose, status, reason string
		set                     func()
	}{
		{"mx", "ok", "", mx("10 MX.konak.example")},
		{"mx", "ok", "", mx("5 mx.konak.example", "10 spare.example", "20 spare.example")},
		{"mx", "mismatch", "other_server_first", mx("10 mx.konak.example", "10 other.example")},
		{"mx", "mismatch", "other_server_first", mx("10 mx.konak.example", "5 other.example")},
		{"mx", "mismatch", "wrong_value", mx("10 other.example")},
		{"mx", "missing", "", mx()},
		{"spf", "ok", "", text(name, "v=spf1 +include:_SPF.konak.example a mx -all", "google-site-verification=x", "v=spf10 x")},
		{"spf", "missing", "", text(name, "google-site-verification=x")},
		{"spf", "mismatch", "wrong_value", text(name, "v=spf1 include:_spf.other.example ~all")},
		{"spf", "mismatch", "too_many_lookups", text(name, "v=spf1 include:_spf.konak.example a mx ptr exists:x a:b/24 mx:c include:d include:e include:f redirect=g")},
		{"spf", "duplicate", "", text(name, "v=spf1 include:_spf.konak.example ~all", "v=spf1 mx ~all")},
		{"dkim_rsa", "ok", "", func() { names.SetTXT(rsa.FQDN, []string{rsa.Value[:100], rsa.Value[100:200], rsa.Value[200:]}) }},
		{"dkim_rsa", "ok", "", func() { names.SetTXT(rsa.FQDN, []string{p(rsa.Value)[:200] + " ", p(rsa.Value)[200:]}) }},
		{"dkim_rsa", "mismatch", "wrong_key", func() { names.SetTXT(rsa.FQDN, []string{rsa.Value[:255]}) }},
		{"dkim_rsa", "duplicate", "", func() { names.SetTXT(rsa.FQDN, rsa.Chunks, rsa.Chunks) }},
		{"dkim_ed25519", "ok", "", text(ed.FQDN, ed.Value)},
		{"dkim_ed25519", "mismatch", "wrong_key", text(ed.FQDN, p(ed.Value))}, // without k the type is RSA
		{"dmarc", "ok", "", text("_dmarc."+name, "v=DMARC1; p=Reject; rua=mailto:x@y.example")},
		{"dmarc", "mismatch", "wrong_value", text("_dmarc."+name, "v=DMARC1; rua=mailto:x@y.example")},
		{"dmarc", "duplicate", "", text("_dmarc."+name, "v=DMARC1; p=none", "v=DMARC1; p=reject")},
		{"tls_report", "ok", "", text("_smtp._tls."+name, "v=TLSRPTv1;rua=https://x.example")},
		{"tls_report", "mismatch", "wrong_value", text("_smtp._tls."+name, "v=TLSRPTv1;")},
		{"ownership", "ok", "", text("_verify."+name, "other", record(of, "ownership").Value)},
		{"ownership", "mismatch", "wrong_value", text("_verify."+name, record(of, "ownership").Value+"0")},
		{"ownership", "missing", "", text("_verify." + name)},
		{"no_imap", "ok", "", func() { names.SetSRV("_imap._tcp."+name, "0 0 0 .") }},
		{"submissions", "ok", "", func() { names.SetSRV("_submissions._tcp."+name, "0 1 465 MX.konak.example.") }},
		{"submissions", "mismatch", "wrong_value", func() { names.SetSRV("_submissions._tcp."+name, "0 1 587 mx.konak.example.") }},
	} {
		c.set()
		if got := record(d.look(of), c.purpose); got.Status != c.status || got.Error != c.reason {
			t.Errorf("%s %q: got %s %q", c.purpose, got.Found, got.Status, got.Error)
		}
	}
	if line := "_submissions._tcp IN SRV 0 1 465 " + host + ".\n"; !strings.Contains(of.ZoneFile, line) || record(of, "submissions").Required {
		t.Errorf("got %s", of.ZoneFile)
	}
	// An existing record is completed, not duplicated.
	text(name, "v=spf1 include:_spf.other.example ~all")()
	if got := record(d.look(of), "spf"); got.Value != "v=spf1 include:_spf.konak.example include:_spf.other.example ~all" {
		t.Errorf("got %q", got.Value)
	}
	text(name, strings.Repeat("a", 200))()
	if got := record(d.look(of), "spf"); got.Value != "v=spf1 include:_spf.konak.example ~all" {
		t.Errorf("got %q", got.Value)
	}
}

// Servers that fail at the first lookup do not prove that records are missing.
func TestFirstLookFails(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, d *desk) {
		d.names.SetManner("*", dnstest.Fails)
		for _, r := range d.look(d.add("firma.example")).Records {
			if r.Status != domain.StatusUnreachable || r.Error != "server_failed" || r.CheckedAt != nil {
				t.Errorf("%s: got %+v", r.Purpose, r.Result)
			}
		}
	})
}

// Two rounds must find a problem, and a missing answer is not a problem.
func TestProblemNeedsTwoRounds(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, d *desk) {
		of := d.add("firma.example")
		step := func(after time.Duration, want string) {
			t.Helper()
			if got := d.round(of, after); got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
		}
		step(59*time.Second, domain.Pending)
		d.publish(of)
		step(time.Second, domain.Active)
		for _, manner := range []dnstest.Manner{dnstest.Fails, dnstest.Refuses, dnstest.Fails} {
			d.names.SetManner("*", manner)
			step(24*time.Hour, domain.Active)
		}
		if got := d.look(of); record(got, "mx").Status != domain.StatusOK || record(got, "mx").Error != "server_failed" || len(record(got, "mx").Found) != 1 {
			t.Errorf("got %+v", record(got, "mx"))
		}
		d.names.SetManner("*", "")
		d.names.SetMX("firma.example")
		step(24*time.Hour, domain.Active) // one bad round
		// Checks requested by people do not count as rounds, and neither do missing
		// answers.
		if d.look(of); d.look(of).Domain.State != domain.Active {
			t.Error("a look made it worse")
		}
		d.names.SetManner("*", dnstest.Fails)
		step(time.Hour, domain.Active)
		d.names.SetManner("*", "")
		step(time.Hour, domain.Degraded)
		d.publish(of, "mx")
		step(time.Minute, domain.Active)
		// A good round between two bad ones restarts the count.
		d.names.SetMX("firma.example")
		step(24*time.Hour, domain.Active)
		d.publish(of, "mx")
		step(time.Hour, domain.Active)
		d.names.SetMX("firma.example")
		step(24*time.Hour, domain.Active)
		d.publish(of, "mx")
		step(time.Hour, domain.Active)
		// Without the ownership record the domain belongs to nobody.
		d.names.SetTXT("_verify.firma.example")
		step(24*time.Hour, domain.Active)
		step(time.Hour, domain.Suspended)
		d.publish(of)
		step(time.Minute, domain.Active)
		want := []string{domain.Verified, domain.Failed, domain.Verified, domain.Failed, domain.Verified}
		if diff := cmp.Diff(want, d.Events()); diff != "" {
			t.Error(diff)
		}
	})
}

// The rounds become less frequent while nothing happens.
func TestSchedule(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, d *desk) {
		of := d.add("firma.example")
		checked := func(after time.Duration) bool {
			t.Helper()
			d.round(of, after)
			var list []domain.Domain
			d.Owner.Get(base + "/domains").Want(200).Data(&list)
			return list[0].CheckedAt != nil && list[0].CheckedAt.Equal(d.s.Clock.Now())
		}
		expect := func(pause time.Duration) {
			t.Helper()
			if checked(pause - time.Second) {
				t.Errorf("looked before %s", pause)
			}
			if !checked(time.Second) {
				t.Errorf("did not look after %s", pause)
			}
		}
		for _, pause := range []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, time.Hour} {
			expect(pause)
		}
		checked(72 * time.Hour)
		expect(24 * time.Hour)
	})
}

// A domain belongs to the workspace whose ownership record is published, and is free again
// when the record is gone.
func TestDomainBelongsToOwnerOfRecord(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, d *desk) {
		other := &desk{d.s.Workspace("acme"), t, d.s, d.names}
		mine, theirs := d.add("firma.example"), other.add("firma.example")
		if record(mine, "ownership").Value == record(theirs, "ownership").Value {
			t.Fatal("both have the same record")
		}
		d.publish(mine)
		if got := other.look(theirs); got.Domain.State != domain.Pending || got.Domain.Problem != "" {
			t.Errorf("got %+v", got.Domain)
		}
		d.look(mine)
		other.Owner.Post(quick, map[string]any{"domain": "firma.example"}).Refused(409, "domain_taken")
		// Both records are published: the first workspace keeps the domain.
		d.names.SetTXT("_verify.firma.example", record(mine, "ownership").Chunks, record(theirs, "ownership").Chunks)
		if got := other.look(theirs); got.Domain.State != domain.Pending || got.Domain.Problem != domain.ProblemTaken {
			t.Errorf("got %+v", got.Domain)
		}
		d.Owner.Delete(base + "/provision/domain/" + mine.Domain.ID.String()).Want(200)
		if got := other.look(theirs); got.Domain.State != domain.Verifying || got.Domain.Problem != "" { // its DKIM records are missing
			t.Errorf("got %+v", got.Domain)
		}
		// A domain that was never active becomes pending again.
		d.names.SetTXT("_verify.firma.example")
		other.round(theirs, time.Minute)
		if got := other.round(theirs, 5*time.Minute); got != domain.Pending {
			t.Errorf("got %s", got)
		}
		d.publish(d.add("firma.example"))
		if got := d.look(d.add("firma.example")); got.Domain.State != domain.Active {
			t.Errorf("got %+v", got.Domain)
		}
	})
}

func TestTooManyDomains(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.SQLite)
	w := s.Workspace("demo")
	w.Owner.Post(quick, map[string]any{"domain": "d1.example"}).Want(200)
	err := s.DB.Tenant(w.ID).InTx(t.Context(), func(tx *db.Tx) error {
		for i := range 99 { // without generating keys
			if err := tx.Exec(`INSERT INTO mail_domain (tenant_id, id, domain, selector, routing, state, problem, rsa_sealed, ed25519_sealed, rsa_public,
				ed25519_public, results, rounds, bad_rounds, lost_rounds, state_at, checked_at, verified_at, created_by, created_at)
				SELECT tenant_id, $2, $3, selector, routing, state, problem, rsa_sealed, ed25519_sealed, rsa_public, ed25519_public,
				results, rounds, bad_rounds, lost_rounds, state_at, checked_at, verified_at, created_by, created_at
				FROM mail_domain WHERE tenant_id = $1 AND domain = 'd1.example'`, tx.Tenant(), tx.NewID(), fmt.Sprintf("x%d.example", i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if f := w.Owner.Post(quick, map[string]any{"domain": "e.example"}).Refused(422, "limit_reached"); f.Reason != "domains" {
		t.Errorf("got %+v", f)
	}
	w.Owner.Post(quick, map[string]any{"domain": "d1.example"}).Want(200)
}
