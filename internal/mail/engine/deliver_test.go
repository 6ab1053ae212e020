package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app"
	"konak/internal/kit/clock"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/hostile"
	"konak/internal/kit/smtpd"
	"konak/internal/mail/domain"
	"konak/internal/mail/engine"
)

var (
	noSuchUser = &smtpd.Error{Code: 550, Enhanced: "5.1.1", Message: "No such user"}
	greylisted = &smtpd.Error{Code: 451, Enhanced: "4.7.1", Message: "Greylisted"}
)

// An unreachable recipient is reported once, and nobody can send to the address until it is
// removed from the suppressions.
func TestBounce(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.out.answer("yok@other.example", noSuchUser)
		mail := text("info@firma.example", "teklif", "")
		if code := o.submit(mail, "yok@other.example", "elif@other.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		o.s.Settle()
		if got := o.out.got(); len(got) != 1 || !slices.Equal(got[0].to, []string{"elif@other.example"}) {
			t.Errorf("got %+v", got)
		}
		var reports []engine.QueueItem
		for _, m := range o.queue() {
			if m.Origin == engine.OriginReport {
				reports = append(reports, m)
			}
		}
		if len(reports) != 1 || reports[0].Sender != "" || reports[0].Recipients[0].Address != "info@firma.example" || reports[0].State != engine.StateDone {
			t.Errorf("got %+v", reports)
		}
		if code := o.submit(mail, "YOK@other.example"); code != 550 {
			t.Errorf("to who does not exist: said %d", code)
		}
		var list []engine.Suppression
		o.Owner.Get(base + "/suppressions").Want(200).Data(&list)
		if len(list) != 1 || list[0].Address != "yok@other.example" || list[0].Answer != "550 5.1.1 No such user" {
			t.Fatalf("got %+v", list)
		}
		one := base + "/suppressions/" + list[0].ID.String()
		o.s.Workspace("acme").Owner.Delete(one).Refused(404, "not_found")
		o.Owner.Delete(one).Want(200)
		o.Owner.Delete(one).Refused(404, "not_found")
		o.out.answer("yok@other.example", nil)
		if code := o.submit(mail, "yok@other.example"); code != 250 {
			t.Errorf("said %d", code)
		}
		if events := o.Events(); !slices.Contains(events, engine.Bounced) {
			t.Errorf("got %q", events)
		}
	})
}

// A delivery status report names the failed recipients and the reasons.
func TestReport(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.addMailbox(map[string]any{"address": "ekip@firma.example", "kind": "forward", "targets": []string{"yok@other.example"}})
		o.out.answer("yok@other.example", noSuchUser)
		if code := o.bring("ayse@third.example", text("ayse@third.example", "soru", ""), "ekip@firma.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		o.s.Settle()
		got := o.out.got()
		if len(got) != 1 || got[0].from != "" || !slices.Equal(got[0].to, []string{"ayse@third.example"}) {
			t.Fatalf("got %+v", got)
		}
		for _, want := range []string{
			"Auto-Submitted: auto-replied\r\n", "report-type=delivery-status", "Final-Recipient: rfc822; yok@other.example\r\n", "Action: failed\r\n", "Status: 5.1.1\r\n",
			"Diagnostic-Code: smtp; 550 5.1.1 No such user\r\n", "Subject: soru\r\n",
		} {
			if !strings.Contains(got[0].text, want) {
				t.Errorf("%q is not in %s", want, got[0].text)
			}
		}
	})
}

// If a server refuses a mail temporarily, it is retried with growing pauses and given up
// after five days.
func TestRetries(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.out.answer("elif@other.example", greylisted)
		mail := text("info@firma.example", "teklif", "")
		o.submit(mail, "elif@other.example")
		attempts := func() int64 {
			t.Helper()
			o.s.Settle()
			list := o.queue()
			return list[len(list)-1].Recipients[0].Attempts
		}
		for _, c := range []struct {
			after time.Duration
			want  int64
		}{{0, 1}, {59 * time.Second, 1}, {time.Second, 2}, {119 * time.Second, 2}, {time.Second, 3}} {
			o.s.Clock.Advance(c.after)
			if got := attempts(); got != c.want {
				t.Errorf("after %s: %d attempts, want %d", c.after, got, c.want)
			}
		}
		item := o.queue()[0]
		if r := item.Recipients[0]; item.State != engine.StateQueued || r.State != engine.StateQueued || r.Answer != "451 4.7.1 Greylisted" {
			t.Errorf("got %+v", item)
		}
		one := base + "/queue/" + item.ID.String()
		o.Owner.Post(one+"/retry", nil).Want(200)
		if got := attempts(); got != 4 {
			t.Errorf("after a retry: %d attempts", got)
		}
		for range 40 {
			o.s.Clock.Advance(4 * time.Hour)
			o.s.Settle()
		}
		o.Owner = o.SignIn("owner@demo.example")
		list := o.queue()
		if r := list[len(list)-1]; r.State != engine.StateDone || r.Recipients[0].State != engine.StateFailed || !strings.HasPrefix(r.Recipients[0].Answer, "4.4.7") {
			t.Errorf("got %+v", r)
		}
		want := []string{domain.Verified, engine.Delayed, engine.Bounced}
		if got := o.mailEvents(); !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
		o.Owner.Post(one+"/retry", nil).Refused(409, "conflict")
		o.Owner.Post(one+"/drop", nil).Refused(409, "conflict")
	})
}

// A mail dropped by an administrator is not sent.
func TestDrop(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.submit(text("info@firma.example", "teklif", ""), "elif@other.example")
		one := base + "/queue/" + o.queue()[0].ID.String()
		o.s.Workspace("acme").Owner.Post(one+"/drop", nil).Refused(404, "not_found")
		var item engine.QueueItem
		o.Owner.Post(one+"/drop", nil).Want(200).Data(&item)
		if item.State != engine.StateDone || item.Recipients[0].State != engine.StateDropped {
			t.Errorf("got %+v", item)
		}
		o.s.Settle()
		if n := len(o.out.got()); n != 0 {
			t.Errorf("%d mails were sent", n)
		}
		o.s.Clock.Advance(15 * 24 * time.Hour)
		n, err := o.s.Engine.CleanQueue(t.Context())
		if err != nil || n != 1 {
			t.Errorf("cleaned %d: %v", n, err)
		}
	})
}

// The queue is listed newest first, independent of the ids, page by page.
func TestQueueOrder(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		for _, name := range []string{"bir", "iki", "uc", "dort"} {
			o.out.answer(name+"@other.example", noSuchUser)
			o.submit(text("info@firma.example", name, ""), name+"@other.example")
			o.s.Settle()
			o.s.Clock.Advance(time.Hour)
		}
		var last clock.Time
		seen := 0
		for cursor := ""; ; {
			var page []engine.QueueItem
			r := o.Owner.Get(base + "/queue?limit=3" + cursor).Want(200)
			r.Data(&page)
			for _, m := range page {
				if seen > 0 && m.CreatedAt.After(last.Time) {
					t.Errorf("%s follows %s", m.CreatedAt, last)
				}
				last = m.CreatedAt
				seen++
			}
			if r.NextCursor() == "" {
				break
			}
			cursor = "&cursor=" + r.NextCursor()
		}
		if all := o.queue(); seen != len(all) || seen <= 4 {
			t.Errorf("saw %d of %d", seen, len(all))
		}
	})
}

// A copy that a server has accepted is not sent again, whatever fails afterwards.
func TestAcceptedOnce(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.submit(text("info@firma.example", "teklif", ""), "elif@other.example")
		allow := dbtest.RefuseUpdates(t, o.s.DB, "mail_queue_recipient")
		o.s.Settle()
		if n := len(o.out.got()); n != 1 {
			t.Fatalf("%d mails arrived", n)
		}
		allow()
		o.s.Clock.Advance(time.Hour)
		o.s.Settle()
		if n := len(o.out.got()); n != 1 {
			t.Errorf("%d mails arrived", n)
		}
		if m := o.queue()[0]; m.State != engine.StateDone || m.Recipients[0].State != engine.StateDelivered {
			t.Errorf("got %+v", m)
		}
	})
}

// A destination that does not answer delays no other.
func TestStallingDestination(t *testing.T) {
	t.Parallel()
	slow := hostile.SMTP(t, "banner", hostile.Silent)
	run(t, func(c *app.Config) { c.MailRoutes = append(c.MailRoutes, "slow.example="+slow.Address()) }, func(t *testing.T, o *office) {
		for range 5 {
			o.submit(text("info@firma.example", "teklif", ""), "elif@slow.example", "elif@other.example")
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { o.s.Jobs.Run(ctx) })
		defer wg.Wait()
		defer cancel()
		<-slow.Reached()
		wait(t, "the mails for the other destination", func() bool { return len(o.out.got()) == 5 })
		for _, m := range o.queue() {
			for _, r := range m.Recipients {
				if want := map[bool]string{true: engine.StateQueued, false: engine.StateDelivered}[strings.HasSuffix(r.Address, "slow.example")]; r.State != want {
					// The state is stored after the mail has been sent.
					wait(t, r.Address, func() bool { return stateOf(o, m, r.Address) == want })
				}
			}
		}
	})
}

func stateOf(o *office, m engine.QueueItem, addr string) string {
	for _, item := range o.queue() {
		for _, r := range item.Recipients {
			if item.ID == m.ID && r.Address == addr {
				return r.State
			}
		}
	}
	return ""
}

// wait polls until a condition is true. Waiting for a silent server would take longer than
// its limit.
func wait(t *testing.T, what string, so func() bool) {
	t.Helper()
	end, tick := time.NewTimer(40*time.Second), time.NewTicker(20*time.Millisecond)
	defer end.Stop()
	defer tick.Stop()
	for !so() {
		select {
		case <-end.C:
			t.Fatalf("%s: not in time", what)
		case <-tick.C:
		}
	}
}

// A mailbox forwards mail in such a way that bounces find their way back, and never in a
// loop.
func TestForward(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		box := o.addMailbox(map[string]any{"address": "ekip@firma.example", "kind": "forward", "targets": []string{"elif@other.example", "ali@third.example"}})
		mail := text("ayse@third.example", "soru", "")
		if code := o.bring("ayse@third.example", mail, "EKIP+x@firma.example", "ekip@firma.example", "info@firma.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		if got := o.subjects(); !slices.Equal(got, []string{"soru"}) {
			t.Errorf("the inbox got %q", got)
		}
		got := o.out.got()
		if len(got) != 2 || !strings.HasSuffix(got[0].text, mail) || !strings.HasPrefix(got[0].text, "Received: by "+host) {
			t.Fatalf("got %+v", got)
		}
		to := append(slices.Clone(got[0].to), got[1].to...)
		slices.Sort(to)
		back := got[0].from
		if diff := cmp.Diff([]string{"ali@third.example", "elif@other.example"}, to); diff != "" || !strings.HasPrefix(back, "fwd-") || !strings.HasSuffix(back, "@firma.example") {
			t.Errorf("from %s: %s", back, diff)
		}
		report := "From: mailer-daemon@other.example\r\nSubject: failed\r\n\r\nNo such user\r\n"
		if code := o.bring("spam@bad.example", report, back); code != 550 {
			t.Errorf("a mail that is no bounce: said %d", code)
		}
		forged := "fwd-0" + back[5:]
		if back[4] == '0' {
			forged = "fwd-1" + back[5:]
		}
		if code := o.bring("", report, forged); code != 550 {
			t.Errorf("a forged address: said %d", code)
		}
		if code := o.bring("", report, back); code != 250 {
			t.Errorf("a bounce: said %d", code)
		}
		o.s.Settle()
		if got := o.out.got(); len(got) != 3 || got[2].from != "" || !slices.Equal(got[2].to, []string{"ayse@third.example"}) || !strings.HasSuffix(got[2].text, report) {
			t.Errorf("got %+v", got)
		}
		o.Owner.Put(base+"/mailboxes/"+box.ID.String()+"/state", map[string]any{"state": "suspended"}).Want(200)
		if code := o.bring("ayse@third.example", mail, "ekip@firma.example"); code != 450 {
			t.Errorf("suspended: said %d", code)
		}
		if code := o.submit(text("info@firma.example", "içeriden", ""), "ekip@firma.example"); code != 250 {
			t.Errorf("from inside: said %d", code)
		}
		o.s.Settle()
		list := o.queue()
		inside := slices.IndexFunc(list, func(m engine.QueueItem) bool { return m.Subject == "içeriden" })
		if list[inside].Recipients[0].State != engine.StateQueued || len(o.out.got()) != 3 {
			t.Errorf("got %+v", list[inside])
		}
		o.Owner.Put(base+"/mailboxes/"+box.ID.String()+"/state", map[string]any{"state": "active"}).Want(200)
		for to, want := range map[string]int{"ekip@firma.example": 554, "info@firma.example": 250} {
			if code := o.bring("ayse@third.example", mail+"x\r.\ry\r\n", to); code != want {
				t.Errorf("a bare carriage return to %s: said %d, want %d", to, code, want)
			}
		}
		if code := o.bring("ayse@third.example", strings.Repeat("Received: by x\r\n", 31)+mail, "ekip@firma.example"); code != 554 {
			t.Errorf("a mail in circles: said %d", code)
		}
	})
}

// A mailbox forwards only to external addresses that the workspace allows, even if the list
// changes later.
func TestForwardingAllowed(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.addMailbox(map[string]any{"address": "ekip@firma.example", "kind": "forward", "targets": []string{"elif@other.example", "ali@third.example", "info@firma.example"}})
		mail := text("ayse@third.example", "soru", "")
		o.allowForwarding("ali@third.example")
		if code := o.bring("ayse@third.example", mail, "ekip@firma.example"); code != 250 {
			t.Errorf("said %d", code)
		}
		if got := o.subjects(); !slices.Equal(got, []string{"soru"}) {
			t.Errorf("the inbox got %q", got)
		}
		var to []string
		for _, m := range o.out.got() {
			to = append(to, m.to...)
		}
		slices.Sort(to)
		if !slices.Equal(to, []string{"ali@third.example", "ayse@third.example"}) { // the copy, and the report to the writer
			t.Errorf("sent to %q", to)
		}
		o.addMailbox(map[string]any{"address": "dis@firma.example", "kind": "forward", "targets": []string{"ali@third.example"}})
		o.allowForwarding()
		if code := o.bring("ayse@third.example", mail, "dis@firma.example"); code != 550 {
			t.Errorf("off: said %d", code)
		}
		var lines []struct{}
		o.Owner.Get("/api/v1/auth/audit?action=mail.settings.forwarding").Want(200).Data(&lines)
		if len(lines) != 3 {
			t.Errorf("%d lines in the audit log", len(lines))
		}
	})
}

// A mailbox can have its own daily limit.
func TestDailyLimit(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		box := o.mailbox("info@firma.example")
		body := map[string]any{"address": box.Address, "kind": "inbox", "account_id": box.AccountID, "daily_limit": 3}
		if got := o.addMailbox(body); got.DailyLimit == nil || *got.DailyLimit != 3 {
			t.Errorf("got %+v", got)
		}
		body["daily_limit"] = 2001
		o.Owner.Post(base+"/provision/mailbox", body).Refused(422, "validation_failed")
		mail := text("info@firma.example", "haber", "")
		for i, want := range []int{250, 452, 452} {
			if code := o.submit(mail, "a@other.example", "b@other.example"); code != want {
				t.Errorf("mail %d: said %d, want %d", i, code, want)
			}
		}
		if code := o.submit(mail, "a@other.example"); code != 250 {
			t.Errorf("one that fits: said %d", code)
		}
		o.s.Clock.Advance(25 * time.Hour)
		if code := o.submit(mail, "a@other.example", "b@other.example", "c@other.example"); code != 250 {
			t.Errorf("a day later: said %d", code)
		}
	})
}

// Copies refused by a rule are not sent: they count neither towards the daily limit nor
// towards abuse detection.
func TestRefusedIsNotCounted(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.addRule("block", nil)
		o.Owner.Put(base+"/settings/abuse", map[string]any{"auto_suspend": true}).Want(200)
		mail := text("info@firma.example", "haber", "")
		to := make([]string, 60)
		for i := range to {
			to[i] = fmt.Sprintf("a%d@other.example", i)
		}
		for range 4 {
			if code := o.submit(mail+"gizli 4111 1111 1111 1111\r\n", to...); code != 550 {
				t.Errorf("refused: said %d", code)
			}
		}
		box := o.mailbox("info@firma.example")
		if box.State != domain.MailboxActive {
			t.Errorf("got %+v", box)
		}
		o.addMailbox(map[string]any{"address": box.Address, "kind": "inbox", "account_id": box.AccountID, "daily_limit": 3})
		for range 4 {
			o.submit(mail+"gizli\r\n", "a@other.example")
		}
		o.Owner.Post(base+"/dlp/exceptions", map[string]any{"email": "denetci@other.example"}).Want(201)
		if code := o.submit(mail+"gizli\r\n", "a@other.example", "denetci@other.example"); code != 250 {
			t.Errorf("one copy: said %d", code)
		}
		for i, want := range []int{250, 250, 452} {
			if code := o.submit(mail, "a@other.example"); code != want {
				t.Errorf("mail %d: said %d, want %d", i, code, want)
			}
		}
	})
}

// A rule's match in a Message-ID is masked in the incident, as in its samples.
func TestIncidentMasksMessageID(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.addRule("block", nil)
		if code := o.submit(text("info@firma.example", "gizli", ""), "a@other.example"); code != 550 {
			t.Errorf("said %d", code)
		}
		list := o.incidents()
		if len(list) != 1 || strings.Contains(list[0].MessageID, "gizli") || !strings.Contains(list[0].MessageID, "@mua.example") {
			t.Errorf("got %+v", list)
		}
	})
}
