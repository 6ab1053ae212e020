package email_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/tooltest"
)

// Exit codes of swaks.
const (
	swaksSent     = 0
	swaksNoRcpt   = 24
	swaksNoData   = 26
	swaksNoTLS    = 29
	swaksMaxBytes = 64 << 10
)

// A foreign mailer writes to Konak: plain, over STARTTLS, with a file, in Turkish; to an
// unknown recipient, and too much.
func TestSwaks(t *testing.T) {
	t.Parallel()
	tooltest.Need(t, "swaks", "ensure-mail-servers")
	apptest.RunWith(t, func(c *app.Config) { c.MailDomain, c.MailMaxSize = domain, swaksMaxBytes }, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		to := *p.box.ForwardingAddress
		cert, authority := certificate(t)
		secure := s.ListenSMTP(&cert)
		file := filepath.Join(t.TempDir(), "teklif şubat.txt")
		if err := os.WriteFile(file, []byte("120 sandalye"), 0o600); err != nil {
			t.Fatal(err)
		}
		utf8 := []string{"--add-header", "MIME-Version: 1.0", "--add-header", "Content-Type: text/plain; charset=utf-8"}
		old := []string{"--add-header", "MIME-Version: 1.0", "--add-header", "Content-Type: text/plain; charset=iso-8859-9"}
		verified := []string{"--tls", "--tls-verify", "--tls-ca-path", authority}
		for i, c := range []struct {
			name, server, to, subject, body string
			more                            []string
			code                            int
			want                            string // the body in the inbox
		}{
			{"plain", p.smtpAddr, to, "Plain", "Where is my order?", nil, swaksSent, "Where is my order?"},
			{"starttls", secure, to, "Secure", "Over TLS", verified, swaksSent, "Over TLS"},
			{"plain at a server with a certificate", secure, to, "Still plain", "No TLS here", nil, swaksSent, "No TLS here"},
			{"starttls where there is none", p.smtpAddr, to, "No", "No", []string{"--tls"}, swaksNoTLS, ""},
			{"raw utf-8", secure, to, "Şikâyet: ığüşöç İĞÜŞÖÇ", "Siparişim çok geç geldi", append(utf8, verified...), swaksSent, "Siparişim çok geç geldi"},
			{"iso-8859-9", p.smtpAddr, to, "Eski", "\xddade istiyorum, te\xfeekk\xfcrler", old, swaksSent, "İade istiyorum, teşekkürler"},
			{"a file", secure, to, "Ek", "Teklif ektedir", append([]string{"--attach", "@" + file}, verified...), swaksSent, "Teklif ektedir"},
			{"nobody", p.smtpAddr, "mnobody@" + domain, "x", "x", nil, swaksNoRcpt, ""},
			{"somebody elsewhere", p.smtpAddr, "elif@kaya.example", "x", "x", nil, swaksNoRcpt, ""},
			{"too much", p.smtpAddr, to, "Büyük", strings.Repeat("0123456789abcdef\\n", swaksMaxBytes/16), nil, swaksNoData, ""},
		} {
			before := len(p.talks())
			args := append([]string{"--header", "Subject: " + c.subject, "--body", c.body}, c.more...)
			if code, said := swaks(t, c.server, c.to, args); code != c.code {
				t.Errorf("%s: exit code %d, want %d: %s", c.name, code, c.code, said)
				continue
			}
			s.Settle()
			s.Clock.Advance(time.Second)
			talks := p.talks()
			if c.want == "" {
				if len(talks) != before {
					t.Errorf("%s: a conversation began", c.name)
				}
				continue
			}
			if len(talks) != before+1 || talks[0].Subject != c.subject {
				t.Errorf("%s (%d): got %+v", c.name, i, talks)
				continue
			}
			l := p.lines(talks[0].ID)[0]
			if l.Body != c.want {
				t.Errorf("%s: got %q", c.name, l.Body)
			}
			if c.name == "a file" && (len(l.Attachments) != 1 || l.Attachments[0].Name != filepath.Base(file)) {
				t.Errorf("got %+v", l.Attachments)
			}
		}
		if n := len(p.mails("failed")); n != 0 {
			t.Errorf("%d mails failed", n)
		}
	})
}

func swaks(t *testing.T, server, to string, args []string) (int, []byte) {
	t.Helper()
	host, port, err := net.SplitHostPort(server)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "swaks", append([]string{
		"--server", host, "--port", port, "--from", "elif@kaya.example", "--to", to, "--helo", "kaya.example", "--timeout", "60",
	}, args...)...)
	// swaks reads settings from its home directory.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LC_ALL=C"}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return ended.ExitCode(), said.Bytes()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, said.Bytes()
}

// certificate creates a self-signed certificate for the loopback address, and the file that
// makes it trusted.
func certificate(t *testing.T) (cert tls.Certificate, authority string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: domain}, DNSNames: []string{domain}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	authority = filepath.Join(t.TempDir(), "authority.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, authority
}
