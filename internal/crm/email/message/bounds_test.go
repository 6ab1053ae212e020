package message_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"konak/internal/crm/email/mailtest"
	"konak/internal/crm/email/message"
)

// largest is the default of --mail-max-size; a quarter of it in an ordinary run, because
// the cost of a mail grows with its length.
var largest = func() int {
	if os.Getenv("KONAK_TEST_STORM") != "" {
		return 36 << 20
	}
	return 9 << 20
}()

// manyParts returns a mail with n parts, each with a text.
func manyParts(n int, text string) []byte {
	return []byte(mailtest.Head("1", `Content-Type: multipart/mixed; boundary="b"`+"\r\n") +
		strings.Repeat("--b\r\n\r\n"+text+"\r\n", n) + "--b--\r\n")
}

// nested returns a text in n multiparts, which are truncated unless closed is true.
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

// partHeaders returns a mail of 100 parts whose headers have n bytes in total.
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
		m, err := message.ParseBytes(c.raw, "")
		if !errors.Is(err, c.want) || err != nil && c.want == nil {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if err == nil && !strings.Contains(m.Text, "metin") {
			t.Errorf("%s: the text is %q", c.name, m.Text[:min(len(m.Text), 80)])
		}
	}
}

// alike returns a text in 12 multiparts, each with a boundary that begins like those around
// it.
func alike(text string) []byte {
	var b strings.Builder
	b.WriteString(mailtest.Head("1", "Content-Type: multipart/mixed; boundary=b\r\n"))
	for i := 1; i <= 12; i++ {
		fmt.Fprintf(&b, "--%s\r\n", strings.Repeat("b", i))
		if i < 12 {
			fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=%s\r\n\r\n", strings.Repeat("b", i+1))
		}
	}
	return []byte(b.String() + "\r\n" + text)
}

// fill repeats a text up to the maximum length of a mail.
func fill(s string) string { return strings.Repeat(s, largest/len(s)) }

// worstMails returns the slowest mails within the limits, one for each step of reading a
// mail.
func worstMails() map[string]func() []byte {
	mail := func(fields, text string) func() []byte {
		return func() []byte { return []byte(mailtest.Head("1", fields) + text) }
	}
	parts := func(fields, text string) func() []byte {
		return func() []byte {
			text := strings.Repeat(text, largest/1000/len(text))
			return []byte(mailtest.Head("1", "Content-Type: multipart/mixed; boundary=b\r\n") + strings.Repeat("--b\r\n"+fields+"\r\n"+text+"\r\n", 1000))
		}
	}
	text := func(s string) string { return strings.Repeat(s, 512<<10/len(s)) }
	const report = "Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n"
	const base64, quoted, html = "Content-Transfer-Encoding: base64\r\n", "Content-Transfer-Encoding: quoted-printable\r\n", "Content-Type: text/html\r\n"
	return map[string]func() []byte{
		"1,000 parts of text":     parts("", "a line of text\r\n"),
		"1,000 parts of Japanese": parts("Content-Type: text/plain; charset=iso-2022-jp\r\n", "\x1b$B$\"\x1b(B"),
		"1,000 parts of a report": func() []byte {
			return []byte(mailtest.Head("1", report) + strings.Repeat("--b\r\nContent-Type: message/delivery-status\r\n\r\n"+strings.Repeat("Action: delayed\r\n\r\n", largest/19/1000), 1000))
		},
		"1,000 returned mails": func() []byte {
			return []byte(mailtest.Head("1", report) + strings.Repeat("--b\r\nContent-Type: message/rfc822\r\n\r\n"+strings.Repeat("> > Message-I\r\n", largest/15/1000), 1000))
		},
		"12 levels around a long text":           func() []byte { return nested(12, fill("a line of text\r\n"), true) },
		"12 levels around a long text, cut off":  func() []byte { return nested(12, fill("a line of text\r\n"), false) },
		"12 levels around lines like boundaries": func() []byte { return nested(12, fill("--b\r\n"), true) },
		"12 levels around dashes":                func() []byte { return nested(12, fill("--\n"), true) },
		"12 levels around empty lines":           func() []byte { return nested(12, fill("\n"), true) },
		"12 levels around one line":              func() []byte { return nested(12, fill("-"), true) },
		"12 levels of boundaries that are alike": func() []byte { return alike(fill("--bbbbbbbbbbbbb\n")) },
		"a list of addresses":                    mail("To: "+strings.Repeat("a@b.example, ", 250<<10/13)+"\r\n", "x"),
		"a list of comments":                     mail("To: "+strings.Repeat("(", 250<<10)+"\r\n", "x"),
		"encoded words":                          mail("Subject: "+strings.Repeat("=?utf-8?q?=41?= ", 250<<10/16)+"\r\n", "x"),
		"50,000 fields":                          mail(strings.Repeat("a:\r\n", 50_000), "x"),
		"a type with many parameters":            mail("Content-Type: text/plain"+strings.Repeat("; a=b", 50_000)+"\r\n", "x"),
		"a type of quotes":                       mail("Content-Type: text/plain; name="+strings.Repeat("\"", 250<<10)+"\r\n", "x"),
		"a type of semicolons":                   mail("Content-Type: text/plain"+strings.Repeat(";", 250<<10)+"\r\n", "x"),
		"a long disposition":                     mail("Content-Disposition: attachment; filename*="+strings.Repeat("%41", 80_000)+"\r\n", "x"),
		"a content id":                           mail("Content-ID: "+strings.Repeat("%41", 80_000)+"\r\n", "x"),
		"quoted text":                            mail("", fill("> > quoted\r\n")),
		"names of authors":                       mail("", text("a@b.co 2026 10:10 wrote "+strings.Repeat("x", 60)+":\r\n")),
		"signatures":                             mail("", "x\r\n"+text("--\r\n")),
		"rules":                                  mail("", text("__________\r\n\r\n")),
		"one line of digits":                     mail("", text("2026 ")),
		"open tags":                              mail(html, fill("<div><b>")),
		"a style":                                mail(html, "<p style=\""+text("color:red;")+"\">x"),
		"styles":                                 mail(html, text("<p style=\"color:red\">")),
		"attributes":                             mail(html, "<a"+text(" href=x")+">x"),
		"pictures":                               mail(html, text("<img src=http://a.example/b>")),
		"entities":                               mail(html, text("&amp;")),
		"quotes in HTML":                         mail(html, text("<blockquote>")),
		"tables":                                 mail(html, text("<table><td>")),
		"base64":                                 mail(base64, fill("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=\r\n")),
		"base64 that is none":                    mail(base64, fill("!")),
		"quoted-printable":                       mail(quoted, fill("=41")),
		"quoted-printable that is none":          mail(quoted, fill("\x80=")),
		"quoted-printable of line ends":          mail(quoted, fill("=\n")),
		"a bounce without structure": func() []byte {
			return []byte("From: mailer-daemon@b.example\r\nSubject: undeliverable\r\n\r\n" + fill("> > > > Message-I\r\n"))
		},
	}
}

// The worst mails within the limits are each read in under a second of processor time, with
// memory of at most a few times their length. The figures are printed; only a much higher
// value is an error, because a machine may be slow or busy.
func TestWorstMailsAreReadCheaply(t *testing.T) {
	for name, mail := range worstMails() {
		raw := mail()
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := processorTime(t)
		_, err := message.ParseBytes(raw, "")
		took := processorTime(t) - start
		runtime.ReadMemStats(&after)
		taken := after.TotalAlloc - before.TotalAlloc
		t.Logf("%-42s %5.1f MiB %8.1f ms %7.1f MiB allocated %v", name, float64(len(raw))/(1<<20), float64(took.Microseconds())/1000, float64(taken)/(1<<20), err)
		if took > 2*time.Second || taken > 2*uint64(len(raw))+32<<20 {
			t.Errorf("%s: %v of processor time and %d MiB of memory", name, took, taken>>20)
		}
	}
}

// processorTime returns the processor time that this process has used so far.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		t.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
