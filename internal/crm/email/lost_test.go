package email_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/db"
)

// A mail whose file is lost fails at once and says why; once the same file is uploaded
// again it can be sent.
func TestLostFileFailsAtOnce(t *testing.T) {
	t.Parallel()
	content := []byte("%PDF-1.4 fatura")
	for reason, lose := range map[string]func(path string) error{
		"file_missing": os.Remove,
		"file_damaged": func(path string) error { return os.WriteFile(path, bytes.ToUpper(content), 0o600) },
	} {
		for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
			t.Run(reason+"/"+string(dialect), func(t *testing.T) {
				t.Parallel()
				var files string
				s := apptest.NewOn(t, dialect, func(c *app.Config) { c.MailDomain, files = domain, c.FilesFolder() })
				p, id := asked(t, s)
				upload := func() string {
					t.Helper()
					return p.Owner.Header("Content-Type", "application/octet-stream").Do("POST", "/api/crm/v1/attachments?filename=fatura.pdf", string(content)).Want(201).ID()
				}
				p.Owner.Post("/api/crm/v1/conversations/"+id+"/reply-as-agent", map[string]any{"body": "Ekte", "attachments": []string{upload()}}).Want(200)
				found, err := filepath.Glob(filepath.Join(files, "*", "*", "*"))
				if err != nil {
					t.Fatal(err)
				}
				lost := 0
				for _, path := range found {
					if kept, err := os.ReadFile(path); err != nil {
						t.Fatal(err)
					} else if bytes.Equal(kept, content) {
						lost++
						if err := lose(path); err != nil {
							t.Fatal(err)
						}
					}
				}
				s.Settle()
				l := p.message(id)
				if lost != 1 || *l.Delivery != "failed" || l.DeliveryError == nil || *l.DeliveryError != reason || len(p.sink.got()) != 0 {
					t.Errorf("%d files were lost, %d mails went out, %+v", lost, len(p.sink.got()), l)
				}
				upload()
				p.Owner.Post("/api/crm/v1/conversations/"+id+"/items/"+l.ID+"/retry", nil).Want(200)
				s.Settle()
				p.check(id, "sent", true)
			})
		}
	}
}

// A mail caused by a test key is not sent, even if its job exists.
func TestTestEnvironmentJobsSendNothing(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := asked(t, s)
		p.Owner.Post(replyPath(id), map[string]any{"body": "Yolda"}).Want(200)
		s.MoveToTest()
		s.Settle()
		if got := p.sink.got(); len(got) != 0 {
			t.Errorf("sent: %+v", got)
		}
	})
}

// A mail in quarantine whose file is lost is not released.
func TestReleaseWithoutFile(t *testing.T) {
	t.Parallel()
	var files string
	s := apptest.NewOn(t, db.SQLite, func(c *app.Config) { c.MailDomain, files = domain, c.FilesFolder() })
	p, id := begun(t, s)
	p.rule(map[string]any{"pattern_type": "credit_card", "action": "quarantine"})
	const content = "Siparişiniz yolda."
	p.Owner.Post(replyPath(id), map[string]any{"body": cardNumber, "attachments": []string{p.upload("not.txt", content)}}).Want(200)
	s.Settle()
	found, err := filepath.Glob(filepath.Join(files, "*", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	for _, path := range found {
		if kept, err := os.ReadFile(path); err == nil && string(kept) == content && os.Remove(path) == nil {
			lost++
		}
	}
	f := p.Owner.Post(dlpIncidents+"/"+p.incidents()[0].ID.String()+"/release", map[string]any{}).Refused(409, "conflict")
	if lost != 1 || f.Reason != "content_gone" {
		t.Errorf("%d files were lost, got %+v", lost, f)
	}
}
