package dlp_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"konak/internal/mail/dlp"
	"konak/internal/mail/dlp/dlptest"
)

// repeated is a reader of n identical bytes.
type repeated struct{ left int64 }

func (r *repeated) Read(b []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := min(int64(len(b)), r.left)
	clear(b[:n])
	r.left -= n
	return int(n), nil
}

func levels(n int) string {
	var b strings.Builder
	b.WriteString(dlptest.Mail("Content-Type: multipart/mixed; boundary=b1\r\n", ""))
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "--b%d\r\nContent-Type: multipart/mixed; boundary=b%d\r\n\r\n", i, i+1)
	}
	return b.String() + "PRJ-1234\r\n"
}

// nestedMails returns a mail nested in n mails.
func nestedMails(n int) string {
	return strings.Repeat("Content-Type: message/rfc822\r\n\r\n", n) + "\r\nPRJ-1234\r\n"
}

// Content beyond a limit is scanned up to the limit, and the report says that it was not
// scanned to its end.
func TestBounds(t *testing.T) {
	t.Parallel()
	zeros := func(n int) string { return string(make([]byte, n)) }
	bomb := dlptest.Zip(t, "a", zeros(8<<20))
	nested := dlptest.Zip(t, "x.txt", "PRJ-1234")
	for range 40 {
		nested = dlptest.Zip(t, "x.zip", string(nested))
	}
	var members []string
	for i := range 3000 {
		members = append(members, fmt.Sprintf("%d.txt", i), "")
	}
	small := dlp.DefaultLimits()
	small.Bytes = 1 << 20
	for _, c := range []struct {
		name   string
		mail   io.Reader
		limits dlp.Limits
		want   string // a reason
	}{
		{"1,000 levels of multiparts", strings.NewReader(levels(1000)), dlp.DefaultLimits(), dlp.ReasonTooDeep},
		{"1,000 levels of mails", strings.NewReader(nestedMails(1000)), dlp.DefaultLimits(), dlp.ReasonTooDeep},
		{"100,000 parts", strings.NewReader(dlptest.Mail("Content-Type: multipart/mixed; boundary=b\r\n", strings.Repeat("--b\r\n\r\nx\r\n", 100_000))), dlp.DefaultLimits(), dlp.ReasonTooMany},
		{"100,000 multiparts", strings.NewReader(dlptest.Mail("Content-Type: multipart/mixed; boundary=b\r\n", strings.Repeat("--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c--\r\n", 100_000))), dlp.DefaultLimits(), dlp.ReasonTooMany},
		{"50 MB", io.MultiReader(strings.NewReader(dlptest.Mail("", "")), &repeated{left: 50 << 20}), small, dlp.ReasonTooLarge},
		{"a header of 50 MB", io.MultiReader(strings.NewReader("Subject: x"), &repeated{left: 50 << 20}), small, dlp.ReasonTooLarge},
		{"a zip bomb", strings.NewReader(dlptest.Mail("Content-Type: application/zip; name=a.zip\r\nContent-Transfer-Encoding: base64\r\n", dlptest.Base64(bomb))), dlp.DefaultLimits(), dlp.ReasonRatio},
		{"a gzip bomb", strings.NewReader(dlptest.Mail("Content-Type: application/gzip; name=a.gz\r\nContent-Transfer-Encoding: base64\r\n", dlptest.Base64(dlptest.Gzip(make([]byte, 8<<20))))), dlp.DefaultLimits(), dlp.ReasonRatio},
		{"a pdf bomb", strings.NewReader(dlptest.Mail("Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n", dlptest.Base64(dlptest.PDF(zeros(8<<20), true, false)))), dlp.DefaultLimits(), dlp.ReasonTooLarge},
		{"40 zips in each other", strings.NewReader(dlptest.Mail("Content-Type: application/zip; name=a.zip\r\nContent-Transfer-Encoding: base64\r\n", dlptest.Base64(nested))), dlp.DefaultLimits(), dlp.ReasonTooDeep},
		{"3,000 members", strings.NewReader(dlptest.Mail("Content-Type: application/zip; name=a.zip\r\nContent-Transfer-Encoding: base64\r\n", dlptest.Base64(dlptest.Zip(t, members...)))), dlp.DefaultLimits(), dlp.ReasonTooMany},
	} {
		r := compile(t, rules()).ScanMail(t.Context(), c.mail, c.limits)
		if !slices.ContainsFunc(r.Unscanned, func(u dlp.Unscanned) bool { return u.Reason == c.want }) {
			t.Errorf("%s: got %q", c.name, found(r))
		}
		if len(r.Unscanned) > 100 {
			t.Errorf("%s: %d notes", c.name, len(r.Unscanned))
		}
	}
}

// A scan that runs out of time reports so, whatever it is scanning.
func TestTime(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := compile(t, rules())
	for name, r := range map[string]dlp.Report{
		"mail":    s.ScanMail(ctx, strings.NewReader(dlptest.Mail("", "x")), dlp.DefaultLimits()),
		"message": s.ScanMessage(ctx, dlp.Message{HTML: "<p>x", Files: []dlp.File{fileOf("a.txt", []byte("x"))}}, dlp.DefaultLimits()),
	} {
		if len(r.Unscanned) == 0 || r.Unscanned[0].Reason != dlp.ReasonTime {
			t.Errorf("%s: got %q", name, found(r))
		}
	}
}

// A part too large for memory is stored on disk and scanned there.
func TestSpool(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("satır\n", 400_000) + "PRJ-1234"
	got := found(compile(t, rules()).ScanMessage(t.Context(), dlp.Message{Files: []dlp.File{fileOf("a.txt", []byte(text)), fileOf("b.zip", dlptest.Zip(t, "c.txt", text[len(text)-1000:]+strings.Repeat("y", 200)))}}, dlp.DefaultLimits()))
	if want := []string{"regex attachment:a.txt 1", "regex attachment:b.zip/c.txt 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func FuzzScanMail(f *testing.F) {
	f.Add([]byte(dlptest.Mail("Content-Type: multipart/mixed; boundary=b\r\n", dlptest.Multipart("b", "Content-Transfer-Encoding: base64\r\n\r\n"+dlptest.Base64(dlptest.Docx(f, card))))))
	f.Add([]byte(levels(5)))
	f.Add([]byte(nestedMails(5)))
	f.Add([]byte(dlptest.Mail("Content-Transfer-Encoding: quoted-printable\r\n", "=\r\n=4=41")))
	f.Fuzz(func(t *testing.T, raw []byte) {
		compile(t, rules()).ScanMail(t.Context(), bytes.NewReader(raw), dlp.DefaultLimits())
	})
}

func FuzzScanFile(f *testing.F) {
	f.Add("a.pdf", dlptest.PDF("(PRJ-1234) Tj", true, true))
	f.Add("a.pdf", dlptest.PDF("[(a) 1 (b)] TJ", false, false))
	f.Add("a.docx", dlptest.Docx(f, card))
	f.Add("a.zip", dlptest.Zip(f, "b.zip", string(dlptest.Zip(f, "c", "d"))))
	f.Add("a.gz", dlptest.Gzip([]byte("x")))
	f.Add("a.rtf", []byte(`{\rtf1 \u108?\'e7}`))
	f.Add("a.rtf", []byte(`{\rtf1{\object{\*\objdata 504b03040000000000000000000000000000}}{\pict 00ff}\bin16 aaaaaaaaaaaaaaaa}`))
	f.Add("a.pdf", pdfOf("/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 8>>", string(packed(pngRows(pdfPage)))))
	f.Add("a.pdf", pdfOf("/Filter[/AHx/RL/A85]", "00>", "10 0 obj<</FT/Tx/V(a\nb)/DV<0041>/Metadata 5 0 R>>endobj"))
	f.Add("a.pdf", pdfOf("", pdfPage, "4 0 obj<</Type/Font/Encoding<</Differences[1/P/R/uni0034]>>/ToUnicode 9 0 R>>endobj",
		"9 0 obj<<>>stream\nbegincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <00><0F><0041> <10><12>[<0041><0042>] endbfrange\nendstream endobj"))
	f.Add("a.pdf", []byte("%PDF-1.5\n1 0 obj<</Type/ObjStm/First 8>>stream\n5 0 6 9 <</V(a)>> [/Fl]\nendstream endobj\n"))
	f.Add("a.xls", oldOffice("Workbook", slices.Concat(record(0x809, make([]byte, 16)), record(0xFC, uint32(1), uint32(1), uint16(5), byte(9), uint16(1), []byte("a")), record(0x3C, byte(0), []byte("bcde")), record(0x203, make([]byte, 6), 1.5)), false))
	f.Add("a.msg", oldOffice("__substg1.0_3701000D", []byte(`{\rtf1 a}`), true))
	f.Add("a.p7m", []byte{0x30, 0x80, 6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2, 0xA0, 0x80, 0x30, 0x80, 2, 1, 1, 0x31, 0, 0x30, 0x80, 6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 1, 0xA0, 0x80, 0x24, 0x80, 4, 1, 'a', 0, 0, 0, 0, 0, 0})
	f.Add("a.tar", sparseTar())
	f.Add("a.png", png(chunk("zTXt", append([]byte("T\x00\x00"), packed("a")...))))
	f.Add("a.ics", []byte("BEGIN:VCALENDAR\r\nATTACH;ENCODING=BASE64:QUFB\r\n QUFB\r\nNOTE;QUOTED-PRINTABLE:=41=\r\n"))
	f.Add("a.html", []byte(`<a href="data:text/html;base64,PGI+">x</a><iframe srcdoc="&lt;b&gt;"></iframe>`))
	f.Add("a.html", []byte(`<p title="x">a<!-- b --><script>c</script>`))
	f.Fuzz(func(t *testing.T, name string, raw []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		r := compile(t, rules()).ScanMessage(ctx, dlp.Message{Files: []dlp.File{fileOf(name, raw)}}, dlp.DefaultLimits())
		if slices.ContainsFunc(r.Unscanned, func(u dlp.Unscanned) bool { return u.Reason == dlp.ReasonTime }) {
			t.Errorf("%d bytes take too long", len(raw))
		}
	})
}

// Redacting keeps the number of lines of a text.
func FuzzRedact(f *testing.F) {
	f.Add("ÇOK GİZLİ " + card + " i̇hale")
	f.Add("vergi 1234567890\n" + account)
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		s := compile(t, rules())
		got := s.Redact(text, nil)
		if strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Errorf("%q became %q", text, got)
		}
	})
}

// BenchmarkScan scans 1 MiB of Turkish text with 1,000 keywords and all detectors,
// without and with a regex, and 5 MiB of a table of two-digit numbers.
func BenchmarkScan(b *testing.B) {
	words := strings.Fields("müşteri sipariş teslimat fatura adres yarın için gelen ürün iade kargo bugün değişiklik toplantı İstanbul ısı çözüm görüşme öğle şube 12 2024 0,50 34000 ve bir ile")
	r := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for text.Len() < 1<<20 {
		text.WriteString(words[r.IntN(len(words))])
		text.WriteByte(' ')
	}
	var table strings.Builder
	for table.Len() < 5<<20 {
		for range 12 {
			fmt.Fprintf(&table, "%d\t", 10+r.IntN(90))
		}
		table.WriteByte('\n')
	}
	var keywords strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&keywords, "%s%s%d\n", words[i%len(words)], words[(i*7)%len(words)], i)
	}
	all := []dlp.Rule{
		{ID: "k", Type: dlp.Keyword, Pattern: keywords.String()},
		{ID: "c", Type: dlp.CreditCard},
		{ID: "i", Type: dlp.IBAN},
		{ID: "t", Type: dlp.TCKN},
		{ID: "v", Type: dlp.VKN},
		{ID: "p", Type: dlp.Phone},
		{ID: "e", Type: dlp.Email},
		{ID: "a", Type: dlp.AttachmentType, Pattern: "exe"},
	}
	regex := append(slices.Clone(all), dlp.Rule{ID: "r", Type: dlp.Regex, Pattern: `\b[A-Z]{2,4}-\d{4,8}\b`})
	for _, c := range []struct {
		name, text string
		rules      []dlp.Rule
	}{{"detectors", text.String(), all}, {"and a regex", text.String(), regex}, {"table", table.String(), all}} {
		b.Run(c.name, func(b *testing.B) {
			s := compile(b, c.rules)
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				s.ScanMessage(b.Context(), dlp.Message{Text: c.text}, dlp.DefaultLimits())
			}
		})
	}
}
