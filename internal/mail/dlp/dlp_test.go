package dlp_test

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"konak/internal/mail/dlp"
	"konak/internal/mail/dlp/dlptest"
)

const (
	card     = "4111 1111 1111 1111"
	identity = "10000000146"
	taxNo    = "1234567890"
	account  = "TR33 0006 1005 1978 6457 8413 26"
)

// rules returns one rule of each kind; its id is the type.
func rules() []dlp.Rule {
	return []dlp.Rule{
		{ID: "keyword", Type: dlp.Keyword, Pattern: "çok gizli\nİHALE\nsözleşme*"},
		{ID: "regex", Type: dlp.Regex, Pattern: `PRJ-\d{4}`},
		{ID: "credit_card", Type: dlp.CreditCard},
		{ID: "iban", Type: dlp.IBAN},
		{ID: "tckn", Type: dlp.TCKN},
		{ID: "vkn", Type: dlp.VKN},
		{ID: "phone", Type: dlp.Phone},
		{ID: "email", Type: dlp.Email},
		{ID: "attachment_type", Type: dlp.AttachmentType, Pattern: "exe, docm\nimage/*"},
	}
}

func compile(t testing.TB, rules []dlp.Rule) *dlp.Scanner {
	t.Helper()
	s, err := dlp.Compile(rules, []byte("key"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// found lists the contents of a report as "rule where count" and "!reason where".
func found(r dlp.Report) []string {
	var out []string
	for _, m := range r.Matches {
		out = append(out, fmt.Sprintf("%s %s %d", m.RuleID, m.Where, m.Count))
	}
	for _, u := range r.Unscanned {
		out = append(out, "!"+u.Reason+" "+u.Where)
	}
	return out
}

func fileOf(name string, content []byte) dlp.File {
	return dlp.File{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }}
}

// What each detector finds in a text, and what it ignores.
func TestDetectors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string // rules
	}{
		{"nothing", "Merhaba, siparişiniz yola çıktı.", nil},
		{"keyword", "Bu belge çok gizli bir belgedir", []string{"keyword"}},
		{"keyword over a line end", "çok\r\n   gizli", []string{"keyword"}},
		{"keyword in another word", "çok gizlilik", nil},
		{"keyword with any ending", "SÖZLEŞMESİNDE", []string{"keyword"}},
		{"dotted and dotless i, upper case", "ÇOK GİZLİ", []string{"keyword"}},
		{"dotted and dotless i, English upper case", "ÇOK GIZLI", []string{"keyword"}},
		{"dotted and dotless i, lower case", "ıhale dosyası", []string{"keyword"}},
		{"i with a dot of its own", "i̇hale", []string{"keyword"}},
		{"zero-width characters", "ç\u200bok gi\u200dz\u00adl\ufeffi", []string{"keyword"}},
		{"decomposed letters", "c\u0327ok gizli", []string{"keyword"}},
		{"wide letters", "ｉｈａｌｅ", []string{"keyword"}},
		{"control characters", "iha\x00le", []string{"keyword"}},
		{"regex", "dosya PRJ-1234", []string{"regex"}},
		{"regex keeps its case", "dosya prj-1234", nil},
		{"regex over a zero-width character", "PRJ-\u200b1234", []string{"regex"}},
		{"card", "Kart: " + card, []string{"credit_card"}},
		{"card without spaces", "4111111111111111", []string{"credit_card"}},
		{"card with hyphens of all kinds", "4111‐1111–1111-1111", []string{"credit_card"}},
		{"card digit by digit", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", []string{"credit_card"}},
		{"card in wide digits", "４１１１１１１１１１１１１１１１", []string{"credit_card"}},
		{"card in Arabic digits", "٤١١١١١١١١١١١١١١١", []string{"credit_card"}},
		{"card with a zero-width character", "4111\u200b111111111111", []string{"credit_card"}},
		{"American Express", "3782 822463 10005", []string{"credit_card"}},
		{"Troy", "9792 0300 0000 0000", []string{"credit_card"}},
		{"wrong check digit", "4111 1111 1111 1112", nil},
		{"no issuer", "7992 7398 7130 0000", nil},
		{"part of a longer number", "41111111111111110000000", nil},
		{"columns of a table", "4111\t1111\t1111\t1111", []string{"credit_card"}},
		{"card over a line end", "Kart 4111 1111\r\n    1111 1111", []string{"credit_card"}},
		{"two cards in two lines", card + "\n" + card, []string{"credit_card"}},
		{"table of digits", "4\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1", nil},
		{"IBAN over a line end", "TR33 0006 1005\r\n1978 6457 8413 26", []string{"iban"}},
		{"TCKN over a line end", "100000\n00146", []string{"tckn"}},
		{"telephone number over a line end", "0532\n123 45 67", []string{"phone"}},
		{"numbers in lines", "5321\n234567", nil},
		{"IBAN", account, []string{"iban"}},
		{"IBAN in lower case without spaces", "tr330006100519786457841326", []string{"iban"}},
		{"IBAN that its name is written to", "IBANTR330006100519786457841326", []string{"iban"}},
		{"IBAN within a word", "XTR330006100519786457841326", nil},
		{"IBAN of another country", "GB82 WEST 1234 5698 7654 32", []string{"iban"}},
		{"IBAN with a wrong check", "TR34 0006 1005 1978 6457 8413 26", nil},
		{"IBAN that goes on", "TR3300061005197864578413260", nil},
		{"TCKN", "kimlik " + identity, []string{"tckn"}},
		{"TCKN split", "100 000 001 46", []string{"tckn"}},
		{"TCKN with a wrong check", "10000000147", nil},
		{"VKN without a word near it", taxNo, nil},
		{"VKN with a word near it", "Vergi No: " + taxNo, []string{"vkn"}},
		{"VKN with a word after it", taxNo + " (VKN)", []string{"vkn"}},
		{"VKN with a word too far off", "vergi " + strings.Repeat("ş", 301) + " " + taxNo, nil},
		{"VKN with a word just near enough", "vergi" + strings.Repeat("ş ", 149) + " " + taxNo, []string{"vkn"}},
		{"mobile", "0532 123 45 67", []string{"phone"}},
		{"mobile with brackets", "(0532) 123-45-67", []string{"phone"}},
		{"international", "+49 30 1234567", []string{"phone"}},
		{"Turkish, international", "+90 212 555 11 22", []string{"phone"}},
		{"no telephone number", "Sipariş 2024-11-05 12:30", nil},
		{"address", "yaz: elif.kaya@example.com.", []string{"email"}},
		{"address in upper case", "ELIF@EXAMPLE.COM", []string{"email"}},
		{"no address", "fiyat@adet, @elif", nil},
	} {
		s := compile(t, rules())
		var got []string
		for _, m := range s.ScanMessage(t.Context(), dlp.Message{Text: c.text}, dlp.DefaultLimits()).Matches {
			got = append(got, m.RuleID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// TestCases runs the table of cases: the same secret in every wrapping that a message can
// have.
func TestCases(t *testing.T) {
	t.Parallel()
	secret := "PRJ-1234"
	text := "Ekte " + secret + " var, çok gizli"
	turkish, err := charmap.Windows1254.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	both := func(where string) []string { return []string{"keyword " + where + " 1", "regex " + where + " 1"} }
	attached := func(name, kind string, content []byte) string {
		return dlptest.Mail("Content-Type: multipart/mixed; boundary=b\r\n", dlptest.Multipart("b", "Content-Type: text/plain\r\n\r\nEkte.",
			"Content-Type: "+kind+"; name=\""+name+"\"\r\nContent-Transfer-Encoding: base64\r\n\r\n"+dlptest.Base64(content)))
	}
	sheet := dlptest.Zip(t, "[Content_Types].xml", "<?xml version=\"1.0\"?><Types/>",
		"xl/sharedStrings.xml", `<?xml version="1.0"?><sst><si><t>çok </t><t>gizli</t></si><si><t>`+secret+`</t></si></sst>`,
		"xl/worksheets/sheet1.xml", `<?xml version="1.0"?><worksheet><sheetData><row><c><v>1.0000000146E10</v></c><c><v>5</v></c></row></sheetData></worksheet>`)
	slides := dlptest.Zip(t, "[Content_Types].xml", "<?xml version=\"1.0\"?><Types/>",
		"ppt/slides/slide1.xml", `<?xml version="1.0"?><p:sld><a:p><a:r><a:t>çok </a:t></a:r><a:r><a:t>gizli</a:t></a:r></a:p><a:p><a:r><a:t>`+secret+`</a:t></a:r></a:p></p:sld>`)
	for _, c := range []struct {
		name, mail string
		want       []string
	}{
		{"plain", dlptest.Mail("Content-Type: text/plain; charset=utf-8\r\n", text), both("body")},
		{"no type", dlptest.Mail("", text), both("body")},
		{"no empty line", dlptest.Mail("", "")[:len(dlptest.Mail("", ""))-2] + text, both("body")},
		{"bare line feeds", strings.ReplaceAll(dlptest.Mail("Content-Type: text/plain\r\n", text), "\r\n", "\n"), both("body")},
		{"base64", dlptest.Mail("Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n", dlptest.Base64([]byte(text))), both("body")},
		{"base64 with rubbish", dlptest.Mail("Content-Transfer-Encoding: BASE64\r\n", "!"+strings.Join(strings.Split(dlptest.Base64([]byte(text)), ""), " ")), both("body")},
		{"base64 in two pieces", dlptest.Mail("Content-Transfer-Encoding: base64\r\n", dlptest.Base64([]byte(text[:7]))+"\r\n"+dlptest.Base64([]byte(text[7:]))), both("body")},
		{"quoted-printable", dlptest.Mail("Content-Transfer-Encoding: quoted-printable\r\n", "PRJ=\r\n-12=33=34 =C3=A7ok g=\r\nizli ="), both("body")},
		{"Windows-1254", dlptest.Mail("Content-Type: text/plain; charset=windows-1254\r\n", turkish), both("body")},
		{"Latin 5 without saying so", dlptest.Mail("", turkish), both("body")},
		{"UTF-16", dlptest.Mail("Content-Type: text/plain; charset=utf-16le\r\nContent-Transfer-Encoding: base64\r\n", dlptest.Base64(dlptest.UTF16(text))), both("body")},
		{"unknown charset", dlptest.Mail("Content-Type: text/plain; charset=utf-7\r\n", secret), []string{"regex body 1", "!unsupported body"}},
		{"flowed", dlptest.Mail("Content-Type: text/plain; format=flowed\r\n", "Kart 4111 1111 \r\n1111 1111"), []string{"credit_card body 1"}},
		{"subject", dlptest.Mail("Subject: "+mime.BEncoding.Encode("utf-8", text)+"\r\n", ""), both("subject")},
		{"folded subject", dlptest.Mail("Subject: =?utf-8?q?PRJ-?=\r\n =?utf-8?q?1234?=\r\n", ""), []string{"regex subject 1"}},
		{"HTML", dlptest.Mail("Content-Type: text/html; charset=utf-8\r\n", "<p>PRJ<b>-12</b>34 &ccedil;ok\r\n<i>giz</i>li"), both("body")},
		{"HTML comment and attribute", dlptest.Mail("Content-Type: text/html; charset=utf-8\r\n", "<!-- "+secret+" --><img alt='çok gizli'>"), both("body")},
		{"blocks are apart", dlptest.Mail("Content-Type: text/html\r\n", "<p>PRJ-</p><p>1234</p>"), nil},
		{"nested multiparts", dlptest.Mail("Content-Type: multipart/mixed; boundary=b\r\n", dlptest.Multipart("b",
			"Content-Type: multipart/alternative; boundary=bb\r\n\r\n"+dlptest.Multipart("bb", "Content-Type: text/plain\r\n\r\n"+text))), both("body")},
		{"before and after the parts", dlptest.Mail("Content-Type: multipart/mixed; boundary=b\r\n", secret+"\r\n"+dlptest.Multipart("b", "\r\nx")+"çok gizli"), both("body")},
		{"never closed", dlptest.Mail("Content-Type: multipart/mixed; boundary=b\r\n", "--b\r\n\r\n"+text), both("body")},
		{"damaged type", dlptest.Mail("Content-Type: multipart/mixed; boundary=\"b;;; x\r\n", text), both("body")},
		{"two types", dlptest.Mail("Content-Type: text/plain\r\nContent-Type: multipart/mixed; boundary=b\r\n", "--b\r\n\r\n"+text), append(both("body"), "!damaged body")},
		{"attached text", attached("not.txt", "text/plain", []byte(text)), both("attachment:not.txt")},
		{"attached UTF-16", attached("not.csv", "application/octet-stream", dlptest.UTF16(text)), both("attachment:not.csv")},
		{"attached RTF", attached("not.rtf", "application/rtf", []byte(`{\rtf1\ansi PRJ-\b 1234\b0\par \'e7ok giz\u108?i}`)), both("attachment:not.rtf")},
		{"name of a file", attached(secret+".txt", "text/plain", []byte("x")), []string{"regex attachment:████████.txt 1"}},
		{"nested mail", dlptest.Mail("Content-Type: multipart/mixed; boundary=b\r\n", dlptest.Multipart("b", "Content-Type: message/rfc822\r\n\r\n"+
			dlptest.Mail("Subject: "+secret+"\r\nContent-Transfer-Encoding: base64\r\n", dlptest.Base64([]byte("çok gizli"))))), both("attachment:mail.eml")},
		{"nested mail in base64", attached("eski.eml", "message/rfc822", []byte(dlptest.Mail("Subject: "+secret+"\r\n", "çok gizli"))), both("attachment:eski.eml")},
		{"docx", attached("a.docx", "application/octet-stream", dlptest.Docx(t, "PRJ-</w:t></w:r><w:r><w:t>1234 çok gizli")), both("attachment:a.docx/word/document.xml")},
		{"xlsx", attached("a.xlsx", "application/octet-stream", sheet), []string{"keyword attachment:a.xlsx/xl/sharedStrings.xml 1", "regex attachment:a.xlsx/xl/sharedStrings.xml 1", "tckn attachment:a.xlsx/xl/worksheets/sheet1.xml 1"}},
		{"pptx", attached("a.pptx", "application/octet-stream", slides), both("attachment:a.pptx/ppt/slides/slide1.xml")},
		{"pdf", attached("a.pdf", "application/pdf", dlptest.PDF("[(PRJ-) -20 (12) 30 (34)] TJ 0 -14 Td (\\347ok) Tj 40 0 Td (gizli) Tj", false, false)), both("attachment:a.pdf")},
		{"packed pdf", attached("a.pdf", "application/pdf", dlptest.PDF("(PRJ-1234 \\347ok gizli) Tj", true, false)), both("attachment:a.pdf")},
		{"pdf with codes", attached("a.pdf", "application/pdf", dlptest.PDF("PRJ-1234 çok gizli", true, true)), both("attachment:a.pdf")},
		{"zip", attached("a.zip", "application/zip", dlptest.Zip(t, "b.txt", text)), both("attachment:a.zip/b.txt")},
		{"zip called otherwise", attached("a.jpg", "image/jpeg", dlptest.Zip(t, "b.txt", text)), append(both("attachment:a.jpg/b.txt"), "attachment_type attachment:a.jpg 1")},
		{"zip in zip in gzip", attached("a.gz", "application/gzip", dlptest.Gzip(dlptest.Zip(t, "b.zip", string(dlptest.Zip(t, "c.txt", text))))), both("attachment:a.gz/a/b.zip/c.txt")},
		{"unknown binary", attached("a.bin", "application/octet-stream", append([]byte{0, 1, 2, 3, 0xFF, 0xFE}, []byte(secret+"\x00\x01")...)), []string{"regex attachment:a.bin 1"}},
		{"wide text in a binary", attached("a.bin", "application/octet-stream", append([]byte{0, 1, 2, 0xFF, 9}, dlptest.UTF16(text)...)), both("attachment:a.bin")},
		{"forbidden ending", attached("a.EXE.", "text/plain", []byte("x")), []string{"attachment_type attachment:a.EXE. 1"}},
		{"forbidden ending in a zip", attached("a.zip", "application/zip", dlptest.Zip(t, "[Content_Types].xml", "", "b.exe", "MZ")), []string{"attachment_type attachment:a.zip/b.exe 1"}},
		{"forbidden content", attached("a.txt", "text/plain", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")), []string{"attachment_type attachment:a.txt 1"}},
		{"encrypted zip", attached("a.zip", "application/zip", dlptest.EncryptedZip(t)), []string{"!encrypted attachment:a.zip/b.txt"}},
		{"encrypted pdf", attached("a.pdf", "application/pdf", []byte("%PDF-1.4\ntrailer << /Encrypt 5 0 R >>")), []string{"!encrypted attachment:a.pdf"}},
		{"encrypted office file", attached("a.docx", "application/octet-stream", append([]byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), dlptest.UTF16("EncryptedPackage")...)), []string{"!encrypted attachment:a.docx"}},
		{"damaged zip", attached("a.zip", "application/zip", dlptest.Zip(t, "b.txt", text)[:40]), []string{"!damaged attachment:a.zip"}},
		{"S/MIME", dlptest.Mail("Content-Type: application/pkcs7-mime; smime-type=enveloped-data\r\nContent-Transfer-Encoding: base64\r\n", "MIIB"), []string{"!encrypted body"}},
		{"PGP/MIME", dlptest.Mail("Content-Type: multipart/encrypted; boundary=b\r\n", dlptest.Multipart("b", "\r\nx")), []string{"!encrypted body"}},
		{"inline PGP", dlptest.Mail("", "Merhaba\r\n-----BEGIN PGP MESSAGE-----\r\n\r\nhQEM"), []string{"!encrypted body"}},
		{"signed with PGP", dlptest.Mail("", "-----BEGIN PGP SIGNED MESSAGE-----\r\n"+secret), []string{"regex body 1"}},
		{"part of a mail", dlptest.Mail("Content-Type: message/partial; id=a; number=1; total=2\r\n", "x"), []string{"!unsupported attachment:mail.eml"}},
		{"body elsewhere", dlptest.Mail("Content-Type: message/external-body; access-type=url\r\n", "x"), []string{"!unsupported attachment:mail.eml"}},
		{"TNEF", attached("winmail.dat", "application/octet-stream", []byte("x")), []string{"!unsupported attachment:winmail.dat"}},
		{"TNEF called otherwise", attached("a.bin", "application/octet-stream", []byte("\x78\x9F\x3E\x22\x00")), []string{"!unsupported attachment:a.bin"}},
		{"TNEF by its type", attached("a.bin", "application/ms-tnef", []byte("x")), []string{"!unsupported attachment:a.bin"}},
		{"BinHex", dlptest.Mail("", "(This file must be converted with BinHex 4.0)\r\n:abc"), []string{"!unsupported body"}},
		{"uuencode", dlptest.Mail("", "Ekte:\r\nbegin 644 a.txt\r\n(4%)*+3$R,S0\r\n`\r\nend\r\n"), []string{"!unsupported body"}},
		{"unknown encoding", dlptest.Mail("Content-Transfer-Encoding: x-uuencode\r\n", "x"), []string{"!unsupported body"}},
		{"two encodings", dlptest.Mail("Content-Transfer-Encoding: 7bit\r\nContent-Transfer-Encoding: base64\r\n", dlptest.Base64([]byte(text))), []string{"!damaged body"}},
		{"encoding with a comment", dlptest.Mail("Content-Transfer-Encoding: (a (b\\) c)) base64\r\n", dlptest.Base64([]byte(text))), both("body")},
		{"type with a comment", dlptest.Mail("Content-Type: (c) multipart/mixed; boundary=b\r\n", dlptest.Multipart("b", "Content-Transfer-Encoding: base64\r\n\r\n"+dlptest.Base64([]byte(text)))), both("body")},
		{"boundary with a quoted pair", dlptest.Mail("Content-Type: multipart/mixed; boundary=\"B\\B\"\r\n", dlptest.Multipart("BB", "Content-Transfer-Encoding: base64\r\n\r\n"+dlptest.Base64([]byte(text)))), append(both("body"), "!damaged body")},
		{"two boundaries", dlptest.Mail("Content-Type: multipart/mixed; boundary=a; boundary=b\r\n", "x"), []string{"!damaged body"}},
		{"no boundary", dlptest.Mail("Content-Type: multipart/mixed\r\n", "x"), []string{"!damaged body"}},
		{"encoded multipart", dlptest.Mail("Content-Type: multipart/mixed; boundary=b\r\nContent-Transfer-Encoding: base64\r\n", "x"), []string{"!damaged body"}},
		{"second subject", dlptest.Mail("Subject: a\r\nSubject: "+secret+"\r\n", ""), []string{"regex subject 1"}},
		{"names of recipients", "To: \"" + secret + "\" <a@kaya.example>, b@kaya.example\r\nCc: =?utf-8?q?=C3=A7ok_gizli?= <c@kaya.example>\r\n\r\n", both("body")},
		{"comments and keywords", dlptest.Mail("Comments: "+secret+"\r\nKeywords: =?utf-8?q?=C3=A7ok?=\r\n gizli\r\n", ""), both("body")},
		{"long subject", dlptest.Mail("Subject: "+strings.Repeat("x\r\n ", 20_000)+"\r\n", ""), []string{"!too_large body"}},
		{"card in a table", dlptest.Mail("Content-Type: text/html\r\n", "<table><tr><td>4111</td>\r\n   <td>1111</td></tr>\r\n  <tr><td>1111</td><td>1111</td></tr></table>"), []string{"credit_card body 1"}},
		{"card over a break", dlptest.Mail("Content-Type: text/html\r\n", "4111 1111<br>1111 1111"), []string{"credit_card body 1"}},
		{"gzip of several members", attached("a.gz", "application/gzip", append(dlptest.Gzip([]byte("x")), dlptest.Gzip([]byte(text))...)), both("attachment:a.gz/a")},
		{"zip behind junk", attached("a.exe", "application/octet-stream", append([]byte("MZ\x00\x01"), dlptest.Zip(t, "b.txt", text)...)), append(both("attachment:a.exe/b.txt"), "attachment_type attachment:a.exe 1")},
		{"zip behind a PDF", attached("a.pdf", "application/pdf", append(dlptest.PDF("(x) Tj", false, false), dlptest.Zip(t, "b.txt", text)...)), both("attachment:a.pdf/b.txt")},
		{"zip before junk", attached("a.bin", "application/octet-stream", append(append([]byte("\x00"), dlptest.Zip(t, "b.txt", text)...), make([]byte, 100_000)...)), both("attachment:a.bin/b.txt")},
		{"zip behind a zip", attached("a.zip", "application/zip", append(dlptest.Zip(t, "a.txt", text), dlptest.Zip(t, "b.txt", "x")...)), []string{"!damaged attachment:a.zip"}},
		{"rar", attached("a.rar", "application/octet-stream", []byte("Rar!\x1A\x07\x01\x00")), []string{"!unsupported attachment:a.rar"}},
	} {
		s := compile(t, rules())
		if got := found(s.ScanMail(t.Context(), strings.NewReader(c.mail), dlp.DefaultLimits())); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

// The fields of a message that is not MIME are scanned alike.
func TestScanMessage(t *testing.T) {
	t.Parallel()
	s := compile(t, rules())
	got := found(s.ScanMessage(t.Context(), dlp.Message{
		Subject: "PRJ-1234", Text: "çok gizli", HTML: "<p>PRJ<b>-9999</b>",
		Files: []dlp.File{fileOf("a.docx", dlptest.Docx(t, card)), {Name: "b.txt", Open: func() (io.ReadCloser, error) { return nil, io.ErrUnexpectedEOF }}},
	}, dlp.DefaultLimits()))
	want := []string{"keyword body 1", "regex subject 1", "regex body 1", "credit_card attachment:a.docx/word/document.xml 1", "!unreadable attachment:b.txt"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// A rule may ask for several matches, for words near them and for fields.
func TestOptions(t *testing.T) {
	t.Parallel()
	scan := func(r dlp.Rule, m dlp.Message) []string {
		r.ID = "r"
		return found(compile(t, []dlp.Rule{r}).ScanMessage(t.Context(), m, dlp.DefaultLimits()))
	}
	twice := dlp.Message{Subject: identity, Text: "no: " + identity}
	for _, c := range []struct {
		name string
		rule dlp.Rule
		m    dlp.Message
		want []string
	}{
		{"count reached", dlp.Rule{Type: dlp.TCKN, MinCount: 2}, twice, []string{"r subject 1", "r body 1"}},
		{"count not reached", dlp.Rule{Type: dlp.TCKN, MinCount: 3}, twice, nil},
		{"field", dlp.Rule{Type: dlp.TCKN, Fields: []string{dlp.FieldBody}}, twice, []string{"r body 1"}},
		{"word near", dlp.Rule{Type: dlp.CreditCard, Words: []string{"kart"}}, dlp.Message{Text: "KART " + card}, []string{"r body 1"}},
		{"no word near", dlp.Rule{Type: dlp.CreditCard, Words: []string{"kart"}}, dlp.Message{Text: "kartal " + card}, nil},
		{"own words for a VKN", dlp.Rule{Type: dlp.VKN, Words: []string{"mükellef"}}, dlp.Message{Text: "vergi " + taxNo}, nil},
		{"word near a regex", dlp.Rule{Type: dlp.Regex, Pattern: `\d{5}`, Words: []string{"posta"}}, dlp.Message{Text: "İİİİ posta kodu 34000"}, []string{"r body 1"}},
	} {
		if got := scan(c.rule, c.m); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q", c.name, got)
		}
	}
}

// A report shows no value, and the same value has the same hash.
func TestSamples(t *testing.T) {
	t.Parallel()
	s := compile(t, rules())
	r := s.ScanMessage(t.Context(), dlp.Message{Text: card + "\n4111111111111111\n" + account + "\n" + identity + "\n0532 123 45 67\nelif@example.com\nPRJ-1234"}, dlp.DefaultLimits())
	got := map[string]string{}
	for _, m := range r.Matches {
		if len(m.Samples) != 1 || len(m.Samples[0].Hash) != 64 {
			t.Errorf("%s: samples %+v", m.RuleID, m.Samples)
			continue
		}
		got[m.RuleID] = m.Samples[0].Masked
	}
	for rule, want := range map[string]string{
		"credit_card": "************1111", "iban": "TR********************1326", "tckn": "*********46", "phone": "*********67",
		"email": "e***@example.com", "regex": "P***",
	} {
		if got[rule] != want {
			t.Errorf("%s: got %q, want %q", rule, got[rule], want)
		}
	}
	other, err := dlp.Compile(rules(), []byte("another key"))
	if err != nil || other.Hash("x") == s.Hash("x") {
		t.Errorf("two keys give one hash (%v)", err)
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	s := compile(t, rules())
	for _, c := range []struct {
		text string
		only []string
		want string
	}{
		{"Merhaba", nil, "Merhaba"},
		{"Kart " + card + ", teşekkürler", nil, "Kart ████ ████ ████ ████, teşekkürler"},
		{"ÇOK GİZLİ: PRJ-1234!", nil, "███ █████: ████████!"},
		{"ÇOK GİZLİ: PRJ-1234!", []string{"regex"}, "ÇOK GİZLİ: ████████!"},
		{"şş 41\u200b11111111111111 şş", nil, "şş ████████████████ şş"},
		{"vergi 1234567890", nil, "vergi ██████████"},
		{"1234567890", nil, "1234567890"},
	} {
		got := s.Redact(c.text, c.only)
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
		if c.only == nil && s.Redact(got, nil) != got {
			t.Errorf("%q: redacting again finds more", c.text)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	for _, r := range []dlp.Rule{
		{Type: "colour"},
		{Type: dlp.Keyword},
		{Type: dlp.Keyword, Pattern: " \n* "},
		{Type: dlp.Regex},
		{Type: dlp.Regex, Pattern: "("},
		{Type: dlp.Regex, Pattern: strings.Repeat("a", dlp.MaxRegexLength+1)},
		{Type: dlp.AttachmentType, Pattern: ", *."},
	} {
		if _, err := dlp.Compile([]dlp.Rule{r}, nil); err == nil {
			t.Errorf("%+v was taken", r)
		}
	}
	long := make([]dlp.Rule, 0, 70)
	for i := range 70 {
		long = append(long, dlp.Rule{Type: dlp.Keyword, Pattern: fmt.Sprintf("%d%s", i, strings.Repeat("a", 1000))})
	}
	if _, err := dlp.Compile(long, nil); err == nil {
		t.Error("70,000 bytes of keywords were taken")
	}
	many := slices.Repeat([]dlp.Rule{{Type: dlp.Regex, Pattern: "a"}}, dlp.MaxRegexes+1)
	if _, err := dlp.Compile(many, nil); err == nil {
		t.Error("too many expressions were taken")
	}
}

// A match on the edge of two windows counts once, wherever the edge lies.
func TestWindows(t *testing.T) {
	t.Parallel()
	s := compile(t, rules())
	for shift := range 40 {
		filler := strings.Repeat("x ", (256<<10)/2)
		text := filler[:len(filler)-shift] + " çok gizli " + card + " PRJ-1234 " + filler + filler + " " + identity
		got := found(s.ScanMessage(t.Context(), dlp.Message{Text: text}, dlp.DefaultLimits()))
		if want := []string{"keyword body 1", "regex body 1", "credit_card body 1", "tckn body 1"}; !slices.Equal(got, want) {
			t.Fatalf("shift %d: got %q", shift, got)
		}
	}
}
