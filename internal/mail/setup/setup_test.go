package setup_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/kit/db"
	"konak/internal/kit/dns/dnstest"
	"konak/internal/kit/perm"
	"konak/internal/mail"
	"konak/internal/mail/domain"
	"konak/internal/mail/setup"
)

const base = "/api/mail/v1/setup"

func statuses(s setup.Setup) map[string]string {
	out := map[string]string{}
	for _, x := range s.Steps {
		out[x.Key] = x.Status
	}
	return out
}

// A workspace goes through the whole setup.
func TestSetup(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			names := dnstest.Start(t)
			s := apptest.NewOn(t, dialect, func(c *app.Config) { c.NameServers, c.MailHost = names.Find, "mx.konak.example" })
			w, other := s.Workspace("demo"), s.Workspace("acme")
			var got setup.Setup
			w.Owner.Get(base).Want(200).Data(&got)
			all := map[string]string{
				"domain": "pending", "ownership": "pending", "mx": "pending", "auth_records": "pending", "mailboxes": "pending",
				"migration": "pending", "policies": "pending", "test_mail": "pending",
			}
			expect := func(done ...string) {
				t.Helper()
				for _, key := range done {
					all[key] = "done"
				}
				if diff := cmp.Diff(all, statuses(got)); diff != "" {
					t.Error(diff)
				}
			}
			expect()
			complete := func(reason string) {
				t.Helper()
				if f := w.Owner.Post(base+"/complete", nil).Refused(409, "conflict"); f.Reason != reason {
					t.Errorf("got %q, want %q", f.Reason, reason)
				}
			}
			complete("domain")
			account := w.Owner.Post("/api/crm/v1/channels/email", map[string]any{"name": "Destek", "address": "destek@firma.example"}).Want(201).ID()
			w.Owner.Post(base+"/apply", map[string]any{"domain": "firma.example"}).Want(200).Data(&got)
			expect("domain")
			complete("ownership")
			body := map[string]any{"domain": "firma.example", "mailboxes": []any{map[string]any{"address": "info@firma.example", "account_id": account}}}
			for range 2 {
				w.Owner.Post(base+"/apply", body).Want(200).Data(&got)
			}
			expect("mailboxes")
			var list []domain.Domain
			w.Owner.Get("/api/mail/v1/domains").Want(200).Data(&list)
			if len(list) != 1 {
				t.Fatalf("got %+v", list)
			}
			publish := func(purposes ...string) {
				t.Helper()
				dns := "/api/mail/v1/domains/" + list[0].ID.String() + "/dns"
				var of domain.Details
				w.Owner.Get(dns).Want(200).Data(&of)
				for _, r := range of.Records {
					for _, p := range purposes {
						if r.Purpose == p && r.Type == "MX" {
							names.SetMX(r.FQDN, fmt.Sprintf("%d %s", *r.Priority, r.Value))
						} else if r.Purpose == p {
							names.SetTXT(r.FQDN, r.Chunks)
						}
					}
				}
				s.Clock.Advance(10 * time.Second)
				w.Owner.Get(dns).Want(200)
				w.Owner.Get(base).Want(200).Data(&got)
			}
			publish("ownership")
			expect("ownership")
			complete("mx")
			publish("mx", "spf", "dmarc")
			expect("mx")
			complete("auth_records")
			publish("dkim_rsa")
			expect("auth_records")
			// Detected steps cannot be marked; a person marks the others.
			if f := w.Owner.Post(base+"/step", map[string]any{"step": "mx", "status": "done"}).Refused(422, "validation_failed"); f.Fields["step"][0] != "not_allowed" || !strings.HasPrefix(f.Message, "Konak detects this step") {
				t.Errorf("got %+v", f)
			}
			w.Owner.Post(base+"/step", map[string]any{"step": "migration", "status": "skipped"}).Want(200).Data(&got)
			all["migration"] = "skipped"
			expect()
			w.Owner.Post(base+"/complete", nil).Want(200).Data(&got)
			first := got.CompletedAt
			s.Clock.Advance(time.Hour)
			w.Owner.Post(base+"/complete", nil).Want(200).Data(&got)
			if first == nil || !got.CompletedAt.Equal(first.Time) || got.Dismissed {
				t.Errorf("got %+v", got)
			}
			w.Owner.Post(base+"/dismiss", nil).Want(200).Data(&got)
			if !got.Dismissed || got.CompletedAt == nil {
				t.Errorf("got %+v", got)
			}
			other.Owner.Get(base).Want(200).Data(&got)
			if got.Dismissed || got.CompletedAt != nil || got.Steps[0].Status != "pending" {
				t.Errorf("another workspace: %+v", got)
			}
		})
	}
}

// Apply requires the permissions for what it does.
func TestApplyPermissions(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		as := func(name string, permissions ...perm.Permission) *apptest.Client {
			t.Helper()
			if _, err := s.Identity.SetRole(w.Context(), identity.Role{Name: name, Title: name, Permissions: append(permissions, perm.MailSettingsView, perm.MailSettingsManage)}); err != nil {
				t.Fatal(err)
			}
			if err := s.Identity.AddMember(t.Context(), w.ID, name, name+"@demo.example", apptest.Password, name); err != nil {
				t.Fatal(err)
			}
			return w.SignIn(name + "@demo.example")
		}
		body := map[string]any{"domain": "firma.example", "mailboxes": []any{map[string]any{"address": "info@firma.example", "account_id": w.ID}}}
		guide := as("guide")
		for permission, c := range map[string]*apptest.Client{"mail.domains.manage": guide, "mail.mailboxes.manage": as("names", perm.DomainsManage)} {
			if f := c.Post(base+"/apply", body).Refused(403, "forbidden"); f.Permission != permission {
				t.Errorf("got %+v", f)
			}
		}
		var list []domain.Domain
		w.Owner.Get("/api/mail/v1/domains").Want(200).Data(&list)
		if len(list) != 0 {
			t.Errorf("a refused call left %+v", list)
		}
		guide.Post(base+"/dismiss", nil).Want(200)
	})
}

// Apply changes all or nothing, and names the field that it refuses.
func TestApplyAllOrNothing(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		account := w.Owner.Post("/api/crm/v1/channels/email", map[string]any{"name": "Destek", "address": "destek@firma.example"}).Want(201).ID()
		box := func(address, account string) map[string]any {
			return map[string]any{"address": address, "account_id": account}
		}
		body := map[string]any{
			"domain": "firma.example", "defaults": map[string]any{"default_quota_mb": 100},
			"mailboxes": []any{box("info@firma.example", account), box("satis@firma.example", w.ID.String())},
		}
		for field, bad := range map[string]any{
			"mailboxes[1].account_id": box("satis@firma.example", w.ID.String()), "mailboxes[1].address": box("satis@baska.example", account),
		} {
			body["mailboxes"] = []any{box("info@firma.example", account), bad}
			if f := w.Owner.Post(base+"/apply", body).Refused(422, "validation_failed"); len(f.Fields[field]) != 1 {
				t.Errorf("%s: got %+v", field, f)
			}
		}
		body["mailboxes"] = []any{box("info@firma.example", account), box("no address", account)}
		if f := w.Owner.Post(base+"/apply", body).Refused(422, "validation_failed"); len(f.Fields["mailboxes[1].address"]) != 1 {
			t.Errorf("got %+v", f)
		}
		var domains []domain.Domain
		var boxes []domain.Mailbox
		var settings struct{ Defaults mail.Defaults }
		look := func() {
			t.Helper()
			w.Owner.Get("/api/mail/v1/domains").Want(200).Data(&domains)
			w.Owner.Get("/api/mail/v1/mailboxes").Want(200).Data(&boxes)
			w.Owner.Get("/api/mail/v1/settings").Want(200).Data(&settings)
		}
		if look(); len(domains)+len(boxes) != 0 || settings.Defaults.DefaultQuotaMB != nil {
			t.Errorf("a refused call left %+v, %+v and %+v", domains, boxes, settings)
		}
		body["mailboxes"] = []any{box("info@firma.example", account)}
		w.Owner.Post(base+"/apply", body).Want(200)
		w.Owner.Put("/api/mail/v1/settings/forwarding", map[string]any{"allowed": []string{"firma.example"}}).Want(200)
		w.Owner.Post("/api/mail/v1/provision/mailbox", map[string]any{"address": "info@firma.example", "kind": "forward", "targets": []string{"satis@firma.example"}}).Want(200)
		body["mailboxes"] = []any{box(" Info@firma.example", account)}
		w.Owner.Post(base+"/apply", body).Want(200)
		if look(); len(boxes) != 1 || boxes[0].Kind != domain.KindForward {
			t.Errorf("what was there became %+v", boxes)
		}
		if look(); len(domains) != 1 || len(boxes) != 1 || boxes[0].QuotaMB == nil || *boxes[0].QuotaMB != 100 || *settings.Defaults.DefaultQuotaMB != 100 {
			t.Errorf("got %+v, %+v and %+v", domains, boxes, settings)
		}
		delete(body, "defaults")
		w.Owner.Post(base+"/apply", body).Want(200)
		if look(); settings.Defaults.DefaultQuotaMB == nil {
			t.Error("a call without defaults cleared them")
		}
	})
}
