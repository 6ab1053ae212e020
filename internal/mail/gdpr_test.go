package mail_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app/apptest"
	"konak/internal/kit/ledger"
	"konak/internal/mail"
)

const gdpr = "/api/mail/v1/gdpr"

func TestPrivacyRequests(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		w.Owner.Post(gdpr, map[string]any{"kind": "erasure", "mailbox": "nobody"}).Refused(422, "validation_failed")
		w.Owner.Post(gdpr, map[string]any{"kind": "colour", "mailbox": "a@example.com"}).Refused(422, "validation_failed")
		var q mail.PrivacyRequest
		w.Owner.Post(gdpr, map[string]any{"kind": "erasure", "mailbox": "Elif@Example.com", "note": "Telefonla"}).Want(201).Data(&q)
		if q.State != mail.RequestReceived || q.Mailbox != "elif@example.com" || q.DueAt.Sub(q.CreatedAt.Time) != 30*24*time.Hour || *q.RequestedBy != w.Member {
			t.Errorf("got %+v", q)
		}
		w.Owner.Post(gdpr, map[string]any{"kind": "export", "mailbox": "ali@example.com"}).Want(201)
		one := gdpr + "/" + q.ID.String() + "/state"
		var lines []ledger.Line
		w.Owner.Get(gdpr + "/audit?mailbox=ELIF@example.com").Want(200).Data(&lines)
		if len(lines) != 1 || lines[0].Seq != 1 || lines[0].Action != "gdpr.erasure.received" || lines[0].Personal["note"] != "Telefonla" || *lines[0].Actor.ID != w.Member {
			t.Errorf("got %+v", lines)
		}
		w.Owner.Put(one, map[string]any{"state": "completed"}).Want(200).Data(&q)
		if q.State != mail.RequestCompleted || q.Mailbox != "" || q.Note != "" || q.ClosedAt == nil {
			t.Errorf("got %+v", q)
		}
		if f := w.Owner.Put(one, map[string]any{"state": "rejected"}).Refused(409, "conflict"); f.Reason != "completed" {
			t.Errorf("got %+v", f)
		}
		// Erased data is not in any response any more.
		for _, path := range []string{gdpr, gdpr + "/audit"} {
			if body := string(w.Owner.Get(path).Want(200).Body); strings.Contains(body, "elif@") || strings.Contains(body, "Telefonla") || !strings.Contains(body, q.ID.String()) {
				t.Errorf("%s: %s", path, body)
			}
		}
		var v ledger.Verification
		w.Owner.Get(gdpr + "/audit/verify").Want(200).Data(&v)
		if !v.OK || v.Lines != 3 {
			t.Errorf("got %+v", v)
		}
		w.Owner.Get(gdpr+"/audit?mailbox=x").Refused(422, "validation_failed")
		if diff := cmp.Diff([]string{mail.RequestCreated, mail.RequestCreated, mail.RequestClosed}, w.Events()); diff != "" {
			t.Error(diff)
		}
	})
}
