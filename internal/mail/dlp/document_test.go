package dlp_test

import (
	"context"
	"strings"
	"testing"

	"konak/internal/mail/dlp"
	"konak/internal/mail/dlp/dlptest"
)

// ReadDocument returns the text that a reader sees, and nothing else.
func TestReadDocument(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file  string
		content     []byte
		want, never string
		reason      string
	}{
		{"word", "a.docx", dlptest.Docx(t, "İade 14 gün"), "İade 14 gün", "Types", ""},
		{
			"word with styles", "a.docx", dlptest.Zip(t, "[Content_Types].xml", "<Types/>", "word/styles.xml", "<?xml?><w:t>gizli</w:t>",
				"word/document.xml", `<?xml version="1.0"?><w:p><w:t>Birinci &amp; son</w:t></w:p><w:p><w:t>İkinci</w:t></w:p>`), "Birinci & son\n", "gizli", "",
		},
		{"pdf", "a.pdf", dlptest.PDF("(Garanti iki yil) Tj", true, false), "Garanti iki yil", "gizli", ""},
		{"pdf by its content", "a.bin", dlptest.PDF("Garanti", false, true), "Garanti", "", ""},
		{"text", "a.txt", []byte("Çalışma saatleri\n09-18"), "Çalışma saatleri\n09-18", "", ""},
		{"windows-1254", "a.txt", []byte("\xdd\xfeyeri"), "İşyeri", "", ""},
		{"utf-16", "a.txt", append([]byte{0xFF, 0xFE}, dlptest.UTF16("Şube")...), "Şube", "", ""},
		{"an archive", "a.zip", dlptest.Zip(t, "a.txt", "merhaba"), "", "", dlp.ReasonUnsupported},
		{"damaged", "a.docx", []byte("PK\x03\x04 and nothing"), "", "", dlp.ReasonDamaged},
		{"packed", "a.txt", dlptest.Gzip([]byte("merhaba")), "", "", dlp.ReasonUnsupported},
		{"a picture", "a.png", []byte("\x89PNG\r\n\x1a\n\x00\x00"), "", "", dlp.ReasonUnsupported},
		{"encrypted", "a.pdf", []byte("%PDF-1.4\ntrailer << /Encrypt 5 0 R >>"), "", "", dlp.ReasonEncrypted},
	} {
		text, reason := dlp.ReadDocument(context.Background(), c.file, c.content, 1000)
		if reason != c.reason || !strings.Contains(text, c.want) || c.want == "" && text != "" || c.never != "" && strings.Contains(text, c.never) {
			t.Errorf("%s: %q, %q", c.name, text, reason)
		}
	}
	text, _ := dlp.ReadDocument(context.Background(), "a.txt", []byte(strings.Repeat("ğ", 10_000)), 1001)
	if len(text) < 1001 || len(text) > 1010 {
		t.Errorf("a long text has %d bytes", len(text))
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if text, reason := dlp.ReadDocument(ended, "a.txt", []byte("merhaba"), 100); text != "" || reason != dlp.ReasonTime {
		t.Errorf("out of time: %q, %q", text, reason)
	}
}

// A small file that unpacks to a lot of data stops at the limit.
func TestReadDocumentBomb(t *testing.T) {
	t.Parallel()
	bomb := dlptest.Docx(t, strings.Repeat("a", 50<<20))
	if text, _ := dlp.ReadDocument(context.Background(), "a.docx", bomb, 1000); len(text) > 1010 {
		t.Errorf("%d bytes", len(text))
	}
}
