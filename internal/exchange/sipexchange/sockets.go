package sipexchange

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"strings"
)

// Sockets are the open ports of SIP.
type Sockets struct {
	udp *net.UDPConn
	tcp net.Listener
	// tls is nil if SIP is not served over TLS.
	tls       net.Listener
	tlsConfig *tls.Config
}

const transportTLS = "TLS"

// ListenTLS also opens a port for SIP over TLS.
func (s *Sockets) ListenTLS(ctx context.Context, address string, config *tls.Config) (err error) {
	var lc net.ListenConfig
	s.tlsConfig = config
	s.tls, err = lc.Listen(ctx, "tcp", address)
	return err
}

// TLSAddr returns the address of SIP over TLS; the zero value if it is not served.
func (s *Sockets) TLSAddr() netip.AddrPort {
	if s.tls == nil {
		return netip.AddrPort{}
	}
	addr := s.tls.Addr().(*net.TCPAddr).AddrPort()
	return netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())
}

// Listen opens the ports of SIP, UDP and TCP, on an address such as 0.0.0.0:5060. Port 0
// means any that is free for both.
func Listen(ctx context.Context, address string) (s *Sockets, err error) {
	for range 20 {
		if s, err = listenBoth(ctx, address); err == nil || !strings.HasSuffix(address, ":0") {
			return s, err
		}
	}
	return nil, err
}

func listenBoth(ctx context.Context, address string) (*Sockets, error) {
	var lc net.ListenConfig
	conn, err := lc.ListenPacket(ctx, "udp", address)
	if err != nil {
		return nil, err
	}
	s := &Sockets{udp: conn.(*net.UDPConn)}
	if s.tcp, err = lc.Listen(ctx, "tcp", conn.LocalAddr().String()); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return s, nil
}

// Addr returns the address of UDP and TCP.
func (s *Sockets) Addr() netip.AddrPort {
	addr := s.udp.LocalAddr().(*net.UDPAddr).AddrPort()
	return netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())
}

// Close closes all of them.
func (s *Sockets) Close() error {
	err := errors.Join(s.udp.Close(), s.tcp.Close())
	if s.tls != nil {
		err = errors.Join(err, s.tls.Close())
	}
	return err
}

// readyConn calls ready before the first read. By then the SIP library knows it as the
// connection for outgoing requests.
type readyConn struct {
	net.PacketConn
	ready func()
}

// ReadFrom implements net.PacketConn.
func (c *readyConn) ReadFrom(b []byte) (int, net.Addr, error) {
	c.ready()
	return c.PacketConn.ReadFrom(b)
}
