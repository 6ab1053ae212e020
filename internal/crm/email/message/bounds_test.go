package message_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"konak/internal/crm/email/mailtest"
	"konak/internal/crm/email/message"
)

// largest is what --mail-max-size is by default.
const largest = 36 << 20

// manyParts is a mail with n parts, each with a text.
func manyParts(n int, text string) []byte {
	return []byte(mailtest.Head("1", `Content-Type: multipart/mixed; boundary="b"`+"\r\n") +
		strings.Repeat("--b\r\n\r\n"+text+"\r\n", n) + "--b--\r\n")
}

// nested is a text in n multiparts; cut off where nothing closes them.
func nested(n int, text string, closed bool) []byte {
	var b, end strings.Builder
	b.WriteString(mailtest.Head("1", "Content-Type: multipart/mixed; boundary=b1\r\n"))
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "--b%d\r\n", i)
		if i < n {
			fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\r\n\r\n", i+1)
		}
		if closed {
			fmt.Fprintf(&end, "--b%d--\r\n", n+1-i)
		}
	}
	return []byte(b.String() + "\r\n" + text + "\r\n" + end.String())
}

// partHeaders is a mail of 100 parts whose headers have n bytes in all.
func partHeaders(n int) []byte {
	field := "X-A: " + strings.Repeat("a", n/100-7) + "\r\n"
	return []byte(mailtest.Head("1", "Content-Type: multipart/mixed; boundary=b\r\n") +
		strings.Repeat("--b\r\n"+field+"\r\nmetin\r\n", 100) + "--b--\r\n")
}

func TestBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		raw  []byte
		want error
	}{
		{"1,000 parts", manyParts(1000, "metin"), nil},
		{"1,001 parts", manyParts(1001, "metin"), message.ErrTooManyParts},
		{"40,000 empty parts", manyParts(40_000, ""), message.ErrTooManyParts},
		{"12 levels", nested(12, "metin", true), nil},
		{"12 levels, cut off", nested(12, "metin", false), nil},
		{"13 levels", nested(13, "metin", true), message.ErrTooDeep},
		{"40 levels, cut off", nested(40, "metin", false), message.ErrTooDeep},
		{"headers of 250 KiB", []byte("X-A: " + strings.Repeat("a", 250<<10) + "\r\n" + mailtest.Head("1", "") + "metin"), nil},
		{"headers of 257 KiB", []byte("X-A: " + strings.Repeat("a", 257<<10) + "\r\n" + mailtest.Head("1", "") + "metin"), message.ErrLongHeader},
		{"parts with headers of 250 KiB", partHeaders(250 << 10), nil},
		{"parts with headers of 257 KiB", partHeaders(257 << 10), message.ErrLongHeader},
		{"a header without an end", []byte("From: a@b.example\r\n" + strings.Repeat("X: y\r\n", 100_000)), message.ErrLongHeader},
	} {
		m, err := message.Parse(c.raw, "")
		if !errors.Is(err, c.want) || err != nil && c.want == nil {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if err == nil && !strings.Contains(m.Text, "metin") {
			t.Errorf("%s: the text is %q", c.name, m.Text[:min(len(m.Text), 80)])
		}
	}
}

// The time of the worst mails within the bounds is printed: it should stay
// under a second each on a machine that has nothing else to do.
func TestWorstMails(t *testing.T) {
	to := mailtest.Head("1", "")
	fill := func(s string) string { return strings.Repeat(s, largest/len(s)) }
	for _, c := range []struct {
		name string
		raw  []byte
	}{
		{"1,000 parts of text", manyParts(1000, strings.Repeat("a line of text\r\n", largest/16/1000))},
		{"12 levels around a long text", nested(12, fill("a line of text\r\n"), true)},
		{"12 levels around a long text, cut off", nested(12, fill("a line of text\r\n"), false)},
		{"12 levels around lines like boundaries", nested(12, fill("--b\r\n"), true)},
		{"12 levels around empty lines", nested(12, fill("\n"), true)},
		{"12 levels around one line", nested(12, fill("-"), true)},
		{"an address list of 250 KiB", []byte("To: " + strings.Repeat("a@b.example, ", 250<<10/13) + "\r\n" + to + "x")},
		{"encoded words of 250 KiB", []byte("Subject: " + strings.Repeat("=?utf-8?q?=41?= ", 250<<10/16) + "\r\n" + to + "x")},
		{"50,000 fields", []byte(strings.Repeat("a:\r\n", 50_000) + to + "x")},
		{"quoted text", []byte(to + fill("> > quoted\r\n"))},
		{"open tags", []byte(strings.Replace(to, "Subject", "Content-Type: text/html\r\nSubject", 1) + fill("<div><b>"))},
		{"base64", []byte(strings.Replace(to, "Subject", "Content-Transfer-Encoding: base64\r\nSubject", 1) + fill("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=\r\n"))},
	} {
		start := time.Now()
		_, err := message.Parse(c.raw, "")
		t.Logf("%-42s %5.1f MiB %8.1f ms %v", c.name, float64(len(c.raw))/(1<<20), float64(time.Since(start).Microseconds())/1000, err)
	}
}
