package sipexchange

import (
	"context"
	"net/netip"

	"github.com/google/uuid"
)

// CanSend reports whether requests can be sent from the SIP port.
func (x *Exchange) CanSend() bool {
	c, err := x.network.GetConnection("udp", x.listen.String())
	return err == nil && c != nil
}

// IsEncrypted reports whether the sound of a leg is encrypted in both directions.
func (x *Exchange) IsEncrypted(id uuid.UUID) bool {
	return x.holds(id, func(l *leg) bool { return l.crypto != nil && l.hasRemote && l.remote.Crypto != nil })
}

// HasSound reports whether a leg knows where its peer's sound is.
func (x *Exchange) HasSound(id uuid.UUID) bool {
	return x.holds(id, func(l *leg) bool { return l.remote.Addr.IsValid() })
}

// holds reports whether something is true of a leg.
func (x *Exchange) holds(id uuid.UUID, is func(*leg) bool) bool {
	x.mu.Lock()
	l := x.legs[id]
	x.mu.Unlock()
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return is(l)
}

// ConnectSecure opens a TLS connection to the server of a line, or checks the open one.
func (x *Exchange) ConnectSecure(ctx context.Context, host string, addr netip.AddrPort) error {
	_, err := x.secure.connect(ctx, host, addr)
	return err
}

// DialSecure makes the SIP library open a TLS connection itself.
func DialSecure(ctx context.Context, address string) error {
	dialer := secureTransport().DialerCreate(nil)
	c, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return c.Close()
}
