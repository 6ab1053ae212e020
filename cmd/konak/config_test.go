package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"konak/internal/app"
)

// settings runs `konak config` with a file and returns its lines by flag.
func settings(t *testing.T, file string, args ...string) map[string]string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "konak.json")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run(append([]string{"config", "--config", path}, args...), &out, &errs); code != 0 {
		t.Fatalf("code %d: %s", code, errs.String())
	}
	values := map[string]string{}
	for line := range strings.Lines(out.String()) {
		if fields := strings.Fields(line); len(fields) > 2 {
			values[fields[0]] = fields[2] + " " + fields[3]
		}
	}
	return values
}

func TestSettingsComeFromFlagThenVariableThenFile(t *testing.T) {
	const file = `{"domain": "file.example", "log-level": "warn", "log-format": "json"}`
	t.Setenv("KONAK_DOMAIN", "variable.example")
	t.Setenv("KONAK_LOG_LEVEL", "debug")
	got := settings(t, file, "--domain", "flag.example")
	want := map[string]string{
		"--domain":      "flag.example flag",
		"--log-level":   "debug variable",
		"--log-format":  "json ",
		"--sqlite-sync": "full default",
	}
	if !strings.HasSuffix(got["--log-format"], "/konak.json") {
		t.Errorf("--log-format is %q, want the file's path", got["--log-format"])
	}
	for flag, value := range want {
		if !strings.HasPrefix(got[flag], value) {
			t.Errorf("%s is %q, want %q", flag, got[flag], value)
		}
	}
}

// A secret may be in its own file, named by a variable or given by systemd, and is never
// printed.
func TestSecretsComeFromFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"key": "by-variable", "smtp-url": "smtp://by-credential", "db": "postgres://by-credential"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("KONAK_MASTER_KEY_FILE", filepath.Join(dir, "key"))
	t.Setenv("CREDENTIALS_DIRECTORY", dir)
	t.Setenv("KONAK_DB", "postgres://by-variable")
	got := settings(t, `{"smtp-url": "smtp://by-file", "master-key": "by-file", "s3-url": "https://by-file"}`)
	for flag, want := range map[string]string{
		"--master-key": "*** " + filepath.Join(dir, "key"),
		"--smtp-url":   "*** " + filepath.Join(dir, "smtp-url"),
		"--db":         "*** variable",
	} {
		if got[flag] != want {
			t.Errorf("%s is %q, want %q", flag, got[flag], want)
		}
	}
	var c cli
	if _, err := newParser(&c, fileResolver{}, io.Discard, io.Discard).Parse([]string{"serve"}); err != nil {
		t.Fatal(err)
	}
	if c.Serve.MasterKey != "by-variable" || c.Serve.SMTPURL != "smtp://by-credential" || c.Serve.DB != "postgres://by-variable" {
		t.Errorf("%q, %q, %q", c.Serve.MasterKey, c.Serve.SMTPURL, c.Serve.DB)
	}
	t.Setenv("KONAK_MASTER_KEY", "twice")
	if code, text := runOn("config"); code == 0 || !strings.Contains(text, "KONAK_MASTER_KEY and KONAK_MASTER_KEY_FILE are both set") {
		t.Errorf("%d: %s", code, text)
	}
	t.Setenv("KONAK_MASTER_KEY_FILE", "")
	t.Setenv("KONAK_SMTP_URL_FILE", filepath.Join(dir, "nothing"))
	if code, text := runOn("doctor"); code == 0 || !strings.Contains(text, "--smtp-url: open ") {
		t.Errorf("%d: %s", code, text)
	}
}

// A Service named konak in Kubernetes adds variables that are not settings; outside
// Kubernetes they are treated as misspelled.
func TestKubernetesServiceVariablesAreIgnored(t *testing.T) {
	t.Parallel()
	var c cli
	parser := newParser(&c, fileResolver{}, io.Discard, io.Discard)
	added := []string{
		"KONAK_SERVICE_HOST=10.0.0.1", "KONAK_SERVICE_PORT=80", "KONAK_SERVICE_PORT_HTTP=80", "KONAK_PORT=tcp://10.0.0.1:80",
		"KONAK_PORT_80_TCP=tcp://10.0.0.1:80", "KONAK_PORT_80_TCP_PROTO=tcp", "KONAK_PORT_80_TCP_ADDR=10.0.0.1", "KONAK_MAIL_SERVICE_HOST=10.0.0.2",
	}
	if err := checkEnviron(parser, append(added, "KUBERNETES_SERVICE_HOST=10.0.0.3")); err != nil {
		t.Error(err)
	}
	if err := checkEnviron(parser, append(added, "KUBERNETES_SERVICE_HOST=10.0.0.3", "KONAK_DOMIAN=x")); err == nil {
		t.Error("a misspelled setting is taken in Kubernetes")
	}
	if err := checkEnviron(parser, added[:1]); err == nil {
		t.Error("outside of Kubernetes it is no misspelling")
	}
}

// Every setting that sounds like a secret is treated as one.
func TestSettingsNamedLikeSecretsAreSecret(t *testing.T) {
	var c cli
	open := []string{"captcha-site-key", "iyzico-key", "limit-key", "mail-tls-key", "sip-tls-key"}
	for _, f := range flagsOf(newParser(&c, fileResolver{}, io.Discard, io.Discard).Model.Node) {
		if f.Name == "token" {
			continue // of konak webhooks listen, and no setting
		}
		named := slices.ContainsFunc([]string{"secret", "token", "password", "key"}, func(word string) bool { return strings.Contains(f.Name, word) })
		if named && !slices.Contains(open, f.Name) && !slices.Contains(secretFlags, f.Name) && len(f.Envs) > 0 {
			t.Errorf("--%s is printed by konak config", f.Name)
		}
	}
}

func TestMisspelledSettingsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "konak.json")
	if err := os.WriteFile(path, []byte(`{"domian": "x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run([]string{"config", "--config", path}, &out, &errs); code == 0 || !strings.Contains(errs.String(), "domian") {
		t.Errorf("file: code %d, %q", code, errs.String())
	}
	errs.Reset()
	t.Setenv("KONAK_DOMIAN", "x")
	if code := run([]string{"config"}, &out, &errs); code == 0 || !strings.Contains(errs.String(), "KONAK_DOMIAN") {
		t.Errorf("variable: code %d, %q", code, errs.String())
	}
}

func TestEverySettingIsInTheDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	for flag := range settings(t, `{}`) {
		if strings.HasPrefix(flag, "--") && !bytes.Contains(page, []byte("| `"+flag+"` |")) {
			t.Errorf("docs/configuration.md says nothing of %s", flag)
		}
	}
}

// Every setting has a variable that is named like its flag, and its value arrives.
func TestEverySettingIsReadFromItsVariable(t *testing.T) {
	var c cli
	parser := newParser(&c, fileResolver{}, io.Discard, io.Discard)
	var flags []*kong.Flag
	for _, n := range parser.Model.Children {
		if n.Name == "config" {
			flags = n.Flags
		}
	}
	if len(flags) < 30 {
		t.Fatalf("%d settings", len(flags))
	}
	want := map[string]string{}
	for _, f := range flags {
		name := "KONAK_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if len(f.Envs) != 1 || f.Envs[0] != name {
			t.Errorf("--%s is read from %v, want %s", f.Name, f.Envs, name)
		}
		text, shown := "x-"+f.Name, "x-"+f.Name
		switch f.Target.Interface().(type) {
		case bool:
			text, shown = "true", "true"
		case []string:
			text, shown = "a,b", "[a b]"
		case int, int64, app.Size:
			text, shown = "4711", "4711"
		case float64:
			text, shown = "0.25", "0.25"
		case time.Duration:
			text, shown = "77s", "1m17s"
		case string:
			if enum := f.EnumSlice(); len(enum) > 0 {
				for _, v := range enum {
					if v != f.Default {
						text, shown = v, v
					}
				}
			}
		}
		t.Setenv(name, text)
		want[f.Name] = shown
	}
	if err := checkEnviron(parser, os.Environ()); err != nil {
		t.Error(err)
	}
	if _, err := parser.Parse([]string{"config"}); err != nil {
		t.Fatal(err)
	}
	for _, f := range flags {
		if got := fmt.Sprint(f.Target.Interface()); got != want[f.Name] {
			t.Errorf("--%s is %q, its variable says %q", f.Name, got, want[f.Name])
		}
	}
}

// The greeting names an address that answers.
func TestPanelURL(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ listen, domain, public, want string }{
		{"127.0.0.1:8080", "localhost", "", "http://localhost:8080"},
		{"[::1]:8080", "localhost", "", "http://localhost:8080"},
		{"0.0.0.0:80", "localhost", "", "http://localhost:80"},
		{"127.0.0.2:9480", "localhost", "", "http://127.0.0.2:9480"},
		{"[fd00::7]:9480", "localhost", "", "http://[fd00::7]:9480"},
		{"192.0.2.7:8080", "firma.example", "", "http://firma.example:8080"},
		{"127.0.0.2:8080", "firma.example", "https://firma.example", "https://firma.example"},
	} {
		s := serveCmd{}
		s.Domain, s.PublicURL = tc.domain, tc.public
		if got := s.panelURL(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(tc.listen))); got != tc.want {
			t.Errorf("%+v: %s", tc, got)
		}
	}
}

// Settings that cannot work are refused, naming the flag.
func TestSettingsThatCannotWork(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ flag, value, want string }{
		{"--domain", "firma.example/x", "--domain \"firma.example/x\": write a bare host"},
		{"--domain", "https://firma.example", "--domain \"https://firma.example\": write a bare host"},
		{"--domain", "firma.example:443", "--domain"},
		{"--mail-domain", "https://x", "--mail-domain \"https://x\": write a bare domain"},
		{"--public-url", "https://firma.example/konak", "--public-url \"https://firma.example/konak\": write http://HOST or https://HOST, without a path"},
		{"--public-url", "https://firma.example?x=1", "--public-url"},
		{"--public-url", "firma.example", "--public-url"},
		{"--help-domain", "help.firma.example", "--help-domain \"help.firma.example\": write HOST=WORKSPACE"},
		{"--help-domain", "ada.help.localhost=demo", "hosts below --domain are the installation's own"},
		{"--help-domain", "localhost=demo", "hosts below --domain are the installation's own"},
		{"--help-domain", "help.firma.example=demo,help.firma.example=acme", "each host has one workspace"},
		{"--help-domain", "help.firma.example=demo,yardim.firma.example=demo", "each workspace one host"},
		{"--sip-listen", "5060", "--sip-listen \"5060\": write ADDRESS:PORT"},
		{"--sip-listen", "phone.example:5060", "--sip-listen"},
		{"--storage-quota", "plenty", "such as 50GiB"},
		{"--storage-quota", "-1", "such as 50GiB"},
		{"--mail-max-size", "-5", "such as 50GiB"},
		{"--mail-rspamd", "127.0.0.1:11333", "--mail-rspamd \"127.0.0.1:11333\": write an address such as"},
		{"--mail-rspamd", "http://", "--mail-rspamd"},
		{"--traces", "127.0.0.1:4318", "--traces: write the address of a collector"},
		{"--trusted-proxies", "10.0.0.1", "--trusted-proxies \"10.0.0.1\": write a range such as 10.0.0.0/8"},
		{"--webhook-allow", "inside", "--webhook-allow \"inside\": write a range"},
		{"--sip-trunk-media-encryption", "required", "needs --sip-trunk-transport tls"},
		{"--sip-trunk-from", "10.0.0.0/8,carrier.example", "--sip-trunk-from \"carrier.example\": write a range"},
	} {
		for _, command := range []string{"migrate", "doctor"} {
			code, text := runOn(command, "--data", t.TempDir(), tc.flag+"="+tc.value)
			if code == 0 || !strings.Contains(text, tc.want) {
				t.Errorf("%s %s=%s ended with %d: %s", command, tc.flag, tc.value, code, text)
			}
		}
	}
	for _, good := range []string{
		"--domain=xn--rnek-4qa.com", "--domain=örnek.com", "--mail-domain=in.firma.example", "--public-url=https://firma.example/",
		"--public-url=http://localhost:8080", "--storage-quota=50GiB", "--mail-max-size=20MiB",
	} {
		if code, text := runOn("migrate", "--data", t.TempDir(), good); code != 0 {
			t.Errorf("%s ended with %d: %s", good, code, text)
		}
	}
}

// A size may have a unit, also in the file, where it may be a number too.
func TestSizes(t *testing.T) {
	for file, want := range map[string]string{
		`{"storage-quota": "50GiB"}`:     "53687091200 ",
		`{"storage-quota": 53687091200}`: "53687091200 ",
	} {
		if got := settings(t, file)["--storage-quota"]; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", file, got)
		}
	}
}

// Settings of calls that cannot work are refused if calls are carried.
func TestUnusableCallSettingsAreRefused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ flag, value, want string }{
		{"--sip-tls-listen", "127.0.0.1:5061", "--sip-tls-listen needs --sip-tls-cert and --sip-tls-key"},
		{"--sip-public-address", "phone.example", "--sip-public-address \"phone.example\": write an IP address"},
		{"--rtp-ports", "20000", "--rtp-ports \"20000\": write a range"},
		{"--rtp-ports", "20000-20001", "--rtp-ports"},
		{"--rtp-ports", "80-90", "--rtp-ports"},
		{"--rtp-ports", "60000-70000", "--rtp-ports"},
	} {
		code, text := runOn("migrate", "--data", t.TempDir(), "--sip-listen=127.0.0.1:5060", tc.flag+"="+tc.value)
		if code == 0 || !strings.Contains(text, tc.want) {
			t.Errorf("%s=%s ended with %d: %s", tc.flag, tc.value, code, text)
		}
	}
	if code, text := runOn("migrate", "--data", t.TempDir(), "--demo", "--sip-listen=0.0.0.0:5060"); code == 0 || !strings.Contains(text, "loopback only") {
		t.Errorf("a demo on all addresses ended with %d: %s", code, text)
	}
}
