package message_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"konak/internal/crm/email/mailtest"
	"konak/internal/crm/email/message"
)

// described returns everything that reading a mail produced, including the bytes of its
// files.
func described(m *message.Mail, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	var b strings.Builder
	mail := *m
	mail.Files = nil
	slices.Sort(mail.Defects) // those of one header come in any order
	if m.Bounce != nil {
		fmt.Fprintf(&b, "bounce %+v\n", *m.Bounce)
		mail.Bounce = nil
	}
	fmt.Fprintf(&b, "%+v\n", mail)
	for _, f := range m.Files {
		content, err := io.ReadAll(f.Reader())
		fmt.Fprintf(&b, "%q %q %q %v %s %v\n", f.Name, f.Type, f.ContentID, f.Inline, hex.EncodeToString(content), err)
	}
	return b.String()
}

// edgeMails returns mails whose marks and line ends are long, similar or at the end.
func edgeMails() map[string]string {
	head := mailtest.Head("1", "Content-Type: multipart/mixed; boundary=\"b\"\r\n")
	long := strings.Repeat("b", 200)
	spaces := strings.Repeat(" ", 500)
	return map[string]string{
		"a mark with spaces":               head + "--b" + spaces + "\r\n\r\nbir\r\n--b" + spaces + "\t\r\n\r\niki\r\n--b--" + spaces + "x\r\nson",
		"spaces and a letter":              head + "--b\r\n\r\nbir\r\n--b" + spaces + "x\r\niki\r\n--b--\r\n",
		"spaces at the end of the mail":    head + "--b\r\n\r\nbir\r\n--b" + spaces,
		"the last mark at the end":         head + "--b\r\n\r\nbir\n--b--",
		"an empty line without its end":    head + "--b\r\nContent-Type: text/html\r\n\r",
		"only a carriage return":           mailtest.Head("1") + "\r",
		"a boundary of 200 bytes":          mailtest.Head("1", "Content-Type: multipart/mixed; boundary="+long+"\r\n") + "--" + long + "\r\n\r\nbir\r\n--" + long + spaces + "\r\n\r\niki\r\n--" + long + "--\r\n",
		"a boundary of 201 bytes":          mailtest.Head("1", "Content-Type: multipart/mixed; boundary="+long+"b\r\n") + "--" + long + "b\r\n\r\nbir\r\n--" + long + "b--\r\n",
		"a boundary that ends with dashes": head + "--b\r\nContent-Type: multipart/mixed; boundary=\"b--\"\r\n\r\n--b--" + spaces + "\r\n\r\nbir\r\n--b----\r\n--b--\r\n",
		"boundaries that are alike":        string(alike("bir\r\n--bbb\r\n\r\niki\r\n--b \r\n\r\nüç\r\n--b--\r\n")),
		"12 levels":                        string(nested(12, strings.Repeat("-\n--\n--b", 100), true)),
		"many parts":                       string(manyParts(50, "metin")),
		"a mailbox file":                   strings.Repeat("From a\r\n", 50) + ">From b\n" + strings.Repeat("\r\n", 100) + head + "--b\r\n\r\nbir\r\n--b--",
		"a mailbox file without a mail":    strings.Repeat("From a\r\n", 50) + "From",
		"wide white space":                 strings.Repeat("\u2003\u00a0 ", 100),
		"wide white space that is cut off": strings.Repeat("\u2003", 100) + "\xe2\x80",
		"no text":                          mailtest.Head("1", "Content-Type: application/pdf\r\n", "") + strings.Repeat("\r\n", 40),
	}
}

// The result of reading a mail does not depend on how much of it is in memory.
func TestWindowSizeDoesNotChangeResult(t *testing.T) {
	t.Parallel()
	mails := edgeMails()
	for _, s := range mailtest.Hard() {
		if len(s.Raw) < 64<<10 {
			mails[s.Name] = string(s.Raw)
		}
	}
	for name, raw := range mails {
		want := described(message.ParseBytes([]byte(raw), ""))
		for _, window := range []int{1, 7, 16, 205, 300} {
			got := described(message.ParseWithWindow(strings.NewReader(raw), int64(len(raw)), "", window))
			if got != want {
				t.Errorf("%s with a window of %d bytes:\n%.2000s\nwant\n%.2000s", name, window, got, want)
			}
		}
	}
}

// A line is a mark if only white space or the dashes of the last mark follow its boundary,
// however long it is.
func TestLongBoundaryLines(t *testing.T) {
	t.Parallel()
	head := mailtest.Head("1", "Content-Type: multipart/mixed; boundary=\"b\"\r\n") + "--b\r\n\r\nbir\r\n"
	for _, c := range []struct{ mark, want string }{
		{"--b", "bir\n\niki"},
		{"--b" + strings.Repeat(" \t", 500), "bir\n\niki"},
		{"--b" + strings.Repeat(" \t", 50_000), "bir\n\niki"},
		{"--b--" + strings.Repeat("x", 500), "bir"},
		{"--b--" + strings.Repeat("x", 100_000), "bir"},
		{"--b" + strings.Repeat(" ", 500) + "x", "bir\n--b" + strings.Repeat(" ", 500) + "x\n\niki"},
		{"--b" + strings.Repeat(" ", 100_000) + "x", "bir\n--b" + strings.Repeat(" ", 100_000) + "x\n\niki"},
		{"--b-", "bir\n--b-\n\niki"},
		{"--bb", "bir\n--bb\n\niki"},
	} {
		m, err := message.ParseBytes([]byte(head+c.mark+"\r\n\r\niki"), "")
		if err != nil || m.Text != c.want {
			t.Errorf("%.20q of %d bytes: %.80q, %v", c.mark, len(c.mark), m.Text, err)
		}
	}
}

var errDisk = errors.New("the disk is gone")

// failing is a mail whose bytes after a position cannot be read.
type failing struct {
	raw  string
	from int64
}

// ReadAt implements io.ReaderAt.
func (f failing) ReadAt(b []byte, at int64) (int, error) {
	if at+int64(len(b)) > f.from {
		return copy(b, f.raw[min(at, f.from):f.from]), errDisk
	}
	return copy(b, f.raw[at:]), nil
}

// failingOnce is a mail for which one read fails.
type failingOnce struct {
	from io.ReaderAt
	left int // reads before the one that fails
}

// ReadAt implements io.ReaderAt.
func (f *failingOnce) ReadAt(b []byte, at int64) (int, error) {
	if f.left--; f.left == -1 {
		return 0, errDisk
	}
	return f.from.ReadAt(b, at)
}

// A mail that cannot be read now does not count as unreadable: the disk's error is returned
// unchanged, wherever it occurs, also from a file.
func TestReadErrors(t *testing.T) {
	t.Parallel()
	raw := "From MAILER-DAEMON\r\nFrom: mailer-daemon@b.example\r\nSubject: undeliverable\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" +
		"--b\r\nContent-Transfer-Encoding: base64\r\n\r\nbWVyaGFiYQ==\r\n" +
		"--b\r\nContent-Type: message/delivery-status\r\n\r\nAction: failed\r\n\r\n" +
		"--b\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nbWVyaGFiYQ==\r\n--b--\r\n"
	size := int64(len(raw))
	for _, window := range []int{16, 64 << 10} {
		for n := range size {
			if m, err := message.ParseWithWindow(failing{raw, n}, size, "", window); !errors.Is(err, errDisk) {
				t.Fatalf("a read error at byte %d: %v, %v", n, m, err)
			}
		}
		if _, err := message.ParseWithWindow(strings.NewReader(raw), size+10, "", window); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("a mail that is shorter than it should be: %v", err)
		}
	}
	// The nth read from the disk fails, until the mail needs fewer reads.
	for n := 0; ; n++ {
		disk := &failingOnce{strings.NewReader(raw), n}
		m, err := message.Parse(disk, size, "")
		if disk.left >= 0 { // no read failed
			if err != nil || n < 5 {
				t.Fatal(n, m, err)
			}
			break
		}
		if !errors.Is(err, errDisk) {
			t.Fatalf("read %d fails: %v, %v", n, m, err)
		}
	}
	// The disk fails while the files are read.
	disk := &failing{raw, size}
	m, err := message.Parse(disk, size, "")
	if err != nil || len(m.Files) != 2 || m.Bounce == nil {
		t.Fatal(m, err)
	}
	disk.from = size - 20
	if got, err := io.ReadAll(m.Files[1].Reader()); !errors.Is(err, errDisk) {
		t.Errorf("a file: %q, %v", got, err)
	}
	if _, err := m.Fingerprint(); !errors.Is(err, errDisk) {
		t.Errorf("the fingerprint: %v", err)
	}
}

// endless repeats a line after a header without storing it.
type endless struct{ head, line []byte }

// ReadAt implements io.ReaderAt.
func (e endless) ReadAt(b []byte, at int64) (n int, err error) {
	for n < len(b) {
		if at < int64(len(e.head)) {
			n += copy(b[n:], e.head[at:])
			at = int64(len(e.head))
			continue
		}
		k := copy(b[n:], e.line[(at-int64(len(e.head)))%int64(len(e.line)):])
		n, at = n+k, at+int64(k)
	}
	return n, nil
}

// A file of the maximum size is read without being in memory: parsing the mail, its
// fingerprint and its content use a small part of that.
func TestLargestFileStaysOnDisk(t *testing.T) {
	const size = 36 << 20
	file := "Content-Disposition: attachment; filename=a.pdf\r\nContent-Transfer-Encoding: base64\r\n"
	letters := "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5\r\n"
	for name, src := range map[string]endless{
		"a file":           {[]byte(mailtest.Head("1", file)), []byte(letters)},
		"a file in a part": {[]byte(mailtest.Head("1", "Content-Type: multipart/mixed; boundary=b\r\n") + "--b\r\n" + file + "\r\n"), []byte(letters)},
		"marks":            {[]byte(mailtest.Head("1", "Content-Type: multipart/mixed; boundary=b\r\n") + "--b\r\n" + file + "\r\n"), []byte("\n--")},
		"no text":          {[]byte(mailtest.Head("1")), []byte("\n")},
		"no line ends":     {[]byte(mailtest.Head("1", file)), []byte("Q")},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := processorTime(t)
		m, err := message.Parse(src, size, "")
		if err != nil {
			t.Fatal(name, err)
		}
		parsed := processorTime(t)
		if _, err := m.Fingerprint(); err != nil {
			t.Fatal(name, err)
		}
		took := processorTime(t)
		runtime.ReadMemStats(&after)
		taken := after.TotalAlloc - before.TotalAlloc
		t.Logf("%-18s parsed in %v, fingerprint in %v, %d KiB allocated", name, parsed-start, took-parsed, taken>>10)
		most := uint64(1 << 20)
		if name == "no text" {
			most = 24 << 20 // a text of 2 MiB is kept as it stands
		}
		if taken > most {
			t.Errorf("%s: %d KiB of memory", name, taken>>10)
		}
	}
}

// A file to be sent is read unchanged.
func TestOutgoingFileIsReadUnchanged(t *testing.T) {
	t.Parallel()
	f := message.File{Content: []byte("merhaba")}
	if got, err := io.ReadAll(f.Reader()); err != nil || !bytes.Equal(got, f.Content) {
		t.Errorf("%q, %v", got, err)
	}
}
