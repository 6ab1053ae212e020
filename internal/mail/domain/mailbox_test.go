package domain_test

import (
	"errors"
	"fmt"
	"io"
	"net/smtp"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/mail/domain"
)

const mailboxes = base + "/provision/mailbox"

// account connects an e-mail account of the CRM.
func (d *desk) account(address string) string {
	d.t.Helper()
	return d.Owner.Post("/api/crm/v1/channels/email", map[string]any{"name": address, "address": address}).Want(201).ID()
}

func (d *desk) box(address, account string) *apptest.Response {
	d.t.Helper()
	return d.Owner.Post(mailboxes, map[string]any{"address": address, "kind": "inbox", "account_id": account})
}

// subjects returns the subjects of the workspace's conversations, newest first.
func (d *desk) subjects() (out []string) {
	d.t.Helper()
	d.s.Settle()
	var list []struct {
		Subject string `json:"subject"`
	}
	d.Owner.Get("/api/crm/v1/conversations").Want(200).Data(&list)
	for _, c := range list {
		out = append(out, c.Subject)
	}
	return out
}

// send sends a mail and returns the code of the server's last answer.
func send(t *testing.T, server, to, subject string) int {
	t.Helper()
	c, err := smtp.Dial(server)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	err = errors.Join(c.Hello("kaya.example"), c.Mail("elif@kaya.example"))
	if err == nil {
		err = c.Rcpt(to)
	}
	var w io.WriteCloser
	if err == nil {
		w, err = c.Data()
	}
	if err == nil {
		_, err = fmt.Fprintf(w, "From: elif@kaya.example\r\nTo: %s\r\nSubject: %s\r\nMessage-ID: <%.20s@kaya.example>\r\n\r\n%s\r\n", to, subject, subject, subject)
	}
	if err == nil {
		err = w.Close()
	}
	if said, ok := errors.AsType[*textproto.Error](err); ok {
		return said.Code
	}
	if err != nil {
		t.Fatal(err)
	}
	return 250
}

// Mail to a mailbox reaches the inbox once the workspace owns the domain.
func TestMailboxes(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, d *desk) {
		server, other := d.s.ListenSMTP(nil), &desk{d.s.Workspace("acme"), t, d.s, d.names}
		of := d.add("firma.example")
		other.add("firma.example")
		first, second := d.account("destek@firma.example"), d.account("satis@firma.example")
		other.box("info@firma.example", other.account("info@acme.example")).Want(200)
		var m, moved domain.Mailbox
		d.box("Info@Firma.example", first).Want(200).Data(&m)
		if m.Address != "info@firma.example" || m.DomainID != of.Domain.ID || m.AccountID == nil || m.AccountID.String() != first {
			t.Errorf("got %+v", m)
		}
		expect := func(to, subject string, code int) {
			t.Helper()
			if got := send(t, server, to, subject); got != code {
				t.Errorf("%s: %d, want %d", to, got, code)
			}
		}
		expect("info@firma.example", "early", 550)
		d.publish(of, "ownership")
		d.look(of)
		expect("INFO+x@firma.example", "first", 250)
		expect("nobody@firma.example", "x", 550)
		expect("info@elsewhere.example", "x", 550)
		if got := d.subjects(); len(got) != 1 || got[0] != "first" {
			t.Errorf("got %q", got)
		}
		if got := other.subjects(); len(got) != 0 {
			t.Errorf("another workspace got %q", got)
		}
		// Provisioning the same address again changes the destination of its mail.
		d.box("info@firma.example", second).Want(200).Data(&moved)
		if moved.ID != m.ID || moved.AccountID == nil || moved.AccountID.String() != second {
			t.Errorf("got %+v", moved)
		}
		d.Owner.Do("PATCH", "/api/crm/v1/channels/"+second+"/status", map[string]any{"status": "paused"}).Want(200)
		expect("info@firma.example", "x", 450)
		if f := d.Owner.Delete(base+"/provision/domain/"+of.Domain.ID.String()).Refused(409, "conflict"); f.Reason != "has_mailboxes" || !strings.Contains(f.Message, "first") {
			t.Errorf("got %+v", f)
		}
		var list []domain.Mailbox
		d.Owner.Get(base + "/mailboxes").Want(200).Data(&list)
		if len(list) != 1 || !cmp.Equal(list[0], moved, cmpopts.IgnoreUnexported(domain.Mailbox{})) {
			t.Errorf("got %+v", list)
		}
		one := base + "/mailboxes/" + m.ID.String()
		d.Owner.Delete(one).Want(200)
		d.Owner.Delete(one).Refused(404, "not_found")
		expect("info@firma.example", "x", 550)
		d.Owner.Delete(base + "/provision/domain/" + of.Domain.ID.String()).Want(200)
		for action, want := range map[string]int{"added": 1, "changed": 1, "deleted": 1} {
			var lines []struct{}
			d.Owner.Get("/api/v1/auth/audit?action=mail.mailbox." + action).Want(200).Data(&lines)
			if len(lines) != want {
				t.Errorf("%s: %d lines in the audit log", action, len(lines))
			}
		}
	})
}

// A lost domain accepts no mail any more.
func TestLostDomainAcceptsNoMail(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, d *desk) {
		server, of := d.s.ListenSMTP(nil), d.add("firma.example")
		d.box("info@firma.example", d.account("destek@firma.example")).Want(200)
		d.publish(of)
		d.look(of)
		d.names.SetTXT("_verify.firma.example")
		d.round(of, 24*time.Hour)
		if code := send(t, server, "info@firma.example", "still"); code != 250 {
			t.Errorf("after one round: %d", code)
		}
		d.round(of, time.Hour)
		if code := send(t, server, "info@firma.example", "lost"); code != 550 {
			t.Errorf("after two rounds: %d", code)
		}
	})
}

func TestMailboxInput(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, d *desk) {
		d.add("firma.example")
		account, foreign := d.account("destek@firma.example"), (&desk{d.s.Workspace("acme"), t, d.s, d.names}).account("info@acme.example")
		for _, c := range []struct{ address, account, field, code string }{
			{"info", account, "address", "invalid_address"},
			{"info+x@firma.example", account, "address", "invalid_address"},
			{"çay@firma.example", account, "address", "invalid_address"},
			{"info@other.example", account, "address", "unknown_domain"},
			{"info@firma.example", uuid.NewString(), "account_id", "unknown"},
			{"info@firma.example", foreign, "account_id", "unknown"},
		} {
			if f := d.box(c.address, c.account).Refused(422, "validation_failed"); len(f.Fields[c.field]) != 1 || f.Fields[c.field][0] != c.code {
				t.Errorf("%s: got %+v", c.address, f.Fields)
			}
		}
		d.Owner.Post(mailboxes, map[string]any{"address": "a@firma.example", "kind": "personal"}).Refused(409, "mailbox_kind_unavailable")
		var m domain.Mailbox
		d.box("info@firma.example", account).Want(200).Data(&m)
		err := d.s.DB.Tenant(d.ID).InTx(t.Context(), func(tx *db.Tx) error {
			for i := range 999 {
				if err := tx.Exec(`INSERT INTO mail_mailbox SELECT tenant_id, $2, domain_id, $3, kind, account_id, targets, password_hash, quota_mb, used_bytes, daily_limit, state, created_by, created_at
					FROM mail_mailbox WHERE tenant_id = $1 AND id = $4`, tx.Tenant(), tx.NewID(), fmt.Sprintf("x%d@firma.example", i), m.ID); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if f := d.box("b@firma.example", account).Refused(422, "limit_reached"); f.Reason != "mailboxes" {
			t.Errorf("got %+v", f)
		}
		d.box("info@firma.example", account).Want(200)
	})
}
