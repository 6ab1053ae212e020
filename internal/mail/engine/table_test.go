package engine_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"konak/internal/app"
	"konak/internal/crm/conversation"
	"konak/internal/crm/email"
	"konak/internal/kit/policy"
	"konak/internal/kit/tooltest"
	"konak/internal/mail/dlp/dlptest"
	"konak/internal/mail/engine"
)

// Every message of the table gets the same verdict, whether a mail program submits it or an
// agent writes it in the inbox. Content that cannot be scanned to its end is not delivered.
func TestTableOfMessages(t *testing.T) {
	t.Parallel()
	tooltest.Need(t, "swaks", "ensure-mail-servers")
	run(t, func(c *app.Config) { c.MailMaxSize = 8 << 20 }, func(t *testing.T, o *office) {
		for _, rule := range dlptest.Rules() {
			o.Owner.Post(base+"/dlp/rules", rule).Want(201)
		}
		o.Owner.Post(base+"/dlp/exceptions", map[string]any{"email": dlptest.Exempt}).Want(201)
		exempt := o.addInbox("muaf@firma.example")
		o.Owner.Post(base+"/dlp/exceptions", map[string]any{"email": exempt.Address}).Want(201)
		info := o.mailbox("info@firma.example")
		contacts := map[string]string{}
		for _, addr := range []string{"elif@other.example", dlptest.Exempt} {
			contacts[addr] = o.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Kişi", "emails": []string{addr}}).Want(201).ID()
		}

		list := append(dlptest.Cases(t), dlptest.Bounds(t)...)
		for i, c := range list {
			if c.Subject == "" {
				c.Subject = "Konu"
			}
			if c.To == "" {
				c.To = "elif@other.example"
			}
			from := info
			if c.ExemptSender {
				from = exempt
			}
			if got := o.verdictOfSMTP(&c, from.Address); got != c.Want {
				t.Errorf("%d %s: by SMTP %s, want %s", i, c.Name, got, c.Want)
			}
			if got := o.verdictOfCRM(&c, from.AccountID.String(), contacts[c.To]); got != c.Want {
				t.Errorf("%d %s: in the inbox %s, want %s", i, c.Name, got, c.Want)
			}
		}
	})
}

// A mail above the maximum size is accepted neither from a mail program nor from an agent.
func TestMailAboveMaximumSizeIsRefused(t *testing.T) {
	t.Parallel()
	run(t, func(c *app.Config) { c.MailMaxSize = email.DefaultMaxSize }, func(t *testing.T, o *office) {
		large := strings.Repeat("Merhaba, bu uzun bir satır.\r\n", 50<<20/32)
		if code := o.submit(text("info@firma.example", "uzun", "")+large, "elif@other.example"); code != 552 {
			t.Errorf("said %d", code)
		}
		o.s.Settle()
		if len(o.out.got()) != 0 || len(o.queue()) != 0 {
			t.Errorf("%d arrived, %d in the queue", len(o.out.got()), len(o.queue()))
		}
		o.Owner.Header("Content-Type", "application/octet-stream").Do("POST", "/api/crm/v1/attachments?filename=a.txt", large).Refused(413, "body_too_large")
	})
}

// verdictOfSMTP submits a message with swaks and returns the result.
func (o *office) verdictOfSMTP(c *dlptest.Case, from string) string {
	o.t.Helper()
	before := len(o.out.got())
	name := filepath.Join(o.t.TempDir(), "mail.eml")
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(c.Raw(o.t, from), "\r\n", "\n")), 0o600); err != nil {
		o.t.Fatal(err)
	}
	code, said := o.swaks(from, []string{"--auth", "PLAIN", "--auth-user", from, "--auth-password", password, "--to", c.To, "--data", "@" + name, "--hide-all"})
	o.s.Settle()
	arrived := len(o.out.got()) - before
	switch {
	case code == swaksData && arrived == 0:
		return dlptest.Blocked
	case code == swaksSent && arrived == 0 && o.queue()[0].State == engine.StateHeld:
		return dlptest.Held
	case code == swaksSent && arrived == 1 && o.queue()[0].State == engine.StateDone:
		return dlptest.Sent
	}
	return string(said)
}

// verdictOfCRM sends a message as an agent from an e-mail account and returns the result.
func (o *office) verdictOfCRM(c *dlptest.Case, account, contact string) string {
	o.t.Helper()
	before := len(o.s.Mails(o.ID, c.To))
	body := map[string]any{"contact_id": contact, "channel": "email", "channel_account_id": account, "subject": c.Subject, "body": c.Text}
	if c.Text == "" {
		body["body"] = "Ekte"
	}
	if c.File != "" {
		body["attachments"] = []string{o.Owner.Header("Content-Type", "application/octet-stream").Do("POST", "/api/crm/v1/attachments?filename="+c.File, string(c.Content)).Want(201).ID()}
	}
	id := o.Owner.Post("/api/crm/v1/conversations/new-as-agent", body).Want(201).ID()
	o.s.Settle()
	type item struct {
		Delivery      string `json:"delivery"`
		DeliveryError string `json:"delivery_error"`
	}
	var items []item
	o.Owner.Get("/api/crm/v1/conversations/" + id + "/items").Want(200).Data(&items)
	items = slices.DeleteFunc(items, func(i item) bool { return i.Delivery == "" }) // a failure is an item too
	if len(items) != 1 {
		o.t.Fatalf("%s: %d messages", c.Name, len(items))
	}
	arrived, last := len(o.s.Mails(o.ID, c.To))-before, items[0]
	switch {
	case last.Delivery == string(conversation.Failed) && last.DeliveryError == policy.Blocked && arrived == 0:
		return dlptest.Blocked
	case last.Delivery == string(conversation.Queued) && last.DeliveryError == policy.Waiting && arrived == 0:
		return dlptest.Held
	case last.Delivery == string(conversation.Sent) && arrived == 1:
		return dlptest.Sent
	}
	return last.Delivery + " " + last.DeliveryError
}
