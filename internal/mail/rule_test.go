package mail_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app/apptest"
	"konak/internal/mail"
)

const (
	rules     = "/api/mail/v1/dlp/rules"
	incidents = "/api/mail/v1/dlp/incidents"
)

func TestRules(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		var r mail.Rule
		w.Owner.Post(rules, map[string]any{"name": " Gizli ", "pattern_type": "keyword", "pattern": "çok gizli", "action": "block"}).Want(201).Data(&r)
		want := mail.Rule{
			ID: r.ID, Name: "Gizli", PatternType: "keyword", Pattern: "çok gizli", Action: "block", Severity: "medium", Enabled: true,
			Options: mail.RuleOptions{MinCount: 1, Scope: "any", ProximityWords: []string{}, Fields: []string{}}, CreatedBy: &w.Member, CreatedAt: r.CreatedAt,
		}
		if diff := cmp.Diff(want, r); diff != "" {
			t.Error(diff)
		}
		if got := w.Owner.Post(rules, map[string]any{"name": "GİZLİ", "pattern_type": "iban", "action": "log"}).Want(201).ID(); got == "" {
			t.Error("no id")
		}
		if f := w.Owner.Post(rules, map[string]any{"name": "gizli", "pattern_type": "iban", "action": "log"}).Refused(409, "conflict"); f.Fields["name"][0] != "taken" {
			t.Errorf("got %+v", f)
		}
		one := rules + "/" + r.ID.String()
		w.Owner.Put(one+"/enabled", map[string]any{"enabled": false}).Want(200).Data(&r)
		w.Owner.Put(one+"/enabled", map[string]any{"enabled": false}).Want(200)
		if r.Enabled {
			t.Error("it is still on")
		}
		var list []mail.Rule
		w.Owner.Get(rules).Want(200).Data(&list)
		if len(list) != 2 || list[1].Enabled || !list[0].Enabled {
			t.Errorf("got %+v", list)
		}
		w.Owner.Delete(one).Want(200)
		w.Owner.Delete(one).Refused(404, "not_found")
		w.Owner.Put(one+"/enabled", map[string]any{"enabled": true}).Refused(404, "not_found")
		if diff := cmp.Diff([]string{mail.RuleCreated, mail.RuleCreated, mail.RuleUpdated, mail.RuleDeleted}, w.Events()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestRuleInput(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for _, c := range []struct {
			body  map[string]any
			field string
			code  string
		}{
			{map[string]any{"name": "a", "pattern_type": "colour", "action": "block"}, "pattern_type", "not_allowed"},
			{map[string]any{"name": "a", "pattern_type": "iban", "action": "delete"}, "action", "not_allowed"},
			{map[string]any{"name": "a", "pattern_type": "keyword", "action": "block"}, "pattern", "required"},
			{map[string]any{"name": "a", "pattern_type": "keyword", "pattern": " \n ", "action": "block"}, "pattern", "required"},
			{map[string]any{"name": "a", "pattern_type": "regex", "action": "block"}, "pattern", "required"},
			{map[string]any{"name": "a", "pattern_type": "regex", "pattern": "(", "action": "block"}, "pattern", "invalid_pattern"},
			{map[string]any{"name": "a", "pattern_type": "iban", "pattern": "x", "action": "block"}, "pattern", "not_allowed"},
			{map[string]any{"name": " ", "pattern_type": "iban", "action": "block"}, "name", "required"},
			{map[string]any{"name": "a", "pattern_type": "iban", "action": "block", "options": map[string]any{"min_count": 0}}, "options.min_count", "too_small"},
			{map[string]any{"name": "a", "pattern_type": "iban", "action": "block", "options": map[string]any{"scope": "inside"}}, "options.scope", "not_allowed"},
			{map[string]any{"name": "a\r\nBcc: x", "pattern_type": "iban", "action": "block"}, "name", "invalid_format"},
			{map[string]any{"name": "a\u0007", "pattern_type": "iban", "action": "block"}, "name", "invalid_format"},
			{map[string]any{"name": "a\u2028b", "pattern_type": "iban", "action": "block"}, "name", "invalid_format"},
			{map[string]any{"name": "a", "pattern_type": "iban", "action": "block", "options": map[string]any{"proximity_words": []string{"a", "b\nc"}}}, "options.proximity_words", "invalid_format"},
			{map[string]any{"name": "a", "pattern_type": "iban", "action": "block", "options": map[string]any{"proximity_words": []string{" "}}}, "options.proximity_words", "invalid_format"},
		} {
			got := w.Owner.Post(rules, c.body).Refused(422, "validation_failed")
			if diff := cmp.Diff(map[string][]string{c.field: {c.code}}, got.Fields); diff != "" {
				t.Errorf("%v: %s", c.body, diff)
			}
		}
		for lang, want := range map[string]string{"en": "action must be one of: block, quarantine, redact, warn, notify, log.", "tr": "action şunlardan biri olabilir: block, quarantine, redact, warn, notify, log."} {
			f := w.Owner.Header("Accept-Language", lang).Post(rules, map[string]any{"name": "a", "pattern_type": "iban", "action": "delete"}).Refused(422, "validation_failed")
			if !strings.HasSuffix(f.Message, " "+want) {
				t.Errorf("said %q", f.Message)
			}
		}
		// Rules that are too large together.
		long := strings.Repeat("a", 19_000)
		for _, name := range []string{"b", "c", "d"} {
			w.Owner.Post(rules, map[string]any{"name": name, "pattern_type": "keyword", "pattern": name + long, "action": "log"}).Want(201)
		}
		if f := w.Owner.Post(rules, map[string]any{"name": "e", "pattern_type": "keyword", "pattern": "e" + long, "action": "log"}).Refused(422, "limit_reached"); f.Reason != "patterns" {
			t.Errorf("got %+v", f)
		}
		w.Owner.Post(rules, map[string]any{"name": "e", "pattern_type": "keyword", "pattern": "e" + long, "action": "log", "enabled": false}).Want(201)
	})
}

func TestRuleTrial(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		w.Owner.Post(rules, map[string]any{"name": "Kart", "pattern_type": "credit_card", "action": "warn"}).Want(201)
		w.Owner.Post(rules, map[string]any{"name": "IBAN", "pattern_type": "iban", "action": "block", "enabled": false}).Want(201)
		const text = "Kart 4111 1111 1111 1111, IBAN TR33 0006 1005 1978 6457 8413 26"
		for _, c := range []struct {
			rule     any
			text     string
			action   string
			redacted string
		}{
			{nil, text, "warn", "Kart ████ ████ ████ ████, IBAN TR33 0006 1005 1978 6457 8413 26"},
			{map[string]any{"pattern_type": "iban", "action": "block"}, text, "block", "Kart 4111 1111 1111 1111, IBAN ████ ████ ████ ████ ████ ████ ██"},
			{nil, "Merhaba", "pass", "Merhaba"},
		} {
			body := map[string]any{"text": c.text}
			if c.rule != nil {
				body["rule"] = c.rule
			}
			var got mail.Tested
			resp := w.Owner.Post("/api/mail/v1/dlp/test", body).Want(200).Data(&got)
			if got.Action != c.action || got.Redacted != c.redacted || (len(got.Matches) == 1) != (c.action != "pass") {
				t.Errorf("%v: got %s", c.rule, resp.Body)
			}
		}
		w.Owner.Post("/api/mail/v1/dlp/test", map[string]any{"text": "x", "rule": map[string]any{"pattern_type": "regex", "action": "log"}}).Refused(422, "validation_failed")
		var list []mail.Incident
		w.Owner.Get(incidents).Want(200).Data(&list)
		if len(list) != 0 {
			t.Errorf("a test left %+v", list)
		}
	})
}

// Single-line texts accept neither line ends nor other control characters.
func TestSingleLines(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		source := func(host, user string) map[string]any {
			return map[string]any{"mailbox": "a@firma.example", "source": map[string]any{"host": host, "port": 993, "tls": "tls", "user": user, "auth": "password"}}
		}
		for _, text := range []string{"a\r\nb", "a\n", "a\u001bb", "a\u0085b"} {
			for _, c := range []struct {
				method, path, field string
				body                map[string]any
			}{
				{"POST", "/dlp/exceptions", "note", map[string]any{"email": "a@firma.example", "note": text}},
				{"POST", "/dlp/test", "subject", map[string]any{"text": "x", "subject": text}},
				{"PUT", "/journal/" + w.ID.String() + "/hold", "reason", map[string]any{"reason": text}},
				{"POST", "/migration-jobs", "source.host", source(text, "a")},
				{"POST", "/migration-jobs", "source.user", source("imap.firma.example", text)},
			} {
				f := w.Owner.Do(c.method, "/api/mail/v1"+c.path, c.body).Refused(422, "validation_failed")
				if diff := cmp.Diff(map[string][]string{c.field: {"invalid_format"}}, f.Fields); diff != "" {
					t.Errorf("%s: %s", c.path, diff)
				}
			}
		}
		w.Owner.Post("/api/mail/v1/dlp/exceptions", map[string]any{"email": "a@firma.example", "note": "Denetçi, yıl sonuna kadar – 2026"}).Want(201)
	})
}
