package email_test

import (
	"fmt"
	"net"
	"net/smtp"
	"slices"
	"strings"
	"testing"
	"time"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/email"
	"konak/internal/crm/inboxapi"
)

// Strangers who write under many names trigger only a few automatic answers, and leave
// enough of the daily quota for the workspace's people.
func TestForgedMailsDoNotUseUpQuota(t *testing.T) {
	t.Parallel()
	runRelay(t, func(c *app.Config) { c.MailDailyQuota = 12 }, func(t *testing.T, o *office) {
		o.smtpAddr = o.s.ListenSMTP(nil)
		o.Owner.Put(o.path(""), map[string]any{"name": "Destek", "address": "destek@firma.example", "auto_reply": "Mesajınızı aldık."}).Want(200)
		to := *o.box.ForwardingAddress
		forge := func(addr string) {
			o.mail(addr, to, mailText(addr, "f"+addr, "Merhaba", "Cevap verin"))
		}
		for i := range 5 {
			forge(fmt.Sprintf("victim+%d@victim.example", i))
		}
		if n := len(o.relay.got()); n != 1 {
			t.Errorf("one person got %d automatic answers", n)
		}
		for i := range 5 {
			forge(fmt.Sprintf("kurban%d@victim%d.example", i, i))
		}
		if n, q := len(o.relay.got()), o.look().Sending.Quota; n != 3 || q.Used != 3 {
			t.Errorf("%d automatic answers, quota %+v", n, q)
		}
		for range 9 {
			o.begin(fmt.Sprintf("elif%d@kaya.example", len(o.relay.got())))
		}
		if n, m := len(o.relay.got()), o.look(); n != 12 || m.Status != "active" {
			t.Errorf("%d mails, %s", n, m.Status)
		}

		// The next day there are automatic answers again. An answer that exceeds the quota
		// is dropped, and delays nothing.
		o.nextDay()
		forge("can@kaya.example")
		if n := len(o.relay.got()); n != 13 {
			t.Errorf("the next day: %d mails", n)
		}
		for range 11 {
			o.begin(fmt.Sprintf("ali%d@kaya.example", len(o.relay.got())))
		}
		forge("veli@kaya.example")
		if n, m := len(o.relay.got()), o.look(); n != 24 || m.Status != "active" {
			t.Errorf("when the day is used up: %d mails, %s", n, m.Status)
		}
		o.nextDay()
		if n := len(o.relay.got()); n != 24 {
			t.Errorf("the answer left a day late: %d mails", n)
		}
	})
}

func (p *post) copies(id string) (cc inboxapi.EmailCC) {
	p.t.Helper()
	p.Owner.Get("/api/crm/v1/conversations/" + id + "/email-cc").Want(200).Data(&cc)
	return cc
}

func (p *post) wantCopies(name, id, copies, proposed string) {
	p.t.Helper()
	cc := p.copies(id)
	if strings.Join(cc.EmailCC, " ") != copies || strings.Join(cc.Proposed, " ") != proposed {
		p.t.Errorf("%s: copies %q, proposed %q; want %q, %q", name, cc.EmailCC, cc.Proposed, copies, proposed)
	}
}

// A mail in the customer's name adds nobody to the copies of answers: a new address in the
// conversation is only proposed, and an agent decides.
func TestForgedMailAddsNoCopies(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		to := *p.box.ForwardingAddress
		n := 0
		write := func(cc string) {
			n++
			more := []string{"In-Reply-To: <c0@kaya.example>"}
			if cc != "" {
				more = append(more, "Cc: "+cc)
			}
			p.mail("elif@kaya.example", to, mailText("Elif <elif@kaya.example>", fmt.Sprintf("c%d@kaya.example", n), "Re: Teslimat", fmt.Sprint("Soru ", n), more...))
		}
		p.mail("elif@kaya.example", to, mailText("Elif <elif@kaya.example>", "c0@kaya.example", "Teslimat", "Nerede?", "Cc: ali@kaya.example"))
		id := p.talks()[0].ID
		path := "/api/crm/v1/conversations/" + id + "/email-cc"
		p.wantCopies("the first mail", id, "ali@kaya.example", "")

		write("ali@kaya.example, spy@evil.example")
		if len(p.talks()) != 1 {
			t.Fatalf("got %+v", p.talks())
		}
		p.wantCopies("a forged mail", id, "ali@kaya.example", "spy@evil.example")
		p.reply(id, "Gizli bilgi", nil)
		if got := p.sink.got()[0].to; !slices.Equal(got, []string{"elif@kaya.example", "ali@kaya.example"}) {
			t.Errorf("the answer went to %q", got)
		}
		write("Spy <SPY@evil.example>")
		p.wantCopies("the same again", id, "", "SPY@evil.example")
		write("")
		p.wantCopies("a mail to us alone", id, "", "")
		write("ali@kaya.example, ayse@kaya.example, can@kaya.example")
		p.wantCopies("who was written to", id, "ali@kaya.example", "ayse@kaya.example can@kaya.example")

		// An agent accepts one address and drops the other.
		p.Owner.Put(path, map[string]any{"email_cc": []string{"ali@kaya.example", "Ayse@kaya.example"}}).Want(200)
		p.wantCopies("taken over", id, "ali@kaya.example Ayse@kaya.example", "can@kaya.example")
		var cc inboxapi.EmailCC
		p.Owner.Put(path, map[string]any{"email_cc": []string{"ali@kaya.example", "ayse@kaya.example"}, "proposed": []string{"new@kaya.example"}}).Want(200).Data(&cc)
		if len(cc.EmailCC) != 2 || cc.Proposed == nil || len(cc.Proposed) != 0 {
			t.Errorf("dropped: %+v", cc)
		}
		write("ayse@kaya.example, can@kaya.example")
		p.wantCopies("whom an agent added", id, "ayse@kaya.example", "can@kaya.example")
	})
}

// sendFrom delivers a mail from an address of this machine.
func (p *post) sendFrom(from, to, raw string) error {
	p.t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := d.DialContext(p.t.Context(), "tcp", p.smtpAddr)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	c, err := smtp.NewClient(conn, "mx.example")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, step := range []error{c.Mail("elif@kaya.example"), c.Rcpt(to)} {
		if step != nil {
			return step
		}
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write([]byte(raw)); err != nil {
		return err
	}
	return w.Close()
}

// One network can fill only a part of a workspace's storage per day, and all networks
// together only a part too. Mail from others, and to others, still arrives.
func TestNetworkBytesPerDayAreLimited(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, func(c *app.Config) { c.MailDomain, c.LimitFactor = domain, 1 }, func(t *testing.T, s *apptest.Server) {
		s.Email.MaxSize = 64 << 10
		p := open(t, s)
		quota := int64(20 * 128 << 10) // 128 KiB for a network, 640 KiB in all
		if err := s.SetStorageQuota(t.Context(), p.Slug, &quota); err != nil {
			t.Fatal(err)
		}
		n := 0
		send := func(from string, box email.Mailbox) error {
			n++
			return p.sendFrom(from, *box.ForwardingAddress, mailText("elif@kaya.example", fmt.Sprintf("b%d@kaya.example", n), "Dosya", strings.Repeat("yirmi bin harf\r\n", 1300)))
		}
		full := func(err error) bool {
			return err != nil && strings.HasPrefix(err.Error(), "452 ") && strings.Contains(err.Error(), "Too much mail")
		}
		fill := func(network int) {
			t.Helper()
			for i := range 4 {
				if err := send(fmt.Sprintf("127.0.%d.%d", network, i+1), p.box); err != nil {
					t.Fatalf("mail %d of network %d: %v", i+1, network, err)
				}
			}
			if err := send(fmt.Sprintf("127.0.%d.9", network), p.box); !full(err) {
				t.Errorf("over the network's part: %v", err)
			}
		}
		fill(0)
		other := p.connect(s.Workspace("other"), "destek@baska.example", nil)
		if err := send("127.0.0.1", other); err != nil {
			t.Errorf("another workspace: %v", err)
		}
		for network := 1; network < 4; network++ {
			fill(network)
		}
		used := 0
		for network := 10; network < 20; network++ {
			if err := send(fmt.Sprintf("127.0.%d.1", network), p.box); full(err) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			used++
		}
		if used == 0 || used > 4 {
			t.Errorf("%d more networks could send", used)
		}
		s.Clock.Advance(24 * time.Hour)
		if err := send("127.0.0.1", p.box); err != nil {
			t.Errorf("the next day: %v", err)
		}
	})
}
