package dlp_test

import (
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
