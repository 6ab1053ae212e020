package smtpd

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"testing"
	"time"
)

// member is a session whose mailbox is "a" with the password "b".
type member struct{ box }

func (m *member) Authenticate(user, password string) error {
	if user == "a" && password == "b" {
		return nil
	}
	return &Error{535, "5.7.8", "Wrong"}
}

// startTLS runs a server that uses TLS from the start on its second listener, and returns
// both addresses.
func startTLS(t *testing.T) (plain, secure string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mails := make(chan string, 100)
	plain, _, _ = startOn(t, ln, func(s *Server) {
		s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
		s.NewSession = func(context.Context, Peer) Session { return &member{box{mails: mails}} }
	})
	return plain, ln.Addr().String()
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	plain, secure := startTLS(t)
	const right, wrong = "AGEAYg==", "AGEAYw=="
	for _, c := range []struct{ name, text, codes string }{
		{"in one line", "EHLO x\r\nAUTH PLAIN " + right + "\r\nQUIT\r\n", "220 250 235 221"},
		{"asked for", "EHLO x\r\nAUTH plain\r\n" + right + "\r\nQUIT\r\n", "220 250 334 235 221"},
		{"login", "EHLO x\r\nAUTH LOGIN\r\nYQ==\r\nYg==\r\nQUIT\r\n", "220 250 334 334 235 221"},
		{"login with a name", "EHLO x\r\nAUTH LOGIN YQ==\r\nYg==\r\nQUIT\r\n", "220 250 334 235 221"},
		{"for oneself", "EHLO x\r\nAUTH PLAIN YQBhAGI=\r\nQUIT\r\n", "220 250 235 221"},
		{"for somebody else", "EHLO x\r\nAUTH PLAIN YwBhAGI=\r\nQUIT\r\n", "220 250 501 221"},
		{"too often wrong", "EHLO x\r\nAUTH PLAIN " + wrong + "\r\nAUTH PLAIN " + wrong + "\r\nAUTH PLAIN " + wrong + "\r\nNOOP\r\n", "220 250 535 535 535"},
		{"given up", "EHLO x\r\nAUTH PLAIN\r\n*\r\nQUIT\r\n", "220 250 334 501 221"},
		{"not readable", "EHLO x\r\nAUTH PLAIN ?\r\nQUIT\r\n", "220 250 501 221"},
		{"another way", "EHLO x\r\nAUTH CRAM-MD5\r\nQUIT\r\n", "220 250 504 221"},
		{"twice", "EHLO x\r\nAUTH PLAIN " + right + "\r\nAUTH PLAIN " + right + "\r\nQUIT\r\n", "220 250 235 503 221"},
		{"too early", "AUTH PLAIN " + right + "\r\nQUIT\r\n", "220 503 221"},
		{"within a mail", "EHLO x\r\nMAIL FROM:<>\r\nAUTH PLAIN " + right + "\r\nQUIT\r\n", "220 250 250 503 221"},
	} {
		conn, err := tls.Dial("tcp", secure, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, c.text); err != nil {
			t.Fatal(err)
		}
		said, _ := io.ReadAll(conn)
		_ = conn.Close()
		if got := codes(string(said)); got != c.codes {
			t.Errorf("%s: said %s, want %s", c.name, got, c.codes)
		}
	}
	if got := codes(speak(t, plain, "EHLO x\r\nAUTH PLAIN "+right+"\r\nQUIT\r\n")); got != "220 250 538 221" {
		t.Errorf("without encryption: said %s", got)
	}
	other, _, _ := start(t, nil)
	if got := codes(speak(t, other, "EHLO x\r\nAUTH PLAIN "+right+"\r\nQUIT\r\n")); got != "220 250 502 221" {
		t.Errorf("where nobody signs in: said %s", got)
	}
}
