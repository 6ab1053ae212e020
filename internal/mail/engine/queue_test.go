package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/kit/smtpd"
	"konak/internal/mail"
	"konak/internal/mail/engine"
)

// The queue shows when a mail is tried next and, for a destination that does not answer,
// that all mail to it waits.
func TestQueueShowsWhyMailWaits(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.out.answer("elif@other.example", &smtpd.Error{Code: 451, Enhanced: "4.7.1", Message: "Greylisted"})
		if code := o.submit(text("info@firma.example", "teklif", ""), "elif@other.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		o.s.Settle()
		if n := waitingMails(t, o.s); n != 1 {
			t.Errorf("%v mails wait, as the metrics say", n)
		}
		now := o.s.Clock.Now()
		r := o.queue()[0].Recipients[0]
		if r.NextTryAt == nil || !r.NextTryAt.After(now) || r.NextTryAt.After(now.Add(2*time.Minute)) || r.HoldReason != "" {
			t.Errorf("got %+v", r)
		}
		err := o.s.DB.Tenant(o.ID).InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`INSERT INTO job_hold (tenant_id, kind, account_id, until, failures, reason, error)
				SELECT tenant_id, kind, account_id, $2, 1, 'destination_unreachable', 'timeout' FROM job WHERE tenant_id = $1 AND kind = 'mail.deliver'`,
				tx.Tenant(), now.Add(20*time.Minute).UnixMicro())
		})
		if err != nil {
			t.Fatal(err)
		}
		r = o.queue()[0].Recipients[0]
		if r.NextTryAt == nil || !r.NextTryAt.Equal(now.Add(20*time.Minute).Truncate(time.Microsecond)) || r.HoldReason != "destination_unreachable" {
			t.Errorf("held: %+v", r)
		}
		o.out.answer("elif@other.example", nil)
		o.Owner.Post(base+"/queue/"+o.queue()[0].ID.String()+"/retry", nil).Want(200)
		o.s.Settle()
		if r = o.queue()[0].Recipients[0]; r.State != engine.StateDelivered || r.NextTryAt != nil || r.HoldReason != "" {
			t.Errorf("delivered: %+v", r)
		}
		if n := waitingMails(t, o.s); n != 0 {
			t.Errorf("%v mails wait after all were delivered, as the metrics say", n)
		}
	})
}

// waitingMails reads the metric of the queue.
func waitingMails(t *testing.T, s *apptest.Server) float64 {
	t.Helper()
	families, err := s.Metrics().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "konak_mail_queue_waiting" {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatal("the queue is not counted")
	return 0
}

// A long subject is cut in every list, and the journal has the Message-ID that a mail is
// sent with.
func TestListsOfMail(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.Owner.Put(base+"/settings/journaling", map[string]any{"enabled": true, "retention_days": 30}).Want(200)
		o.addRule("log", nil)
		long := strings.TrimSpace(strings.Repeat("çok uzun ", 60))
		if code := o.submit(text("info@firma.example", long, "")+"gizli\r\n", "elif@other.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		o.s.Settle()
		var journal []mail.JournalItem
		o.Owner.Get(base + "/journal").Want(200).Data(&journal)
		item := o.queue()[0]
		for what, subject := range map[string]string{"queue": item.Subject, "journal": journal[0].Subject, "incidents": o.incidents()[0].SubjectMasked} {
			if len(subject) > 200 || !strings.HasSuffix(subject, "…") || !strings.HasPrefix(long, strings.TrimSuffix(subject, "…")) {
				t.Errorf("%s: %q", what, subject)
			}
		}
		if item.MessageID == "" || journal[0].MessageID != item.MessageID || field(o.out.got()[0].text, "Message-ID") != item.MessageID {
			t.Errorf("journal has %q, the queue %q", journal[0].MessageID, item.MessageID)
		}
	})
}

// A mail whose content is gone can only be rejected, not released.
func TestReleaseWithoutContent(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.addRule("quarantine", nil)
		if code := o.submit(text("info@firma.example", "plan", "")+"gizli\r\n", "elif@other.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		incident := base + "/dlp/incidents/" + o.incidents()[0].ID.String()
		err := o.s.DB.Tenant(o.ID).InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`UPDATE mail_queue SET blob_id = $2 WHERE tenant_id = $1`, tx.Tenant(), tx.NewID())
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, falsePositive := range []bool{true, false} {
			f := o.Owner.Post(incident+"/release", map[string]any{"false_positive": falsePositive}).Refused(409, "conflict")
			if f.Reason != "content_gone" || !strings.Contains(f.Message, "Reject it") {
				t.Errorf("got %+v", f)
			}
		}
		o.Owner.Post(incident+"/reject", map[string]any{}).Want(200)
		if f := o.Owner.Post(incident+"/release", map[string]any{}).Refused(409, "conflict"); f.Reason != "rejected" {
			t.Errorf("got %+v", f)
		}
	})
}

// Addresses that look like a wildcard are refused as such.
func TestWildcardAddressesAreRefused(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		for _, addr := range []string{"*@firma.example", "@firma.example", "a*@firma.example"} {
			for path, body := range map[string]map[string]any{
				"/dlp/exceptions": {"email": addr}, "/send-as": {"address": addr, "mailbox_id": o.mailbox("info@firma.example").ID},
			} {
				f := o.Owner.Post(base+path, body).Refused(422, "validation_failed")
				if got := append(f.Fields["email"], f.Fields["address"]...); len(got) != 1 || got[0] != "wildcard" {
					t.Errorf("%s %s: %+v", path, addr, f)
				}
			}
		}
	})
}

// A quarantined mail is not sent from an address whose domain now belongs to another
// workspace, and that workspace is not notified of it.
func TestReleaseWithoutDomain(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.addRule("quarantine", nil)
		o.addDomain("ikinci.example")
		grant := map[string]any{"mailbox_id": o.mailbox("info@firma.example").ID, "address": "satis@ikinci.example"}
		o.Owner.Post(base+"/send-as", grant).Want(201)
		const own, granted = "info@firma.example", "satis@ikinci.example"
		for subject, sent := range map[string]struct{ envelope, from string }{
			"held": {own, own}, "late": {own, own}, "granted": {granted, own}, "envelope": {own, granted}, "other": {granted, granted},
		} {
			code := transfer(t, o.dial(own), sent.envelope, text(sent.from, subject, "")+"gizli\r\n", "elif@other.example")
			if code != 250 {
				t.Fatalf("said %d", code)
			}
		}
		incident := func(subject string) string {
			list := o.incidents()
			i := slices.IndexFunc(list, func(i mail.Incident) bool { return i.SubjectMasked == subject })
			return base + "/dlp/incidents/" + list[i].ID.String()
		}
		o.Owner.Post(incident("late")+"/release", map[string]any{}).Want(200)
		other := o.colleagues("acme.example")
		o.Owner.Delete(base + "/mailboxes/" + o.mailbox("info@firma.example").ID.String()).Want(200)
		o.Owner.Delete(base + "/provision/domain/" + o.of.Domain.ID.String()).Want(200)
		other.addDomain("firma.example")
		other.addInbox("info@firma.example")
		for _, subject := range []string{"held", "granted", "envelope"} {
			f := o.Owner.Post(incident(subject)+"/release", map[string]any{}).Refused(409, "conflict")
			if f.Reason != "sender_gone" || !strings.Contains(f.Message, "Reject it") {
				t.Errorf("%s: got %+v", subject, f)
			}
		}
		o.Owner.Post(incident("held")+"/reject", map[string]any{}).Want(200)
		o.s.Clock.Advance(2 * time.Minute)
		o.s.Settle()
		for _, m := range o.queue() {
			want := map[string]string{"held": "done", "late": "done", "granted": "held", "envelope": "held", "other": "held"}[m.Subject]
			if m.State != want || want == "done" && m.Recipients[0].State != engine.StateFailed {
				t.Errorf("got %+v", m)
			}
		}
		if got := other.subjects(); len(o.out.got()) != 0 || len(got) != 0 {
			t.Errorf("%d mails left, the domain's new owner has %q", len(o.out.got()), got)
		}
		// Mail unrelated to that domain can still be sent.
		o.Owner.Post(incident("other")+"/release", map[string]any{}).Want(200)
	})
}
