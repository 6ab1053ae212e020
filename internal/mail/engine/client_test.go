package engine

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"konak/internal/kit/mtasts"
	"konak/internal/kit/outbound"
	"konak/internal/kit/smtpd"
)

// wishes maps destinations to their policies.
type wishes map[string]*mtasts.Policy

func (w wishes) Find(_ context.Context, domain string) (*mtasts.Policy, error) {
	return w[domain], nil
}

// taking is a session that accepts every mail and reports over which kind of connection it
// came.
type taking struct{ taken chan string }

func (t taking) Mail(string) error { return nil }
func (t taking) Rcpt(string) error { return nil }
func (t taking) Reset()            {}

func (t taking) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	t.taken <- string(text)
	return err
}

// startServer runs a mail server with a certificate for a name, or without one, and returns
// its address, the certificate, the mails it accepts and the number of sessions.
func startServer(t *testing.T, name string) (address string, roots *x509.CertPool, taken chan string, sessions *atomic.Int32) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	taken, roots, sessions = make(chan string, 10), x509.NewCertPool(), new(atomic.Int32)
	server := smtpd.Server{
		Domain: "mx.kaya.example", MaxSize: 1 << 20, MaxRecipients: 10, MaxSessions: 10, MaxPerAddress: 10, MaxPerNetwork: 10,
		Patience: time.Minute, MaxIdle: time.Minute, Log: slog.New(slog.DiscardHandler),
		NewSession: func(context.Context, smtpd.Peer) smtpd.Session { sessions.Add(1); return taking{taken} },
	}
	if name != "" {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotAfter: time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)}
		der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
		if err != nil {
			t.Fatal(err)
		}
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		roots.AddCert(cert)
		server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, ln, nil) }()
	t.Cleanup(func() { cancel(); <-done })
	return ln.Addr().String(), roots, taken, sessions
}

// A server that a policy names must present a valid certificate, and nothing is sent to it
// without encryption. Other servers get their mail in any case.
func TestVerifiedServer(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "mail")
	if err := os.WriteFile(name, []byte("Subject: x\r\n\r\nMerhaba\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = text.Close() }()
	enforced := &mtasts.Policy{Mode: mtasts.Enforce}
	testing := &mtasts.Policy{Mode: mtasts.Testing}
	for _, c := range []struct {
		name, certificate string
		policy            *mtasts.Policy
		unnamed           bool
		trusted, sent     bool
		failure           string
	}{
		{"right certificate", "mx.kaya.example", enforced, false, true, true, ""},
		{"nobody vouches for it", "mx.kaya.example", enforced, false, false, false, failedTrust},
		{"another name", "mx.evil.example", enforced, false, true, false, failedName},
		{"no encryption", "", enforced, false, true, false, failedStartTLS},
		{"right certificate while the domain tries it", "mx.kaya.example", testing, false, true, true, ""},
		{"another name while the domain tries it", "mx.evil.example", testing, false, true, true, failedName},
		{"another server while the domain tries it", "mx.kaya.example", testing, true, true, true, failedValidation},
		{"no encryption while the domain tries it", "", testing, false, true, true, failedStartTLS},
		{"another name without a policy", "mx.evil.example", nil, false, false, true, ""},
		{"no encryption without a policy", "", nil, false, false, true, failedStartTLS},
	} {
		address, roots, taken, sessions := startServer(t, c.certificate)
		if !c.trusted {
			roots = x509.NewCertPool()
		}
		s := &Service{Config: Config{Host: "mail.konak.example", Roots: roots}, operator: outbound.New(outbound.Options{Operator: true})}
		mail := &transfer{from: "a@firma.example", to: []string{"b@kaya.example"}, text: text}
		server := target{host: "mx.kaya.example", address: address, operator: true, policy: c.policy, named: !c.unnamed, verified: c.policy == enforced}
		got, err := s.handOverTo(t.Context(), []target{server}, mail)
		if (err == nil) != c.sent || len(taken) != map[bool]int{true: 1}[c.sent] || c.sent && got["b@kaya.example"].State != StateDelivered {
			t.Errorf("%s: %d mails taken, %+v, %v", c.name, len(taken), got, err)
		}
		if n := sessions.Load(); n != 1 {
			t.Errorf("%s: %d sessions", c.name, n)
		}
		if want := []tlsSession{{c.policy, "mx.kaya.example", c.failure}}; !slices.Equal(mail.sessions, want) {
			t.Errorf("%s: counts %+v", c.name, mail.sessions)
		}
	}
	if got := classifyCertificate(x509.CertificateInvalidError{Reason: x509.Expired}); got != failedExpired {
		t.Errorf("an expired certificate is %q", got)
	}
}

// An address beyond ASCII is sent only to a server that accepts such addresses.
func TestForeignAddresses(t *testing.T) {
	t.Parallel()
	if !isASCII("a@b.example", "c@d.example") || isASCII("a@b.example", "ç@d.example") || isASCII("ş@b.example") {
		t.Error("ASCII is told apart wrongly")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 1)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, "220 old.example\r\n")
		b := make([]byte, 200)
		_, _ = conn.Read(b)
		_, _ = io.WriteString(conn, "250-old.example\r\n250 8BITMIME\r\n")
		rest, _ := io.ReadAll(conn)
		said <- string(rest)
	}()
	t.Cleanup(func() { _ = ln.Close() })
	s := &Service{Config: Config{Host: "mail.konak.example"}, operator: outbound.New(outbound.Options{Operator: true})}
	got, err := s.handOverTo(t.Context(), []target{{host: "old.example", address: ln.Addr().String(), operator: true}}, &transfer{from: "a@firma.example", to: []string{"ç@kaya.example"}})
	if o := got["ç@kaya.example"]; err != nil || o.State != StateFailed || !strings.HasPrefix(o.Answer, "5.6.7") {
		t.Errorf("got %+v, %v", got, err)
	}
	if rest := <-said; strings.Contains(rest, "MAIL") {
		t.Errorf("said %q", rest)
	}
}

// Mail written by this server is in ASCII.
func TestOwnMailInASCII(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{"a+b@kaya.example": "rfc822; a+b@kaya.example", "ş+a@kaya.example": `utf-8; \x{15F}\x{2B}a@kaya.example`} {
		if got := typedAddress(addr); got != want {
			t.Errorf("%s is %q", addr, got)
		}
	}
	for _, id := range []string{"<a@b.example>", "<ş@b.example>"} {
		text := composeWarning(&queued{Sender: "info@firma.example", Subject: "çağrı", MessageID: id}, "<c@d.example>", "mail.konak.example", time.Time{})
		m, err := mail.ReadMessage(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
		if err != nil || !isASCII(text) || !strings.Contains(string(body), "Postanız") || !strings.HasSuffix(string(body), "Konu: çağrı\r\n") || (m.Header.Get("References") != "") != isASCII(id) {
			t.Errorf("got %s, %v", text, err)
		}
	}
}

// Under an enforced policy only the servers that it names are used.
func TestPolicyOfDestination(t *testing.T) {
	t.Parallel()
	enforced := &mtasts.Policy{Mode: mtasts.Enforce, Servers: []string{"mx.kaya.example"}}
	s := &Service{Config: Config{STS: wishes{"kaya.example": enforced, "test.example": {Mode: mtasts.Testing, Servers: enforced.Servers}}}}
	servers := []target{{host: "evil.example"}, {host: "mx.kaya.example"}}
	got, err := s.applyPolicy(t.Context(), "kaya.example", servers)
	if err != nil || len(got) != 1 || got[0].host != "mx.kaya.example" || !got[0].verified {
		t.Errorf("got %+v, %v", got, err)
	}
	only := &transfer{to: []string{"b@kaya.example"}}
	s.DNS = oneServer("evil.example")
	if out, err := s.handOver(t.Context(), "kaya.example", only); !errors.Is(err, errNotInPolicy) || out != nil {
		t.Errorf("another server is taken: %+v, %v", out, err)
	}
	if want := []tlsSession{{enforced, "evil.example", failedValidation}}; !slices.Equal(only.sessions, want) {
		t.Errorf("counts %+v", only.sessions)
	}
	for _, name := range []string{"test.example", "other.example"} {
		got, err := s.applyPolicy(t.Context(), name, servers)
		if err != nil || len(got) != 2 || got[0].verified || got[1].verified {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
		if tried := name == "test.example"; (got[0].policy != nil) != tried || got[0].named || got[1].named != tried {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// oneServer is the DNS of domains with a single mail server, and of a domain that wants
// reports.
type oneServer string

func (o oneServer) LookupMX(context.Context, string) ([]*net.MX, error) {
	return []*net.MX{{Host: string(o)}}, nil
}

func (o oneServer) LookupTXT(_ context.Context, name string) ([]string, error) {
	if text, ok := reportRecords[strings.TrimPrefix(name, "_smtp._tls.")]; ok {
		return strings.Split(text, "|"), nil
	}
	return nil, &net.DNSError{IsNotFound: true}
}

var reportRecords = map[string]string{
	"kaya.example":  "v=spf1 -all|v=TLSRPTv1; rua=mailto:TLS@kaya.example, https://kaya.example/tls,ftp://kaya.example/,mailto:x",
	"many.example":  "v=TLSRPTv1;rua=" + strings.Repeat("https://kaya.example/tls,", 20),
	"twice.example": "v=TLSRPTv1; rua=mailto:a@kaya.example|v=TLSRPTv1; rua=mailto:b@kaya.example",
	"other.example": "v=TLSRPTv2; rua=mailto:a@kaya.example",
}

// Reports are sent where the domain requests them.
func TestReportTargets(t *testing.T) {
	t.Parallel()
	s := &Service{Config: Config{DNS: oneServer("")}}
	for name, want := range map[string][]string{
		"kaya.example": {"mailto:tls@kaya.example", "https://kaya.example/tls"}, "twice.example": nil, "other.example": nil, "none.example": nil,
		"many.example": slices.Repeat([]string{"https://kaya.example/tls"}, maxReportTargets),
	} {
		targets, err := s.findReportTargets(t.Context(), name)
		var got []string
		for _, to := range targets {
			got = append(got, to.String())
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}
