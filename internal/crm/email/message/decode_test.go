package message_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"konak/internal/crm/email/mailtest"
	"konak/internal/crm/email/message"
)

// Contents are decoded as far as possible; an invalid part is a defect and does not lose
// the rest.
func TestContentEncodings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, encoding, raw, want string
		defects                   int
	}{
		{"base64", "base64", "bWVy\r\naGFiYQ==\r\n", "merhaba", 0},
		{"base64 without its end", "Base64", "bWVyaGFiYQ", "merhaba", 0},
		{"base64 that is cut off", "base64", "bWVyaGFiY", "merhab", 1},
		{"base64 with other bytes", "base64", "bW!VyaG\xffFiYQ==", "merhaba", 1},
		{"base64 of two runs", "base64", "bQ==\r\nZXJoYWJh\r\n", "merhaba", 0},
		{"quoted", "quoted-printable", "merh=61ba=C4=9f", "merhabağ", 0},
		{"quoted, lines", "quoted-printable", "mer=\r\nhaba  \r\n=\r\n=3D", "merhaba\n=", 0},
		{"quoted, the end is open", "quoted-printable", "merhaba=", "merhaba", 0},
		{"quoted, no digits", "quoted-printable", "a=b =4 =zz", "a=b =4 =zz", 1},
		{"quoted, bytes as they are", "quoted-printable", "ğ\tmerhaba", "ğ\tmerhaba", 0},
		{"nothing to decode", "8bit", "merhaba =41", "merhaba =41", 0},
		{"not known", "x-other", "merhaba =41", "merhaba =41", 1},
	} {
		m, err := message.ParseBytes([]byte(mailtest.Head("1", "Content-Transfer-Encoding: "+c.encoding+"\r\n")+c.raw), "")
		if err != nil || m.Text != c.want || len(m.Defects) != c.defects {
			t.Errorf("%s: %q, %q, %v", c.name, m.Text, m.Defects, err)
		}
	}
}

// A file is decoded block by block, wherever the block ends are.
func TestLargeFiles(t *testing.T) {
	t.Parallel()
	want := make([]byte, 200_000)
	for i := range want {
		want[i] = byte(i * i >> 3)
	}
	var quoted, oneLine strings.Builder
	for i, c := range want {
		fmt.Fprintf(&quoted, "=%02X", c)
		fmt.Fprintf(&oneLine, "=%02x", c)
		if i%24 == 23 {
			quoted.WriteString("=\r\n")
		}
	}
	plain := base64.StdEncoding.EncodeToString(want)
	for name, text := range map[string]string{
		"base64":               "base64\r\n\r\n" + plain,
		"base64 in odd lines":  "base64\r\n\r\n" + strings.Join(slices.Collect(chunks(plain, 77)), "\r\n"),
		"quoted":               "quoted-printable\r\n\r\n" + quoted.String(),
		"quoted as one line":   "quoted-printable\r\n\r\n" + oneLine.String(),
		"quoted behind a text": "quoted-printable\r\n\r\n=\r\n" + oneLine.String(),
	} {
		raw := "From: a@b.example\r\nContent-Disposition: attachment; filename=x\r\nContent-Transfer-Encoding: " + text
		m, err := message.ParseBytes([]byte(raw), "")
		if err != nil || len(m.Files) != 1 {
			t.Fatalf("%s: %v %v", name, m, err)
		}
		if got, err := io.ReadAll(m.Files[0].Reader()); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes that differ, %v", name, len(got), err)
		}
	}
}

// chunks splits a text into pieces of n bytes.
func chunks(s string, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for ; len(s) > n && yield(s[:n]); s = s[n:] {
		}
		yield(s)
	}
}

// A multipart that ends before its first part is a text, like one whose boundary never
// occurs.
func TestMultipartWithoutParts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"merhaba\r\n--b--\r\n", "merhaba\r\n", "merhaba\r\n--bb\r\n"} {
		m, err := message.ParseBytes([]byte(mailtest.Head("1", "Content-Type: multipart/mixed; boundary=b\r\n")+text), "")
		if err != nil || m.Text[:7] != "merhaba" {
			t.Errorf("%q: %v %v", text, m, err)
		}
	}
}
