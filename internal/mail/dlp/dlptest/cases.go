// Package dlptest contains the table of messages that every sender is tested with, and
// builders for the files and mails in such tests.
package dlptest

import (
	"encoding/base64"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
)

// The expected results for a message.
const (
	Sent    = "sent"
	Blocked = "blocked"
	Held    = "held" // until somebody reviews it
)

// Rules returns the rules for the cases, in the form of the API. Each of them blocks.
func Rules() []map[string]any {
	var out []map[string]any
	for kind, pattern := range map[string]string{"keyword": "ihale", "regex": `PRJ-\d{4}`, "credit_card": "", "iban": "", "tckn": "", "attachment_type": "rtf"} {
		out = append(out, map[string]any{"name": kind, "pattern_type": kind, "pattern": pattern, "action": "block"})
	}
	return out
}

// Exempt is an address that must have an exception in the cases.
const Exempt = "denetci@other.example"

// Case is a message and the result expected of every sender.
type Case struct {
	Name          string
	Subject, Text string
	// File is the name of the attachment, "" for none.
	File    string
	Content []byte
	// Encoding is how the mail program encodes the text: "" for none, base64,
	// quoted-printable, windows-1254 or html.
	Encoding string
	To       string
	// ExemptSender is true if the sender has an exception.
	ExemptSender bool
	Want         string
}

// Cases returns the table: forbidden content in many kinds of wrapping, and allowed
// content.
func Cases(tb testing.TB) []Case {
	tb.Helper()
	const secret = "Ekte PRJ-1234 var"
	sheet := Zip(tb, "[Content_Types].xml", `<?xml version="1.0"?><Types/>`,
		"xl/worksheets/sheet1.xml", `<?xml version="1.0"?><worksheet><sheetData><row><c><v>1.0000000146E10</v></c></row></sheetData></worksheet>`)
	cell := func(text string) []byte {
		return Zip(tb, "[Content_Types].xml", `<?xml version="1.0"?><Types/>`,
			"xl/worksheets/sheet1.xml", `<?xml version="1.0"?><worksheet><sheetData><row><c t="inlineStr"><is><t>`+text+`</t></is></c><c><v>12</v></c></row></sheetData></worksheet>`)
	}
	slides := Zip(tb, "[Content_Types].xml", `<?xml version="1.0"?><Types/>`,
		"ppt/slides/slide1.xml", `<?xml version="1.0"?><p:sld><a:p><a:r><a:t>PRJ-</a:t></a:r><a:r><a:t>1234</a:t></a:r></a:p></p:sld>`)
	mail := Mail("Subject: eski\r\nContent-Transfer-Encoding: base64\r\n", Base64([]byte(secret)))
	return []Case{
		{Name: "nothing", Text: "Merhaba, siparişiniz yola çıktı.", Want: Sent},
		{Name: "plain", Text: secret, Want: Blocked},
		{Name: "base64", Text: secret, Encoding: "base64", Want: Blocked},
		{Name: "quoted-printable", Text: "Bu bir İHALE dosyası", Encoding: "quoted-printable", Want: Blocked},
		{Name: "Windows-1254", Text: "Bu bir İHALE dosyası", Encoding: "windows-1254", Want: Blocked},
		{Name: "HTML", Text: secret, Encoding: "html", Want: Blocked},
		{Name: "subject", Subject: "PRJ-1234 hakkında", Text: "Merhaba", Want: Blocked},
		{Name: "zero-width characters", Text: "i\u200bha\u200dle", Want: Blocked},
		{Name: "dotted capital", Text: "İHALE", Want: Blocked},
		{Name: "dotless capital", Text: "IHALE", Want: Blocked},
		{Name: "dotless small", Text: "ıhale", Want: Blocked},
		{Name: "another word", Text: "ihaleci", Want: Sent},
		{Name: "card", Text: "Kart 4111 1111 1111 1111", Want: Blocked},
		{Name: "card digit by digit", Text: "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", Want: Blocked},
		{Name: "card in wide digits", Text: "４１１１１１１１１１１１１１１１", Want: Blocked},
		{Name: "card with a wrong check digit", Text: "4111 1111 1111 1112", Want: Sent},
		{Name: "card in cells", File: "a.tsv", Content: []byte("Ali\t4111\t1111\t1111\t1111\nVeli\t12\t34"), Want: Blocked},
		{Name: "card in groups in a cell of a sheet", File: "a.xlsx", Content: cell("4111 1111 1111 1111"), Want: Blocked},
		{Name: "card digit by digit in a cell of a sheet", File: "a.xlsx", Content: cell("4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"), Want: Blocked},
		{Name: "table of short numbers", File: "a.tsv", Content: []byte(strings.Repeat("41\t11\t11\t11\t11\t11\t11\t11\n", 20)), Want: Sent},
		{Name: "identity number, split", Text: "100 000 001 46", Want: Blocked},
		{Name: "IBAN", Text: "TR33 0006 1005 1978 6457 8413 26", Want: Blocked},
		{Name: "text file", File: "not.txt", Content: []byte(secret), Want: Blocked},
		{Name: "text file in UTF-16", File: "not.csv", Content: UTF16(secret), Want: Blocked},
		{Name: "harmless file", File: "not.txt", Content: []byte("Merhaba"), Want: Sent},
		{Name: "nested mail", File: "eski.eml", Content: []byte(mail), Want: Blocked},
		{Name: "mail in a nested mail", File: "eski.eml", Content: []byte(Mail("Content-Type: message/rfc822\r\n", mail)), Want: Blocked},
		{Name: "zip", File: "a.zip", Content: Zip(tb, "b.txt", secret), Want: Blocked},
		{Name: "zip in a zip", File: "a.zip", Content: Zip(tb, "b.zip", string(Zip(tb, "c.txt", secret))), Want: Blocked},
		{Name: "zip with another name", File: "a.jpg", Content: Zip(tb, "b.txt", secret), Want: Blocked},
		{Name: "docx", File: "a.docx", Content: Docx(tb, "PRJ-</w:t></w:r><w:r><w:t>1234"), Want: Blocked},
		{Name: "xlsx", File: "a.xlsx", Content: sheet, Want: Blocked},
		{Name: "pptx", File: "a.pptx", Content: slides, Want: Blocked},
		{Name: "pdf", File: "a.pdf", Content: PDF("[(PRJ-) -20 (12) 30 (34)] TJ", false, false), Want: Blocked},
		{Name: "packed pdf", File: "a.pdf", Content: PDF("PRJ-1234", true, true), Want: Blocked},
		{Name: "type of a file", File: "a.rtf", Content: []byte(`{\rtf1 Merhaba}`), Want: Blocked},
		{Name: "encrypted zip", File: "a.zip", Content: EncryptedZip(tb), Want: Held},
		{Name: "damaged zip", File: "a.zip", Content: Zip(tb, "b.txt", secret)[:40], Want: Held},
		{Name: "exempt recipient", Text: secret, To: Exempt, Want: Sent},
		{Name: "exempt recipient of a file", File: "not.txt", Content: []byte(secret), To: Exempt, Want: Sent},
		{Name: "exempt sender", Text: secret, ExemptSender: true, Want: Sent},
		{Name: "exempt sender of a file", File: "not.txt", Content: []byte(secret), ExemptSender: true, Want: Sent},
	}
}

// Bounds returns messages that are too large or too deep to be scanned completely.
func Bounds(tb testing.TB) []Case {
	tb.Helper()
	var levels strings.Builder
	levels.WriteString(Mail("Content-Type: multipart/mixed; boundary=b1\r\n", ""))
	for i := 1; i <= 1000; i++ {
		fmt.Fprintf(&levels, "--b%d\r\nContent-Type: multipart/mixed; boundary=b%d\r\n\r\n", i, i+1)
	}
	parts := Mail("Content-Type: multipart/mixed; boundary=b\r\n", strings.Repeat("--b\r\n\r\nx\r\n", 100_000))
	return []Case{
		{Name: "zip bomb", File: "a.zip", Content: Zip(tb, "a", string(make([]byte, 8<<20))), Want: Held},
		{Name: "1,000 levels", File: "a.eml", Content: []byte(levels.String() + "PRJ\r\n"), Want: Held},
		{Name: "100,000 parts", File: "a.eml", Content: []byte(parts), Want: Held},
	}
}

// Raw returns the message as written by a mail program, sent from an address.
func (c *Case) Raw(tb testing.TB, from string) string {
	tb.Helper()
	head := fmt.Sprintf("From: %s\r\nTo: %s\r\nSubject: %s\r\nMIME-Version: 1.0\r\n", from, c.To, mime.BEncoding.Encode("utf-8", c.Subject))
	text := c.part(tb)
	if c.File == "" {
		return head + text + "\r\n"
	}
	return head + "Content-Type: multipart/mixed; boundary=outermost\r\n\r\n" + Multipart("outermost", text,
		"Content-Type: application/octet-stream; name=\""+c.File+"\"\r\nContent-Disposition: attachment; filename=\""+c.File+"\"\r\n"+
			"Content-Transfer-Encoding: base64\r\n\r\n"+Base64(c.Content))
}

// part returns the text with its header lines.
func (c *Case) part(tb testing.TB) string {
	tb.Helper()
	kind, encoding, text := "text/plain; charset=utf-8", "8bit", c.Text
	switch c.Encoding {
	case "base64":
		encoding, text = "base64", base64.StdEncoding.EncodeToString([]byte(text))
	case "quoted-printable":
		var b strings.Builder
		w := quotedprintable.NewWriter(&b)
		if _, err := w.Write([]byte(text)); err != nil {
			tb.Fatal(err)
		}
		if err := w.Close(); err != nil {
			tb.Fatal(err)
		}
		encoding, text = "quoted-printable", b.String()
	case "windows-1254":
		turkish, err := charmap.Windows1254.NewEncoder().String(text)
		if err != nil {
			tb.Fatal(err)
		}
		kind, text = "text/plain; charset=windows-1254", turkish
	case "html":
		kind, text = "text/html; charset=utf-8", "<p>"+strings.ReplaceAll(text, "-", "<b>-</b>")+"</p>"
	}
	return "Content-Type: " + kind + "\r\nContent-Transfer-Encoding: " + encoding + "\r\n\r\n" + text
}
