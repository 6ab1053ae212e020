package message_test

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"konak/internal/crm/email/mailtest"
	"konak/internal/crm/email/message"
	"konak/internal/kit/trtext"
)

// evil matches what must not occur in any tag.
var evil = regexp.MustCompile(`(?i)<(script|style|iframe|object|embed|form|input|svg|meta|base|link)\b|` +
	`<[^>]*(\son[a-z]+=|href="\s*(javascript|data):|url\(|\ssrc="(http|//|data:))`)

// whole checks the invariants of every parsed mail.
func whole(t *testing.T, m *message.Mail) {
	t.Helper()
	list := []string{m.MessageID, m.From.Name, m.From.Email, m.Subject, m.Text, m.Body, m.HTML, m.Auto}
	for _, ids := range [][]string{m.InReplyTo, m.References, m.Delivered, m.Defects} {
		list = append(list, ids...)
	}
	for _, as := range [][]message.Address{m.To, m.Cc, m.ReplyTo} {
		for _, a := range as {
			list = append(list, a.Name, a.Email)
		}
	}
	for _, f := range m.Files {
		list = append(list, f.Name, f.Type, f.ContentID)
		if f.Name == "" || strings.ContainsAny(f.Name, "/\\\r\n") || strings.ContainsFunc(f.Name, trtext.IsDirectionMark) {
			t.Errorf("file name %q", f.Name)
		}
	}
	for _, s := range list {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			t.Errorf("no database takes %q", s[:min(len(s), 80)])
		}
	}
	if m.From.Email == "" && m.Bounce == nil {
		t.Error("no sender")
	}
	if at := evil.FindString(m.HTML); at != "" {
		t.Errorf("the HTML holds %q", at)
	}
	if strings.TrimSpace(m.Text) != "" && strings.TrimSpace(m.Body) == "" {
		t.Error("the quote stripping left nothing")
	}
}

func TestHardMails(t *testing.T) {
	t.Parallel()
	list := mailtest.Hard()
	t.Logf("%d mails", len(list))
	for _, s := range list {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			m, err := message.ParseBytes(s.Raw, "")
			if s.Unreadable {
				if err == nil {
					t.Fatalf("was read as %+v", m)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			whole(t, m)
		})
	}
}

// A mail that was truncated, doubled or damaged anywhere is either read or refused.
func TestDamagedMailsAreReadOrRefused(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(15, 11))
	n, refused := 0, 0
	for _, s := range mailtest.Hard() {
		if len(s.Raw) > 8<<10 {
			continue
		}
		for range 12 {
			raw := bend(rnd, s.Raw)
			m, err := message.ParseBytes(raw, "")
			n++
			if err != nil {
				refused++
				continue
			}
			whole(t, m)
			if t.Failed() {
				t.Fatalf("%s: %q", s.Name, raw)
			}
		}
	}
	t.Logf("%d bent mails, %d of them refused", n, refused)
}

func bend(rnd *rand.Rand, raw []byte) []byte {
	out := bytes.Clone(raw)
	if len(out) == 0 {
		return out
	}
	at := rnd.IntN(len(out))
	switch rnd.IntN(6) {
	case 0:
		return out[:at]
	case 1:
		return out[at:]
	case 2:
		return append(out[:at:at], append([]byte("\r\n\r\n"), out[at:]...)...)
	case 3:
		out[at] = byte(rnd.IntN(256))
	case 4:
		return append(out, out[at:]...)
	case 5:
		for range 20 {
			out[rnd.IntN(len(out))] ^= 1 << rnd.IntN(8)
		}
	}
	return out
}

func FuzzParse(f *testing.F) {
	for _, s := range mailtest.Hard() {
		if len(s.Raw) < 16<<10 {
			f.Add(s.Raw)
		}
	}
	for _, raw := range [][]byte{
		manyParts(3, "metin"), manyParts(1001, ""), nested(12, "metin", false), nested(13, "metin", true), partHeaders(10 << 10),
		[]byte("Content-Type: multipart/mixed; boundary=\"\"\r\n\r\n--\r\n\r\nx\r\n----\r\n"),
		[]byte("Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--\n"),
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := message.ParseBytes(raw, "")
		if err == nil {
			whole(t, m)
		}
	})
}

var hard = sync.OnceValue(mailtest.Hard)

func find(t *testing.T, name string) *message.Mail {
	t.Helper()
	for _, s := range hard() {
		if s.Name == name {
			m, err := message.ParseBytes(s.Raw, "")
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
	}
	t.Fatalf("no mail %q", name)
	return nil
}

func TestReadMails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		got  func(m *message.Mail) string
		want string
	}{
		{"plain", func(m *message.Mail) string { return m.Body }, "Siparişim ne zaman gelir?"},
		{"mbox-line", func(m *message.Mail) string { return m.MessageID + " " + m.Body }, "mbox@kayamobilya.example merhaba"},
		{"eight-bit-subject-1254", func(m *message.Mail) string { return m.Subject }, "İade talebi şğı"},
		{"eight-bit-from", func(m *message.Mail) string { return m.From.Name + "|" + m.From.Email }, "Şule Öz|sule@oz.example"},
		{"encoded-word-in-address", func(m *message.Mail) string { return m.From.Name }, "Şule"},
		{"charset-0-text", func(m *message.Mail) string { return m.Text[:len("İyi günler")] }, "İyi günler"},
		{"charset-1-text", func(m *message.Mail) string { return m.Text[:len("İyi günler")] }, "İyi günler"},
		{"charset-7-text", func(m *message.Mail) string { return m.Text[:len("İyi günler")] }, "İyi günler"},
		{"from-2", func(m *message.Mail) string { return m.From.Email }, "a@b.example"},
		{"alternative", func(m *message.Mail) string { return m.Text + "|" + m.HTML }, "Merhaba düz|<p>Merhaba <b>zengin</b></p>"},
		{"nested-12", func(m *message.Mail) string { return m.Text }, "en içteki metin"},
		{"missing-boundary-parameter", func(m *message.Mail) string {
			return map[bool]string{true: "there"}[strings.Contains(m.Text, "merhaba")]
		}, "there"},
		{"charset-lies", func(m *message.Mail) string { return m.Text }, "Türkçe utf-8 metin şğı"},
		{"boundary-not-found", func(m *message.Mail) string { return m.Text }, "hiç sınır yok"},
		{"gmail-reply", func(m *message.Mail) string { return m.Body }, "Teşekkürler"},
		{"signature", func(m *message.Mail) string { return m.Body }, "Merhaba"},
		{"vacation", func(m *message.Mail) string { return m.Auto }, message.AutoReplied},
		{"mailing-list", func(m *message.Mail) string { return m.Auto }, message.AutoList},
		{"winmail", func(m *message.Mail) string { return m.Body + "|" + m.Files[0].Name }, "Ekte|winmail.dat"},
		{"file-name-0", func(m *message.Mail) string { return m.Files[0].Name }, "passwd"},
		{"file-name-12", func(m *message.Mail) string { return m.Files[0].Name }, "fdp.exe"},
		{"file-name-1", func(m *message.Mail) string { return m.Files[0].Name }, "fatura.pdf"},
		{"file-name-rfc2231", func(m *message.Mail) string { return m.Files[0].Name }, "şeker.pdf"},
		{"image-only", func(m *message.Mail) string { return m.Files[0].Name + m.Text }, "file.png"},
		{"attached-mail", func(m *message.Mail) string { return m.Files[0].Name + "|" + m.Body }, "file.eml|Merhaba düz"},
		{"related", func(m *message.Mail) string { return m.HTML + m.Files[0].ContentID }, `<img src="cid:logo@x"><img data-remote-src="http://tracker.example/p.gif">logo@x`},
		{"outlook-html", func(m *message.Mail) string { return m.Body }, "Merhaba,"},
		{"meeting-request", func(m *message.Mail) string { return m.Body + "|" + m.Files[len(m.Files)-1].Name }, "Merhaba|davet.ics"},
		{"receipt-read", func(m *message.Mail) string { return m.Auto + "|" + m.Text }, message.AutoReplied + "|Okundu: İade"},
		{"tnef-with-attribute", func(m *message.Mail) string { return m.Body + "|" + m.Files[0].Name }, "Merhaba|winmail.dat"},
		{"smime-opaque", func(m *message.Mail) string { return m.Files[0].Name }, "smime.p7m"},
		{"forward-attached-eight", func(m *message.Mail) string { return m.Body + "|" + m.Files[0].Name }, "kat 7|İlt.eml"},
		{"utf-16-html", func(m *message.Mail) string { return m.Text }, "Merhaba"},
		{"empty-text-full-html", func(m *message.Mail) string { return m.Text }, "Dolu"},
		{"blank-text-full-html", func(m *message.Mail) string { return m.Text }, "Dolu"},
		{"phone-signature", func(m *message.Mail) string { return m.Body }, "Tamam teşekkürler"},
		{"samsung", func(m *message.Mail) string { return m.Body }, "Tamam"},
		{"subject-folded-words", func(m *message.Mail) string { return m.Subject }, "Siparişim hakkında bilgi almak istiyorum"},
		{"ticket-system", func(m *message.Mail) string { return m.Auto }, message.AutoSubmitted},
		{"html-deep", func(m *message.Mail) string { return m.Body }, "metin"},
	} {
		if got := c.got(find(t, c.name)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	read := func(raw string) string {
		m, err := message.ParseBytes([]byte(raw), "")
		if err != nil {
			t.Fatal(err)
		}
		mark, err := m.Fingerprint()
		if err != nil {
			t.Fatal(err)
		}
		return mark
	}
	one := read(mailtest.Head("1", "") + "bir")
	if read("Received: by another\r\n"+mailtest.Head("1", "")+"bir") != one {
		t.Error("the same mail over another route is another")
	}
	if read(mailtest.Head("1", "")+"iki") == one {
		t.Error("another mail under the same Message-ID is the same")
	}
}
