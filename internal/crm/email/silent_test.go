package email_test

import (
	"context"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/email"
	"konak/internal/crm/email/mailtest"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// silent is a server that accepts connections and never sends anything.
type silent struct {
	port int
	// met receives a value for each connection, gone when the other side closes it.
	met, gone chan struct{}
}

func newSilent(t *testing.T) *silent {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &silent{port: ln.Addr().(*net.TCPAddr).Port, met: make(chan struct{}, 100), gone: make(chan struct{}, 100)}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			s.met <- struct{}{}
			wg.Go(func() {
				_, _ = io.Copy(io.Discard, conn)
				_ = conn.Close()
				s.gone <- struct{}{}
			})
		}
	})
	t.Cleanup(func() { _ = ln.Close(); wg.Wait() })
	return s
}

// await polls until a condition is true. In these tests the condition would take a minute
// if anything waited for a silent server.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	end, tick := time.NewTimer(40*time.Second), time.NewTicker(20*time.Millisecond)
	defer end.Stop()
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-end.C:
			t.Fatalf("%s: not while a silent server is waited for", what)
		}
	}
}

// One silent SMTP server and one silent IMAP server of a workspace delay nothing: neither
// scheduled messages, nor incoming mail, nor mailboxes of the same workspace and of others.
// Shutting down does not wait for them either.
func TestSilentServersDelayNobody(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		other := s.Workspace("other")
		smtp, imap := newSilent(t), newSilent(t)
		own, theirs := mailtest.StartIMAP(t), mailtest.StartIMAP(t)
		p.connect(p.Workspace, "kutu@firma.example", map[string]any{"imap": server(own.Port, "geheim-1")})
		p.connect(other, "kutu@baska.example", map[string]any{"imap": server(theirs.Port, "geheim-1")})
		p.mail("elif@kaya.example", *p.box.ForwardingAddress, mailText("elif@kaya.example", "c1@kaya.example", "Randevu", "Ne zaman?"))
		conv := "/api/crm/v1/conversations/" + p.talks()[0].ID
		p.Owner.Post(conv+"/scheduled", map[string]any{"body": "Randevunuz yarın", "send_at": clock.At(s.Clock.Now().Add(time.Minute))}).Want(201)

		mute := p.connect(p.Workspace, "sessiz@firma.example", map[string]any{"smtp": server(smtp.port, "geheim-1")})
		p.mail("veli@kaya.example", *mute.ForwardingAddress, mailText("veli@kaya.example", "v1@kaya.example", "Sessiz", "Orada mısınız?"))
		waiting := p.talks()[0]
		if waiting.Subject != "Sessiz" {
			t.Fatalf("got %+v", waiting)
		}
		for range 20 {
			p.Owner.Post("/api/crm/v1/conversations/"+waiting.ID+"/reply-as-agent", map[string]any{"body": "Buradayız"}).Want(200)
		}
		p.connect(p.Workspace, "kapali@firma.example", map[string]any{"imap": server(imap.port, "geheim-1")})
		own.Put(t, mailText("ayse@kaya.example", "a1@kaya.example", "Kutuya", "Merhaba"))
		theirs.Put(t, mailText("can@kaya.example", "n1@kaya.example", "Başkasına", "Merhaba"))

		s.Clock.Advance(2 * time.Minute)
		ctx, stop := context.WithCancel(t.Context())
		var workers sync.WaitGroup
		defer workers.Wait()
		defer stop()
		workers.Go(func() { s.Work(ctx) })
		<-smtp.met
		<-smtp.met
		<-imap.met
		if err := p.send("deniz@kaya.example", *p.box.ForwardingAddress, mailText("deniz@kaya.example", "d1@kaya.example", "Kapıya", "Merhaba")); err != nil {
			t.Fatal(err)
		}
		has := func(w *apptest.Workspace, subject string) func() bool {
			return func() bool {
				var list []talk
				w.Owner.Get("/api/crm/v1/conversations?limit=100").Want(200).Data(&list)
				for _, c := range list {
					if c.Subject == subject {
						return true
					}
				}
				return false
			}
		}
		await(t, "a scheduled message", func() bool { return len(p.sink.got()) == 1 })
		await(t, "mail that comes in", has(p.Workspace, "Kapıya"))
		await(t, "another mailbox", has(p.Workspace, "Kutuya"))
		await(t, "another workspace's mailbox", has(other, "Başkasına"))
		stop()
		workers.Wait()
		for range 2 {
			<-smtp.gone
		}
		<-imap.gone
		if len(smtp.met) != 0 {
			t.Error("a silent server got more connections than an account may have")
		}
	})
}

// impatient runs the mail jobs with short timeouts.
func impatient(t *testing.T, s *apptest.Server) *jobs.Runner {
	t.Helper()
	kinds := s.Email.Jobs()
	for i := range kinds {
		if kinds[i].PerAccount > 0 {
			kinds[i].Timeout = 50 * time.Millisecond
		}
	}
	r, err := jobs.New(jobs.Config{
		DB: s.DB, Log: apptest.Logger(s.Logs), Kinds: kinds, Node: uuid.New(), Accounts: s.Channels, Random: func() float64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A server that does not answer is shown on its account until it does; the messages wait
// for it without losing attempts.
func TestSilentServersAreShown(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		smtp, imap, runner := newSilent(t), newSilent(t), impatient(t, s)
		step := func() {
			t.Helper()
			if _, err := runner.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		look := func(id uuid.UUID) (m email.Mailbox) {
			t.Helper()
			p.Owner.Get(base + "/" + id.String()).Want(200).Data(&m)
			return m
		}
		sends := p.connect(p.Workspace, "giden@firma.example", map[string]any{"smtp": server(smtp.port, "geheim-1")})
		p.mail("veli@kaya.example", *sends.ForwardingAddress, mailText("veli@kaya.example", "v1@kaya.example", "Sessiz", "Orada mısınız?"))
		id := p.talks()[0].ID
		p.Owner.Post("/api/crm/v1/conversations/"+id+"/reply-as-agent", map[string]any{"body": "Buradayız"}).Want(200)
		polls := p.connect(p.Workspace, "gelen@firma.example", map[string]any{"imap": server(imap.port, "geheim-1")})
		for range 6 {
			step()
			s.Clock.Advance(time.Hour)
		}
		if m := look(sends.ID); m.Status != "attention" || m.Reason == nil || *m.Reason != "mail_server_unreachable" {
			t.Errorf("got %+v", m)
		}
		if m := look(polls.ID); m.Status != "attention" || m.Reason == nil || *m.Reason != "mailbox_unreachable" || m.LastError == nil || m.NextPollAt == nil {
			t.Errorf("got %+v", m)
		}
		if l := p.lines(id); *l[0].Delivery != "queued" {
			t.Errorf("got %+v", l[0])
		}
		// Once the mailboxes have servers that answer, nothing waits for the hold to end.
		good := mailtest.StartIMAP(t)
		change := func(m email.Mailbox, more map[string]any) {
			t.Helper()
			body := map[string]any{"name": m.Name, "address": m.Address}
			for k, v := range more {
				body[k] = v
			}
			p.Owner.Put(base+"/"+m.ID.String(), body).Want(200)
		}
		step() // held again
		change(sends, map[string]any{"smtp": server(p.sink.port, "geheim-1")})
		change(polls, map[string]any{"imap": server(good.Port, "geheim-1")})
		s.Settle()
		for _, id := range []uuid.UUID{sends.ID, polls.ID} {
			if m := look(id); m.Status != "active" || m.Reason != nil || m.LastError != nil {
				t.Errorf("got %+v", m)
			}
		}
		if l := p.lines(id); *l[0].Delivery != "sent" || len(p.sink.got()) != 1 {
			t.Errorf("got %+v", l[0])
		}
	})
}

// A message does not wait for a silent server forever.
func TestSilentServerFailsMessageInTheEnd(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		smtp, runner := newSilent(t), impatient(t, s)
		sends := p.connect(p.Workspace, "giden@firma.example", map[string]any{"smtp": server(smtp.port, "geheim-1")})
		p.mail("veli@kaya.example", *sends.ForwardingAddress, mailText("veli@kaya.example", "v1@kaya.example", "Sessiz", "Orada mısınız?"))
		id := p.talks()[0].ID
		p.Owner.Post("/api/crm/v1/conversations/"+id+"/reply-as-agent", map[string]any{"body": "Buradayız"}).Want(200)
		s.Clock.Advance(48 * time.Hour)
		p.Owner = p.SignIn("owner@demo.example")
		if _, err := runner.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(p.lines(id), func(l line) bool {
			return l.Delivery != nil && *l.Delivery == "failed" && l.DeliveryError != nil && *l.DeliveryError == "mail_server_unreachable"
		})
		if i < 0 {
			t.Errorf("got %+v", p.lines(id))
		}
		if dead, err := jobs.ListDead(t.Context(), s.DB, "email.send", 10); err != nil || len(dead) != 1 {
			t.Errorf("%+v, %v", dead, err)
		}
	})
}

// A mailbox whose polls killed their processes shows that it is no longer polled, and is
// polled again when a person resumes it.
func TestFailedPollingIsShownAndResumed(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, elsewhere := open(t, s), mailtest.StartIMAP(t)
		box := p.connect(p.Workspace, "kutu@firma.example", map[string]any{"imap": server(elsewhere.Port, "geheim-1")})
		s.Settle()
		err := s.DB.Tenant(p.ID).InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`UPDATE job SET lost = 3 WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), box.ID)
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(time.Minute)
		s.Settle()
		var m email.Mailbox
		p.Owner.Get(base + "/" + box.ID.String()).Want(200).Data(&m)
		if m.Status != "attention" || m.Reason == nil || *m.Reason != "polls_stopped" || m.NextPollAt != nil {
			t.Errorf("got %+v", m)
		}
		elsewhere.Put(t, mailText("ayse@kaya.example", "a1@kaya.example", "Kutuya", "Merhaba"))
		p.Owner.Do("PATCH", "/api/crm/v1/channels/"+box.ID.String()+"/status", map[string]any{"status": "active"}).Want(200)
		s.Settle()
		if list := p.talks(); len(list) != 1 || list[0].Subject != "Kutuya" {
			t.Errorf("got %+v", list)
		}
	})
}
