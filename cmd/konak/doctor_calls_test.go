package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writeCertificate writes a certificate that is valid until a time, and its key, and
// returns both files.
func writeCertificate(t *testing.T, until time.Time) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// The doctor says until when the certificate of SIP over TLS is valid, and refuses one that
// has expired, one that cannot be read, and a port that is taken.
func TestDoctorChecksSecureCalls(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	good, goodKey := writeCertificate(t, time.Date(2200, 1, 2, 0, 0, 0, 0, time.UTC))
	old, oldKey := writeCertificate(t, time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC))
	for _, c := range []struct{ listen, cert, key, says, refuses string }{
		{"", "", "", "", ""},
		{"127.0.0.1:0", good, goodKey, "certificate until 2200-01-02", ""},
		{"127.0.0.1:0", old, oldKey, "", "--sip-tls-cert: expired on 2020-01-02"},
		{"127.0.0.1:0", "none.pem", "none.pem", "", "--sip-tls-cert: open none.pem"},
		{taken.Addr().String(), good, goodKey, "", "choose another --sip-tls-listen"},
	} {
		d := &checkup{}
		d.SIPTLSListen, d.SIPTLSCert, d.SIPTLSKey = c.listen, c.cert, c.key
		text, err := d.secureCalls(t.Context())
		if (err != nil) != (c.refuses != "") || err != nil && !strings.Contains(err.Error(), c.refuses) || err == nil && !strings.Contains(text, c.says) {
			t.Errorf("%+v: got %q, %v", c, text, err)
		}
	}
}
