package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/perm"
	"konak/internal/mail"
	"konak/internal/mail/domain"
	"konak/internal/mail/engine"
)

// addRule adds a rule that finds the word "gizli".
func (o *office) addRule(action string, options map[string]any) {
	o.t.Helper()
	o.Owner.Post(base+"/dlp/rules", map[string]any{
		"name": action, "pattern_type": "keyword", "pattern": "gizli", "action": action, "options": options,
	}).Want(201)
}

func (o *office) incidents() (list []mail.Incident) {
	o.t.Helper()
	o.Owner.Get(base + "/dlp/incidents").Want(200).Data(&list)
	return list
}

// A mail blocked by a rule is refused; copies for exempt recipients are sent.
func TestPolicyBlocks(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.addRule("block", nil)
		secret := text("info@firma.example", "plan", "") + "gizli\r\n"
		if code := o.submit(secret, "elif@other.example"); code != 550 {
			t.Errorf("said %d", code)
		}
		if list := o.queue(); len(list) != 0 {
			t.Errorf("in the queue: %+v", list)
		}
		if list := o.incidents(); len(list) != 1 || list[0].Source != "smtp" || list[0].ActionTaken != mail.ActionBlock || list[0].Sender != "info@firma.example" {
			t.Errorf("got %+v", list)
		}
		if code := o.submit(text("info@firma.example", "plan", ""), "elif@other.example"); code != 250 {
			t.Errorf("without the word: said %d", code)
		}
		o.Owner.Post(base+"/dlp/exceptions", map[string]any{"email": "denetci@other.example"}).Want(201)
		if code := o.submit(secret, "elif@other.example", "denetci@other.example"); code != 250 {
			t.Errorf("to an exempt recipient: said %d", code)
		}
		o.s.Settle()
		got := o.out.got()
		if len(got) != 2 || !slices.Equal(got[1].to, []string{"denetci@other.example"}) {
			t.Errorf("got %+v", got)
		}
		if got := o.queue(); !slices.ContainsFunc(got, func(m engine.QueueItem) bool { return m.Origin == engine.OriginReport }) {
			t.Errorf("no report: %+v", got)
		}
	})
}

// A mail that a rule warns about is sent, and the sender is notified once.
func TestPolicyWarns(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.addRule("warn", nil)
		mail := text("info@firma.example", "plan", "")
		if code := o.submit(mail+"gizli\r\n", "elif@other.example"); code != 250 {
			t.Errorf("said %d", code)
		}
		if code := o.submit(mail, "elif@other.example"); code != 250 {
			t.Errorf("without the word: said %d", code)
		}
		o.s.Settle()
		if n := len(o.out.got()); n != 2 {
			t.Errorf("%d mails arrived", n)
		}
		if list := o.incidents(); len(list) != 1 || list[0].ActionTaken != "warn" {
			t.Errorf("got %+v", list)
		}
		var told []engine.QueueItem
		for _, m := range o.queue() {
			if m.Origin == engine.OriginReport {
				told = append(told, m)
			}
		}
		if len(told) != 1 || told[0].Recipients[0].Address != "info@firma.example" || told[0].State != engine.StateDone || !strings.HasPrefix(told[0].Subject, "A rule warns") {
			t.Errorf("got %+v", told)
		}
		if got := o.subjects(); len(got) != 1 || !strings.HasPrefix(got[0], "A rule warns") {
			t.Errorf("the inbox got %q", got)
		}
	})
}

// A quarantined mail is accepted, and is sent or returned depending on the decision.
func TestPolicyHolds(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.addRule("quarantine", nil)
		for _, subject := range []string{"birinci", "ikinci"} {
			if code := o.submit(text("info@firma.example", subject, "")+"gizli\r\n", "elif@other.example"); code != 250 {
				t.Fatalf("said %d", code)
			}
		}
		o.s.Clock.Advance(2 * time.Minute)
		o.s.Settle()
		if n := len(o.out.got()); n != 0 {
			t.Fatalf("%d mails left", n)
		}
		item := o.queue()[0]
		if item.State != engine.StateHeld {
			t.Errorf("got %+v", item)
		}
		o.Owner.Post(base+"/queue/"+item.ID.String()+"/retry", nil).Refused(409, "conflict")
		list := o.incidents()
		if len(list) != 2 || list[0].QueueRef != item.ID.String() {
			t.Fatalf("got %+v", list)
		}
		o.Owner.Post(base+"/dlp/incidents/"+list[0].ID.String()+"/release", map[string]any{}).Want(200)
		o.Owner.Post(base+"/dlp/incidents/"+list[1].ID.String()+"/reject", map[string]any{}).Want(200)
		o.s.Clock.Advance(time.Minute)
		o.s.Settle()
		if got := o.out.got(); len(got) != 1 || field(got[0].text, "Subject") != "ikinci" {
			t.Errorf("got %+v", got)
		}
		for _, m := range o.queue() {
			if m.Subject == "birinci" && (m.State != engine.StateDone || !strings.Contains(m.Recipients[0].Answer, "dlp_rejected")) {
				t.Errorf("got %+v", m)
			}
		}
	})
}

// Copies for exempt recipients are sent at once while the others wait, both for submitted
// and for forwarded mail.
func TestPolicyHoldsSomeCopies(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.addRule("quarantine", nil)
		o.allowForwarding("other.example")
		o.Owner.Post(base+"/dlp/exceptions", map[string]any{"email": "Denetci@other.example"}).Want(201)
		o.addMailbox(map[string]any{"address": "ekip@firma.example", "kind": "forward", "targets": []string{"elif@other.example", "denetci@other.example"}})
		if code := o.submit(text("info@firma.example", "plan", "")+"gizli\r\n", "elif@other.example", "denetci@other.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		if code := o.bring("ayse@third.example", text("ayse@third.example", "ileti", "")+"gizli\r\n", "ekip@firma.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		o.s.Settle()
		got := o.out.got()
		if len(got) != 2 || !slices.Equal(got[0].to, []string{"denetci@other.example"}) || !slices.Equal(got[1].to, []string{"denetci@other.example"}) {
			t.Fatalf("left at once: %+v", got)
		}
		list := o.incidents()
		if len(list) != 2 || !slices.Equal(list[0].Recipients, []string{"elif@other.example"}) {
			t.Fatalf("got %+v", list)
		}
		for _, i := range list {
			o.Owner.Post(base+"/dlp/incidents/"+i.ID.String()+"/release", map[string]any{}).Want(200)
		}
		o.s.Clock.Advance(2 * time.Minute)
		o.s.Settle()
		got = o.out.got()
		if len(got) != 4 || !slices.Equal(got[2].to, []string{"elif@other.example"}) || !slices.Equal(got[3].to, []string{"elif@other.example"}) {
			t.Errorf("left in all: %+v", got)
		}
		for _, m := range o.queue() {
			if m.State != engine.StateDone {
				t.Errorf("got %+v", m)
			}
		}
	})
}

// colleague signs in a member with exactly these permissions.
func (o *office) colleague(name string, ps ...perm.Permission) *apptest.Client {
	o.t.Helper()
	role := identity.Role{Name: "role-" + name, Title: name, Permissions: ps}
	if _, err := o.s.Identity.SetRole(o.Context(), role); err != nil {
		o.t.Fatal(err)
	}
	addr := name + "@" + o.Slug + ".example"
	if err := o.s.Identity.AddMember(o.t.Context(), o.ID, name, addr, apptest.Password, role.Name); err != nil {
		o.t.Fatal(err)
	}
	return o.SignIn(addr)
}

// A quarantined mail can be dropped by members who may reject it, and its incident is
// closed. Members who may not see incidents do not see the matches in the queue.
func TestDropHeld(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.addRule("quarantine", nil)
		if code := o.submit(text("info@firma.example", "gizli teklif", ""), "elif@other.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		item, weak := o.queue()[0], o.colleague("zayif", perm.MailboxesView, perm.MailboxesManage)
		var list []engine.QueueItem
		weak.Get(base + "/queue?state=held").Want(200).Data(&list)
		if item.Subject != "gizli teklif" || len(list) != 1 || strings.Contains(list[0].Subject, "gizli") || !strings.Contains(list[0].Subject, "teklif") {
			t.Errorf("got %+v and %+v", item, list)
		}
		one := base + "/queue/" + item.ID.String()
		weak.Post(one+"/drop", nil).Refused(403, "forbidden")
		if got := o.queue()[0]; got.State != engine.StateHeld {
			t.Errorf("got %+v", got)
		}
		o.Owner.Post(one+"/drop", nil).Want(200)
		incident := o.incidents()[0]
		if incident.Status != mail.IncidentRejected || incident.ReviewedBy == nil {
			t.Errorf("got %+v", incident)
		}
		o.Owner.Post(base+"/dlp/incidents/"+incident.ID.String()+"/release", map[string]any{}).Refused(409, "conflict")
		o.s.Clock.Advance(2 * time.Minute)
		o.s.Settle()
		if n := len(o.out.got()); n != 0 {
			t.Errorf("%d mails left", n)
		}
	})
}

// Forwarded mail is checked as the mailbox's own: forbidden content does not leave through
// a mailbox that forwards.
func TestPolicyOfForward(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.addRule("block", map[string]any{"scope": "external"})
		o.addMailbox(map[string]any{"address": "ekip@firma.example", "kind": "forward", "targets": []string{"elif@other.example"}})
		secret := text("info@firma.example", "plan", "") + "gizli\r\n"
		if code := o.submit(secret, "ekip@firma.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		o.s.Settle()
		if n := len(o.out.got()); n != 0 {
			t.Errorf("%d mails left", n)
		}
		if code := o.bring("ayse@third.example", secret, "ekip@firma.example"); code != 550 {
			t.Errorf("said %d", code)
		}
	})
}

// While the journal is on, every mail is in it with its envelope before it is accepted.
func TestJournal(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.addMailbox(map[string]any{"address": "ekip@firma.example", "kind": "forward", "targets": []string{"elif@other.example"}})
		settings := base + "/settings/journaling"
		outgoing := text("info@firma.example", "giden", "Cc: ali@third.example\r\nBcc: gizli@other.example\r\n")
		send := func() {
			t.Helper()
			incoming := text("ayse@third.example", "gelen", "")
			for name, code := range map[string]int{
				"submission": o.submit(outgoing, "elif@other.example", "ali@third.example", "gizli@other.example"),
				"inbox":      o.bring("ayse@third.example", incoming, "info@firma.example"),
				"forward":    o.bring("ayse@third.example", incoming, "ekip@firma.example"),
			} {
				if code != 250 {
					t.Errorf("%s: said %d", name, code)
				}
			}
		}
		journal := func() (list []mail.JournalItem) {
			t.Helper()
			o.Owner.Get(base + "/journal").Want(200).Data(&list)
			return list
		}
		send()
		if list := journal(); len(list) != 0 {
			t.Errorf("while it is off: %+v", list)
		}
		var set mail.Settings
		o.Owner.Put(settings, map[string]any{"enabled": true, "retention_days": 10}).Want(200).Data(&set)
		if !set.Journaling.Enabled || set.Journaling.RetentionDays != 10 {
			t.Errorf("got %+v", set)
		}
		send()
		list := journal()
		if len(list) != 3 {
			t.Fatalf("got %+v", list)
		}
		kinds := map[string]string{}
		var sent mail.JournalItem
		for _, i := range list {
			if i.Direction == mail.Outbound {
				sent = i
			}
			for _, r := range i.Recipients {
				kinds[i.Direction+" "+r.Address] = r.Kind
			}
		}
		for address, kind := range map[string]string{
			"outbound elif@other.example": "to", "outbound ali@third.example": "cc", "outbound gizli@other.example": "bcc",
			"inbound info@firma.example": "bcc", "inbound ekip@firma.example": "bcc", "inbound elif@other.example": "expanded",
		} {
			if kinds[address] != kind {
				t.Errorf("%s: %q, want %q", address, kinds[address], kind)
			}
		}
		if sent.Sender != "info@firma.example" || sent.Subject != "giden" || sent.MessageID != "<giden@mua.example>" {
			t.Errorf("got %+v", sent)
		}
		one := base + "/journal/" + sent.ID.String() + "/report"
		o.s.Workspace("acme").Owner.Get(one).Refused(404, "not_found")
		report := string(o.Owner.Get(one).Want(200).Body)
		if field(report, "From") != "<journal@"+host+">" || !strings.Contains(report, "\r\nBcc: gizli@other.example\r\n") || !strings.Contains(report, "Content-Type: message/rfc822") || !strings.Contains(report, "\r\n\r\n"+outgoing) {
			t.Errorf("got %s", report)
		}

		// A shorter retention applies to new mails, a longer one to all; turning the
		// journal off deletes nothing.
		ends := func() (days []int) {
			for _, i := range journal() {
				days = append(days, int(i.RetentionUntil.Sub(i.At.Time)/(24*time.Hour)))
			}
			return days
		}
		o.Owner.Put(settings, map[string]any{"enabled": true, "retention_days": 5}).Want(200)
		if got := ends(); !slices.Equal(got, []int{10, 10, 10}) {
			t.Errorf("got %d", got)
		}
		o.Owner.Put(settings, map[string]any{"enabled": false, "retention_days": 20}).Want(200)
		if got := ends(); !slices.Equal(got, []int{20, 20, 20}) {
			t.Errorf("got %d", got)
		}
		o.s.Clock.Advance(19 * 24 * time.Hour)
		if n, err := o.s.Mail.CleanJournal(t.Context()); n != 0 || err != nil {
			t.Errorf("cleaned %d: %v", n, err)
		}
		o.s.Clock.Advance(48 * time.Hour)
		if n, err := o.s.Mail.CleanJournal(t.Context()); n != 3 || err != nil {
			t.Errorf("cleaned %d: %v", n, err)
		}
		o.Owner = o.SignIn("owner@demo.example")
		o.Owner.Put(settings, map[string]any{"enabled": true, "retention_days": 0}).Refused(422, "validation_failed")
		o.wantAudit(map[string]int{"mail.settings.journaling": 3, "mail.journal.read": 1})
	})
}

// wantAudit checks the number of audit entries for each action.
func (o *office) wantAudit(lines map[string]int) {
	o.t.Helper()
	for action, want := range lines {
		var got []struct{}
		o.Owner.Get("/api/v1/auth/audit?action=" + action).Want(200).Data(&got)
		if len(got) != want {
			o.t.Errorf("%s: %d lines in the audit log, want %d", action, len(got), want)
		}
	}
}

// A mail with a legal hold is kept past its retention, until the hold is removed.
func TestLegalHold(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.Owner.Put(base+"/settings/journaling", map[string]any{"enabled": true, "retention_days": 10}).Want(200)
		for _, subject := range []string{"bir", "iki"} {
			if code := o.submit(text("info@firma.example", subject, ""), "elif@other.example"); code != 250 {
				t.Fatalf("said %d", code)
			}
		}
		var list []mail.JournalItem
		o.Owner.Get(base + "/journal").Want(200).Data(&list)
		if len(list) != 2 || list[0].LegalHold != nil {
			t.Fatalf("got %+v", list)
		}
		hold := base + "/journal/" + list[1].ID.String() + "/hold"
		because := func(reason string) map[string]any { return map[string]any{"reason": reason} }
		other := o.s.Workspace("acme").Owner
		other.Put(hold, because("Dava 2026/114")).Refused(404, "not_found")
		other.Delete(hold).Refused(404, "not_found")
		reader := o.Guest()
		reader.Put(hold, because("Dava 2026/114")).Refused(403, "forbidden")
		reader.Delete(hold).Refused(403, "forbidden")
		o.Owner.Put(hold, because("  ")).Refused(422, "validation_failed")
		var held mail.JournalItem
		for _, reason := range []string{"Dava", "Dava 2026/114"} {
			o.Owner.Put(hold, because(reason)).Want(200).Data(&held)
			if held.LegalHold == nil || held.LegalHold.Reason != reason || held.LegalHold.By == nil || !held.LegalHold.At.Equal(o.s.Clock.Now()) {
				t.Errorf("got %+v", held.LegalHold)
			}
		}
		clean := func(want int) {
			t.Helper()
			if n, err := o.s.Mail.CleanJournal(t.Context()); n != want || err != nil {
				t.Errorf("cleaned %d, want %d: %v", n, want, err)
			}
		}
		o.s.Clock.Advance(11 * 24 * time.Hour)
		clean(1)
		clean(0)
		o.Owner = o.SignIn("owner@demo.example")
		o.Owner.Get(base + "/journal").Want(200).Data(&list)
		if len(list) != 1 || list[0].ID != held.ID || list[0].LegalHold.Reason != "Dava 2026/114" {
			t.Fatalf("got %+v", list)
		}
		o.Owner.Get(base + "/journal/" + held.ID.String() + "/report").Want(200)
		for range 2 {
			var free mail.JournalItem
			if o.Owner.Delete(hold).Want(200).Data(&free); free.LegalHold != nil {
				t.Errorf("got %+v", free.LegalHold)
			}
		}
		clean(1)
		o.wantAudit(map[string]int{"mail.journal.held": 2, "mail.journal.released": 1})
	})
}

// A mail that cannot be put into the journal is not accepted.
func TestJournalFailsClosed(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		o.Owner.Put(base+"/settings/journaling", map[string]any{"enabled": true, "retention_days": 10}).Want(200)
		allow := dbtest.RefuseInserts(t, o.s.DB, "mail_journal")
		if code := o.submit(text("info@firma.example", "giden", ""), "elif@other.example"); code != 451 {
			t.Errorf("a mailbox's mail: said %d", code)
		}
		if code := o.bring("ayse@third.example", text("ayse@third.example", "gelen", ""), "info@firma.example"); code != 451 {
			t.Errorf("a stranger's mail: said %d", code)
		}
		allow()
		o.s.Settle()
		if list, subjects := o.queue(), o.subjects(); len(list) != 0 || len(subjects) != 0 {
			t.Errorf("taken: %+v, %q", list, subjects)
		}
		if code := o.submit(text("info@firma.example", "giden", ""), "elif@other.example"); code != 250 {
			t.Errorf("after it: said %d", code)
		}
	})
}

// A mailbox that sends to too many recipients is reported, and suspended if the workspace
// wants that.
func TestAbuse(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		to := make([]string, 50)
		for i := range to {
			to[i] = fmt.Sprintf("a%d@other.example", i)
		}
		mail := text("info@firma.example", "haber", "")
		send := func(want int) {
			t.Helper()
			if code := o.submit(mail, to...); code != want {
				t.Errorf("said %d, want %d", code, want)
			}
		}
		detected := func() (abuse, suspended int) {
			for _, name := range o.Events() {
				switch name {
				case domain.AbuseDetected:
					abuse++
				case domain.MailboxSuspendedEvent:
					suspended++
				}
			}
			return abuse, suspended
		}
		for range 4 {
			send(250)
		}
		if abuse, _ := detected(); abuse != 0 {
			t.Errorf("%d times after 200 recipients", abuse)
		}
		send(250)
		send(250)
		if abuse, suspended := detected(); abuse != 1 || suspended != 0 {
			t.Errorf("announced %d times, suspended %d times", abuse, suspended)
		}
		o.Owner.Put(base+"/settings/abuse", map[string]any{"auto_suspend": true}).Want(200)
		o.s.Clock.Advance(time.Hour)
		for range 4 {
			send(250)
		}
		send(550)
		send(550)
		if abuse, suspended := detected(); abuse != 2 || suspended != 1 {
			t.Errorf("announced %d times, suspended %d times", abuse, suspended)
		}
		var boxes []domain.Mailbox
		o.Owner.Get(base + "/mailboxes").Want(200).Data(&boxes)
		if boxes[0].State != domain.MailboxSuspended {
			t.Errorf("got %+v", boxes[0])
		}
		// The daily limit applies in any case.
		o.Owner.Put(base+"/settings/abuse", map[string]any{"auto_suspend": false}).Want(200)
		o.Owner.Put(base+"/mailboxes/"+boxes[0].ID.String()+"/state", map[string]any{"state": "active"}).Want(200)
		err := o.s.DB.Tenant(o.ID).InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`UPDATE mail_sent_hour SET recipients = 1980 WHERE tenant_id = $1 AND hour = $2`, o.ID, tx.Now().Unix()/3600)
		})
		if err != nil {
			t.Fatal(err)
		}
		send(452)
		o.s.Clock.Advance(24 * time.Hour)
		send(250)
	})
}

// A mail beyond the limits is refused before it is checked, and one that reaches a limit
// only after the check leaves nothing to review.
func TestLimitsAreCheckedBeforeRules(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		box := o.mailbox("info@firma.example")
		o.addMailbox(map[string]any{"address": box.Address, "kind": "inbox", "account_id": box.AccountID, "daily_limit": 1})
		if code := o.submit(text("info@firma.example", "haber", ""), "a@other.example"); code != 250 {
			t.Fatalf("said %d", code)
		}
		o.addRule("quarantine", nil)
		held := text("info@firma.example", "gizli teklif", "")
		if code := o.submit(held, "a@other.example"); code != 452 || len(o.incidents()) != 0 {
			t.Errorf("said %d, %d incidents", code, len(o.incidents()))
		}
		err := o.s.Engine.SubmitUncounted(t.Context(), o.ID, box, held, "a@other.example")
		if err == nil || !strings.Contains(err.Error(), "daily limit") {
			t.Errorf("got %v", err)
		}
		if list := o.incidents(); len(list) != 1 || list[0].Status != mail.IncidentRejected {
			t.Errorf("got %+v", list)
		}
		if n := len(o.queue()); n != 1 {
			t.Errorf("%d mails in the queue", n)
		}
	})
}
