package email_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	gosmtp "github.com/emersion/go-smtp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/crm/reply"
)

// A forwarded message is sent through the mailbox's own server from its own address,
// separately to each recipient, and an answer to it begins a new conversation.
func TestForwardFromMailbox(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		other := p.connect(p.Workspace, "bilgi@firma.example", nil)
		p.mail("elif@kaya.example", *other.ForwardingAddress, "From: Elif Kaya <elif@kaya.example>\r\nTo: bilgi@firma.example\r\nSubject: Hasar\r\nMessage-ID: <c1@kaya.example>\r\n"+
			"MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nKutusu ezikti\r\n"+
			"--b\r\nContent-Type: text/plain; name=tutanak.txt\r\nContent-Disposition: attachment; filename=tutanak.txt\r\n\r\nezik\r\n--b--\r\n")
		id := p.talks()[0].ID
		item := p.lines(id)[0].ID
		path := "/api/crm/v1/conversations/" + id + "/items/" + item + "/forward"
		var out reply.Forwarding
		p.Owner.Header("Accept-Language", "tr").Post(path, map[string]any{"to": []string{"depo@nakliye.example", "hasar@sigorta.example"}, "note": "Bakar mısınız?"}).Want(200).Data(&out)
		s.Settle()
		got := p.sink.got()
		if len(got) != 2 || out.Delivery != conversation.Queued {
			t.Fatalf("%d mails, %+v", len(got), out)
		}
		for i, to := range []string{"depo@nakliye.example", "hasar@sigorta.example"} {
			var mail sent
			for _, m := range got {
				if strings.Join(m.to, " ") == to {
					mail = m
				}
			}
			if mail.from != "bilgi@firma.example" {
				t.Fatalf("%s (%d): got %+v", to, i, got)
			}
			m := mail.parse(t)
			want := "Bakar mısınız?\n\n---------- İletilen ileti ----------\nYazan: Elif Kaya\nTarih: 15.11.2026 09:00 UTC\nKonu: Hasar\n\nKutusu ezikti"
			if m.Subject != "Fwd: Hasar" || m.From.Email != "bilgi@firma.example" || m.Text != want || len(m.Files) != 1 || m.Files[0].Name != "tutanak.txt" ||
				len(m.To) != 1 || len(m.ReplyTo) != 0 || m.Auto != "" {
				t.Errorf("got %+v", m)
			}
		}
		if mails := s.Mails(p.ID, "depo@nakliye.example"); len(mails) != 0 {
			t.Errorf("the operator wrote too: %+v", mails)
		}
		// The carrier's answer is not part of the customer's conversation.
		m := got[0].parse(t)
		p.mail("depo@nakliye.example", *other.ForwardingAddress, mailText("depo@nakliye.example", "d1@nakliye.example", "Re: Fwd: Hasar", "Bakıyoruz", "In-Reply-To: <"+m.MessageID+">"))
		if list := p.talks(); len(list) != 2 || len(p.lines(id)) != 2 {
			t.Errorf("got %+v, %d lines", list, len(p.lines(id)))
		}

		// A message of another channel is sent through the oldest mailbox.
		var talk conversation.Conversation
		var who struct {
			ID uuid.UUID `json:"id"`
		}
		p.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Ali"}).Want(201).Data(&who)
		key := p.FullKey()
		key.Post("/api/crm/public/v1/conversations", map[string]any{"contact_id": who.ID, "subject": "Soru", "body": "Merhaba"}).Want(201).Data(&talk)
		first := p.lines(talk.ID.String())[0].ID
		p.sink.set(&gosmtp.SMTPError{Code: 550, EnhancedCode: gosmtp.EnhancedCode{5, 1, 1}, Message: "No such user"})
		p.Owner.Post(fmt.Sprintf("/api/crm/v1/conversations/%s/items/%s/forward", talk.ID, first), map[string]any{"to": []string{"yok@nakliye.example"}}).Want(200)
		s.Settle()
		line := p.lines(talk.ID.String())[0]
		if line.Event == nil || *line.Event != "channel_delivery_failed" {
			t.Errorf("a forwarded message that was refused leaves %+v", line)
		}
		p.sink.set(nil)
		p.Owner.Post(fmt.Sprintf("/api/crm/v1/conversations/%s/items/%s/forward", talk.ID, first), map[string]any{"to": []string{"var@nakliye.example"}}).Want(200)
		s.Settle()
		all := p.sink.got()
		if last := all[len(all)-1]; last.from != "destek@firma.example" || strings.Join(last.to, " ") != "var@nakliye.example" {
			t.Errorf("got %+v", last)
		}
		// Without a working mailbox, the operator's server sends it.
		for _, box := range []uuid.UUID{p.box.ID, other.ID} {
			p.Owner.Do("PATCH", "/api/crm/v1/channels/"+box.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		}
		p.Owner.Post(path, map[string]any{"to": []string{"ev@nakliye.example"}}).Want(200)
		s.Clock.Advance(time.Second)
		s.Settle()
		if mails := s.Mails(p.ID, "ev@nakliye.example"); len(mails) != 1 || len(p.sink.got()) != len(all) {
			t.Errorf("got %+v", mails)
		}
	})
}
