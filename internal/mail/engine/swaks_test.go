package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"

	"konak/internal/kit/tooltest"
)

// The exit codes of swaks.
const (
	swaksSent   = 0
	swaksSender = 23
	swaksData   = 26
	swaksAuth   = 28
)

// An independent mail program submits mails: with every sign-in method, as another sender,
// with forbidden content, and with text smuggled behind a mail.
func TestSwaks(t *testing.T) {
	t.Parallel()
	tooltest.Need(t, "swaks", "ensure-mail-servers")
	run(t, nil, func(t *testing.T, o *office) {
		o.addRule("block", nil)
		for _, c := range []struct {
			name, method, password, from, body string
			code                               int
		}{
			{"plain", "PLAIN", password, "info@firma.example", "Merhaba", swaksSent},
			{"login", "LOGIN", password, "info@firma.example", "Merhaba", swaksSent},
			{"wrong password", "PLAIN", "wrong", "info@firma.example", "Merhaba", swaksAuth},
			{"somebody else", "PLAIN", password, "satis@firma.example", "Merhaba", swaksSender},
			{"what may not leave", "PLAIN", password, "info@firma.example", "Bu gizli bir plan", swaksData},
			{"in another form", "PLAIN", password, "info@firma.example", "Bu g\u200bİZLİ bir plan", swaksData},
		} {
			if code, said := o.swaks(c.from, []string{"--auth", c.method, "--auth-user", "info@firma.example", "--auth-password", c.password, "--body", c.body}); code != c.code {
				t.Errorf("%s: exit code %d, want %d: %s", c.name, code, c.code, said)
			}
		}
		o.s.Settle()
		if got := o.out.got(); len(got) != 2 {
			t.Errorf("%d mails arrived", len(got))
		}
	})
}

func (o *office) swaks(from string, args []string) (int, []byte) {
	o.t.Helper()
	host, port, err := net.SplitHostPort(o.server)
	if err != nil {
		o.t.Fatal(err)
	}
	cmd := exec.CommandContext(o.t.Context(), "swaks", append([]string{
		"--server", host, "--port", port, "--tls", "--from", from, "--to", "elif@other.example", "--helo", "mua.example", "--timeout", "60",
		"--add-header", "MIME-Version: 1.0", "--add-header", "Content-Type: text/plain; charset=utf-8",
	}, args...)...)
	// swaks reads settings from its home directory.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + o.t.TempDir(), "LC_ALL=C"}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return ended.ExitCode(), said.Bytes()
	}
	if err != nil {
		o.t.Fatal(err)
	}
	return 0, said.Bytes()
}

// Only the correct form of the line with a dot ends a mail, so that nobody can send a
// second, unchecked mail behind it.
func TestSmuggling(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		for _, end := range []string{"\n.\n", "\n.\r\n", "\r\n.\n", "\r.\r", "\r.\r\n", "\r\n.\r", "\r\n.\r\r\n", "\r\n\x00.\r\n", "\r\n.\x00\r\n"} {
			c := o.dial("info@firma.example")
			if err := errors.Join(c.Mail("info@firma.example"), c.Rcpt("elif@other.example")); err != nil {
				t.Fatal(err)
			}
			smuggled := text("info@firma.example", "kaçak", "")
			id, err := c.Text.Cmd("DATA")
			if err != nil {
				t.Fatal(err)
			}
			c.Text.StartResponse(id)
			if _, _, err := c.Text.ReadResponse(354); err != nil {
				t.Fatal(err)
			}
			c.Text.EndResponse(id)
			fmt.Fprint(c.Text.W, text("info@firma.example", "dış", "")+end+
				"MAIL FROM:<info@firma.example>\r\nRCPT TO:<ali@third.example>\r\nDATA\r\n"+smuggled+"\r\n.\r\n")
			if err := c.Text.W.Flush(); err != nil {
				t.Fatal(err)
			}
			_, _, err = c.Text.ReadResponse(250)
			if code := codeOf(t, err); code != 554 {
				t.Errorf("%q: said %d", end, code)
			}
			_ = c.Close()
		}
		o.s.Settle()
		if n, left := len(o.queue()), o.out.got(); n != 0 || len(left) != 0 {
			t.Errorf("%d mails in the queue, left are %+v", n, left)
		}
	})
}
