package migration_test

import (
	"slices"
	"testing"

	"konak/internal/app/apptest"
	"konak/internal/mail/migration"
)

const base = "/api/mail/v1/migration-jobs"

func body(mailbox, host string) map[string]any {
	return map[string]any{"mailbox": mailbox, "source": map[string]any{"host": host, "port": 993, "tls": "tls", "user": "info", "auth": "password"}}
}

// A job waits until it is cancelled, and then stays cancelled.
func TestJobs(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		w.Owner.Post("/api/mail/v1/provision/domain/quickstart", map[string]any{"domain": "firma.example"}).Want(200)
		w.Owner.Put("/api/mail/v1/settings/forwarding", map[string]any{"allowed": []string{"other.example"}}).Want(200)
		w.Owner.Post("/api/mail/v1/provision/mailbox", map[string]any{"address": "info@firma.example", "kind": "forward", "targets": []string{"a@other.example"}}).Want(200)
		in := body("Info@firma.example", "imap.eski.example")
		var j migration.Job
		w.Owner.Post(base, in).Want(201).Data(&j)
		if j.State != migration.Queued || j.Mailbox != "info@firma.example" || j.Source.Host != "imap.eski.example" || j.CreatedBy == nil || j.EndedAt != nil {
			t.Errorf("got %+v", j)
		}
		w.Owner.Post(base, in).Refused(409, "conflict")
		for _, c := range []struct{ mailbox, host, field, code string }{
			{"yok@firma.example", "imap.eski.example", "mailbox", "unknown"},
			{"info@firma.example", "imap.eski.example:993", "source.host", "invalid_host"},
		} {
			if f := w.Owner.Post(base, body(c.mailbox, c.host)).Refused(422, "validation_failed"); !slices.Equal(f.Fields[c.field], []string{c.code}) {
				t.Errorf("%s: got %+v", c.field, f.Fields)
			}
		}
		other.Owner.Post(base, in).Refused(422, "validation_failed")
		var list []migration.Job
		w.Owner.Get(base).Want(200).Data(&list)
		if len(list) != 1 || list[0].ID != j.ID {
			t.Errorf("got %+v", list)
		}
		cancel := base + "/" + j.ID.String() + "/cancel"
		other.Owner.Post(cancel, nil).Refused(404, "not_found")
		var first, again migration.Job
		w.Owner.Post(cancel, nil).Want(200).Data(&first)
		w.Owner.Post(cancel, nil).Want(200).Data(&again)
		if first.State != migration.Cancelled || first.EndedAt == nil || again.State != first.State || *again.EndedAt != *first.EndedAt {
			t.Errorf("got %+v, then %+v", first, again)
		}
		var lines []struct{}
		w.Owner.Get("/api/v1/auth/audit?action=mail.migration.cancelled").Want(200).Data(&lines)
		if len(lines) != 1 {
			t.Errorf("%d lines in the audit log", len(lines))
		}
		w.Owner.Post(base, in).Want(201)
	})
}
