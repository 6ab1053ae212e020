package mail_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pquerna/otp/totp"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/mail"
)

const allowlist = "/api/mail/v1/settings/admin-ip-allowlist"

// The allowlist keeps everybody else out of every mail route, in IPv4 and IPv6, and nobody
// can lock themselves out.
func TestAllowlist(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, func(c *app.Config) { c.TrustedProxies = []string{"127.0.0.0/8"} }, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		from := func(ip string) *apptest.Client { return w.Owner.Header("X-Forwarded-For", ip) }
		set := func(c *apptest.Client, cidrs ...string) *apptest.Response {
			return c.Put(allowlist, map[string]any{"cidrs": append([]string{}, cidrs...)})
		}
		f := set(from("203.0.113.9"), "198.51.100.0/24").Refused(422, "self_lockout")
		if !strings.Contains(f.Message, "203.0.113.9") {
			t.Errorf("got %q", f.Message)
		}
		var got mail.Settings
		set(from("203.0.113.9"), "2001:db8::/32", "203.0.113.9/24", "203.0.113.0/24", "::ffff:198.51.100.7").Want(200).Data(&got)
		if diff := cmp.Diff([]string{"198.51.100.7/32", "2001:db8::/32", "203.0.113.0/24"}, got.AdminIPAllowlist.CIDRs); diff != "" {
			t.Error(diff)
		}
		for _, path := range []string{"/api/mail/v1/settings", exceptions, rules, incidents, "/api/mail/v1/webhooks"} {
			for ip, want := range map[string]int{"203.0.113.200": 200, "198.51.100.7": 200, "2001:db8::1": 200, "198.51.100.8": 403, "2001:db9::1": 403} {
				if resp := from(ip).Get(path); resp.Status != want {
					t.Errorf("%s from %s: %d", path, ip, resp.Status)
				}
			}
		}
		set(from("198.51.100.8")).Refused(403, "ip_not_allowed")
		from("198.51.100.8").Get("/api/crm/v1/conversations").Want(200)            // only mail is guarded
		other.Owner.Header("X-Forwarded-For", "198.51.100.8").Get(rules).Want(200) // and only this workspace
		set(from("203.0.113.9")).Want(200)
		from("198.51.100.8").Get(rules).Want(200)
		var lines []struct {
			Action string `json:"action"`
		}
		w.Owner.Get("/api/v1/auth/audit?action=mail.settings.admin_ip_allowlist").Want(200).Data(&lines)
		if len(lines) != 2 {
			t.Errorf("%d lines in the audit log", len(lines))
		}
	})
}

func TestAllowlistInput(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for _, bad := range []string{"x", "10.0.0.0/33", "", "fe80::1%eth0", "::ffff:10.0.0.0/90"} {
			f := w.Owner.Put(allowlist, map[string]any{"cidrs": []string{bad}}).Refused(422, "validation_failed")
			if diff := cmp.Diff(map[string][]string{"cidrs": {"invalid_address"}}, f.Fields); diff != "" {
				t.Errorf("%q: %s", bad, diff)
			}
		}
		many := make([]string, 201)
		for i := range many {
			many[i] = "127.0.0.1"
		}
		w.Owner.Put(allowlist, map[string]any{"cidrs": many}).Refused(422, "validation_failed")
		w.Owner.Put(allowlist, map[string]any{}).Refused(422, "validation_failed")
	})
}

// In a workspace that requires a second step, members without one can only set it up, while
// API keys work as before.
func TestRequire2FA(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		const path, auth = "/api/mail/v1/settings/require-2fa", "/api/v1/auth"
		w := s.Workspace("demo")
		required := map[string]any{"required": true}
		w.Owner.Put(path, required).Refused(409, "two_factor_off")
		enrol := func(c *apptest.Client) {
			t.Helper()
			var setup struct {
				Secret string `json:"secret"`
			}
			c.Post(auth+"/2fa/totp", nil).Want(200).Data(&setup)
			code, err := totp.GenerateCode(setup.Secret, s.Clock.Now())
			if err != nil {
				t.Fatal(err)
			}
			c.Post(auth+"/2fa/totp/confirm", map[string]any{"code": code}).Want(200)
		}
		guest, key := w.Guest(), w.FullKey()
		enrol(w.Owner)
		var set mail.Settings
		w.Owner.Put(path, required).Want(200).Data(&set)
		w.Owner.Put(path, required).Want(200)
		if !set.Require2FA.Required {
			t.Errorf("got %+v", set)
		}
		w.Owner.Get(rules).Want(200)
		key.Get("/api/crm/public/v1/conversations").Want(200)
		for _, closed := range []string{rules, "/api/crm/v1/conversations", "/api/v1/stream"} {
			guest.Get(closed).Refused(403, "two_factor_required")
		}
		guest.Get(auth + "/me").Want(200)
		guest.Get(auth + "/workspaces").Want(200)
		enrol(guest)
		guest.Get(rules).Refused(403, "forbidden") // an ordinary member again
		w.Owner.Put(path, map[string]any{"required": false}).Want(200)
		w.Owner.Get("/api/mail/v1/settings").Want(200).Data(&set)
		if set.Require2FA.Required {
			t.Error("it is still required")
		}
		var lines []struct{}
		w.Owner.Get(auth + "/audit?action=mail.settings.two_factor").Want(200).Data(&lines)
		if len(lines) != 2 {
			t.Errorf("%d lines in the audit log", len(lines))
		}
	})
}

// Every change of a setting is one audit entry; repeating it adds none.
func TestSettingsAreAudited(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for _, c := range []struct {
			path, action string
			body         map[string]any
		}{
			{"abuse", "abuse", map[string]any{"auto_suspend": true}},
			{"dlp", "dlp", map[string]any{"messaging": true}},
			{"defaults", "defaults", map[string]any{"default_quota_mb": 7}},
			{"journaling", "journaling", map[string]any{"enabled": true, "retention_days": 7}},
			{"forwarding", "forwarding", map[string]any{"allowed": []string{"other.example"}}},
			{"admin-ip-allowlist", "admin_ip_allowlist", map[string]any{"cidrs": []string{"0.0.0.0/0", "::/0"}}},
		} {
			w.Owner.Put("/api/mail/v1/settings/"+c.path, c.body).Want(200)
			w.Owner.Put("/api/mail/v1/settings/"+c.path, c.body).Want(200)
			var lines []struct{}
			w.Owner.Get("/api/v1/auth/audit?action=mail.settings." + c.action).Want(200).Data(&lines)
			if len(lines) != 1 {
				t.Errorf("%s: %d lines in the audit log", c.path, len(lines))
			}
		}
	})
}
