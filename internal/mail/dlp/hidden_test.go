package dlp_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"testing"

	"konak/internal/mail/dlp"
	"konak/internal/mail/dlp/dlptest"
)

// An encoded word in a header that cannot be decoded is reported, and the others are
// scanned.
func TestEncodedWords(t *testing.T) {
	t.Parallel()
	secret := func(where string) []string { return []string{"regex " + where + " 1"} }
	b64 := func(s string) string { return strings.ReplaceAll(dlptest.Base64([]byte(s)), "\r\n", "") }
	file := func(params string) string {
		return dlptest.Mail("Content-Type: text/plain; "+params+"\r\nContent-Disposition: attachment\r\n", "x")
	}
	for _, c := range []struct {
		name, mail string
		want       []string
	}{
		{"plain", dlptest.Mail("Subject: =?utf-8?B?"+b64("PRJ-1234")+"?=\r\n", ""), secret("subject")},
		{"no padding", dlptest.Mail("Subject: =?utf-8?b?"+strings.TrimRight(b64("PRJ-1234"), "=")+"?=\r\n", ""), secret("subject")},
		{"rubbish in base64", dlptest.Mail("Subject: =?utf-8?b?UFJK*LTEyMzQ=?=\r\n", ""), secret("subject")},
		{"language", dlptest.Mail("Subject: =?utf-8*en?b?"+b64("PRJ-1234")+"?=\r\n", ""), secret("subject")},
		{"spaces in a word", dlptest.Mail("Subject: =?utf-8?q?a PRJ=2D1234 b?=\r\n", ""), secret("subject")},
		{"glued", dlptest.Mail("Subject: x =?utf-8?q?PRJ-?= =?utf-8?q?1234?=\r\n", ""), secret("subject")},
		{"a letter in two words", dlptest.Mail("Subject: =?utf-8?q?=C3?= =?utf-8?q?=A7ok gizli?=\r\n", ""), []string{"keyword subject 1"}},
		{"Windows-1254", dlptest.Mail("Subject: =?cp1254?q?=E7ok_g=FDzl=FD?=\r\n", ""), []string{"keyword subject 1"}},
		{"Chinese", dlptest.Mail("Subject: =?hz-gb-2312?q?PRJ-~{#1#2#3#4~}?=\r\n", ""), secret("subject")},
		{"unknown charset", dlptest.Mail("Subject: =?x-foo?b?"+b64("PRJ-1234")+"?=\r\n", ""), append(secret("subject"), "!unsupported subject")},
		{"Korean", dlptest.Mail("Subject: =?iso-2022-kr?q?x?=\r\n", ""), []string{"!unsupported subject"}},
		{"UTF-7", dlptest.Mail("Subject: =?utf-7?q?+AFA-RJ?=\r\n", ""), []string{"!unsupported subject"}},
		{"cut base64", dlptest.Mail("Subject: =?utf-8?b?UFJKL?=\r\n", ""), []string{"!unsupported subject"}},
		{"unknown encoding", dlptest.Mail("Subject: =?utf-8?x?abc?=\r\n", ""), []string{"!unsupported subject"}},
		{"a bad word before a good one", dlptest.Mail("Subject: =?x-foo?q?a?= =?utf-8?b?"+b64(" PRJ-1234")+"?=\r\n", ""), append(secret("subject"), "!unsupported subject")},
		{"name of a recipient", dlptest.Mail("To: =?ibm-foo?b?"+b64("PRJ-1234")+"?= <a@kaya.example>\r\n", ""), append(secret("body"), "!unsupported body")},
		{"file", file(`name="=?x-foo?q?PRJ-1234?=.txt"`), append(secret("attachment:████████.txt"), "!unsupported body")},
		{"file in RFC 2231", file("name*=iso-2022-kr''PRJ%2D1234.txt"), append(secret("attachment:████████.txt"), "!unsupported body")},
		{"file in Windows-1254", file("name*=windows-1254'tr'%E7ok%20gizli.txt"), []string{"keyword attachment:███ █████.txt 1"}},
		{"file in pieces", file("name*0*=windows-1254'tr'%E7ok%20gi; name*1=zli.txt"), []string{"keyword attachment:███ █████.txt 1"}},
		{"two names", file("name=a.txt; name*=utf-8''PRJ%2D1234"), secret("attachment:████████")},
		{"an ordinary name", file("name*=utf-8''%C3%B6zet.txt"), nil},
		{"body in Chinese", dlptest.Mail("Content-Type: text/plain; charset=hz-gb-2312\r\n", "PRJ-~{#1#2#3#4~}"), secret("body")},
		{"body in Korean", dlptest.Mail("Content-Type: text/plain; charset=iso-2022-kr\r\n", "x"), []string{"!unsupported body"}},
		{"no encoded word", dlptest.Mail("Subject: a=?b?c http://x.example/?q=?a\r\n", ""), nil},
		{"an ordinary subject", dlptest.Mail("Subject: =?iso-8859-9?Q?=DDade?= =?UTF-8?B?w5xyw7xu?= =?us-ascii?q?x?= =?iso-2022-jp?B?GyRCJUYlOSVIGyhC?=\r\n", ""), nil},
	} {
		if got := found(compile(t, rules()).ScanMail(t.Context(), strings.NewReader(c.mail), dlp.DefaultLimits())); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

// scanFile scans one file with the rules.
func scanFile(t *testing.T, name string, content []byte) []string {
	t.Helper()
	return found(compile(t, rules()).ScanMessage(t.Context(), dlp.Message{Files: []dlp.File{fileOf(name, content)}}, dlp.DefaultLimits()))
}

// PDF dictionaries are read in every spelling, and a stream with an unknown filter is
// reported.
func TestFiltersOfPDF(t *testing.T) {
	t.Parallel()
	secret := []string{"regex attachment:a.pdf 1"}
	held := func(reason string) []string { return []string{"!" + reason + " attachment:a.pdf"} }
	content := string(packed("BT /F1 12 Tf (PRJ-1234) Tj ET"))
	pdf := func(filter, more string) []byte {
		return []byte("%PDF-1.4\n4 0 obj<<" + filter + ">>stream\n" + content + "\nendstream\nendobj\n" +
			"6 0 obj\n/FlateDecode\nendobj\n7 0 obj\n[/FlateDecode]\nendobj\n8 0 obj[6 0 R]endobj\n9 0 obj 9 0 R endobj\n" + more + "trailer<</Root 1 0 R>>\n%%EOF")
	}
	objects := "12 0 /FlateDecode"
	packedObjects := "11 0 obj<</Type/Obj#53tm/N 1/First 5/Length 99>>stream\n" + objects + "\nendstream endobj\n"
	for _, c := range []struct {
		name    string
		content []byte
		want    []string
	}{
		{"plain", pdf("/Filter/FlateDecode", ""), secret},
		{"array", pdf("/Filter [ /FlateDecode ] /DecodeParms[null]", ""), secret},
		{"reference", pdf("/Filter 6 0 R", ""), secret},
		{"reference to an array", pdf("/Filter 7 0 R/Length 12", ""), secret},
		{"reference to references", pdf("/Filter 8 0 R", ""), secret},
		{"reference to a packed object", pdf("/Filter 12 0 R", packedObjects), secret},
		{"reference to nothing", pdf("/Filter 20 0 R", ""), held("unsupported")},
		{"reference to itself", pdf("/Filter 9 0 R", ""), held("unsupported")},
		{"ambiguous reference", pdf("/Filter 6 0 R", "6 0 obj/ASCIIHexDecode endobj\n"), held("unsupported")},
		{"escape in the value", pdf("/Filter/Fl#61teDecode", ""), secret},
		{"escape in the name", pdf("/F#69lter/FlateDecode", ""), secret},
		{"comment", pdf("/Filter%x\n/FlateDecode", ""), secret},
		{"comment with a stream", pdf("/Filter% stream\n/FlateDecode", ""), secret},
		{"string with an end", pdf("/X(endobj \\) stream)/Filter/FlateDecode", ""), secret},
		{"comment before the object", bytes.Replace(pdf("/Filter/FlateDecode", ""), []byte("4 0 obj"), []byte("4 0%\nobj"), 1), secret},
		{"value with the same name", pdf("/X/Filter /Filter/FlateDecode", ""), secret},
		{"filter of something else", pdf("/X<</Filter/ASCIIHexDecode>>/Filter/FlateDecode", ""), secret},
		{"two filters", pdf("/Filter/ASCIIHexDecode/Filter/FlateDecode", ""), held("unsupported")},
		{"picture named beside it", pdf("/X/DCTDecode/Y/FontFile/Filter/FlateDecode", ""), secret},
		{"unknown filter", pdf("/Filter/BrotliDecode", ""), held("unsupported")},
		{"known one behind an unknown one", pdf("/Filter[/Nope/FlateDecode]", ""), held("unsupported")},
		{"packed twice", pdf("/Filter[/LZWDecode/FlateDecode]", ""), held("damaged")},
		{"JPEG", pdf("/Subtype/Image/Filter/DCTDecode", ""), nil},
		{"packed JPEG", pdf("/Filter[/FlateDecode/DCTDecode]", ""), nil},
		{"fax", pdf("/Filter /CCITTFaxDecode /DecodeParms<</K -1>>", ""), nil},
		{"picture in another packing", pdf("/Subtype /Image/Filter/RunLengthDecode", ""), nil},
		{"no filter", pdf("/Filter null", ""), nil},
		{"encrypted", append(pdf("", ""), "trailer<</Encr#79pt 9 0 R>>"...), held("encrypted")},
		{"encrypted, far off", append(pdf("", ""), "trailer<</#45ncrypt"+strings.Repeat(" ", 40)+"%\n<<>>>>"...), held("encrypted")},
		{"never closed", []byte("%PDF-1.4\n4 0 obj<</X(" + "stream\nx\nendstream endobj"), held("damaged")},
	} {
		if got := scanFile(t, "a.pdf", c.content); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

// The strings of a PDF outside its pages are read in every form and charset.
func TestStringsOfPDF(t *testing.T) {
	t.Parallel()
	wide := func(s string) string {
		b := dlptest.UTF16(s)
		for i := 1; i < len(b); i += 2 {
			b[i-1], b[i] = b[i], b[i-1]
		}
		return "\xFE\xFF" + string(b)
	}
	hexed := func(s string) string { return fmt.Sprintf("<%X>", s) }
	for name, value := range map[string]string{
		"parentheses":      "(PRJ-1234)",
		"hex":              hexed("PRJ-1234"),
		"hex with spaces":  "< 50 524A\n2D31323334>",
		"wide hex":         hexed(wide("PRJ-1234")),
		"small end first":  hexed("\xFF\xFE" + string(dlptest.UTF16("PRJ-1234"))),
		"UTF-8":            hexed("\xEF\xBB\xBFPRJ-\u200b1234"),
		"in an array":      "[" + hexed("x") + hexed("PRJ-1234") + "]",
		"in a dictionary":  "<</X<</Y" + hexed("PRJ-1234") + ">>>>",
		"behind a comment": "%(\n" + hexed("PRJ-1234"),
	} {
		object := "<</FT/Tx/V" + value + ">>"
		stream := string(packed("9 0 " + object))
		for where, pdf := range map[string]string{
			"object":        "%PDF-1.4\n9 0 obj" + object + "endobj\ntrailer<<>>",
			"packed object": "%PDF-1.5\n8 0 obj<</Type/ObjStm/N 1/First 4/Filter/FlateDecode>>stream\n" + stream + "\nendstream endobj\n",
		} {
			if got := scanFile(t, "a.pdf", []byte(pdf)); !slices.Equal(got, []string{"regex attachment:a.pdf 1"}) {
				t.Errorf("%s in an %s: %q", name, where, got)
			}
		}
	}
	if got := scanFile(t, "a.pdf", []byte("%PDF-1.4\n9 0 obj<</ID[<00112233445566778899AABBCCDDEEFF>]/Contents<30820A0102>>>endobj")); got != nil {
		t.Errorf("an ordinary file: %q", got)
	}
}

// A web archive, or any file that begins like a mail, is read as a mail.
func TestMailInFiles(t *testing.T) {
	t.Parallel()
	b64 := dlptest.Base64([]byte("<p>PRJ<b>-12</b>34"))
	archive := "MIME-Version: 1.0\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n" + b64
	multipart := "From: <Saved by a browser>\r\nSnapshot-Content-Location: https://kaya.example/\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\ttype=\"text/html\";\r\n\tboundary=\"b\"\r\n\r\n" +
		dlptest.Multipart("b", strings.TrimPrefix(archive, "MIME-Version: 1.0\r\n"))
	for _, c := range []struct {
		name, file string
		content    []byte
		want       []string
	}{
		{"web archive", "a.mht", []byte(archive), []string{"regex attachment:a.mht 1"}},
		{"called otherwise", "a.txt", []byte(archive), []string{"regex attachment:a.txt 1"}},
		{"no name", "x", []byte("\r\n\r\n" + archive), []string{"regex attachment:x 1"}},
		{"of several parts", "a.mhtml", []byte(multipart), []string{"regex attachment:a.mhtml 1"}},
		{"of a mailbox file", "a.mbox", []byte("From a Mon Jan 1\n" + strings.ReplaceAll(multipart, "\r\n", "\n")), []string{"regex attachment:a.mbox 1"}},
		{"second of a mailbox file", "a.mbox", []byte("From a Mon Jan 1\n" + "Content-Transfer-Encoding: base64\n\nT2s=\n\nFrom b Mon Jan 1\n" + archive), []string{"regex attachment:a.mbox 1"}},
		{"second of a mailbox file without types", "a.mbox", []byte("From a Mon Jan 1\nSubject: a\n\nOk\n\nFrom b Mon Jan 1\n" + archive), []string{"regex attachment:a.mbox 1"}},
		{"second of a mail", "a.eml", []byte("From a Mon Jan 1\nSubject: a\n\nOk\n\nFrom b Mon Jan 1\n" + archive), []string{"regex attachment:a.eml 1"}},
		{"parts alone", "a.bin", []byte(dlptest.Multipart("b", archive)), []string{"regex attachment:a.bin 1"}},
		{"in a zip", "a.zip", dlptest.Zip(t, "a.mht", archive), []string{"regex attachment:a.zip/a.mht 1"}},
		{"in a document", "a.docx", dlptest.Zip(t, "[Content_Types].xml", "<Types/>", "word/afchunk.mht", archive), []string{"regex attachment:a.docx/word/afchunk.mht 1"}},
		{"text that begins alike", "a.txt", []byte("Content-Type: a\nProje: PRJ-1234\n\nçok gizli"), []string{"keyword attachment:a.txt/unnamed 1", "regex attachment:a.txt 1"}},
		{"page that begins alike", "a.html", []byte("Content-Type: text/plain\n<p>PRJ<b>-12</b>34"), []string{"regex attachment:a.html 1"}},
		{"an ordinary text", "a.txt", []byte("Konu: toplantı\nYer: şube\n\n--\nElif\nContent-Type: x\n"), nil},
		{"an ordinary mail", "a.txt", []byte("Content-Type: text/plain\n\nMerhaba"), nil},
	} {
		if got := scanFile(t, c.file, c.content); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

// Parts after the end of a multipart and before its first part are scanned.
func TestPartsOutsideMultipartAreScanned(t *testing.T) {
	t.Parallel()
	b64 := "Content-Transfer-Encoding: base64\r\n\r\n" + dlptest.Base64([]byte("PRJ-1234")) + "\r\n"
	docx := "Content-Type: application/octet-stream; name=a.docx\r\nContent-Transfer-Encoding: base64\r\n\r\n" + dlptest.Base64(dlptest.Docx(t, "PRJ-</w:t></w:r><w:r><w:t>1234")) + "\r\n"
	end := "--b\r\n\r\nx\r\n--b--\r\n"
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"behind the end", end + "--b\r\n" + b64 + "--b--\r\n", []string{"regex body 1"}},
		{"behind the end, without a boundary", end + b64, []string{"regex body 1"}},
		{"behind another boundary", end + "x\r\n--c\r\n" + b64 + "--c--\r\n", []string{"regex body 1"}},
		{"document behind the end", end + "--b\r\n" + docx, []string{"regex attachment:a.docx/word/document.xml 1"}},
		{"before the first", b64 + end, []string{"regex body 1"}},
		{"before the first, behind a line", "This is a mail.\r\n\r\n" + b64 + end, []string{"regex body 1"}},
		{"two before the first", strings.ReplaceAll(b64, "base64", "quoted-printable") + b64 + end, []string{"regex body 1"}},
		{"behind an inner one", "--b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n--c\r\n\r\nx\r\n--c--\r\n--c\r\n" + b64 + end, []string{"regex body 1"}},
		{"ordinary", "This is a multi-part message in MIME format.\r\n" + end + "\r\n", nil},
	} {
		mail := dlptest.Mail("Content-Type: multipart/mixed; boundary=b\r\n", c.body)
		if got := found(compile(t, rules()).ScanMail(t.Context(), strings.NewReader(mail), dlp.DefaultLimits())); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

// Unsupported archive formats are reported, by their first bytes or their names.
func TestUnknownPackings(t *testing.T) {
	t.Parallel()
	rest := string(noise(60))
	for _, c := range []struct{ name, file, content, want string }{
		{"lzma", "a.bin", "\x5D\x00\x00\x80\x00\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF" + rest, "unsupported"},
		{"lzma with a size", "a.bin", "\x5D\x00\x00\x80\x00\x10\x00\x00\x00\x00\x00\x00\x00" + rest, "unsupported"},
		{"lzma by its name", "a.lzma", "\x00\x01" + rest, "unsupported"},
		{"compress", "a.bin", "\x1F\x9D\x90" + rest, "unsupported"},
		{"compress by its name", "a.Z", "\x00\x01" + rest, "unsupported"},
		{"lzh", "a.bin", "\x20\x30-lh5-" + rest, "unsupported"},
		{"arj", "a.bin", "\x60\xEA\x2B\x00\x22" + rest, "unsupported"},
		{"arj by its name", "a.arj", "\x60\xEA" + rest, "unsupported"},
		{"ace", "a.bin", "\x00\x00\x00\x00\x00\x00\x00**ACE**" + rest, "unsupported"},
		{"lz4", "a.bin", "\x04\x22\x4D\x18" + rest, "unsupported"},
		{"brotli", "a.br", "\x0B\x07\x80" + rest, "unsupported"},
		{"KeePass", "a.bin", "\x03\xD9\xA2\x9A\x67\xFB\x4B\xB5" + rest, "encrypted"},
		{"KeePass by its name", "a.kdbx", "\x00\x01" + rest, "encrypted"},
		{"OpenSSL", "a.enc", "Salted__" + rest, "encrypted"},
		{"OpenSSL in base64", "a.txt", "U2FsdGVkX1/abcdefgh", "encrypted"},
		{"help file", "a.bin", "ITSF\x03\x00\x00\x00" + rest, "unsupported"},
		{"lzo", "a.bin", "\x89LZO\x00\r\n\x1A\n" + rest, "unsupported"},
		{"snappy", "a.bin", "\xFF\x06\x00\x00sNaPpY" + rest, "unsupported"},
		{"zpaq", "a.bin", "7kSt\xA0" + rest, "unsupported"},
		{"zlib", "a.bin", "\x78\x9C" + rest, "unsupported"},
		{"cpio", "a.bin", "070701" + rest, "unsupported"},
		{"disk of QEMU", "a.bin", "QFI\xFB" + rest, "unsupported"},
		{"AxCrypt", "a.bin", "\xC0\xB9\x07\x2E\x4F\x93\xF1\x46" + rest, "unsupported"},
		{"anything else", "a.bin", "\x60\xEA\xFF\xFF\x00" + rest, ""},
		{"a text", "a.txt", "Salted butter, -lh5-", ""},
	} {
		var want []string
		if c.want != "" {
			want = []string{"!" + c.want + " attachment:" + c.file}
		}
		if got := scanFile(t, c.file, []byte(c.content)); !slices.Equal(got, want) {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// Every field that a person can read or a program can carry is scanned; addresses are not
// treated as text.
func TestHeaderFields(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"From", "Sender", "Reply-To", "To", "Cc", "Thread-Topic", "Organization", "X-Proje", "x-a", "Comments"} {
		for _, value := range []string{"PRJ-1234 a@kaya.example", "=?utf-8?q?PRJ=2D1234?= <a@kaya.example>", "<x PRJ-1234>"} {
			mail := field + ": " + value + "\r\nMIME-Version: 1.0\r\n\r\nx"
			s := compile(t, []dlp.Rule{{ID: "regex", Type: dlp.Regex, Pattern: `PRJ-\d{4}`}})
			if got := found(s.ScanMail(t.Context(), strings.NewReader(mail), dlp.DefaultLimits())); !slices.Equal(got, []string{"regex body 1"}) {
				t.Errorf("%s: %s: %q", field, value, got)
			}
		}
	}
	ordinary := "From: Elif Kaya <elif@kaya.example>\r\nReply-To: destek@kaya.example\r\nSender: <a@kaya.example>\r\nX-Mailer: Apple Mail (2.3774.600.62)\r\nX-Original-To: b@kaya.example\r\n" +
		"X-Priority: 3\r\nOrganization: Kaya <info@kaya.example>\r\nX-Gm-Message-State: AOJu0YxQ1234567890abcDEF+/=\r\nX-UUID: 0b1f6a0c-7a0e-4c1c-9a55-2c963f66afa6\r\n\r\nx"
	if got := found(compile(t, rules()).ScanMail(t.Context(), strings.NewReader(ordinary), dlp.DefaultLimits())); got != nil {
		t.Errorf("an ordinary mail: %q", got)
	}
}

// Content that only some programs show is scanned in both readings.
func TestAmbiguousContentIsScannedBothWays(t *testing.T) {
	t.Parallel()
	named := func() []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Name, z.Comment = "PRJ-1234.txt", "çok gizli"
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	zeros := strings.Repeat("\x00", 2000)
	for _, c := range []struct {
		file, content string
		want          []string
	}{
		{"a.bin", zeros + "PRJ-1234" + zeros, []string{"regex attachment:a.bin 1"}},
		{"a.txt", "\xFF\xFEPRJ-1234", []string{"regex attachment:a.txt 1"}},
		{"a.json", `{"a":"\u0050RJ-1234","b":"ÇOK G\u0130ZL\u0130 \ud83d\ude00","c":"PRJ-5678"}`, []string{"keyword attachment:a.json 1", "regex attachment:a.json 2"}},
		{"a.svg", `<!DOCTYPE svg [<!ENTITY a "PRJ&#45;"><!ENTITY b '&a;12'>]><svg><text>&b;34</text></svg>`, []string{"regex attachment:a.svg 1"}},
		{"a.xml", `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "PRJ-12">]><d x="&a;34">&c;</d>`, []string{"regex attachment:a.xml 1"}},
		{"a.xml", `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "&b;&b;"><!ENTITY b "&a;&a;">]><d>&a;</d>`, []string{"!too_large attachment:a.xml"}},
		{"a.xml", `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "` + strings.Repeat("b ", 50_000) + `">]><d>` + strings.Repeat("<c>&a;</c>", 100_000), []string{"!too_large attachment:a.xml"}},
		{"a.gz", string(named()), []string{"keyword attachment:a.gz 1", "regex attachment:a.gz 1"}},
		{"a.eml", "Subject: x\r\n\r\nPR\x00J-12\x0034", []string{"regex attachment:a.eml 1"}},
		{"a.eml", "Content-Type: text/enriched\r\n\r\nPR<bold>J-</bold>1234", []string{"!unsupported attachment:a.eml"}},
	} {
		if got := scanFile(t, c.file, []byte(c.content)); !slices.Equal(got, c.want) {
			t.Errorf("%s %.30q:\n got %q\nwant %q", c.file, c.content, got, c.want)
		}
	}
}
