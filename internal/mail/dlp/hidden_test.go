package dlp_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"konak/internal/mail/dlp"
	"konak/internal/mail/dlp/dlptest"
)

// A word of a header that cannot be decoded is noted, and the others are scanned.
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

// scanFile scans one file by the rules.
func scanFile(t *testing.T, name string, content []byte) []string {
	t.Helper()
	return found(compile(t, rules()).ScanMessage(t.Context(), dlp.Message{Files: []dlp.File{fileOf(name, content)}}, dlp.DefaultLimits()))
}

// The dictionaries of a PDF are read in every spelling, and a stream whose filter is not
// known is noted.
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
		{"packed twice", pdf("/Filter[/LZWDecode/FlateDecode]", ""), held("unsupported")},
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
