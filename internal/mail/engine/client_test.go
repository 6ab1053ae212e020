package engine

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"konak/internal/kit/mtasts"
	"konak/internal/kit/outbound"
	"konak/internal/kit/smtpd"
)

// wishes are the policies of destinations.
type wishes map[string]*mtasts.Policy

func (w wishes) Find(_ context.Context, domain string) *mtasts.Policy { return w[domain] }

// taking is a session that takes every mail and says over which connection it came.
type taking struct{ taken chan string }

func (t taking) Mail(string) error { return nil }
func (t taking) Rcpt(string) error { return nil }
func (t taking) Reset()            {}

func (t taking) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	t.taken <- string(text)
	return err
}

// startServer runs a mail server with a certificate for a name, or without one, and
// returns its address, the certificate, what it takes and how many sessions it had.
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

// A server that a policy names must show a right certificate, and nothing is sent to it
// without encryption. Others get their mail in any case.
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
	for _, c := range []struct {
		name, certificate string
		verified, trusted bool
		sent              bool
	}{
		{"right certificate", "mx.kaya.example", true, true, true},
		{"nobody vouches for it", "mx.kaya.example", true, false, false},
		{"another name", "mx.evil.example", true, true, false},
		{"no encryption", "", true, true, false},
		{"another name without a policy", "mx.evil.example", false, false, true},
		{"no encryption without a policy", "", false, false, true},
	} {
		address, roots, taken, sessions := startServer(t, c.certificate)
		if !c.trusted {
			roots = x509.NewCertPool()
		}
		s := &Service{Config: Config{Host: "mail.konak.example", Roots: roots}, operator: outbound.New(outbound.Options{Operator: true})}
		got, err := s.handOverTo(t.Context(), []target{{host: "mx.kaya.example", address: address, operator: true, verified: c.verified}}, "a@firma.example", []string{"b@kaya.example"}, text)
		if (err == nil) != c.sent || len(taken) != map[bool]int{true: 1}[c.sent] || c.sent && got["b@kaya.example"].State != StateDelivered {
			t.Errorf("%s: %d mails taken, %+v, %v", c.name, len(taken), got, err)
		}
		if n := sessions.Load(); n != 1 {
			t.Errorf("%s: %d sessions", c.name, n)
		}
	}
}

// An address beyond ASCII goes only to a server that takes such.
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
	got, err := s.handOverTo(t.Context(), []target{{host: "old.example", address: ln.Addr().String(), operator: true}}, "a@firma.example", []string{"ç@kaya.example"}, nil)
	if o := got["ç@kaya.example"]; err != nil || o.State != StateFailed || !strings.HasPrefix(o.Answer, "5.6.7") {
		t.Errorf("got %+v, %v", got, err)
	}
	if rest := <-said; strings.Contains(rest, "MAIL") {
		t.Errorf("said %q", rest)
	}
}

// Of a policy that is enforced only the servers that it names are left.
func TestPolicyOfDestination(t *testing.T) {
	t.Parallel()
	enforced := &mtasts.Policy{Mode: mtasts.Enforce, Servers: []string{"mx.kaya.example"}}
	s := &Service{Config: Config{STS: wishes{"kaya.example": enforced, "test.example": {Mode: mtasts.Testing, Servers: enforced.Servers}}}}
	servers := []target{{host: "evil.example"}, {host: "mx.kaya.example"}}
	got, err := s.applyPolicy(t.Context(), "kaya.example", servers)
	if err != nil || len(got) != 1 || got[0].host != "mx.kaya.example" || !got[0].verified {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := s.applyPolicy(t.Context(), "kaya.example", servers[:1]); err == nil {
		t.Error("another server is taken")
	}
	for _, name := range []string{"test.example", "other.example"} {
		if got, err := s.applyPolicy(t.Context(), name, servers); err != nil || len(got) != 2 || got[0].verified || got[1].verified {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}
