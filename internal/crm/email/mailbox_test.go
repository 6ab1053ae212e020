package email_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/smtp"
	"strings"
	"testing"
	"time"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/email"
	"konak/internal/crm/email/mailtest"
)

func TestMailboxes(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		path := base + "/" + p.box.ID.String()
		if !strings.HasSuffix(*p.box.ForwardingAddress, "@"+domain) || p.box.Status != "active" || p.box.IMAP.V != nil {
			t.Errorf("got %+v", p.box)
		}
		for _, r := range []*apptest.Response{p.Owner.Get(path), p.Owner.Get("/api/crm/v1/channels"), p.Owner.Get("/api/crm/v1/channels/" + p.box.ID.String())} {
			if bytes.Contains(r.Want(200).Body, []byte("geheim")) {
				t.Error("a password is shown")
			}
		}
		server := map[string]any{"host": "imap.firma.example", "port": 993, "security": "tls", "user": "destek", "password": "x"}
		for _, c := range []struct {
			name   string
			body   map[string]any
			status int
			field  string
		}{
			{"no address", map[string]any{"name": "x", "address": "nobody"}, 422, "address"},
			{"the same address", map[string]any{"name": "x", "address": "Destek@firma.example"}, 409, "address"},
			{"no name", map[string]any{"name": "  ", "address": "a@firma.example"}, 422, "name"},
			{"an address for a host", map[string]any{"name": "x", "address": "b@firma.example", "imap": map[string]any{"host": "http://x", "port": 993, "security": "tls", "user": "u"}}, 422, "imap.host"},
			{"unknown group", map[string]any{"name": "x", "address": "c@firma.example", "group_id": "0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"}, 422, "group_id"},
			{"unknown security", map[string]any{"name": "x", "address": "d@firma.example", "smtp": map[string]any{"host": "x", "port": 1, "security": "ssl", "user": "u"}}, 422, "smtp.security"},
		} {
			code := map[int]string{409: "conflict", 422: "validation_failed"}[c.status]
			if e := p.Owner.Post(base, c.body).Refused(c.status, code); len(e.Fields) == 0 || e.Fields[c.field] == nil && e.Fields["body."+c.field] == nil {
				t.Errorf("%s: got %+v", c.name, e)
			}
		}
		var m email.Mailbox
		p.Owner.Put(path, map[string]any{"name": "Yeni", "address": "destek@firma.example", "imap": server, "subject_token": true}).Want(200).Data(&m)
		if m.Name != "Yeni" || m.IMAP.V == nil || m.SMTP.V != nil || m.NextPollAt == nil {
			t.Errorf("got %+v", m)
		}
		if e := p.Owner.Put(path, map[string]any{"name": "Yeni", "address": "baska@firma.example"}).Refused(422, "validation_failed"); e.Fields["address"] == nil {
			t.Errorf("got %+v", e)
		}
		p.Owner.Delete("/api/crm/v1/channels/" + p.box.ID.String()).Want(200)
		p.Owner.Put(path, map[string]any{"name": "Yeni", "address": "destek@firma.example"}).Refused(409, "channel_unavailable")
	})
}

func TestTrials(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		imapPort := mailtest.StartIMAP(t).Port
		for _, c := range []struct {
			name string
			body map[string]any
			smtp string
			imap string
		}{
			{"both work", map[string]any{"smtp": server(p.sink.port, "geheim-1"), "imap": server(imapPort, "geheim-1")}, "ok", "ok"},
			{"wrong passwords", map[string]any{"smtp": server(p.sink.port, "x"), "imap": server(imapPort, "x")}, "sign_in", "sign_in"},
			{"stored password", map[string]any{"id": p.box.ID, "smtp": server(p.sink.port, "")}, "ok", ""},
			{"nobody listens", map[string]any{"smtp": server(1, "x")}, "connect", ""},
			{"inside the network", map[string]any{"smtp": map[string]any{"host": "10.0.0.1", "port": 25, "security": "tls", "user": "u"}}, "refused_address", ""},
			{"cloud metadata", map[string]any{"imap": map[string]any{"host": "169.254.169.254", "port": 80, "security": "none", "user": "u"}}, "", "refused_address"},
			{"no TLS there", map[string]any{"smtp": map[string]any{"host": "127.0.0.1", "port": p.sink.port, "security": "tls", "user": "u"}}, "tls", ""},
			{"no such folder", map[string]any{"imap": map[string]any{"host": "127.0.0.1", "port": imapPort, "security": "none", "user": "destek", "password": "geheim-1", "folder": "Yok"}}, "", "folder"},
		} {
			var got email.Trials
			p.Owner.Post(base+"/test", c.body).Want(200).Data(&got)
			for what, pair := range map[string][2]string{"smtp": {c.smtp, class(got.SMTP.V)}, "imap": {c.imap, class(got.IMAP.V)}} {
				if pair[0] != pair[1] {
					t.Errorf("%s: %s: got %q, want %q (%+v %+v)", c.name, what, pair[1], pair[0], got.SMTP.V, got.IMAP.V)
				}
			}
		}
	})
}

func class(t *email.Trial) string {
	switch {
	case t == nil:
		return ""
	case t.OK:
		return "ok"
	}
	return t.Class
}

func server(port int, password string) map[string]any {
	return map[string]any{"host": "127.0.0.1", "port": port, "security": "none", "user": "destek", "password": password}
}

// Every hard mail becomes a message or is kept with its kind; none is lost and none affects
// the next.
func TestHardMailsArrive(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		all := mailtest.Hard()
		for i, m := range all {
			fresh, err := s.Email.Accept(p.Context(), email.Arrival{
				AccountID: p.box.ID, Route: "smtp", To: *p.box.ForwardingAddress, Key: fmt.Sprint(i), Raw: bytes.NewReader(m.Raw),
			})
			if err != nil || !fresh {
				t.Fatalf("%s: %v, %v", m.Name, fresh, err)
			}
		}
		s.Settle()
		total, failed := 0, 0
		for _, state := range []string{"received", "done", "failed", "bounce", "ignored"} {
			n := 0
			for cursor := ""; ; {
				r := p.Owner.Get(base + "/mails?limit=100&state=" + state + cursor).Want(200)
				var page []email.Incoming
				r.Data(&page)
				n += len(page)
				if r.NextCursor() == "" {
					break
				}
				cursor = "&cursor=" + r.NextCursor()
			}
			total += n
			if state == "failed" {
				failed = n
			}
			if state == "received" && n > 0 {
				t.Errorf("%d mails are stuck", n)
			}
		}
		want := 0
		for _, m := range all {
			if m.Unreadable {
				want++
			}
		}
		if total != len(all) || failed != want {
			t.Errorf("%d of %d mails are there, %d failed, want %d", total, len(all), failed, want)
		}
		lost := p.mails("failed")[0]
		raw := p.Owner.Get(base + "/mails/" + lost.ID.String() + "/raw").Want(200)
		if len(raw.Body) != int(lost.Size) || raw.Header.Get("Content-Type") != "message/rfc822" {
			t.Errorf("%d bytes of %s", len(raw.Body), raw.Header.Get("Content-Type"))
		}
		var again email.Incoming
		p.Owner.Post(base+"/mails/"+lost.ID.String()+"/retry", nil).Want(200).Data(&again)
		if again.State != "received" {
			t.Errorf("got %+v", again)
		}
		p.Owner.Post(base+"/mails/"+lost.ID.String()+"/retry", nil).Refused(409, "conflict")
		s.Settle()
		if n := len(p.mails("failed")); n != want {
			t.Errorf("%d failed, want %d", n, want)
		}
	})
}

// Two installations that answer automatically write to each other, each with its own
// database and keys, through a relay that removes all signs of automation from their mails
// or keeps them.
func TestAutoReplyLoopStops(t *testing.T) {
	t.Parallel()
	for name, strip := range map[string]bool{"as they are": false, "without the marks": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, func(t *testing.T, s *apptest.Server) {
				p := open(t, s)
				const theirs = "in.diger.example"
				neighbour := apptest.NewOn(t, s.DB.Dialect(), func(c *app.Config) { c.MailDomain = theirs })
				other := neighbour.Workspace("diger")
				servers := map[string]string{domain: p.smtpAddr, theirs: neighbour.ListenSMTP(nil)}
				auto := map[string]any{"auto_reply": "Mesajınızı aldık."}
				a := p.connect(p.Workspace, "a@firma.example", auto)
				b := p.connect(other, "b@diger.example", auto)
				homes := map[string]string{"a@firma.example": *a.ForwardingAddress, "b@diger.example": *b.ForwardingAddress}
				p.sink.forward = func(m sent) {
					raw := m.raw
					if strip {
						for _, mark := range []string{"Auto-Submitted: auto-replied\r\n", "X-Auto-Response-Suppress: All\r\n", "Precedence: auto_reply\r\n"} {
							raw = strings.ReplaceAll(raw, mark, "")
						}
						// The relay removes what a mail answers.
						raw = strings.ReplaceAll(strings.ReplaceAll(raw, "In-Reply-To:", "X-Was:"), "References:", "X-Were:")
					}
					for _, to := range m.to {
						home := homes[to]
						if home == "" {
							home = to // a reply address
						}
						_, at, _ := strings.Cut(home, "@")
						from := m.from
						if from == "" && strip {
							from = "relay@relay.example"
						}
						if err := smtp.SendMail(servers[at], nil, from, []string{home}, []byte(raw)); err != nil {
							t.Error(err)
						}
					}
				}
				// An agent of the first installation begins.
				var who struct {
					ID string `json:"id"`
				}
				p.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Diğer", "emails": []string{"b@diger.example"}}).Want(201).Data(&who)
				p.Owner.Post("/api/crm/v1/conversations/new-as-agent", map[string]any{
					"contact_id": who.ID, "channel": "email", "channel_account_id": a.ID, "subject": "Selam", "body": "Merhaba",
				}).Want(201)
				for range 20 {
					s.Settle()
					neighbour.Settle()
					s.Clock.Advance(time.Minute)
					neighbour.Clock.Advance(time.Minute)
				}
				if n := len(p.sink.got()); n < 2 || n > 3 {
					t.Errorf("%d mails went between them", n)
				}
				var list []talk
				other.Owner.Get("/api/crm/v1/conversations").Want(200).Data(&list)
				if want := map[bool]int{false: 1, true: 2}[strip]; len(list) != want { // the relay forgets what a mail answers
					t.Errorf("the neighbour has %+v", list)
				}
			})
		})
	}
}

func TestAutoReply(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		box := p.connect(p.Workspace, "bilgi@firma.example", map[string]any{"auto_reply": "Mesajınızı aldık.", "continue_open": true})
		to := *box.ForwardingAddress
		p.mail("elif@kaya.example", to, mailText("elif@kaya.example", "c1@kaya.example", "Bir", "Soru"))
		got := p.sink.got()
		if len(got) != 1 || got[0].from != "" {
			t.Fatalf("got %+v", got)
		}
		m := got[0].parse(t)
		if m.Subject != "Re: Bir" || m.Auto == "" || m.InReplyTo[0] != "c1@kaya.example" || m.Text != "Mesajınızı aldık." {
			t.Errorf("got %+v", m)
		}
		// The open conversation continues, so no new one begins.
		p.mail("elif@kaya.example", to, mailText("elif@kaya.example", "c2@kaya.example", "İki", "Bir soru daha"))
		if len(p.talks()) != 1 || len(p.sink.got()) != 1 {
			t.Errorf("%d conversations, %d mails", len(p.talks()), len(p.sink.got()))
		}
		// Once it is closed a new one begins; the next automatic answer is possible only
		// after a day.
		closed := func() {
			for _, c := range p.talks() {
				p.Owner.Post("/api/crm/v1/conversations/"+c.ID+"/close", nil).Want(200)
			}
		}
		closed()
		p.mail("elif@kaya.example", to, mailText("elif@kaya.example", "c3@kaya.example", "Üç", "Yeni soru"))
		if len(p.talks()) != 2 || len(p.sink.got()) != 1 {
			t.Errorf("%d conversations, %d mails", len(p.talks()), len(p.sink.got()))
		}
		closed()
		s.Clock.Advance(25 * time.Hour)
		p.mail("elif@kaya.example", to, mailText("elif@kaya.example", "c4@kaya.example", "Dört", "Yine"))
		if len(p.sink.got()) != 2 {
			t.Errorf("%d mails", len(p.sink.got()))
		}
		for i, mark := range []string{"Auto-Submitted: auto-generated", "Precedence: bulk", "List-Id: <x.example>", "X-Auto-Response-Suppress: OOF"} {
			from := fmt.Sprintf("m%d@kaya.example", i)
			p.mail(from, to, mailText(from, from, "Otomatik", "x", mark))
		}
		p.mail("", to, mailText("nobody@kaya.example", "n1@kaya.example", "Zarfsız", "x"))
		if len(p.sink.got()) != 2 {
			t.Errorf("%d mails: a machine was answered", len(p.sink.got()))
		}
	})
}

func TestSubjectToken(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		box := p.connect(p.Workspace, "bilgi@firma.example", map[string]any{"subject_token": true})
		to := *box.ForwardingAddress
		p.mail("elif@kaya.example", to, mailText("elif@kaya.example", "c1@kaya.example", "Bir", "Soru"))
		id := p.talks()[0].ID
		p.reply(id, "Yanıt", nil)
		subject := p.sink.got()[0].parse(t).Subject
		if !strings.Contains(subject, "[#") {
			t.Fatalf("got %q", subject)
		}
		p.mail("elif@kaya.example", to, mailText("elif@kaya.example", "c2@kaya.example", subject, "Devam"))
		p.mail("x@stranger.example", to, mailText("x@stranger.example", "s1@stranger.example", subject, "Ben de"))
		if len(p.talks()) != 2 || len(p.lines(id)) != 3 {
			t.Errorf("%d conversations, %d lines", len(p.talks()), len(p.lines(id)))
		}
	})
}

// TestOutbox: if neither the mailbox nor the operator has a mail server, sent mail can be
// read in the outbox.
func TestOutbox(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		var box email.Mailbox
		p.Owner.Post(base, map[string]any{"name": "Bilgi", "address": "bilgi@firma.example"}).Want(201).Data(&box)
		p.mail("elif@kaya.example", *box.ForwardingAddress, mailText("elif@kaya.example", "c1@kaya.example", "Bir", "Soru"))
		p.reply(p.talks()[0].ID, "Yanıt budur.", nil)
		list := s.Mails(p.ID, "elif@kaya.example")
		if len(list) != 1 || list[0].Subject != "Re: Bir" || !strings.Contains(list[0].Text, "Yanıt budur.") {
			t.Errorf("got %+v", list)
		}
	})
}

func TestPolling(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		elsewhere := mailtest.StartIMAP(t)
		elsewhere.Put(t, mailText("eski@kaya.example", "old@kaya.example", "Eski", "Bağlanmadan önce"))
		box := p.connect(p.Workspace, "kutu@firma.example", map[string]any{"imap": server(elsewhere.Port, "geheim-1")})
		s.Settle()
		if n := len(p.talks()); n != 0 {
			t.Fatalf("history became %d conversations", n)
		}
		elsewhere.Put(t, mailText("elif@kaya.example", "c1@kaya.example", "Teslimat", "Nerede?"))
		elsewhere.Put(t, "Subject: kimden?\r\n\r\nimzasız")
		for range 3 {
			s.Clock.Advance(2 * time.Minute)
			s.Settle()
		}
		if len(p.talks()) != 1 || len(p.mails("failed")) != 1 || p.mails("done")[0].Route != "imap" {
			t.Errorf("%d conversations, %d failed", len(p.talks()), len(p.mails("failed")))
		}
		// The password changes on the server: people are notified, and polling slows down.
		p.Owner.Put(base+"/"+box.ID.String(), map[string]any{"name": "Kutu", "address": "kutu@firma.example", "imap": server(elsewhere.Port, "falsch")}).Want(200)
		s.Settle()
		var m email.Mailbox
		p.Owner.Get(base + "/" + box.ID.String()).Want(200).Data(&m)
		if m.Status != "attention" || m.Reason == nil || *m.Reason != "sign_in_failed" || m.LastError == nil || !m.NextPollAt.After(s.Clock.Now().Add(time.Minute)) {
			t.Errorf("got %+v", m)
		}
		p.Owner.Put(base+"/"+box.ID.String(), map[string]any{"name": "Kutu", "address": "kutu@firma.example", "imap": server(elsewhere.Port, "geheim-1")}).Want(200)
		elsewhere.Put(t, mailText("elif@kaya.example", "c2@kaya.example", "Bir daha", "Nerede?"))
		s.Settle()
		p.Owner.Get(base + "/" + box.ID.String()).Want(200).Data(&m)
		if m.Status != "active" || m.LastError != nil || len(p.talks()) != 2 {
			t.Errorf("got %+v, %d conversations", m, len(p.talks()))
		}
		// A paused mailbox is not polled.
		p.Owner.Do("PATCH", "/api/crm/v1/channels/"+box.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		elsewhere.Put(t, mailText("elif@kaya.example", "c3@kaya.example", "Üç", "Nerede?"))
		s.Clock.Advance(time.Hour)
		s.Settle()
		if n := len(p.talks()); n != 2 {
			t.Errorf("%d conversations", n)
		}
	})
}

// Polling works with a real Dovecot.
func TestDovecot(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		elsewhere := mailtest.StartDovecot(t)
		p := open(t, s)
		p.connect(p.Workspace, "kutu@firma.example", map[string]any{"imap": server(elsewhere.Port, mailtest.Password)})
		s.Settle()
		for i := range 3 {
			elsewhere.Put(t, mailText("elif@kaya.example", fmt.Sprintf("c%d@kaya.example", i), "Teslimat", fmt.Sprintf("Soru %d", i)))
		}
		s.Clock.Advance(2 * time.Minute)
		s.Settle()
		if n := len(p.talks()); n != 3 {
			t.Errorf("%d conversations", n)
		}
	})
}

// An absence note is only kept and marked: it reopens nothing, notifies nobody, is not
// answered and does not change the waiting time. The customer's own next message does all
// of that.
func TestAbsenceNotesChangeNothing(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		box := p.connect(p.Workspace, "bilgi@firma.example", map[string]any{"auto_reply": "Mesajınızı aldık."})
		p.Owner.Do("PATCH", "/api/crm/v1/channels/"+box.ID.String()+"/ai", map[string]any{"enabled": true}).Want(200)
		to := *box.ForwardingAddress
		p.mail("elif@kaya.example", to, mailText("elif@kaya.example", "c1@kaya.example", "Teslimat", "Nerede?"))
		id := p.talks()[0].ID
		conv := "/api/crm/v1/conversations/" + id
		p.Owner.Post(conv+"/join", nil).Want(200)
		p.reply(id, "Yolda", nil)
		all := p.sink.got()
		answer := all[len(all)-1].parse(t)
		absent := func(n int) {
			p.mail("", to, mailText("elif@kaya.example", fmt.Sprintf("o%d@kaya.example", n), "Otomatik yanıt: Teslimat", fmt.Sprintf("Tatildeyim %d", n),
				"Auto-Submitted: auto-replied", "In-Reply-To: <"+answer.MessageID+">"))
		}
		type shape struct {
			State   string  `json:"state"`
			Waiting *string `json:"waiting_since"`
			AI      string  `json:"ai_state"`
		}
		check := func(n int, state string) {
			t.Helper()
			var c shape
			p.Owner.Get(conv).Want(200).Data(&c)
			var line struct {
				Body      string `json:"body"`
				Automatic bool   `json:"automatic"`
			}
			var items []json.RawMessage
			p.Owner.Get(conv + "/items?limit=1").Want(200).Data(&items)
			if err := json.Unmarshal(items[0], &line); err != nil {
				t.Fatal(err)
			}
			if c.State != state || c.Waiting != nil || c.AI != "handed_over" || !line.Automatic || line.Body != fmt.Sprintf("Tatildeyim %d", n) {
				t.Errorf("note %d: got %+v, %+v", n, c, line)
			}
		}
		absent(1)
		check(1, "open")
		p.Owner.Post(conv+"/snooze", map[string]any{"until_reply": true}).Want(200)
		absent(2)
		check(2, "snoozed")
		p.Owner.Post(conv+"/close", nil).Want(200)
		absent(3)
		check(3, "closed")
		if n := len(p.sink.got()); n != len(all) {
			t.Errorf("%d mails went out after the notes", n-len(all))
		}
		if n := len(p.talks()); n != 1 {
			t.Errorf("%d conversations", n)
		}
		p.mail("elif@kaya.example", to, mailText("elif@kaya.example", "c2@kaya.example", "Re: Teslimat", "Döndüm, geldi mi?", "In-Reply-To: <"+answer.MessageID+">"))
		var c shape
		p.Owner.Get(conv).Want(200).Data(&c)
		if c.State != "open" || c.Waiting == nil {
			t.Errorf("got %+v", c)
		}
		// An absence note that belongs to no conversation is kept too, without an answer.
		p.mail("", to, mailText("veli@kaya.example", "v1@kaya.example", "Otomatik yanıt", "Yokum", "Auto-Submitted: auto-replied"))
		if n := len(p.talks()); n != 2 || len(p.sink.got()) != len(all) {
			t.Errorf("%d conversations, %d mails", n, len(p.sink.got()))
		}
	})
}

// Mail that would exceed the workspace's quota is deferred, by SMTP and by IMAP, and
// arrives when there is space again. Accepted mail stays whole.
func TestStorageFull(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		allow := func(bytes int64) {
			t.Helper()
			if err := s.SetStorageQuota(t.Context(), p.Slug, &bytes); err != nil {
				t.Fatal(err)
			}
		}
		elsewhere := mailtest.StartIMAP(t)
		box := p.connect(p.Workspace, "kutu@firma.example", map[string]any{"imap": server(elsewhere.Port, "geheim-1")})
		s.Settle()

		// The mail fits when it arrives; its file is kept too, although it exceeds the
		// quota.
		withFile := "From: elif@kaya.example\r\nSubject: Fatura\r\nMessage-ID: <f1@kaya.example>\r\nMIME-Version: 1.0\r\n" +
			"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nEkte\r\n" +
			"--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=liste.txt\r\n\r\n" + strings.Repeat("satir\r\n", 100) + "--b--\r\n"
		allow(int64(len(withFile)) + 100)
		p.mail("elif@kaya.example", *p.box.ForwardingAddress, withFile)
		if got := p.mails("done"); len(got) != 1 {
			t.Fatalf("got %+v, failed %+v", got, p.mails("failed"))
		}

		// The storage is full before the mail, or because of it.
		for _, quota := range []int64{1, 2_000} {
			allow(quota)
			err := p.send("elif@kaya.example", *p.box.ForwardingAddress, mailText("elif@kaya.example", "f2@kaya.example", "Uzun", strings.Repeat("uzun\r\n", 1_000)))
			if err == nil || !strings.HasPrefix(err.Error(), "452 ") || !strings.Contains(err.Error(), "4.2.2") {
				t.Errorf("with %d bytes: %v", quota, err)
			}
		}
		elsewhere.Put(t, mailText("can@kaya.example", "f3@kaya.example", "Kutudan", strings.Repeat("uzun\r\n", 1_000)))
		s.Clock.Advance(2 * time.Minute)
		s.Settle()
		var m email.Mailbox
		p.Owner.Get(base + "/" + box.ID.String()).Want(200).Data(&m)
		if m.Status != "attention" || m.Reason == nil || *m.Reason != "storage_full" || len(p.talks()) != 1 {
			t.Errorf("got %+v, %d conversations", m, len(p.talks()))
		}

		allow(1 << 20)
		p.mail("elif@kaya.example", *p.box.ForwardingAddress, mailText("elif@kaya.example", "f2@kaya.example", "Uzun", "uzun"))
		s.Clock.Advance(time.Hour)
		s.Settle()
		p.Owner.Get(base + "/" + box.ID.String()).Want(200).Data(&m)
		if m.Status != "active" || len(p.talks()) != 3 {
			t.Errorf("got %+v, %d conversations", m, len(p.talks()))
		}
	})
}
