package email_test

import (
	"fmt"
	"slices"
	"testing"

	"konak/internal/app/apptest"
)

// A reply asks for SMTPUTF8 where it needs that, and only there.
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
