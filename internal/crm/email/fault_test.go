package email_test

import (
	"testing"
	"time"

	gosmtp "github.com/emersion/go-smtp"

	"konak/internal/app/apptest"
	"konak/internal/kit/hostile"
)

// A mail server that fails while it receives an answer loses none: the message shows that
// it waits, and is sent once when the mailbox has a working server.
func TestMailServerFails(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := asked(t, s)
		runner := impatient(t, s)
		use := func(port int) {
			t.Helper()
			p.Owner.Put(base+"/"+p.box.ID.String(), map[string]any{"name": p.box.Name, "address": p.box.Address, "smtp": server(port, "geheim-1")}).Want(200)
		}
		for _, phase := range []string{"banner", "rcpt", "accept"} {
			for _, manner := range hostile.Manners() {
				name := phase + "/" + string(manner)
				before := len(p.sink.got())
				use(hostile.SMTP(t, phase, manner).Port)
				p.Owner.Post("/api/crm/v1/conversations/"+id+"/reply-as-agent", map[string]any{"body": name}).Want(200)
				if _, err := runner.Step(t.Context()); err != nil {
					t.Fatal(err)
				}
				if l := p.message(id); l.Body != name || *l.Delivery != "queued" {
					t.Errorf("%s: meanwhile the message is %+v", name, l)
				}
				use(p.sink.port)
				p.settleIn(time.Hour)
				p.settleIn(time.Hour)
				got := p.sink.got()[before:]
				if l := p.message(id); len(got) != 1 || *l.Delivery != "sent" {
					t.Errorf("%s: %d mails went out, and the message is %+v", name, len(got), l)
				}
			}
		}
	})
}

// A mail server that asks to wait gets the answers later, in the order in which they were
// written, without an alarm. If it asks for days, they are shown as failed.
func TestMailServerIsBusy(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := asked(t, s)
		p.sink.set(&gosmtp.SMTPError{Code: 421, EnhancedCode: gosmtp.EnhancedCode{4, 7, 0}, Message: "too many mails, try again later"})
		p.reply(id, "bir", nil)
		s.Clock.Advance(time.Second)
		p.reply(id, "iki", nil)
		for _, l := range p.lines(id)[:2] {
			if *l.Delivery != "queued" {
				t.Errorf("in the pause: %+v", l)
			}
		}
		p.sink.set(nil)
		p.settleIn(2 * time.Hour)
		got := p.sink.got()
		if len(got) != 2 || got[0].parse(t).Text != "bir" || got[1].parse(t).Text != "iki" {
			t.Errorf("after the pause %+v went out", got)
		}
		p.sink.set(&gosmtp.SMTPError{Code: 451, EnhancedCode: gosmtp.EnhancedCode{4, 3, 0}, Message: "local error"})
		p.reply(id, "üç", nil)
		for range 60 {
			p.settleIn(time.Hour)
		}
		if l := p.message(id); l.Body != "üç" || *l.Delivery != "failed" || l.DeliveryError == nil || *l.DeliveryError == "" {
			t.Errorf("after days the message is %+v", l)
		}
	})
}
