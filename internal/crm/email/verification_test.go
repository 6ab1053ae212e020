package email_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/email"
	"konak/internal/kit/db"
	"konak/internal/kit/mailer"
	"konak/internal/kit/secret"
)

// office is a workspace without its own mail server, in an installation whose operator has
// one: the relay.
type office struct {
	*post
	relay *sink
	box   email.Mailbox
}

// runRelay runs fn with an office, on both databases.
func runRelay(t *testing.T, change func(*app.Config), fn func(t *testing.T, o *office)) {
	t.Helper()
	for _, d := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			relay := newSink(t)
			s := apptest.NewOn(t, d, func(c *app.Config) {
				c.MailDomain, c.SMTPURL, c.MailFrom = domain, fmt.Sprintf("smtp://127.0.0.1:%d", relay.port), "Konak <no-reply@konak.example>"
				change(c)
			})
			o := &office{post: &post{Workspace: s.Workspace("demo"), t: t, s: s}, relay: relay}
			o.box = o.connect("destek@firma.example")
			fn(t, o)
		})
	}
}

func unchanged(*app.Config) {}

func (o *office) connect(addr string) (m email.Mailbox) {
	o.t.Helper()
	o.Owner.Post(base, map[string]any{"name": addr, "address": addr, "sender_name": "Firma Destek"}).Want(201).Data(&m)
	return m
}

func (o *office) path(more string) string { return base + "/" + o.box.ID.String() + more }

func (o *office) look() (m email.Mailbox) {
	o.t.Helper()
	o.Owner.Get(o.path("")).Want(200).Data(&m)
	return m
}

// begin writes to a new customer and returns the conversation's id.
func (o *office) begin(to string) string {
	o.t.Helper()
	contact := o.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": to, "emails": []string{to}}).Want(201).ID()
	id := o.Owner.Post("/api/crm/v1/conversations/new-as-agent", map[string]any{
		"contact_id": contact, "channel": "email", "channel_account_id": o.box.ID, "subject": "Teklif", "body": "Teklifimiz.",
	}).Want(201).ID()
	o.s.Settle()
	return id
}

// last returns the last mail that the relay received.
func (o *office) last() sent {
	o.t.Helper()
	list := o.relay.got()
	if len(list) == 0 {
		o.t.Fatal("no mail went out")
	}
	return list[len(list)-1]
}

var sixDigits = regexp.MustCompile(`(?m)^\d{6}\s*$`)

// askCode requests a code and reads it from the mail.
func (o *office) askCode() string {
	o.t.Helper()
	var m email.Mailbox
	o.Owner.Post(o.path("/verification"), nil).Want(200).Data(&m)
	if m.Sending.Verified || m.Sending.CodeExpiresAt == nil || !m.Sending.CodeExpiresAt.Equal(o.s.Clock.Now().Add(15*time.Minute)) {
		o.t.Fatalf("after asking for a code: %+v", m.Sending)
	}
	o.s.Settle()
	mail := o.last()
	if mail.from != "no-reply@konak.example" || !slices.Equal(mail.to, []string{o.box.Address}) {
		o.t.Fatalf("the code went from %s to %v", mail.from, mail.to)
	}
	code := strings.TrimSpace(sixDigits.FindString(mail.parse(o.t).Text))
	if code == "" {
		o.t.Fatalf("no code in %s", mail.raw)
	}
	return code
}

func (o *office) enter(code string) *apptest.Response {
	return o.Owner.Post(o.path("/verification/code"), map[string]any{"code": code})
}

// wrong returns a code that differs from this one.
func wrong(code string) string {
	if code == "000000" {
		return "000001"
	}
	return "000000"
}

// A mailbox whose address is not verified sends from an address of the operator, and
// answers still come back to it.
func TestUnverifiedSender(t *testing.T) {
	t.Parallel()
	runRelay(t, unchanged, func(t *testing.T, o *office) {
		if m := o.look(); m.Sending.Verified || m.Sending.Server != "operator" || m.Sending.From != *o.box.ForwardingAddress {
			t.Errorf("shown: %+v", m.Sending)
		}
		id := o.begin("elif@kaya.example")
		mail := o.last()
		m := mail.parse(t)
		if mail.from != *o.box.ForwardingAddress || m.From.Email != *o.box.ForwardingAddress || m.From.Name != "Firma Destek" {
			t.Errorf("from %q, %+v", mail.from, m.From)
		}
		local, _, _ := strings.Cut(*o.box.ForwardingAddress, "@")
		if len(m.ReplyTo) != 1 || !strings.HasPrefix(m.ReplyTo[0].Email, local+"+") {
			t.Errorf("answers go to %+v", m.ReplyTo)
		}
		if strings.Contains(strings.Join(strings.Split(mail.raw, "\r\n")[:4], "\n"), "destek@firma.example") {
			t.Errorf("the head claims the address:\n%s", mail.raw)
		}

		// Forwarded messages go to strangers; they answer to the mailbox's address.
		item := o.lines(id)[0].ID
		o.Owner.Post("/api/crm/v1/conversations/"+id+"/items/"+item+"/forward", map[string]any{"to": []string{"depo@nakliye.example"}}).Want(200)
		o.s.Settle()
		if m := o.last().parse(t); m.To[0].Email != "depo@nakliye.example" || m.From.Email != *o.box.ForwardingAddress ||
			len(m.ReplyTo) != 1 || m.ReplyTo[0].Email != "destek@firma.example" {
			t.Errorf("forwarded from %+v, answers to %+v", m.From, m.ReplyTo)
		}

		// A name that looks like an address is left out.
		o.Owner.Put(o.path(""), map[string]any{"name": "x", "address": o.box.Address, "sender_name": "ceo@banka.example"}).Want(200)
		o.reply(id, "Bir daha.", nil)
		if m := o.last().parse(t); m.From.Name != "" || m.From.Email != *o.box.ForwardingAddress {
			t.Errorf("from %+v", m.From)
		}

		// A mailbox's own server decides what the mailbox may send as.
		own := newSink(t)
		o.Owner.Put(o.path(""), map[string]any{"name": "x", "address": o.box.Address, "smtp": map[string]any{
			"host": "127.0.0.1", "port": own.port, "security": "none", "user": "destek", "password": "geheim-1",
		}}).Want(200)
		o.reply(id, "Kendi sunucumuzdan.", nil)
		if list := own.got(); len(list) != 1 || list[0].from != "destek@firma.example" || list[0].parse(t).From.Email != "destek@firma.example" {
			t.Errorf("over its own server: %+v", list)
		}
		if m := o.look(); m.Sending.Server != "own" || m.Sending.From != "destek@firma.example" || m.Sending.Verified {
			t.Errorf("shown: %+v", m.Sending)
		}
	})
}

// If the installation receives no mail, the operator's own address sends and answers go to
// the mailbox's address.
func TestUnverifiedSenderWithoutMailDomain(t *testing.T) {
	t.Parallel()
	runRelay(t, func(c *app.Config) { c.MailDomain = "" }, func(t *testing.T, o *office) {
		o.begin("elif@kaya.example")
		mail := o.last()
		m := mail.parse(t)
		if mail.from != "no-reply@konak.example" || m.From.Email != "no-reply@konak.example" || m.From.Name != "Firma Destek" ||
			len(m.ReplyTo) != 1 || m.ReplyTo[0].Email != "destek@firma.example" {
			t.Errorf("from %q, %+v, answers to %+v", mail.from, m.From, m.ReplyTo)
		}
	})
}

// The code that was mailed to the address verifies it, once and only for this mailbox.
func TestVerifiedByCode(t *testing.T) {
	t.Parallel()
	runRelay(t, unchanged, func(t *testing.T, o *office) {
		o.enter("123456").Refused(422, "code_expired")
		code := o.askCode()
		o.enter(wrong(code)).Refused(422, "wrong_code")
		var m email.Mailbox
		o.enter(code).Want(200).Data(&m)
		if v := m.Sending; !v.Verified || v.VerifiedBy == nil || *v.VerifiedBy != "code" || v.VerifiedAt == nil || v.From != "destek@firma.example" || v.CodeExpiresAt != nil {
			t.Errorf("verified: %+v", v)
		}
		o.enter(code).Refused(422, "code_expired")

		o.begin("elif@kaya.example")
		mail := o.last()
		if m := mail.parse(t); mail.from != "destek@firma.example" || m.From.Email != "destek@firma.example" || m.From.Name != "Firma Destek" {
			t.Errorf("from %q, %+v", mail.from, m.From)
		}

		before := len(o.relay.got())
		o.Owner.Post(o.path("/verification"), nil).Want(200)
		o.s.Settle()
		if n := len(o.relay.got()); n != before {
			t.Errorf("%d mails for an address that is verified", n-before)
		}
		if strings.Contains(o.s.Logs.String(), code) {
			t.Error("the log holds the code")
		}
		var audit []struct {
			Action string `json:"action"`
		}
		o.Owner.Get("/api/v1/auth/audit?limit=50").Want(200).Data(&audit)
		for _, want := range []string{"channel.sender_code_sent", "channel.sender_verified"} {
			if !slices.ContainsFunc(audit, func(l struct {
				Action string `json:"action"`
			},
			) bool {
				return l.Action == want
			}) {
				t.Errorf("the audit log has no %s", want)
			}
		}

		// It does not verify another address of the domain, or the same address once it is
		// connected again.
		if other := o.connect("bilgi@firma.example"); other.Sending.Verified {
			t.Error("a code verified another address")
		}
		o.Owner.Put(o.path(""), map[string]any{"name": "x", "address": "patron@firma.example"}).Refused(422, "validation_failed")
		o.Owner.Delete("/api/crm/v1/channels/" + o.box.ID.String()).Want(200)
		if again := o.connect("destek@firma.example"); again.Sending.Verified {
			t.Error("a mailbox that was connected anew is verified")
		}
	})
}

// A code is for the address that it was mailed to, even if the row's address changes.
func TestVerificationCodeIsForOneAddress(t *testing.T) {
	t.Parallel()
	runRelay(t, unchanged, func(t *testing.T, o *office) {
		o.enter(o.askCode()).Want(200)
		err := o.s.DB.Tenant(o.ID).InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`UPDATE channel_account SET settings = REPLACE(settings, 'destek@firma.example', 'patron@firma.example')
				WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), o.box.ID)
		})
		if err != nil {
			t.Fatal(err)
		}
		if m := o.look(); m.Address != "patron@firma.example" || m.Sending.Verified || m.Sending.From == m.Address {
			t.Errorf("after the address changed: %+v", m.Sending)
		}
	})
}

// A code can be tried for a quarter of an hour and five times, and be requested five times
// a day.
func TestCodeLimits(t *testing.T) {
	t.Parallel()
	runRelay(t, func(c *app.Config) { c.LimitFactor = 1 }, func(t *testing.T, o *office) {
		code := o.askCode()
		o.s.Clock.Advance(15 * time.Minute)
		o.enter(code).Refused(422, "code_expired")
		if m := o.look(); m.Sending.CodeExpiresAt != nil {
			t.Errorf("a code waits that is too old: %+v", m.Sending)
		}

		code = o.askCode()
		for range 5 {
			o.enter(wrong(code)).Refused(422, "wrong_code")
		}
		o.enter(code).Refused(422, "code_expired")

		older := o.askCode()
		code = o.askCode()
		if older != code {
			o.enter(older).Refused(422, "wrong_code")
		}
		o.askCode()
		refused := o.Owner.Post(o.path("/verification"), nil)
		refused.Refused(429, "rate_limited")
		if refused.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		if m := o.look(); m.Sending.Verified {
			t.Error("verified by wrong codes")
		}
	})
}

// A workspace may request 20 codes a day in total, and 30 look-ups an hour.
func TestVerificationLimits(t *testing.T) {
	t.Parallel()
	z := &zone{records: map[string][]string{}}
	runRelay(t, func(c *app.Config) { c.LimitFactor, c.DNS = 1, z }, func(t *testing.T, o *office) {
		for i := range 4 {
			path := base + "/" + o.connect(fmt.Sprintf("kutu%d@firma.example", i)).ID.String() + "/verification"
			for range 5 {
				o.Owner.Post(path, nil).Want(200)
			}
		}
		if e := o.Owner.Post(o.path("/verification"), nil).Refused(429, "rate_limited"); e.Reason != "sender-codes" {
			t.Errorf("after 20 codes: %s", e.Reason)
		}
		for range 30 {
			o.Owner.Post(o.path("/verification/dns"), nil).Refused(422, "dns_record_missing")
		}
		if e := o.Owner.Post(o.path("/verification/dns"), nil).Refused(429, "rate_limited"); e.Reason != "sender-dns" {
			t.Errorf("after 30 look-ups: %s", e.Reason)
		}
	})
}

// zone is a DNS whose records the tests write.
type zone struct {
	mu      sync.Mutex
	records map[string][]string
	fails   bool
	asked   []string
}

func (z *zone) set(name string, texts ...string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.records[name] = texts
}

// LookupTXT implements email.Resolver.
func (z *zone) LookupTXT(_ context.Context, name string) ([]string, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.asked = append(z.asked, name)
	if z.fails {
		return nil, errors.New("no server answers")
	}
	if list, ok := z.records[name]; ok {
		return list, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

// A record of the domain verifies its addresses for the workspace that it names.
func TestVerifiedByDNS(t *testing.T) {
	t.Parallel()
	for _, d := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			z, relay := &zone{records: map[string][]string{}}, newSink(t)
			s := apptest.NewOn(t, d, func(c *app.Config) {
				c.MailDomain, c.SMTPURL, c.DNS = domain, fmt.Sprintf("smtp://127.0.0.1:%d", relay.port), z
			})
			open := func(slug string) *office {
				o := &office{post: &post{Workspace: s.Workspace(slug), t: t, s: s}, relay: relay}
				o.box = o.connect("destek@Firma.example")
				return o
			}
			demo, other := open("demo"), open("other")
			record := demo.box.Sending.DNSRecord
			if record.Name != "_konak.firma.example" || !strings.HasPrefix(record.Value, "konak-verification=") ||
				record.Value == other.box.Sending.DNSRecord.Value {
				t.Fatalf("records: %+v, %+v", record, other.box.Sending.DNSRecord)
			}
			check := func(o *office) *apptest.Response { return o.Owner.Post(o.path("/verification/dns"), nil) }

			if e := check(demo).Refused(422, "dns_record_missing"); e.Reason != "" {
				t.Errorf("reason %q", e.Reason)
			}
			z.fails = true
			if e := check(demo).Refused(422, "dns_record_missing"); e.Reason != "lookup_failed" {
				t.Errorf("reason %q", e.Reason)
			}
			z.fails = false
			z.set(record.Name+".", "v=spf1 -all", record.Value+"0")
			check(demo).Refused(422, "dns_record_missing")
			z.set(record.Name+".", "v=spf1 -all", record.Value)
			check(other).Refused(422, "dns_record_missing")
			var m email.Mailbox
			check(demo).Want(200).Data(&m)
			if v := m.Sending; !v.Verified || *v.VerifiedBy != "dns" || v.From != m.Address {
				t.Errorf("verified: %+v", v)
			}
			demo.begin("elif@kaya.example")
			if mail := demo.last(); mail.from != demo.box.Address || mail.parse(t).From.Email != demo.box.Address {
				t.Errorf("from %q", mail.from)
			}
			if other := demo.connect("bilgi@firma.example"); !other.Sending.Verified {
				t.Error("another address of the domain is not verified")
			}
			for _, addr := range []string{"destek@alt.firma.example", "destek@evilfirma.example"} {
				if other := demo.connect(addr); other.Sending.Verified {
					t.Errorf("%s is verified", addr)
				}
			}
			if other.look().Sending.Verified {
				t.Error("verified for another workspace")
			}
		})
	}
}

// Verifying requires the permission to change the mailbox, in its own workspace.
func TestVerificationBelongsToItsWorkspace(t *testing.T) {
	t.Parallel()
	runRelay(t, unchanged, func(t *testing.T, o *office) {
		code := o.askCode()
		other, guest := o.s.Workspace("other"), o.Guest()
		for path, body := range map[string]any{"/verification": nil, "/verification/code": map[string]any{"code": code}, "/verification/dns": nil} {
			other.Owner.Post(o.path(path), body).Refused(404, "not_found")
			guest.Post(o.path(path), body).Refused(403, "forbidden")
		}
		if o.look().Sending.Verified {
			t.Error("verified by somebody else")
		}
		o.enter(code).Want(200)
	})
}

// A code that was only kept in the outbox proves nothing about the address, so it is no
// longer valid once the operator has a mail server.
func TestCodeFromOutboxIsInvalidWithMailServer(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		o := &office{post: &post{Workspace: s.Workspace("demo"), t: t, s: s}}
		o.box = o.connect("destek@firma.example")
		o.Owner.Post(o.path("/verification"), nil).Want(200)
		mails := s.Mails(o.ID, "destek@firma.example")
		if len(mails) != 1 {
			t.Fatalf("mails: %+v", mails)
		}
		code := strings.TrimSpace(sixDigits.FindString(mails[0].Text))
		o.enter(code).Want(200)
		if !o.look().Sending.Verified {
			t.Fatal("not verified")
		}
		box, err := secret.NewBox(make([]byte, 32))
		if err != nil {
			t.Fatal(err)
		}
		relay, err := mailer.New(mailer.Config{
			DB: s.DB, Box: box, Log: slog.New(slog.DiscardHandler), Files: s.Blobs, URL: "smtp://127.0.0.1:25", From: "no-reply@konak.example",
		})
		if err != nil {
			t.Fatal(err)
		}
		later := email.New(email.Config{DB: s.DB, Channels: s.Channels, Relay: relay, Key: []byte("key"), Domain: domain})
		m, err := later.Get(o.Context(), o.box.ID)
		if err != nil || m.Sending.Verified || m.Sending.From == m.Address {
			t.Errorf("with a mail server: %+v, %v", m.Sending, err)
		}
	})
}

// When the daily quota is used up, mail waits, shows that, and is sent the next day.
func TestSendingQuota(t *testing.T) {
	t.Parallel()
	runRelay(t, func(c *app.Config) { c.MailDailyQuota = 4 }, func(t *testing.T, o *office) {
		id := o.begin("elif@kaya.example")
		o.Owner.Put("/api/crm/v1/conversations/"+id+"/email-cc", map[string]any{"email_cc": []string{"ali@kaya.example", "ayse@kaya.example"}}).Want(200)
		if q := o.look().Sending.Quota; q.Used != 1 || q.Limit != 4 || !q.ResetsAt.Equal(o.s.Clock.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)) {
			t.Errorf("quota: %+v", q)
		}
		o.reply(id, "Üç kişiye.", nil)
		if q := o.look().Sending.Quota; q.Used != 4 {
			t.Errorf("quota: %+v", q)
		}
		o.reply(id, "Bu bekler.", nil)
		held := o.line(id, "Bu bekler.")
		if n := len(o.relay.got()); n != 2 || *held.Delivery != "queued" || held.DeliveryError == nil || *held.DeliveryError != "sending_quota_reached" {
			t.Errorf("%d mails, held %+v", n, held)
		}
		if m := o.look(); m.Status != "attention" || m.Reason == nil || *m.Reason != "sending_quota_reached" {
			t.Errorf("shown: %s %v", m.Status, m.Reason)
		}

		// Sending that a person waits for is refused.
		refused := o.Owner.Post(o.path("/verification"), nil)
		refused.Refused(429, "sending_quota_reached")
		if refused.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		o.Owner.Post("/api/v1/auth/invitations", map[string]any{"email": "yeni@firma.example", "role": "agent"}).Refused(429, "sending_quota_reached")

		// Another workspace has its own quota.
		other := &office{post: &post{Workspace: o.s.Workspace("other"), t: t, s: o.s}, relay: o.relay}
		other.box = other.connect("destek@baska.example")
		other.begin("can@kaya.example")
		if mail := o.last(); !slices.Equal(mail.to, []string{"can@kaya.example"}) {
			t.Errorf("the other workspace's mail: %+v", mail.to)
		}

		o.nextDay()
		if mail := o.last(); !strings.Contains(mail.raw, "Bu bekler.") || len(mail.to) != 3 {
			t.Errorf("the next day: %+v", mail)
		}
		if l := o.line(id, "Bu bekler."); *l.Delivery != "sent" || l.DeliveryError != nil {
			t.Errorf("the next day: %+v", l)
		}
		if m := o.look(); m.Status != "active" || m.Sending.Quota.Used != 3 {
			t.Errorf("the next day: %s, %+v", m.Status, m.Sending.Quota)
		}
	})
}

// Mail that waits for the quota for three days fails with the reason.
func TestMailHeldTooLongFails(t *testing.T) {
	t.Parallel()
	runRelay(t, func(c *app.Config) { c.MailDailyQuota = 1 }, func(t *testing.T, o *office) {
		id := o.begin("elif@kaya.example")
		o.Owner.Put("/api/crm/v1/conversations/"+id+"/email-cc", map[string]any{"email_cc": []string{"ali@kaya.example"}}).Want(200)
		o.reply(id, "İki kişiye.", nil)
		for range 3 {
			if l := o.line(id, "İki kişiye."); *l.Delivery != "queued" {
				t.Fatalf("before three days: %+v", l)
			}
			o.nextDay()
		}
		if l := o.line(id, "İki kişiye."); *l.Delivery != "failed" || l.DeliveryError == nil || *l.DeliveryError != "sending_quota_reached" {
			t.Errorf("after three days: %+v", l)
		}
		if n := len(o.relay.got()); n != 1 {
			t.Errorf("%d mails", n)
		}
	})
}

// Nobody can block notices about an account by using up the quota.
func TestAccountNoticesAreNotHeld(t *testing.T) {
	t.Parallel()
	runRelay(t, func(c *app.Config) { c.MailDailyQuota = 1 }, func(t *testing.T, o *office) {
		o.begin("elif@kaya.example")
		o.Owner.Put("/api/v1/auth/password", map[string]any{"current_password": apptest.Password, "new_password": "dört at yeşil çayırda koşar"}).Want(200)
		o.s.Settle()
		if mail := o.last(); !slices.Equal(mail.to, []string{"owner@demo.example"}) {
			t.Errorf("the notice did not leave; the last mail is to %v", mail.to)
		}
	})
}

// nextDay waits until the quota starts again.
func (o *office) nextDay() {
	o.t.Helper()
	o.s.Clock.Set(o.look().Sending.Quota.ResetsAt.Time)
	o.s.Settle()
	o.Owner = o.SignIn("owner@demo.example") // the session is over
}

// line returns the message with a text.
func (o *office) line(id, body string) line {
	o.t.Helper()
	for _, l := range o.lines(id) {
		if l.Body == body && l.Delivery != nil {
			return l
		}
	}
	o.t.Fatalf("no message %q", body)
	return line{}
}
