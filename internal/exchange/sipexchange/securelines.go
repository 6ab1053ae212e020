package sipexchange

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/emiago/sipgo/sip"
)

// connectTime limits how long opening a TLS connection to a line's server may take.
const connectTime = 10 * time.Second

var errNoDial = errors.New("sipexchange: the SIP library must not open TLS connections")

// secureConn is a TLS connection to a server whose certificate was checked.
type secureConn struct {
	*tls.Conn
	markRead  func() // called before the first read
	markClose func()
	closed    chan struct{}
}

// Read implements net.Conn.
func (c *secureConn) Read(b []byte) (int, error) {
	c.markRead()
	return c.Conn.Read(b)
}

// Close implements net.Conn.
func (c *secureConn) Close() error {
	c.markClose()
	return c.Conn.Close()
}

// isOpen reports whether the connection is still open.
func (c *secureConn) isOpen() bool {
	select {
	case <-c.closed:
		return false
	default:
		return true
	}
}

// secureServer is an address that lines connect to. Its lock is held while a connection is
// opened, so that the lines of one server share a connection.
type secureServer struct {
	opening sync.Mutex
	mu      sync.Mutex
	conn    *secureConn
}

// current returns the open connection; nil if there is none.
func (s *secureServer) current() *secureConn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil || !s.conn.isOpen() {
		return nil
	}
	return s.conn
}

// secureLines opens the TLS connections of lines. The SIP library opens none itself, as it
// knows only the server's address and not the name that its certificate must have. It gets
// the open ones from here as from a listener.
type secureLines struct {
	roots  *x509.CertPool // nil: the system's
	local  netip.Addr
	opened chan net.Conn
	done   chan struct{}
	stop   func()

	mu      sync.Mutex
	servers map[netip.AddrPort]*secureServer
}

func newSecureLines(roots *x509.CertPool, local netip.Addr) *secureLines {
	done := make(chan struct{})
	return &secureLines{
		roots: roots, local: local, opened: make(chan net.Conn), done: done, stop: sync.OnceFunc(func() { close(done) }),
		servers: map[netip.AddrPort]*secureServer{},
	}
}

// Accept implements net.Listener.
func (s *secureLines) Accept() (net.Conn, error) {
	select {
	case c := <-s.opened:
		return c, nil
	case <-s.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (s *secureLines) Close() error {
	s.stop()
	return nil
}

// Addr implements net.Listener.
func (s *secureLines) Addr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(s.local, 0))
}

func (s *secureLines) serverAt(addr netip.AddrPort) *secureServer {
	s.mu.Lock()
	defer s.mu.Unlock()
	server := s.servers[addr]
	if server == nil {
		server = &secureServer{}
		s.servers[addr] = server
	}
	return server
}

// connect returns a connection to an address, with a certificate for the host. It reuses an
// open connection.
func (s *secureLines) connect(ctx context.Context, host string, addr netip.AddrPort) (*secureConn, error) {
	server := s.serverAt(addr)
	server.opening.Lock()
	defer server.opening.Unlock()
	if c := server.current(); c != nil {
		return c, checkName(c.Conn, host)
	}
	c, err := s.open(ctx, host, addr)
	if err != nil {
		return nil, err
	}
	server.mu.Lock()
	defer server.mu.Unlock()
	server.conn = c
	return c, nil
}

// checkName returns an error if the certificate of an open connection is not valid for a
// host.
func checkName(c *tls.Conn, host string) error {
	if err := c.ConnectionState().PeerCertificates[0].VerifyHostname(host); err != nil {
		return certificateError(host, err)
	}
	return nil
}

func certificateError(host string, err error) error {
	return fmt.Errorf("%w: %s: %w", errCertificate, clean(host, 60), err)
}

// open opens a connection and passes it to the SIP library.
func (s *secureLines) open(ctx context.Context, host string, addr netip.AddrPort) (*secureConn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	var dialer net.Dialer
	if !s.local.IsUnspecified() && s.local.Is4() == addr.Addr().Is4() {
		dialer.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(s.local, 0))
	}
	plain, err := dialer.DialContext(ctx, "tcp", addr.String())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnreachable, err)
	}
	c := tls.Client(plain, &tls.Config{ServerName: host, RootCAs: s.roots, MinVersion: tls.VersionTLS12})
	if err := c.HandshakeContext(ctx); err != nil {
		_ = plain.Close()
		if refused, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
			return nil, certificateError(host, refused.Err)
		}
		return nil, fmt.Errorf("%w: %w", errNoTLS, err)
	}
	read, closed := make(chan struct{}), make(chan struct{})
	out := &secureConn{
		Conn: c, closed: closed, markRead: sync.OnceFunc(func() { close(read) }), markClose: sync.OnceFunc(func() { close(closed) }),
	}
	select {
	case s.opened <- out:
	case <-s.done:
		return nil, errors.Join(net.ErrClosed, out.Close())
	}
	select {
	case <-read: // now the library uses it for this address
	case <-closed:
		return nil, errConnectionLost
	}
	return out, nil
}

// localPort returns the local port of the connection to an address; zero if there is none.
func (s *secureLines) localPort(peer string) int {
	addr, err := netip.ParseAddrPort(peer)
	if err != nil {
		return 0
	}
	s.mu.Lock()
	server := s.servers[addr]
	s.mu.Unlock()
	if server == nil {
		return 0
	}
	if c := server.current(); c != nil {
		return c.LocalAddr().(*net.TCPAddr).Port
	}
	return 0
}

// drop closes the connection to an address and forgets it.
func (s *secureLines) drop(addr netip.AddrPort) {
	s.mu.Lock()
	server := s.servers[addr]
	delete(s.servers, addr)
	s.mu.Unlock()
	if server == nil {
		return
	}
	if c := server.current(); c != nil {
		_ = c.Close()
	}
}

// secureTransport returns the library's transport for reading and writing TLS connections.
// It opens none.
func secureTransport() *sip.TransportTLS {
	t := boundedTCP()
	t.DialerCreate = func(net.Addr) net.Dialer {
		return net.Dialer{ControlContext: func(context.Context, string, string, syscall.RawConn) error { return errNoDial }}
	}
	return &sip.TransportTLS{TransportTCP: t}
}

// connectTrunk opens the connection of a line over TLS, if it is not open. If the
// connection was open before and has been lost, it returns errConnectionLost once.
func (x *Exchange) connectTrunk(ctx context.Context, t *trunk) error {
	if t.Transport != "tls" {
		return nil
	}
	host, _, _ := splitServer(t.Server, t.Transport)
	t.mu.Lock()
	addr, before := t.addr, t.conn
	t.mu.Unlock()
	c, err := (*secureConn)(nil), error(errConnectionLost)
	if before == nil || before.isOpen() {
		c, err = x.secure.connect(ctx, host, addr)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conn = c
	if err != nil {
		t.conn = nil
	}
	return err
}

// lostConnection returns a channel that is closed with the line's connection; nil if it has
// none.
func (t *trunk) lostConnection() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn == nil {
		return nil
	}
	return t.conn.closed
}

// dropUnused closes the connection of a dropped line if no other line uses it, after its
// last messages had time to leave.
func (x *Exchange) dropUnused(t *trunk) {
	if t.Transport != "tls" {
		return
	}
	addr := t.serverAddr()
	time.AfterFunc(2*byeTime, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		for _, other := range x.trunks {
			if other.Transport == "tls" && other.serverAddr() == addr {
				return
			}
		}
		x.secure.drop(addr)
	})
}

func (t *trunk) serverAddr() netip.AddrPort {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.addr
}
