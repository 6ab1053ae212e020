package message_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"konak/internal/crm/email/message"
)

func TestRender(t *testing.T) {
	t.Parallel()
	d := message.Draft{
		MessageID: "k.abc@firma.example", From: message.Address{Name: "Destek, Firma", Email: "destek@firma.example"},
		To: []string{"elif@kaya.example"}, Cc: []string{"ali@kaya.example"}, ReplyTo: "m1+x@in.example",
		Subject: "Re: İade talebi\r\nBcc: x@y.example " + strings.Repeat("çok uzun ", 40), Text: "Merhaba <b>Elif</b>,\n\nşuraya bakın: https://firma.example/a?b=1&c=2.\n.\nTeşekkürler",
		InReplyTo: "c1@kaya.example", References: []string{"a@b", "c1@kaya.example"},
		Files: []message.File{{Name: "fatura şubat.pdf", Type: "application/pdf", Content: bytes.Repeat([]byte{0, 255, 7}, 1000)}},
		Auto:  true, Date: time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC),
	}
	raw, err := d.Render()
	if err != nil {
		t.Fatal(err)
	}
	again, _ := d.Render()
	if !bytes.Equal(raw, again) {
		t.Error("the same draft gives another mail")
	}
	for _, l := range strings.Split(string(raw), "\r\n") {
		if len(l) > 998 || strings.ContainsAny(l, "\r\n") {
			t.Fatalf("a line of %d bytes: %q", len(l), l[:60])
		}
	}
	m, err := message.ParseBytes(raw, "")
	if err != nil {
		t.Fatal(err)
	}
	if m.MessageID != d.MessageID || m.From != d.From || m.To[0].Email != d.To[0] || m.Cc[0].Email != d.Cc[0] || m.ReplyTo[0].Email != d.ReplyTo ||
		strings.Join(m.References, " ") != "a@b c1@kaya.example" || m.InReplyTo[0] != d.InReplyTo || !m.Date.Equal(d.Date) {
		t.Errorf("got %+v", m)
	}
	if m.Text != d.Text || !strings.Contains(m.HTML, `href="https://firma.example/a?b=1&amp;c=2"`) || !strings.Contains(m.HTML, "&lt;b&gt;") {
		t.Errorf("got %q and %q", m.Text, m.HTML)
	}
	if !strings.HasPrefix(m.Subject, "Re: İade talebi Bcc:") || m.Auto != message.AutoReplied {
		t.Errorf("got %q, %q", m.Subject, m.Auto)
	}
	if len(m.Defects) != 0 || !bytes.HasSuffix(raw, []byte("--\r\n")) {
		t.Errorf("the mail is broken: %q", m.Defects)
	}
	if len(m.Files) != 1 || m.Files[0].Name != d.Files[0].Name {
		t.Fatalf("got %d files", len(m.Files))
	}
	if content, err := io.ReadAll(m.Files[0].Reader()); err != nil || !bytes.Equal(content, d.Files[0].Content) {
		t.Errorf("the file is %q %v", content, err)
	}
}

// A mail contains only ASCII, so that every server accepts it.
func TestRenderInASCII(t *testing.T) {
	t.Parallel()
	d := message.Draft{
		MessageID: "k.abc@firma.example", From: message.Address{Name: "Çağrı Şirketi", Email: "destek@firma.example"}, To: []string{"elif@kaya.example"},
		Subject: "Yanıt: çağrı", Text: "Günaydın", InReplyTo: "ş@kaya.example", References: []string{"ç@kaya.example", "a@b", "ş@kaya.example"},
		Files: []message.File{{Name: "şubat.pdf", Type: "application/ş; name=ç", Content: []byte("ş")}}, Date: time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC),
	}
	raw, err := d.Render()
	if err != nil || bytes.ContainsFunc(raw, func(r rune) bool { return r >= 0x80 }) {
		t.Fatalf("got %s, %v", raw, err)
	}
	if m, err := message.ParseBytes(raw, ""); err != nil || strings.Join(m.References, " ") != "a@b" || len(m.InReplyTo) != 0 || len(d.References) != 3 {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestReplySubject(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"Teslimat", "", "Re: Teslimat"},
		{"Re: Teslimat", "", "Re: Teslimat"},
		{"YNT: RE: Re[2]: Teslimat", "", "Re: Teslimat"},
		{"Ynt: Teslimat", "abcdefgh", "Re: Teslimat [#abcdefgh]"},
		{"Re: Teslimat [#ABCDEFGH]", "abcdefgh", "Re: Teslimat [#ABCDEFGH]"},
		{"Referans: 4711", "", "Re: Referans: 4711"},
	} {
		if got := message.ReplySubject(c[0], c[1]); got != c[2] {
			t.Errorf("%q: got %q, want %q", c[0], got, c[2])
		}
	}
}
