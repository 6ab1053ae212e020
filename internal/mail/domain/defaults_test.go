package domain_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"konak/internal/mail"
	"konak/internal/mail/domain"
)

func (d *desk) setDefaults(body map[string]any) (set mail.Settings) {
	d.t.Helper()
	d.Owner.Put(base+"/settings/defaults", body).Want(200).Data(&set)
	return set
}

// The defaults apply to mailboxes and passwords created later, and are replaced as a whole.
func TestDefaults(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, d *desk) {
		d.add("firma.example")
		account := d.account("destek@firma.example")
		put := func(address string, more map[string]any) (m domain.Mailbox) {
			t.Helper()
			body := map[string]any{"address": address, "kind": "inbox", "account_id": account}
			for k, v := range more {
				body[k] = v
			}
			d.Owner.Post(mailboxes, body).Want(200).Data(&m)
			return m
		}
		refuse := func(password string) {
			t.Helper()
			body := map[string]any{"address": "a@firma.example", "kind": "inbox", "account_id": account, "password": password}
			if f := d.Owner.Post(mailboxes, body).Refused(422, "validation_failed"); !slices.Equal(f.Fields["password"], []string{"too_short"}) {
				t.Errorf("got %+v", f)
			}
		}
		if m := put("once@firma.example", nil); m.QuotaMB != nil || m.HasPassword {
			t.Errorf("got %+v", m)
		}
		refuse(strings.Repeat("ş", 11))
		if m := put("once@firma.example", map[string]any{"password": strings.Repeat("ş", 12)}); !m.HasPassword {
			t.Errorf("got %+v", m)
		}
		set := d.setDefaults(map[string]any{"default_quota_mb": 5, "min_password_length": 14})
		if set.Defaults.DefaultQuotaMB == nil || *set.Defaults.DefaultQuotaMB != 5 || set.Defaults.MinPasswordLength == nil || *set.Defaults.MinPasswordLength != 14 {
			t.Errorf("got %+v", set.Defaults)
		}
		refuse(strings.Repeat("x", 13))
		if m := put("once@firma.example", nil); m.QuotaMB != nil || !m.HasPassword {
			t.Errorf("one that was there: %+v", m)
		}
		if m := put("sonra@firma.example", nil); m.QuotaMB == nil || *m.QuotaMB != 5 {
			t.Errorf("a new one: %+v", m)
		}
		if m := put("baska@firma.example", map[string]any{"quota_mb": 7}); m.QuotaMB == nil || *m.QuotaMB != 7 {
			t.Errorf("one with a quota of its own: %+v", m)
		}
		if m := put("baska@firma.example", nil); m.QuotaMB == nil || *m.QuotaMB != 7 {
			t.Errorf("the same again: %+v", m)
		}
		set = d.setDefaults(map[string]any{"default_quota_mb": nil})
		if set.Defaults.DefaultQuotaMB != nil || set.Defaults.MinPasswordLength != nil {
			t.Errorf("got %+v", set.Defaults)
		}
		if m := put("sonuncu@firma.example", map[string]any{"password": strings.Repeat("x", 12)}); m.QuotaMB != nil {
			t.Errorf("got %+v", m)
		}
		for _, body := range []map[string]any{{"default_quota_mb": 0}, {"min_password_length": 7}, {"min_password_length": 129}} {
			d.Owner.Put(base+"/settings/defaults", body).Refused(422, "validation_failed")
		}
		d.setDefaults(map[string]any{})
		var lines []struct{}
		d.Owner.Get("/api/v1/auth/audit?action=mail.settings.defaults").Want(200).Data(&lines)
		if len(lines) != 2 {
			t.Errorf("%d lines in the audit log", len(lines))
		}
		if text := string(d.Owner.Get(base + "/mailboxes").Want(200).Body); strings.Contains(text, "argon2") {
			t.Errorf("shows passwords: %s", text)
		}
	})
}

// A quota and a daily limit can be removed again; if they are left out, they stay.
func TestLimitsCanBeRemoved(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, d *desk) {
		d.add("firma.example")
		account := d.account("destek@firma.example")
		d.setDefaults(map[string]any{"default_quota_mb": 5})
		put := func(more map[string]any) (m domain.Mailbox) {
			t.Helper()
			body := map[string]any{"address": "a@firma.example", "kind": "inbox", "account_id": account}
			maps.Copy(body, more)
			d.Owner.Post(mailboxes, body).Want(200).Data(&m)
			return m
		}
		if m := put(map[string]any{"daily_limit": 9}); m.QuotaMB == nil || *m.QuotaMB != 5 || m.DailyLimit == nil || *m.DailyLimit != 9 {
			t.Errorf("got %+v", m)
		}
		if m := put(map[string]any{"quota_mb": nil}); m.QuotaMB != nil || m.DailyLimit == nil {
			t.Errorf("without a quota: %+v", m)
		}
		if m := put(map[string]any{"daily_limit": nil, "quota_mb": 8}); m.DailyLimit != nil || m.QuotaMB == nil || *m.QuotaMB != 8 {
			t.Errorf("without a limit: %+v", m)
		}
		for _, bad := range []map[string]any{{"quota_mb": 0}, {"daily_limit": 2001}, {"quota_mb": "x"}} {
			body := map[string]any{"address": "a@firma.example", "kind": "inbox", "account_id": account}
			maps.Copy(body, bad)
			d.Owner.Post(mailboxes, body).Refused(422, "validation_failed")
		}
	})
}

// An inbox accepts mail up to its quota.
func TestQuota(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, d *desk) {
		server, of := d.s.ListenSMTP(nil), d.add("firma.example")
		d.publish(of, "ownership")
		d.look(of)
		account := d.account("destek@firma.example")
		body := map[string]any{"address": "info@firma.example", "kind": "inbox", "account_id": account, "quota_mb": 1}
		d.Owner.Post(mailboxes, body).Want(200)
		large := strings.Repeat("x", 240<<10) // the mail contains it twice
		for i, want := range []int{250, 250, 452, 250} {
			subject := "kısa"
			if i < 3 {
				subject = large
			}
			if code := send(t, server, "info@firma.example", subject); code != want {
				t.Errorf("mail %d: said %d, want %d", i, code, want)
			}
		}
		body["quota_mb"] = 4
		d.Owner.Post(mailboxes, body).Want(200)
		if code := send(t, server, "info@firma.example", large); code != 250 {
			t.Errorf("with more space: said %d", code)
		}
	})
}

func TestForwardInput(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, d *desk) {
		d.add("firma.example")
		const forwarding = "/api/mail/v1/settings/forwarding"
		d.Owner.Put(forwarding, map[string]any{"allowed": []string{"Other.example", "x@@y"}}).Refused(422, "validation_failed")
		d.Owner.Put(forwarding, map[string]any{"allowed": []string{"Other.example", "ELIF@third.example", "other.example", "firma.example"}}).Want(200)
		for address, target := range map[string]string{"bir@firma.example": "iki+x@firma.example", "iki@firma.example": "ekip@firma.example"} {
			d.Owner.Post(mailboxes, map[string]any{"address": address, "kind": "forward", "targets": []string{target, "nobody@firma.example"}}).Want(200)
		}
		for _, c := range []struct {
			targets []string
			code    string
		}{
			{nil, "required"},
			{[]string{"x"}, "invalid_address"},
			{[]string{"elif@other.example", "çay@other.example"}, "invalid_address"},
			{[]string{"EKIP@firma.example"}, "forwarding_loop"},
			{[]string{"elif@other.example", "ekip+x@firma.example"}, "forwarding_loop"},
			{[]string{"bir@firma.example"}, "forwarding_loop"},
			{[]string{"elif@other.example", "ali@third.example"}, "forwarding_not_allowed"},
			{[]string{"elif@sub.other.example"}, "forwarding_not_allowed"},
		} {
			body := map[string]any{"address": "ekip@firma.example", "kind": "forward", "targets": c.targets}
			if f := d.Owner.Post(mailboxes, body).Refused(422, "validation_failed"); !slices.Equal(f.Fields["targets"], []string{c.code}) {
				t.Errorf("%q: got %+v", c.targets, f.Fields)
			}
		}
		if f := d.Owner.Post(mailboxes, map[string]any{"address": "info@firma.example", "kind": "inbox"}).Refused(422, "validation_failed"); !slices.Equal(f.Fields["account_id"], []string{"required"}) {
			t.Errorf("got %+v", f.Fields)
		}
		var m domain.Mailbox
		d.Owner.Post(mailboxes, map[string]any{"address": "ekip@firma.example", "kind": "forward", "targets": []string{"elif@other.example", "Elif@other.example", "elif@third.example"}}).Want(200).Data(&m)
		if !slices.Equal(m.Targets, []string{"elif@other.example", "elif@third.example"}) || m.AccountID != nil || m.Kind != domain.KindForward {
			t.Errorf("got %+v", m)
		}
	})
}
