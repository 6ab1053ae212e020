package main

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"konak/internal/app"
)

// Text written by others cannot control the terminal: control characters are printed
// escaped, in JSON too.
func TestPrintedControlCharactersAreEscaped(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := printf(&b, "%s %d %s\n", "Eve\x1b[2J\n\u202e\u009bŞ", 3, paragraphs("one\r\ntwo\x07")); err != nil {
		t.Fatal(err)
	}
	if want := `Eve\u001b[2J\u000a\u202e\u009bŞ 3 one` + "\n" + `two\u0007` + "\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	b.Reset()
	if err := printJSON(&b, map[string]string{"name": "a\x1b\u009bŞ"}); err != nil || b.String() != "{\n"+`  "name": "a\u001b\u009bŞ"`+"\n}\n" {
		t.Errorf("got %q, %v", b.String(), err)
	}
}

// The doctor refuses what serving refuses.
func TestDoctorChecksWhatServeChecks(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("no,prices"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*app.Config){
		"":                 func(*app.Config) {},
		"--call-rates":     func(c *app.Config) { c.CallRates = file },
		"--mail-from":      func(c *app.Config) { c.MailFrom = "nonsense" },
		"--smtp-ca":        func(c *app.Config) { c.SMTPURL, c.SMTPCA = "smtp://127.0.0.1:25", file },
		"--sip-tls-listen": func(c *app.Config) { c.SIPTLSListen = "127.0.0.1:5061" },
		"--sip-ca":         func(c *app.Config) { c.SIPListen, c.SIPCA = "127.0.0.1:5060", file },
	} {
		c := app.Config{Data: t.TempDir(), Listen: "127.0.0.1:0", Domain: "localhost"}
		change(&c)
		_, err := (&checkup{Config: c}).settings(t.Context())
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// The domain of incoming mail is looked up like the names of the panel.
func TestMailDomainIsLookedUp(t *testing.T) {
	t.Parallel()
	unknown := errors.New("no such host")
	d := &checkup{Config: app.Config{MailDomain: "in.example.com"}}
	for _, c := range []struct {
		mx     []*net.MX
		host   error
		text   string
		refuse bool
	}{
		{mx: []*net.MX{{Host: "mail.example.com."}}, host: unknown, text: "mail for in.example.com goes to mail.example.com"},
		{text: "has no MX record"},
		{host: unknown, text: "add an MX record", refuse: true},
	} {
		d.lookUpMX = func(context.Context, string) ([]*net.MX, error) { return c.mx, nil }
		d.lookUp = func(context.Context, string) ([]string, error) { return []string{"192.0.2.1"}, c.host }
		text, err := d.names(t.Context())
		if (err != nil) != c.refuse {
			t.Errorf("%+v: %q, %v", c, text, err)
		}
		if err != nil {
			text = err.Error()
		}
		if !strings.Contains(text, c.text) {
			t.Errorf("%q, want %q", text, c.text)
		}
	}
}

// Only the limit of a workspace can be omitted.
func TestOnlyWorkspaceLimitMayBeZero(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--limit-key", "--limit-account", "--limit-address"} {
		var out, errs strings.Builder
		if code := run([]string{"config", flag + "=0"}, &out, &errs); code != 2 || !strings.Contains(errs.String(), flag+" 0") {
			t.Errorf("%s 0: %d, %s", flag, code, errs.String())
		}
	}
	var out, errs strings.Builder
	if code := run([]string{"config", "--limit-workspace=0"}, &out, &errs); code != 0 {
		t.Errorf("--limit-workspace 0: %d, %s", code, errs.String())
	}
}
