package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"konak/internal/app"
)

// nonsense are invalid values of settings, followed, after a space, by other settings that
// are needed for the check.
var nonsense = map[string][]string{
	"listen":                     {"", "8080", "off", "127.0.0.1:x", "127.0.0.1:70000", "a b:80"},
	"private-listen":             {"8081", "127.0.0.1:", "127.0.0.1:8080", ":8080", "0.0.0.0:0 --demo"},
	"data":                       {""},
	"db":                         {"mysql://localhost/konak", "konak"},
	"s3-url":                     {"bucket", "https://s3.example.com/bucket", "ftp://a:b@s3.example.com/bucket"},
	"storage-quota":              {"0", "-1", "plenty", "9999999TiB"},
	"nats":                       {"nats://127.0.0.1"},
	"domain":                     {"", ".", "a..b", "-a.example", "https://a.example", "a.example:80"},
	"public-url":                 {"example.com", "https://", "https://:443", "https://a..b", "https://example.com/konak"},
	"trusted-proxies":            {"10.0.0.1", "10.0.0.0/40"},
	"webhook-allow":              {"inside"},
	"model-allow":                {"localhost"},
	"sqlite-sync":                {"off"},
	"row-security":               {"true"}, // without PostgreSQL
	"master-key":                 {"short"},
	"backup-folder":              {"/nonexistent"},
	"backup-keep":                {"0 --backup-folder=.", "-1 --backup-folder=."},
	"backup-every":               {"0s --backup-folder=.", "-1h --backup-folder=."},
	"log-level":                  {"loud"},
	"log-format":                 {"xml"},
	"limit-key":                  {"0", "-1"},
	"limit-account":              {"0", "-1"},
	"limit-address":              {"0", "-1"},
	"limit-workspace":            {"-1"},
	"smtp-url":                   {"mail.example.com", "http://mail.example.com", "smtp://", "smtp://mail.example.com:0"},
	"smtp-ca":                    {"/etc/hostname", "/nonexistent --smtp-url=smtp://127.0.0.1"},
	"mail-from":                  {"nobody", "a@b@c"},
	"mail-daily-quota":           {"0", "-1"},
	"mail-listen":                {"25 --mail-domain=in.example.com", "127.0.0.1:8080 --mail-domain=in.example.com", "127.0.0.1:25", "0.0.0.0:0 --demo"},
	"mail-domain":                {"a b", "https://in.example.com", "in..example.com"},
	"mail-host":                  {"a b", "mail.example.com:25", "smtp://mail.example.com"},
	"mail-spf":                   {"x y z", "v=spf1 mx", "all", "include:"},
	"mail-tls-cert":              {"cert.pem"},
	"mail-tls-key":               {"key.pem"},
	"mail-tls-listen":            {"127.0.0.1:465", "465 --mail-listen=127.0.0.1:0 --mail-domain=in.example.com --mail-tls-cert=c --mail-tls-key=k"},
	"help-domain":                {"help.example.com", "help.example.com=A B", "a b=demo", "localhost=demo", "help.localhost=demo", "help.example.com=demo --help-domain=help.example.com=acme", "a.example.com=demo --help-domain=b.example.com=demo"},
	"mail-route":                 {"example.com", "=127.0.0.1:25", "a b=127.0.0.1:25", "*=127.0.0.1", "*=:25", "*=127.0.0.1:x"},
	"mail-block-list":            {"a b", "https://zen.example"},
	"mail-rspamd":                {"127.0.0.1:11333", "http://", "http://:11333"},
	"mail-max-size":              {"0", "-5", "1", "large"},
	"sign-up":                    {"maybe"},
	"captcha":                    {"maybe"},
	"captcha-provider":           {"nobody", "turnstile"},
	"captcha-address":            {"captcha.example", "https://captcha.example/path"},
	"whatsapp-address":           {"graph.example", "https://:1"},
	"meta-app-id":                {"4711"},
	"meta-app-secret":            {"geheim"},
	"meta-config-id":             {"77"},
	"iyzico-key":                 {"key"},
	"iyzico-secret":              {"geheim"},
	"iyzico-address":             {"iyzico"},
	"wallet-currency":            {"lira", "TL"},
	"twilio-account":             {"AC1"},
	"twilio-token":               {"geheim"},
	"twilio-address":             {"twilio"},
	"number-fee":                 {"-1"},
	"speech-fee":                 {"-1"},
	"call-rates":                 {"/nonexistent"},
	"sip-trunk-server":           {"a b", "sip:carrier.example", "carrier.example:0", ":5060"},
	"sip-trunk-user":             {"konak", "konak --sip-trunk-password=geheim"},
	"sip-trunk-password":         {"geheim"},
	"sip-trunk-transport":        {"sctp"},
	"sip-trunk-media-encryption": {"maybe", "required --sip-trunk-server=carrier.example"},
	"sip-ca":                     {"/nonexistent --sip-listen=127.0.0.1:0"},
	"sip-trunk-from":             {"carrier.example --sip-trunk-server=carrier.example", "192.0.2.0/24"},
	"telephony-switch-url":       {"elsewhere"},
	"sip-listen":                 {"5060", "phone.example:5060", "127.0.0.1:8080", "0.0.0.0:0 --demo"},
	"sip-public-address":         {"phone.example", "0.0.0.0"},
	"sip-tls-listen":             {"127.0.0.1:5061", "127.0.0.1:5061 --sip-listen=127.0.0.1:0"},
	"sip-tls-host":               {"a b", "sip.example.com:5061"},
	"sip-tls-cert":               {"cert.pem"},
	"sip-tls-key":                {"key.pem"},
	"rtp-ports":                  {"20000", "1-9000", "20000-20001", "60000-70000"},
	"telegram-address":           {"telegram"},
	"traces":                     {"127.0.0.1:4318"},
	"traces-share":               {"2 --traces=http://127.0.0.1:4318", "-1 --traces=http://127.0.0.1:4318"},
	"traces-header":              {"geheim", "geheim --traces=http://127.0.0.1:4318"},
	"webhook-lease":              {"0s", "1s", "-1m"},
	"assistant-time":             {"0s", "-1s", "24h"},
}

// anything are the settings that accept every value: a switch, a program that may be
// missing, and values that only the service itself understands.
var anything = []string{"access-log", "demo", "espeak", "captcha-site-key", "captcha-secret", "telegram-bot-token"}

// Nonsense in a setting is refused with the name of the setting, and the doctor reports the
// same error as the server.
func TestInvalidSettingsNameTheirFlag(t *testing.T) {
	t.Parallel()
	p := newParsed()
	for _, name := range p.settingNames() {
		if len(nonsense[name]) == 0 && !slices.Contains(anything, name) {
			t.Errorf("--%s: say which values of it are refused", name)
		}
		for _, written := range nonsense[name] {
			value, more, _ := strings.Cut(written, " --")
			args := []string{"--data=" + t.TempDir(), "--" + name + "=" + value}
			for extra := range strings.SplitSeq(more, " --") {
				if extra != "" {
					args = append(args, "--"+extra)
				}
			}
			served, examined := p.serveSays(t, args), p.doctorSays(t, args)
			if !strings.Contains(served, "--"+name) || served != examined {
				t.Errorf("%v: the server says %q, the doctor %q", args, served, examined)
			}
			if strings.Contains(served, "geheim") {
				t.Errorf("%v: %q shows the secret", args, served)
			}
		}
	}
}

// parsed is a command line that can be parsed repeatedly: creating a parser costs more than
// everything that is tried with it.
type parsed struct {
	cli
	parser *kong.Kong
}

func newParsed() *parsed {
	p := &parsed{}
	p.parser = newParser(&p.cli, fileResolver{}, io.Discard, io.Discard)
	return p
}

// settingNames returns the settings that konak config lists.
func (p *parsed) settingNames() (names []string) {
	for _, n := range p.parser.Model.Children {
		if n.Name == "config" {
			for _, f := range n.Flags {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// parse parses a command as run does. It returns the error.
func (p *parsed) parse(command string, args []string) string {
	kctx, err := p.parser.Parse(append([]string{command}, args...))
	if err == nil {
		err = checkZeros(kctx)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// serveSays returns the error with which a server refuses its settings.
func (p *parsed) serveSays(t *testing.T, args []string) string {
	t.Helper()
	if said := p.parse("serve", args); said != "" {
		return said
	}
	listeners, err := app.Listen(t.Context(), p.Serve.Config)
	if err != nil {
		return err.Error()
	}
	if err := listeners.Close(); err != nil {
		t.Error(err)
	}
	return "" // it would serve
}

// doctorSays returns the doctor's report on the settings.
func (p *parsed) doctorSays(t *testing.T, args []string) string {
	t.Helper()
	if said := p.parse("doctor", args); said != "" {
		return said
	}
	_, err := (&checkup{Config: p.Doctor.Config}).settings(t.Context())
	if err == nil {
		return "valid"
	}
	return err.Error()
}

// Sensible values are accepted.
func TestSensibleSettingsAreAccepted(t *testing.T) {
	t.Parallel()
	rates := filepath.Join(t.TempDir(), "rates.csv")
	if err := os.WriteFile(rates, []byte("90,100000,0,60\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newParsed()
	for _, args := range [][]string{
		{},
		{"--private-listen="},
		{"--private-listen=0.0.0.0:8081", "--listen=0.0.0.0:8080"},
		{"--mail-listen=0.0.0.0:25", "--mail-domain=in.example.com", "--mail-host=mx.example.com", "--mail-spf=include:_spf.example.com", "--mail-max-size=25MiB"},
		{"--mail-listen=off", "--sip-listen=off"},
		{"--mail-route=*=relay_1:25", "--mail-route=example.com=[2001:db8::7]:2525", "--mail-block-list=zen.spamhaus.org"},
		{"--sip-trunk-server=sip.carrier.example", "--sip-trunk-from=192.0.2.0/24"},
		{"--sip-trunk-server=192.0.2.7:5062", "--sip-trunk-user=konak", "--sip-trunk-password=x"},
		{"--sip-listen=0.0.0.0:5060", "--sip-public-address=203.0.113.7", "--call-rates=" + rates},
		{"--help-domain=help.example.com=demo-2"},
		{"--number-fee=0", "--speech-fee=0", "--limit-workspace=0", "--assistant-time=10m", "--webhook-lease=2s"},
		{"--demo"},
	} {
		if said := p.doctorSays(t, append(args, "--data="+t.TempDir())); said != "valid" {
			t.Errorf("%v: %s", args, said)
		}
	}
}
