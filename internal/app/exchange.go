package app

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/calling"
	"konak/internal/exchange"
	"konak/internal/exchange/lease"
	"konak/internal/exchange/sipexchange"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/outbound"
	"konak/internal/kit/setting"
)

// demoSIP is the address where a demo takes calls, unless it is in use.
const (
	demoSIP    = "127.0.0.1:15060"
	demoSIPTLS = "127.0.0.1:15061"
)

// defaultRTP is below the ports that systems assign automatically.
const defaultRTP = "20000-29999"

// CarriesCalls reports whether this node has an exchange.
func (c *Config) CarriesCalls() bool {
	return c.SIPListen != "off" && (c.SIPListen != "" || c.Demo)
}

// RTPRange parses the range of ports for the sound of calls.
func (c *Config) RTPRange() (first, last int, err error) {
	text := cmp.Or(c.RTPPorts, defaultRTP)
	a, b, ok := strings.Cut(text, "-")
	first, errFirst := strconv.Atoi(a)
	last, errLast := strconv.Atoi(b)
	if !ok || errFirst != nil || errLast != nil || first < 1024 || last > 65535 || last-first < 10 {
		return 0, 0, fmt.Errorf("--rtp-ports %q: write a range of ports above 1023, for example %s", text, defaultRTP)
	}
	return first, last, nil
}

// checkSIP refuses settings of the exchange that cannot work.
func (c *Config) checkSIP() error {
	if c.SIPTrunkMedia != "" && c.SIPTrunkMedia != "off" && c.SIPTrunkOver != "tls" {
		return errors.New("--sip-trunk-media-encryption needs --sip-trunk-transport tls: the keys would be readable on the way")
	}
	if !c.CarriesCalls() && c.SIPTLSListen != "" {
		return errors.New("--sip-tls-listen needs --sip-listen, --sip-tls-cert and --sip-tls-key")
	}
	if _, _, err := c.RTPRange(); err != nil {
		return err
	}
	if c.SIPPublicAddress != "" {
		if ip, err := netip.ParseAddr(c.SIPPublicAddress); err != nil || ip.IsUnspecified() {
			return fmt.Errorf("--sip-public-address %q: write an IP address, for example 203.0.113.7", c.SIPPublicAddress)
		}
	}
	if !c.CarriesCalls() {
		return nil
	}
	if _, err := outbound.LoadRoots("--sip-ca", c.SIPCA); err != nil {
		return err
	}
	if err := c.checkSIPAddress("--sip-listen", c.SIPListen, "0.0.0.0:5060"); err != nil {
		return err
	}
	if c.SIPTLSListen != "" && (c.SIPTLSCert == "" || c.SIPTLSKey == "") {
		return errors.New("--sip-tls-listen needs --sip-tls-cert and --sip-tls-key")
	}
	return c.checkSIPAddress("--sip-tls-listen", c.SIPTLSListen, "0.0.0.0:5061")
}

// checkSIPAddress refuses an address that is set and cannot be listened on, or that others
// can reach in a demo.
func (c *Config) checkSIPAddress(flag, address, example string) error {
	if address == "" {
		return nil
	}
	addr, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s %q: write ADDRESS:PORT, for example %s", flag, address, example)
	}
	if c.Demo && !addr.Addr().IsLoopback() {
		return fmt.Errorf("--demo listens on loopback only; %s %q is not", flag, address)
	}
	return nil
}

// listenSIP opens the ports of SIP.
func listenSIP(ctx context.Context, c Config) (*sipexchange.Sockets, error) {
	s, err := listenPlainSIP(ctx, c)
	if err != nil || c.SIPTLSListen == "" && !c.Demo {
		return s, err
	}
	if c.SIPTLSListen == "" { // for calls of a demo's stand-in of WhatsApp
		pair, err := sipexchange.SelfSigned(clock.System{}.Now())
		config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
		if err == nil && s.ListenTLS(ctx, demoSIPTLS, config) != nil {
			err = s.ListenTLS(ctx, "127.0.0.1:0", config)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("the demo's SIP over TLS: %w", err), s.Close())
		}
		return s, nil
	}
	pair, err := tls.LoadX509KeyPair(c.SIPTLSCert, c.SIPTLSKey)
	if err == nil {
		err = s.ListenTLS(ctx, c.SIPTLSListen, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("--sip-tls-listen %s: %w", c.SIPTLSListen, err), s.Close())
	}
	return s, nil
}

// listenPlainSIP opens the ports of SIP over UDP and TCP. A demo uses any free one if its
// own is taken.
func listenPlainSIP(ctx context.Context, c Config) (*sipexchange.Sockets, error) {
	if c.SIPListen != "" {
		s, err := sipexchange.Listen(ctx, c.SIPListen)
		if err != nil {
			return nil, fmt.Errorf("--sip-listen %s: %w; stop what runs there or choose another --sip-listen", c.SIPListen, err)
		}
		return s, nil
	}
	if s, err := sipexchange.Listen(ctx, demoSIP); err == nil {
		return s, nil
	}
	return sipexchange.Listen(ctx, "127.0.0.1:0")
}

// wireExchange builds the exchange if this node has one. It runs once it is started.
func (a *App) wireExchange(p *parts) error {
	if !a.cfg.CarriesCalls() {
		return nil
	}
	first, last, err := a.cfg.RTPRange()
	if err != nil {
		return err
	}
	limits := sipexchange.DefaultLimits
	limits.Messages *= max(a.cfg.LimitFactor, 1)
	limits.MessagesPerAddress *= max(a.cfg.LimitFactor, 1)
	carrier, err := a.carrier()
	if err != nil {
		return err
	}
	roots, err := outbound.LoadRoots("--sip-ca", a.cfg.SIPCA)
	if err != nil {
		return err
	}
	a.sip, err = sipexchange.New(sipexchange.Config{
		Dir: a.cfg.Data, Box: p.box, Clock: a.clock, Log: a.log, PublicAddress: a.cfg.SIPPublicAddress,
		FirstPort: first, LastPort: last, CheckAddress: p.out.CheckAddr, Roots: roots, Carrier: carrier, Limits: limits,
		FindAccount: p.messaging.FindByKey,
		RefusedPhones: func(ctx context.Context, tenant uuid.UUID, usernames []string) (map[string]string, error) {
			return a.PhoneTeam.RefusedPhones(ctx, tenant, usernames) // wired after the exchange
		},
	})
	if err == nil {
		a.Exchange = a.sip
		a.metrics.MustRegister(a.sip)
	}
	return err
}

// callServer returns the address where messaging providers reach the exchange.
func (a *App) callServer() (host string, port int, err error) {
	if a.sip == nil {
		return "", 0, errors.New(calling.ReasonNotAvailable)
	}
	host, port = cmp.Or(a.cfg.SIPTLSHost, a.cfg.Domain), a.sip.TLSPort()
	if a.cfg.Demo {
		host = "127.0.0.1"
	}
	if port == 0 || !a.cfg.Demo && setting.IsLoopback(host) {
		return "", 0, errors.New("the exchange has no public address for SIP over TLS: its operator must set --sip-tls-listen with a certificate and --sip-tls-host")
	}
	return host, port, nil
}

// callAccounts lets calls check whether a messaging account works.
type callAccounts struct{ channels *channel.Service }

// Works implements messaging.Accounts.
func (c callAccounts) Works(r *db.Reader, kind string, id uuid.UUID) (bool, error) {
	account, err := c.channels.Find(r, kind, id)
	if db.IsNoRow(err) || fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil && account.Works(), err
}

// carrier returns the operator's line, over which calls to bought numbers come in; nil if
// there is none. The calls are built after the exchange, so they are looked up when
// somebody dials.
func (a *App) carrier() (*sipexchange.Carrier, error) {
	from, err := setting.Prefixes("sip-trunk-from", a.cfg.SIPTrunkFrom)
	if err != nil || a.cfg.SIPTrunkServer == "" {
		return nil, err
	}
	return &sipexchange.Carrier{
		Server: a.cfg.SIPTrunkServer, From: from, Secure: a.cfg.SIPTrunkOver == "tls", Encryption: exchange.Encryption(a.cfg.SIPTrunkMedia),
		FindNumber: func(ctx context.Context, dialled string) (tenant, trunk uuid.UUID, err error) {
			return a.Calls.FindNumber(ctx, dialled)
		},
	}, nil
}

// startExchange starts the exchange of a node that serves, and reports whether it carries
// calls. If another node has the lease, a demo without --sip-listen serves without an
// exchange.
func (a *App) startExchange(ctx context.Context, s *sipexchange.Sockets) (bool, error) {
	if s == nil {
		return false, nil
	}
	err := a.StartExchange(ctx, s)
	if errors.Is(err, lease.ErrHeld) && a.cfg.SIPListen == "" {
		a.log.Warn("this node carries no calls", "reason", err)
		return false, nil
	}
	return err == nil, err
}

// StartExchange starts the exchange on open ports. It returns lease.ErrHeld if another node
// of the installation runs it.
func (a *App) StartExchange(ctx context.Context, s *sipexchange.Sockets) error {
	holder, err := a.sip.Open(ctx)
	if err == nil {
		err = lease.Take(ctx, a.DB, holder)
	}
	if err == nil {
		err = a.sip.Start(ctx, s)
	}
	if err != nil {
		return errors.Join(err, a.sip.Close(ctx))
	}
	a.log.Info("accepting calls", "address", s.Addr().String())
	return nil
}

// keepExchange renews the lease until ctx ends, and then stops the exchange. If another
// node has taken the lease, the exchange stops at once.
func (a *App) keepExchange(ctx context.Context) {
	holder := a.sip.ID()
	tick := time.NewTicker(lease.Renew)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
			if err := lease.Take(ctx, a.DB, holder); errors.Is(err, lease.ErrHeld) {
				a.log.Error("stopping the exchange", "reason", err)
				a.closeExchange()
				return
			}
			if err := errors.Join(a.sip.DropMissing(ctx, a.Identity.HasWorkspace), a.sip.SignOutRefused(ctx)); err != nil {
				a.log.Warn("telephones that may no longer call could not be signed out yet", "error", err)
			}
		}
	}
	a.closeExchange()
	last, cancel := context.WithTimeout(context.Background(), grace/4)
	defer cancel()
	if err := lease.Release(last, a.DB, holder); err != nil {
		a.log.Warn("the exchange's lease could not be released; it will expire", "error", err)
	}
}

func (a *App) closeExchange() {
	if a.sip == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace/2)
	defer cancel()
	if err := a.sip.Close(ctx); err != nil {
		a.log.Error("the exchange did not stop cleanly", "error", err)
	}
}
