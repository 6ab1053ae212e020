package email_test

import (
	"testing"
	"time"

	gosmtp "github.com/emersion/go-smtp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/kit/clock"
)

// A mail that arrives again in its thread is stored once, and kept as a duplicate.
func TestRepeatInAThread(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := asked(t, s)
		p.reply(id, "Yolda", nil)
		answer := mailText("elif@kaya.example", "c2@kaya.example", "Re: Teslimat", "Peki", "In-Reply-To: <"+p.sink.got()[0].parse(t).MessageID+">")
		for range 3 {
			p.mail("elif@kaya.example", *p.box.ForwardingAddress, answer)
		}
		if list := p.lines(id); len(list) != 3 || len(p.talks()) != 1 {
			t.Errorf("%d conversations, %+v", len(p.talks()), list)
		}
		list := p.mails("ignored")
		for _, m := range list {
			if m.Reason == nil || *m.Reason != "duplicate" {
				t.Errorf("got %+v", m)
			}
		}
		if len(list) != 2 {
			t.Errorf("%d repeats", len(list))
		}
	})
}

// Of two answers by a customer the later may arrive first: both are in the conversation,
// each once.
func TestMailsInTheWrongOrder(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := asked(t, s)
		p.reply(id, "Yolda", nil)
		own := p.sink.got()[0].parse(t).MessageID
		second := mailText("elif@kaya.example", "c2@kaya.example", "Re: Teslimat", "Peki", "In-Reply-To: <"+own+">")
		third := mailText("elif@kaya.example", "c3@kaya.example", "Re: Teslimat", "Bir de", "In-Reply-To: <c2@kaya.example>", "References: <"+own+"> <c2@kaya.example>")
		for _, m := range []string{third, second, third} {
			p.mail("elif@kaya.example", *p.box.ForwardingAddress, m)
		}
		seen := map[string]int{}
		for _, l := range p.lines(id) {
			seen[l.Body]++
		}
		if len(p.talks()) != 1 || len(p.lines(id)) != 4 || seen["Peki"] != 1 || seen["Bir de"] != 1 {
			t.Errorf("%d conversations, %v", len(p.talks()), seen)
		}
	})
}

// Mail that we sent and that comes back is not a customer's message: not with its own id,
// whoever it claims to be from, and not from an address of the mailbox.
func TestOwnReturnedMailIsIgnored(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := asked(t, s)
		p.reply(id, "Yolda", nil)
		to := *p.box.ForwardingAddress
		own := p.sink.got()[0].parse(t).MessageID
		p.mail("liste@kaya.example", to, mailText("liste@kaya.example", own, "Re: Teslimat", "Yolda"))
		p.mail("destek@firma.example", to, mailText("Destek@Firma.example", "x1@firma.example", "Selam", "Merhaba"))
		p.mail(to, to, mailText(to, "x2@firma.example", "Selam", "Merhaba"))
		reasons := map[string]int{}
		for _, m := range p.mails("ignored") {
			reasons[*m.Reason]++
		}
		if len(p.talks()) != 1 || len(p.lines(id)) != 2 || reasons["own_mail"] != 1 || reasons["own_address"] != 2 {
			t.Errorf("%d conversations, %d lines, ignored %v", len(p.talks()), len(p.lines(id)), reasons)
		}
	})
}

// Only an answer that was sent counts as the first.
func TestFirstReplyCountsWhenSent(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := asked(t, s)
		first := func() (at *clock.Time) {
			t.Helper()
			var c conversation.Conversation
			p.Owner.Get("/api/crm/v1/conversations/" + id).Want(200).Data(&c)
			return c.FirstReplyAt
		}
		p.sink.set(&gosmtp.SMTPError{Code: 550, Message: "no such user"})
		p.reply(id, "Bir", nil)
		refused := p.message(id)
		if at := first(); *refused.Delivery != "failed" || at != nil {
			t.Errorf("nothing left, but the first answer was at %v", at)
		}
		// One waits, the next one is accepted; then the first one fails.
		s.Clock.Advance(time.Minute)
		p.sink.set(&gosmtp.SMTPError{Code: 450, Message: "later"})
		p.reply(id, "İki", nil)
		waiting := uuid.MustParse(p.message(id).ID)
		queued := first()
		s.Clock.Advance(500 * time.Millisecond) // before the first is tried again
		p.sink.set(nil)
		p.reply(id, "Üç", nil)
		if at := first(); queued == nil || at == nil || !at.Equal(queued.Time) {
			t.Errorf("the first answer was at %v, then at %v", queued, at)
		}
		third := s.Clock.Now()
		fail := func(item uuid.UUID) {
			t.Helper()
			if err := s.Inbound.RecordOutcome(p.Context(), item, conversation.Delivery{Status: conversation.Failed, Error: "refused"}); err != nil {
				t.Fatal(err)
			}
		}
		fail(waiting)
		if at := first(); at == nil || at.Before(third) {
			t.Errorf("the first answer that left was at %v, want %v", at, third)
		}
		was := first()
		// A later failure changes nothing.
		s.Clock.Advance(time.Minute)
		p.sink.set(&gosmtp.SMTPError{Code: 550, Message: "no such user"})
		p.reply(id, "Dört", nil)
		if at := first(); at == nil || !at.Equal(was.Time) {
			t.Errorf("the first answer was at %v, want %v", at, was)
		}
		// A message that failed but was sent anyway counts as the first if no other was
		// sent.
		for _, l := range p.lines(id) {
			if l.Kind == "message" && l.Delivery != nil {
				fail(uuid.MustParse(l.ID))
			}
		}
		if at := first(); at != nil {
			t.Errorf("nothing left, but the first answer was at %v", at)
		}
		if err := s.Inbound.RecordOutcome(p.Context(), waiting, conversation.Delivery{Status: conversation.Sent}); err != nil {
			t.Fatal(err)
		}
		if at := first(); at == nil || !at.Equal(s.Clock.Now()) {
			t.Errorf("the first answer was at %v", at)
		}
	})
}
