package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"konak/internal/exchange/sipexchange"
)

// Listeners are the addresses of a node, open before anything else happens: a
// port that is taken must not be found after the database was made.
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
	if cfg.PrivateListen != "off" {
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
	if cfg.MailTLSCert != "" {
		pair, err := tls.LoadX509KeyPair(cfg.MailTLSCert, cfg.MailTLSKey)
		if err != nil {
			return fmt.Errorf("--mail-tls-cert: %w", err)
		}
		l.cert = &pair
	}
	if cfg.MailTLSListen != "" {
		if l.mailTLS, err = ListenOn(ctx, "--mail-tls-listen", cfg.MailTLSListen); err != nil {
			return err
		}
	}
	l.mail, err = ListenOn(ctx, "--mail-listen", cfg.MailListen)
	return err
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

// Address is where the panel and the API are served.
func (l *Listeners) Address() *net.TCPAddr { return l.public.Addr().(*net.TCPAddr) }

// Close closes what is open.
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

// TakesMail says whether mail is taken by SMTP.
func (c *Config) TakesMail() bool { return c.MailListen != "" && c.MailListen != "off" }
