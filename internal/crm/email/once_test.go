package email_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	gosmtp "github.com/emersion/go-smtp"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/jobs"
)

// asked creates a workspace whose mailbox received a mail, with copies.
func asked(t *testing.T, s *apptest.Server, cc ...string) (p *post, id string) {
	t.Helper()
	p = open(t, s)
	var more []string
	if len(cc) > 0 {
		more = []string{"Cc: " + strings.Join(cc, ", ")}
	}
	p.mail("elif@kaya.example", *p.box.ForwardingAddress, mailText("elif@kaya.example", "c1@kaya.example", "Teslimat", "Nerede?", more...))
	return p, p.talks()[0].ID
}

// copied reports whether the mail of an answer can be read.
func (p *post) copied(id, item string) bool {
	p.t.Helper()
	return p.Owner.Get("/api/crm/v1/conversations/"+id+"/items/"+item+"/email").Status == 200
}

// message returns the newest message of a conversation.
func (p *post) message(id string) line {
	p.t.Helper()
	list := p.lines(id)
	return list[slices.IndexFunc(list, func(l line) bool { return l.Kind == "message" })]
}

// settleIn lets time pass, during which the owner's session ends.
func (p *post) settleIn(d time.Duration) {
	p.t.Helper()
	p.s.Clock.Advance(d)
	p.s.Settle()
	p.Owner = p.SignIn("owner@demo.example")
}

// check fails the test unless exactly one mail was sent, and its message has the expected
// delivery and copy.
func (p *post) check(id, delivery string, copied bool) {
	p.t.Helper()
	l := p.message(id)
	if n := len(p.sink.got()); n != 1 || l.Delivery == nil || *l.Delivery != delivery || p.copied(id, l.ID) != copied {
		p.t.Errorf("%d mails went out, the copy is kept: %v, %+v", n, p.copied(id, l.ID), l)
	}
}

// A mail that the server accepted is sent once and shown as sent while the file store
// fails. Its copy is kept as soon as possible, and a job that gave up on the copy does not
// mark the message as failed.
func TestSentOnceWhileFileStoreFails(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			var files string
			s := apptest.NewOn(t, dialect, func(c *app.Config) { c.MailDomain, files = domain, c.FilesFolder() })
			p, id := asked(t, s)
			replace := func(from, to string) {
				t.Helper()
				if err := os.Rename(from, to); err != nil {
					t.Error(err)
				}
			}
			p.sink.onMail(func() {
				replace(files, files+".away")
				if err := os.WriteFile(files, nil, 0o600); err != nil {
					t.Error(err)
				}
			})
			p.reply(id, "Yolda", nil)
			p.check(id, "sent", false)
			for range 25 {
				p.settleIn(time.Hour)
			}
			p.check(id, "sent", false)
			replace(files, files+".file")
			replace(files+".away", files)
			dead, err := jobs.ListDead(t.Context(), s.DB, "email.copy", 10)
			if err != nil || len(dead) != 1 {
				t.Fatalf("%+v, %v", dead, err)
			}
			if err := jobs.RetryDead(t.Context(), s.DB, dead[0].ID); err != nil {
				t.Fatal(err)
			}
			p.settleIn(time.Second)
			p.check(id, "sent", true)
		})
	}
}

// A mail that the server accepted is sent only once even if its message cannot be marked at
// first.
func TestSentOnceWhileMarksFail(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := asked(t, s)
		var allow func()
		p.sink.onMail(func() { allow = dbtest.RefuseUpdates(t, s.DB, "conversation_item") })
		p.reply(id, "Yolda", nil)
		for range 5 {
			p.settleIn(time.Hour)
		}
		p.check(id, "queued", false)
		allow()
		p.settleIn(time.Hour)
		p.check(id, "sent", true)
	})
}

// A mail that the server accepted is sent only once even if nothing about its job can be
// written for a while: the receipt is tried again, not the sending. The same is true for a
// forwarded message and an automatic answer, which have no message to mark.
func TestSentOnceWhileReceiptsFail(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(p *post, id string){
		"reply": func(p *post, id string) { p.reply(id, "Yolda", nil) },
		"forward": func(p *post, id string) {
			p.Owner.Post("/api/crm/v1/conversations/"+id+"/items/"+p.lines(id)[0].ID+"/forward", map[string]any{"to": []string{"depo@nakliye.example"}}).Want(200)
			p.s.Settle()
		},
		"automatic answer": func(p *post, _ string) {
			box := p.connect(p.Workspace, "kendi@firma.example", map[string]any{"auto_reply": "Aldık"})
			p.mail("can@kaya.example", *box.ForwardingAddress, mailText("can@kaya.example", "n1@kaya.example", "Selam", "Merhaba"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, func(t *testing.T, s *apptest.Server) {
				p, id := asked(t, s)
				refused, mended := make(chan struct{}), make(chan struct{})
				var allow func()
				p.sink.onMail(func() { allow = dbtest.RefuseUpdates(t, s.DB, "job"); close(refused) })
				go func() {
					defer close(mended)
					<-refused
					await(t, "a receipt that is refused", func() bool { return strings.Contains(s.Logs.String(), "could not be recorded") })
					allow()
				}()
				act(p, id)
				<-mended
				for range 3 {
					p.settleIn(time.Hour)
				}
				if n := len(p.sink.got()); n != 1 {
					t.Errorf("%d mails", n)
				}
				if name == "reply" {
					p.check(id, "sent", true)
				}
			})
		})
	}
}

// If the server refuses a copy, all others get the mail, and the message shows it; if the
// server asks to wait for a copy, only that one is sent later.
func TestRefusedCopies(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"own server", "operator's relay"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
				t.Run(string(dialect), func(t *testing.T) {
					t.Parallel()
					relay := newSink(t)
					s := apptest.NewOn(t, dialect, func(c *app.Config) {
						c.MailDomain, c.SMTPURL = domain, fmt.Sprintf("smtp://destek:geheim-1@127.0.0.1:%d", relay.port)
					})
					p := open(t, s)
					if way == "operator's relay" {
						p.Owner.Post(base, map[string]any{"name": "Ev", "address": "ev@firma.example"}).Want(201).Data(&p.box)
						p.sink = relay
					}
					p.mail("elif@kaya.example", *p.box.ForwardingAddress, mailText("elif@kaya.example", "c1@kaya.example", "Teslimat", "Nerede?",
						"Cc: ali@kaya.example, yok@kaya.example, sonra@kaya.example"))
					id := p.talks()[0].ID
					p.sink.answer("yok@kaya.example", &gosmtp.SMTPError{Code: 550, EnhancedCode: gosmtp.EnhancedCode{5, 1, 1}, Message: "no such user"})
					p.sink.answer("sonra@kaya.example", &gosmtp.SMTPError{Code: 450, EnhancedCode: gosmtp.EnhancedCode{4, 2, 0}, Message: "greylisted"})
					p.reply(id, "Yolda", nil)
					got := p.sink.got()
					if len(got) != 1 || strings.Join(got[0].to, " ") != "elif@kaya.example ali@kaya.example" {
						t.Fatalf("got %+v", got)
					}
					l := p.message(id)
					list := l.Detail.Refused
					if *l.Delivery != "sent" || len(list) != 1 || list[0].Address != "yok@kaya.example" || !strings.Contains(list[0].Reason, "no such user") {
						t.Errorf("got %+v", l)
					}
					p.sink.answer("sonra@kaya.example", nil)
					p.settleIn(time.Hour)
					got = p.sink.got()
					if len(got) != 2 || strings.Join(got[1].to, " ") != "sonra@kaya.example" || got[1].raw != got[0].raw {
						t.Fatalf("got %+v", got)
					}
					p.settleIn(time.Hour)
					if l := p.message(id); len(p.sink.got()) != 2 || len(l.Detail.Refused) != 1 || *l.Delivery != "sent" || !p.copied(id, l.ID) {
						t.Errorf("%d mails, %+v", len(p.sink.got()), l)
					}
				})
			}
		})
	}
}

// A copy that waits for too long counts as refused. If the customer is refused, nobody gets
// the mail.
func TestCopyWaitingTooLongIsRefused(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := asked(t, s, "sonra@kaya.example")
		p.sink.answer("sonra@kaya.example", &gosmtp.SMTPError{Code: 450, Message: "greylisted"})
		p.reply(id, "Yolda", nil)
		for range 20 {
			p.settleIn(time.Hour)
		}
		list := p.message(id).Detail.Refused
		if len(p.sink.got()) != 1 || len(list) != 1 || list[0].Address != "sonra@kaya.example" || !strings.Contains(list[0].Reason, "greylisted") {
			t.Errorf("%d mails, %+v", len(p.sink.got()), list)
		}
		if dead, err := jobs.ListDead(t.Context(), s.DB, "email.copy", 10); err != nil || len(dead) != 0 {
			t.Errorf("%+v, %v", dead, err)
		}
		p.sink.answer("elif@kaya.example", &gosmtp.SMTPError{Code: 550, Message: "no such user"})
		p.reply(id, "Geldi mi?", nil)
		if l := p.message(id); *l.Delivery != "failed" || len(p.sink.got()) != 1 {
			t.Errorf("%d mails, %+v", len(p.sink.got()), l)
		}
	})
}

// A report that a copy did not arrive says nothing about the customer.
func TestBounceOfACopy(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := asked(t, s, "ali@kaya.example")
		p.reply(id, "Yolda", nil)
		m := p.sink.got()[0].parse(t)
		bounce := func(to string) {
			t.Helper()
			p.mail("", *p.box.ForwardingAddress, "From: MAILER-DAEMON@mx.example\r\nSubject: Undelivered\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n"+
				"--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\nFinal-Recipient: rfc822; "+to+"\r\nAction: failed"+
				"\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 no such user\r\n\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: <"+m.MessageID+">\r\n\r\n--b--\r\n")
		}
		bounce("ali@kaya.example")
		bounce("ali@kaya.example")
		l := p.message(id)
		if *l.Delivery != "sent" || len(l.Detail.Refused) != 1 || l.Detail.Refused[0].Address != "ali@kaya.example" {
			t.Errorf("got %+v", l)
		}
		bounce("elif@kaya.example")
		if l := p.message(id); *l.Delivery != "failed" {
			t.Errorf("got %+v", l)
		}
	})
}

// A mail that was accepted before its mailbox was paused becomes a message, and nothing is
// sent.
func TestMailAcceptedBeforePauseArrives(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		for status, change := range map[string]func(path string){
			"paused":       func(path string) { p.Owner.Do("PATCH", path+"/status", map[string]any{"status": "paused"}).Want(200) },
			"disconnected": func(path string) { p.Owner.Delete(path).Want(200) },
		} {
			box := p.connect(p.Workspace, "kutu-"+status+"@firma.example", map[string]any{"auto_reply": "Aldık"})
			before := len(p.talks())
			from := status + "@kaya.example"
			if err := p.send(from, *box.ForwardingAddress, mailText(from, from, status, "Nerede?")); err != nil {
				t.Fatal(err)
			}
			change("/api/crm/v1/channels/" + box.ID.String())
			s.Settle()
			if list := p.talks(); len(list) != before+1 || list[0].Subject != status || len(p.sink.got()) != 0 || len(p.mails("failed")) != 0 {
				t.Errorf("%s: %+v, %d mails went out, failed %+v", status, list, len(p.sink.got()), p.mails("failed"))
			}
			if dead, err := jobs.ListDead(t.Context(), s.DB, "email.copy", 10); err != nil || len(dead) != 0 {
				t.Errorf("%s: %+v, %v", status, dead, err)
			}
		}
	})
}
