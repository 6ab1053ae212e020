package email_test

import (
	"strings"
	"testing"
	"time"

	"konak/internal/app/apptest"
)

const (
	formatted = "**Merhaba** Elif\n\n- [Kargo](https://kargo.example/t?a=1)\n- _yarın_"
	plainly   = "Merhaba Elif\n\n- Kargo (https://kargo.example/t?a=1)\n- yarın"
)

func (p *post) sign(signature string) {
	p.t.Helper()
	p.Owner.Put("/api/crm/v1/agents/"+p.Member.String(), map[string]any{"signature": signature}).Want(200)
}

// A reply in Markdown is sent formatted with a plain part, is stored with its marks, and is
// shown without them where formatting is not possible.
func TestFormattedReply(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		p.reply(id, formatted, map[string]any{"format": "markdown"})
		got := p.sink.got()
		if len(got) != 1 {
			t.Fatalf("%d mails", len(got))
		}
		m := got[0].parse(t)
		if m.Text != plainly {
			t.Errorf("the text is %q", m.Text)
		}
		for _, want := range []string{"<strong>Merhaba</strong> Elif", "<ul>", `href="https://kargo.example/t?a=1"`, "<em>yarın</em>"} {
			if !strings.Contains(m.HTML, want) {
				t.Errorf("no %s in %s", want, m.HTML)
			}
		}
		l := p.lines(id)[0]
		if l.Body != formatted || l.Detail.Format != "markdown" || l.Detail.Redacted {
			t.Errorf("got %+v", l)
		}
		var c struct{ Preview string }
		p.Owner.Get("/api/crm/v1/conversations/" + id).Want(200).Data(&c)
		if !strings.HasPrefix(c.Preview, "Merhaba Elif") {
			t.Errorf("the preview is %q", c.Preview)
		}
		for _, format := range []string{"html", "mbox"} {
			export := string(p.Owner.Get("/api/crm/v1/conversations/" + id + "/export?format=" + format).Want(200).Body)
			if strings.Contains(export, "**") || !strings.Contains(export, "Merhaba Elif") {
				t.Errorf("the export is %s", export)
			}
		}
		p.Owner.Post("/api/crm/v1/conversations/"+id+"/items/"+l.ID+"/forward", map[string]any{"to": []string{"depo@nakliye.example"}}).Want(200)
		s.Settle()
		if m := p.sink.got()[1].parse(t); strings.Contains(m.Text, "**") || !strings.Contains(m.Text, "Merhaba Elif") {
			t.Errorf("forwarded as %q", m.Text)
		}
		p.reply(id, "**Düz**", nil)
		if m := p.sink.got()[2].parse(t); m.Text != "**Düz**" || p.lines(id)[0].Detail.Format != "" {
			t.Errorf("got %q, %+v", m.Text, p.lines(id)[0])
		}
		p.Owner.Post(replyPath(id), map[string]any{"body": "x", "format": "html"}).Refused(422, "validation_failed")
	})
}

// A text loses its marks where formatting is not supported: in a note, on another channel.
func TestFormatIsDropped(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		p.sign("**Defne**")
		more := map[string]any{"format": "markdown", "signature": true, "message_type": "note"}
		p.reply(id, formatted, more)
		if l := p.lines(id)[0]; l.Body != plainly || l.Detail.Format != "" {
			t.Errorf("got %+v", l)
		}
		var other talk
		p.FullKey().Post("/api/crm/public/v1/conversations", map[string]any{"contact_id": p.talks()[0].ContactID, "subject": "Soru", "body": "Merhaba"}).Want(201).Data(&other)
		delete(more, "message_type")
		p.reply(other.ID, formatted, more)
		p.reply(other.ID, ">", more) // marks alone are better than nothing
		if l := p.lines(other.ID); l[1].Body != plainly || l[1].Detail.Format != "" || l[0].Body != ">" {
			t.Errorf("got %+v", l)
		}
	})
}

// A signature is added only to e-mails that ask for it, and it is their author's.
func TestSignature(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		signed := map[string]any{"format": "markdown", "signature": true}
		p.reply(id, "Bir", signed) // nobody has one
		p.sign("**Defne**\n[Firma](https://firma.example) ")
		p.reply(id, "İki", signed)
		p.reply(id, "Üç", map[string]any{"signature": true})
		p.reply(id, "Dört", nil)
		p.Owner.Post("/api/crm/v1/conversations/"+id+"/scheduled", map[string]any{"body": "**Beş**", "delay_s": 5, "format": "markdown", "signature": true}).Want(201)
		s.Clock.Advance(5 * time.Second)
		s.Settle()
		begin := map[string]any{"contact_id": p.talks()[0].ContactID, "channel": "email", "subject": "Yeni", "body": "**Altı**", "format": "markdown", "signature": true}
		p.Owner.Post("/api/crm/v1/conversations/new-as-agent", begin).Want(201)
		s.Settle()
		const below = "\n-- \nDefne\nFirma (https://firma.example)"
		want := []string{"Bir", "İki\n" + below, "Üç\n" + below, "Dört", "Beş\n" + below, "Altı\n" + below}
		got := p.sink.got()
		if len(got) != len(want) {
			t.Fatalf("%d mails", len(got))
		}
		for n, m := range got {
			if text := m.parse(t).Text; text != want[n] {
				t.Errorf("mail %d is %q", n, text)
			}
		}
		if html := got[4].parse(t).HTML; !strings.Contains(html, "<strong>Beş</strong>") || !strings.Contains(html, "<strong>Defne</strong>") {
			t.Errorf("got %s", html)
		}
		p.Owner.Put("/api/crm/v1/agents/"+p.Member.String(), map[string]any{"signature": strings.Repeat("x", 2001)}).Refused(422, "validation_failed")
	})
}

// Rules check a formatted text as readers see it, with the addresses of its links.
func TestRulesCheckFormattedReply(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		p.rule(map[string]any{"pattern_type": "credit_card", "action": "block"})
		for _, body := range []string{"4111 **1111** 1111 1111", "[kart](https://a.example/4111111111111111)", `4111\-1111\-1111\-1111`} {
			p.Owner.Post(replyPath(id), map[string]any{"body": body, "format": "markdown"}).Refused(422, "dlp_blocked")
		}
		p.sign("Kart 4111 _1111_ 1111 1111")
		p.Owner.Post(replyPath(id), map[string]any{"body": "Merhaba", "signature": true}).Refused(422, "dlp_blocked")
	})
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		p.rule(map[string]any{"pattern_type": "credit_card", "action": "redact"})
		p.reply(id, "**Kart** 4111 **1111** 1111 1111", map[string]any{"format": "markdown"})
		const want = "Kart ████ ████ ████ ████"
		l := p.lines(id)[0]
		if m := p.sink.got()[0]; m.parse(t).Text != want || strings.Contains(m.raw, "1111") || l.Body != want || l.Detail.Format != "" || !l.Detail.Redacted {
			t.Errorf("got %+v, %s", l, m.raw)
		}
	})
}

// A scheduled message is checked when it is written, and is sent with the reason that was
// given then.
func TestRulesCheckScheduledMessage(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		p.rule(map[string]any{"pattern_type": "credit_card", "action": "warn"})
		path := "/api/crm/v1/conversations/" + id + "/scheduled"
		body := map[string]any{"body": cardNumber, "delay_s": 5}
		f := p.Owner.Post(path, body).Refused(422, "dlp_warning")
		if f.Reason != "credit_card" || len(f.Matches) != 1 || f.Matches[0].PatternType != "credit_card" || strings.Join(f.Matches[0].SamplesMasked, " ") != "************1111" {
			t.Errorf("got %+v", f)
		}
		var waiting []struct{ ID string }
		p.Owner.Get(path).Want(200).Data(&waiting)
		if len(waiting) != 0 || len(p.incidents()) != 1 {
			t.Errorf("%d wait, %d incidents", len(waiting), len(p.incidents()))
		}
		body["dlp_override"] = map[string]any{"reason": "Müşteri istedi"}
		p.Owner.Post(path, body).Want(201)
		s.Clock.Advance(5 * time.Second)
		s.Settle()
		if list := p.incidents(); len(p.sink.got()) != 1 || len(list) != 2 || list[0].Note != "Müşteri istedi" {
			t.Errorf("%d mails, %+v", len(p.sink.got()), list)
		}
		p.rule(map[string]any{"pattern_type": "keyword", "pattern": "gizli", "action": "block"})
		f = p.Owner.Post(path, map[string]any{"body": "gizli", "delay_s": 5}).Refused(422, "dlp_blocked")
		if len(f.Matches) != 1 {
			t.Errorf("got %+v", f)
		}
		if f := p.Owner.Post(path, map[string]any{"delay_s": 5}).Refused(422, "validation_failed"); f.Matches == nil {
			t.Error("other errors have no list of matches")
		}
	})
}
