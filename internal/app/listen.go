package app

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"

	"konak/internal/exchange/sipexchange"
)

// Listeners are the addresses of a node. They are opened before anything else, so that a
// port that is taken is noticed before the database is created.
type Listeners struct {
	public  net.Listener
	private net.Listener         // nil: off
	mail    net.Listener         // nil: off
	mailTLS net.Listener         // nil: off
	cert    *tls.Certificate     // nil: mail without STARTTLS
	sip     *sipexchange.Sockets // nil: no calls
}

// Listen opens the addresses of the configuration and reads the certificate. Its
// errors say which setting to change.
func Listen(ctx context.Context, cfg Config) (*Listeners, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	l := &Listeners{}
	if err := l.open(ctx, cfg); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Listeners) open(ctx context.Context, cfg Config) (err error) {
	if l.public, err = ListenOn(ctx, "--listen", cfg.Listen); err != nil {
		return err
	}
	if cfg.HasMetrics() {
		if l.private, err = ListenOn(ctx, "--private-listen", cfg.PrivateListen); err != nil {
			return err
		}
	}
	if cfg.CarriesCalls() {
		if l.sip, err = listenSIP(ctx, cfg); err != nil {
			return err
		}
	}
	if !cfg.TakesMail() {
		return nil
	}
	if l.cert, err = mailCertificate(cfg); err != nil {
		return err
	}
	if cfg.MailTLSListen != "" {
		if l.mailTLS, err = ListenOn(ctx, "--mail-tls-listen", cfg.MailTLSListen); err != nil {
			return err
		}
	}
	l.mail, err = ListenOn(ctx, "--mail-listen", cfg.MailListen)
	return err
}

// mailCertificate returns the certificate of the mail server, nil for none. A demo creates
// its own, so that mail programs can sign in.
func mailCertificate(cfg Config) (*tls.Certificate, error) {
	if cfg.MailTLSCert != "" {
		pair, err := tls.LoadX509KeyPair(cfg.MailTLSCert, cfg.MailTLSKey)
		if err != nil {
			return nil, fmt.Errorf("--mail-tls-cert: %w", err)
		}
		return &pair, nil
	}
	if !cfg.Demo {
		return nil, nil
	}
	return newCertificate(cfg.mailHost())
}

// newCertificate creates a self-signed certificate for a host.
func newCertificate(host string) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// ListenOn opens one address. The error names the flag that chooses another.
func ListenOn(ctx context.Context, flag, address string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w; stop what runs there or choose another %s", flag, address, err, flag)
	}
	return ln, nil
}

// Address is the address of the panel and the API.
func (l *Listeners) Address() *net.TCPAddr { return l.public.Addr().(*net.TCPAddr) }

// MailAddress is the address where mail is taken, "" if it is not.
func (l *Listeners) MailAddress() string {
	if l.mail == nil {
		return ""
	}
	return l.mail.Addr().String()
}

// Close closes the open listeners.
func (l *Listeners) Close() error {
	var err error
	for _, ln := range []net.Listener{l.public, l.private, l.mail, l.mailTLS} {
		if ln != nil {
			err = errors.Join(err, ln.Close())
		}
	}
	if l.sip != nil {
		err = errors.Join(err, l.sip.Close())
	}
	return err
}

// HasMetrics reports whether the private address is served.
func (c *Config) HasMetrics() bool { return c.PrivateListen != "" && c.PrivateListen != "off" }

// TakesMail reports whether mail is taken by SMTP.
func (c *Config) TakesMail() bool { return c.MailListen != "" && c.MailListen != "off" }
