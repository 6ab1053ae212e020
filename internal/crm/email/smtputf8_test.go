package email_test

import (
	"fmt"
	"slices"
	"testing"

	"konak/internal/app/apptest"
	"konak/internal/kit/mailer"
)

// A reply requests SMTPUTF8 only if it needs it.
func TestReplyBeyondASCII(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		for i, from := range []string{"elif@kaya.example", "ş@kaya.example"} {
			p.mail("elif@kaya.example", *p.box.ForwardingAddress, mailText(from, fmt.Sprintf("ş%d@kaya.example", i), from, "Merhaba"))
			j := slices.IndexFunc(p.talks(), func(c talk) bool { return c.Subject == from })
			p.reply(p.talks()[j].ID, "Günaydın", nil)
			got := p.sink.got()
			if len(got) != i+1 || !slices.Equal(got[i].to, []string{from}) || got[i].utf8 != (from == "ş@kaya.example") {
				t.Errorf("%s: got %+v", from, got)
			}
		}
	})
}

// A server without SMTPUTF8 accepts a domain in A-labels. A mail to any other non-ASCII
// address fails at once, and its message says why.
func TestReplyToServerOfASCII(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		p.sink.server.EnableSMTPUTF8 = false
		for i, c := range []struct{ from, sent, delivery, why string }{
			{"ışık@örnek.example", "", "failed", "address_beyond_ascii"},
			{"isik@örnek.example", "isik@xn--rnek-4qa.example", "sent", ""},
		} {
			subject, before := fmt.Sprint("Soru ", i), len(p.sink.got())
			p.mail("elif@kaya.example", *p.box.ForwardingAddress, mailText(c.from, fmt.Sprintf("a%d@kaya.example", i), subject, "Merhaba"))
			talks := p.talks()
			j := slices.IndexFunc(talks, func(talk talk) bool { return talk.Subject == subject })
			p.reply(talks[j].ID, "Günaydın", nil)
			list, got := p.lines(talks[j].ID), p.sink.got()[before:]
			l := list[slices.IndexFunc(list, func(l line) bool { return l.Delivery != nil })]
			if *l.Delivery != c.delivery || c.why != "" && (l.DeliveryError == nil || *l.DeliveryError != c.why) {
				t.Errorf("%s: got %s %v", c.from, *l.Delivery, l.DeliveryError)
			}
			if c.sent == "" && len(got) > 0 || c.sent != "" && (len(got) != 1 || !slices.Equal(got[0].to, []string{c.sent}) || mailer.IsForeign([]byte(got[0].raw))) {
				t.Errorf("%s: sent %+v", c.from, got)
			}
		}
	})
}
