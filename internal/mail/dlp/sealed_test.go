package dlp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"konak/internal/mail/dlp"
	"konak/internal/mail/dlp/dlptest"
)

// value returns an element of a cryptographic message, with its length or, if the length is
// indefinite, with an end mark.
func value(tag byte, open bool, content ...string) string {
	all := strings.Join(content, "")
	if open {
		return string([]byte{tag, 0x80}) + all + "\x00\x00"
	}
	return string([]byte{tag, 0x82, byte(len(all) >> 8), byte(len(all))}) + all
}

// sealed returns a message of a kind (2 is signed, 3 encrypted) with a content.
func sealed(kind byte, open bool, content string) string {
	id := func(last byte) string { return "\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07" + string(last) }
	octets := value(0x04, false, content)
	if open {
		octets = value(0x24, true, value(0x04, false, content[:5]), value(0x04, false, content[5:]))
	}
	return value(0x30, open, id(kind), value(0xA0, open, value(0x30, open, "\x02\x01\x01", value(0x31, false), value(0x30, open, id(1), value(0xA0, open, octets)), value(0x31, false))))
}

// Content signed as a whole is read, and encrypted content is reported.
func TestSignedAndEncryptedContent(t *testing.T) {
	t.Parallel()
	secret := "Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n" + dlptest.Base64([]byte("PRJ-1234"))
	plain := "Content-Type: text/plain\r\n\r\nMerhaba"
	inner := "Content-Type: application/pkcs7-mime; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n\r\n" + dlptest.Base64([]byte(sealed(3, false, plain)))
	held := []string{"!encrypted attachment:smime.p7m"}
	for _, c := range []struct {
		name, content string
		want          []string
	}{
		{"signed", sealed(2, false, plain), nil},
		{"signed, of open lengths", sealed(2, true, plain), nil},
		{"signed secret", sealed(2, false, secret), []string{"regex attachment:smime.p7m 1"}},
		{"signed secret, of open lengths", sealed(2, true, secret), []string{"regex attachment:smime.p7m 1"}},
		{"encrypted", sealed(3, false, plain), held},
		{"encrypted, then signed", sealed(2, false, inner), []string{"!encrypted attachment:smime.p7m/smime.p7m"}},
		{"cut", sealed(2, false, secret)[:60], held},
		{"never closed", strings.TrimRight(sealed(2, true, plain), "\x00"), held},
		{"endless", strings.Repeat("\x30\x80", 1000), held},
		{"anything", "x", held},
	} {
		mail := dlptest.Mail("Content-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n", dlptest.Base64([]byte(c.content)))
		if got := found(compile(t, rules()).ScanMail(t.Context(), strings.NewReader(mail), dlp.DefaultLimits())); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// A header with an invalid line, and UTF-16 without a byte order mark, are read as programs
// read them.
func TestInvalidHeadersAndUTF16WithoutMark(t *testing.T) {
	t.Parallel()
	wide := dlptest.UTF16("Dosya PRJ-1234")
	for i := 1; i < len(wide); i += 2 {
		wide[i-1], wide[i] = wide[i], wide[i-1]
	}
	b64 := "Content-Transfer-Encoding: base64\r\n\r\n"
	for name, mail := range map[string]string{
		"a line that is no field":    "Subject: x\r\nno field\r\nContent-Type: text/plain\r\n" + b64 + dlptest.Base64([]byte("PRJ-1234")),
		"in a part":                  dlptest.Mail("Content-Type: multipart/mixed; boundary=b\r\n", dlptest.Multipart("b", "no field\r\n"+b64+dlptest.Base64([]byte("PRJ-1234")))),
		"UTF-16, high half first":    "Content-Type: text/plain; charset=utf-16\r\n" + b64 + dlptest.Base64(wide),
		"wide text in an odd file":   "Content-Type: application/x-odd; name=a.bin\r\n" + b64 + dlptest.Base64(append(noise(101), wide...)),
		"text without an empty line": "Subject: x\r\nPRJ-1234\r\n",
	} {
		got := found(compile(t, rules()).ScanMail(t.Context(), strings.NewReader(mail), dlp.DefaultLimits()))
		if len(got) != 1 || !strings.HasPrefix(got[0], "regex ") {
			t.Errorf("%s: %s", name, fmt.Sprint(got))
		}
	}
}
