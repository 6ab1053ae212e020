package dlp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"konak/internal/mail/dlp/dlptest"
)

// Documents within rich text and within Outlook mails are read, and the pixels of pictures
// are not taken for numbers.
func TestObjects(t *testing.T) {
	t.Parallel()
	pdf := string(pdfOf("/Filter/FlateDecode", string(packed(pdfPage))))
	zip := string(dlptest.Zip(t, "a.txt", "PRJ-1234"))
	old := string(oldOffice("Workbook", slices.Concat(record(0x809, make([]byte, 16)), record(0x203, make([]byte, 6), float64(10000000146)), record(0xA)), false))
	object := func(content string) []byte {
		return fmt.Appendf(nil, `{\rtf1{\object\objemb{\*\objdata 0105000002000000%x}}}`, content)
	}
	for _, c := range []struct {
		name, file string
		content    []byte
		want       []string
	}{
		{"PDF", "a.rtf", object(pdf), []string{"regex attachment:a.rtf/object 1"}},
		{"zip", "a.rtf", object(zip), []string{"regex attachment:a.rtf/object/a.txt 1"}},
		{"sheet", "a.rtf", object(old), []string{"tckn attachment:a.rtf/object 1"}},
		{"bytes", "a.rtf", fmt.Appendf(nil, `{\rtf1 %s{\pict\bin%d %s}}`, strings.Repeat("x ", 600), len(pdf), pdf), []string{"regex attachment:a.rtf/object 1"}},
		{"Unicode", "a.rtf", []byte(`{\rtf1 PRJ\u45x1\u50\'3f34}`), []string{"regex attachment:a.rtf 1"}},
		{"Unicode for new readers", "a.rtf", []byte(`{\rtf1\uc0 PRJ\u45 1234}`), []string{"regex attachment:a.rtf 1"}},
		{"picture", "a.rtf", fmt.Appendf(nil, `{\rtf1 x{\pict\pngblip %x}}`, noise(100_000)), nil},
		{"digits called a picture", "a.rtf", []byte(`{\rtf1\pict 10000000146\par x}`), []string{"tckn attachment:a.rtf 1"}},
		{"file in a mail of Outlook", "a.msg", oldOffice("__substg1.0_37010102", []byte(pdf+strings.Repeat(" ", 100)), false), []string{"regex attachment:a.msg/__substg1.0_37010102 1"}},
		{"rich text in a mail of Outlook", "a.msg", oldOffice("__substg1.0_37010102", []byte(`{\rtf1 PRJ{\b -12}34}`), true), []string{"regex attachment:a.msg/__substg1.0_37010102 1"}},
	} {
		if got := scanFile(t, c.file, c.content); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
