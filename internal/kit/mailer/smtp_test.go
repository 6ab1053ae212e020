package mailer_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/mailer"
	"konak/internal/kit/secret"
)

// authority is a certificate authority of one test. It returns its CA file and a
// certificate for an address, which may be expired.
func authority(t *testing.T, ip string, until time.Time) (file string, safe *tls.Config) {
	t.Helper()
	key := func() *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	sign := func(cert, parent *x509.Certificate, pub *ecdsa.PublicKey, by *ecdsa.PrivateKey) []byte {
		der, err := x509.CreateCertificate(rand.Reader, cert, parent, pub, by)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: until.AddDate(-2, 0, 0), NotAfter: until.AddDate(50, 0, 0), KeyUsage: x509.KeyUsageCertSign,
	}
	rootKey, leafKey := key(), key()
	der := sign(root, root, &rootKey.PublicKey, rootKey)
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "mail"}, IPAddresses: []net.IP{net.ParseIP(ip)},
		NotBefore: until.AddDate(-1, 0, 0), NotAfter: until, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	file = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	cert := tls.Certificate{Certificate: [][]byte{sign(leaf, root, &leafKey.PublicKey, rootKey)}, PrivateKey: leafKey}
	return file, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
}

// Mails are sent over STARTTLS and smtps only to a server certified by a known authority.
// Connection errors are logged, never with the password, and the mail waits until they are
// solved.
func TestSafeConnections(t *testing.T) {
	t.Parallel()
	const here = "127.0.0.1"
	now := clock.System{}.Now() // certificates use the system clock
	good, stale := now.AddDate(1, 0, 0), now.AddDate(0, 0, -1)
	for _, c := range []struct {
		name     string
		scheme   string
		query    string
		password string
		offers   bool // whether the server has a certificate
		named    string
		until    time.Time
		stranger bool // whether another authority is trusted
		want     string
	}{
		{name: "STARTTLS", scheme: "smtp", offers: true, named: here, until: good},
		{name: "smtps", scheme: "smtps", offers: true, named: here, until: good},
		{name: "STARTTLS is asked for and not offered", scheme: "smtp", query: "?tls=always", want: "offers no STARTTLS"},
		{name: "STARTTLS with a certificate of nobody known", scheme: "smtp", offers: true, named: here, until: good, stranger: true, want: "certificate signed by unknown authority"},
		{name: "smtps with a certificate of nobody known", scheme: "smtps", offers: true, named: here, until: good, stranger: true, want: "certificate signed by unknown authority"},
		{name: "a certificate for another host", scheme: "smtp", offers: true, named: "192.0.2.1", until: good, want: "not " + here},
		{name: "a certificate that has run out", scheme: "smtps", offers: true, named: here, until: stale, want: "expired"},
		{name: "a wrong password over STARTTLS", scheme: "smtp", password: "wr0ng", offers: true, named: here, until: good, want: "does not accept the user and password"},
		{name: "a wrong password over smtps", scheme: "smtps", password: "wr0ng", offers: true, named: here, until: good, want: "does not accept the user and password"},
		{name: "smtps where the server speaks plainly", scheme: "smtps", want: "no safe connection"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fake := clock.NewFake(dbtest.Start)
			d := dbtest.Open(t, db.SQLite, fake)
			p := &post{password: "s3cret"}
			set := mailer.Config{DB: d, Files: fakeFiles{}, From: "no-reply@konak.example"}
			var safe *tls.Config
			if c.offers {
				set.CA, safe = authority(t, c.named, c.until)
			}
			if c.stranger {
				set.CA, _ = authority(t, c.named, c.until)
			}
			password := c.password
			if password == "" {
				password = p.password
			}
			set.URL = c.scheme + "://konak:" + password + "@" + p.listenWith(t, safe, safe != nil && c.scheme == "smtps") + c.query
			box, err := secret.NewBox(make([]byte, 32))
			if err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			log := slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelDebug}))
			set.Box, set.Log = box, log
			m, err := mailer.New(set)
			if err != nil {
				t.Fatal(err)
			}
			runner := newRunner(t, d, m, log)
			send(t, d, uuid.Nil, m)
			step(t, runner)
			if c.want == "" {
				if len(p.got) != 1 || !p.got[0].safe || p.got[0].to != example.To {
					t.Fatalf("got %+v\n%s", p.got, said.String())
				}
				return
			}
			if len(p.got) != 0 || !strings.Contains(said.String(), c.want) {
				t.Errorf("%d mails went out; the log says\n%s", len(p.got), said.String())
			}
			if strings.Contains(said.String(), password) || strings.Contains(said.String(), "emv_secret") {
				t.Error("the log tells a secret")
			}
			fake.Advance(time.Hour)
			if step(t, runner) == 0 {
				t.Error("the mail does not wait for repair")
			}
		})
	}
}
