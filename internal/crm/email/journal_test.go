package email_test

import (
	"testing"
	"time"

	gosmtp "github.com/emersion/go-smtp"

	"konak/internal/app/apptest"
	"konak/internal/kit/dbtest"
	"konak/internal/mail"
)

// While the journal is on, an answer is recorded before it is handed over, and only once
// however often it is tried; if it cannot be recorded it is not sent.
func TestRepliesAreJournaled(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		p.Owner.Put("/api/mail/v1/settings/journaling", map[string]any{"enabled": true, "retention_days": 10}).Want(200)
		journal := func() (list []mail.JournalItem) {
			t.Helper()
			p.Owner.Get("/api/mail/v1/journal").Want(200).Data(&list)
			return list
		}
		allow := dbtest.RefuseInserts(t, s.DB, "mail_journal")
		p.Owner.Post(replyPath(id), map[string]any{"body": "Yolda"}).Want(200)
		s.Settle()
		if n := len(p.sink.got()); n != 0 {
			t.Errorf("%d mails were sent without the journal", n)
		}
		allow()
		p.sink.set(&gosmtp.SMTPError{Code: 451, Message: "later"})
		s.Clock.Advance(time.Hour)
		s.Settle()
		p.sink.set(nil)
		s.Clock.Advance(time.Hour)
		s.Settle()
		got, list := p.sink.got(), journal()
		if len(got) != 1 || len(list) != 1 {
			t.Fatalf("%d mails, in the journal %+v", len(got), list)
		}
		i := list[0]
		if i.Direction != mail.Outbound || len(i.Recipients) != 1 || i.Recipients[0] != (mail.JournalRecipient{Address: "elif@kaya.example", Kind: "to"}) {
			t.Errorf("got %+v", i)
		}
	})
}
