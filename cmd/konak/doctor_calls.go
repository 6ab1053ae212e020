package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"

	"konak/internal/exchange/rtp"
	"konak/internal/exchange/sipexchange"
)

// calls checks the ports that calls need, and reports the address that telephones are told.
func (d *checkup) calls(ctx context.Context) (string, error) {
	if !d.CarriesCalls() {
		return "off: this node handles no calls", nil
	}
	address := cmp.Or(d.SIPListen, "127.0.0.1:0")
	addr, err := netip.ParseAddrPort(address)
	if err != nil {
		return "", fmt.Errorf("--sip-listen %q: write ADDRESS:PORT, for example 0.0.0.0:5060", address)
	}
	sockets, err := sipexchange.Listen(ctx, address)
	switch {
	case err == nil:
		_ = sockets.Close()
	case answersSIP(ctx, address):
		return "an exchange responds at " + address, nil
	default:
		return "", fmt.Errorf("%w; stop what runs there or choose another --sip-listen", err)
	}
	secure, err := d.secureCalls(ctx)
	if err != nil {
		return "", err
	}
	size, err := d.soundPorts(addr.Addr())
	if err != nil {
		return "", err
	}
	told := cmp.Or(d.SIPPublicAddress, addr.Addr().String())
	if d.SIPPublicAddress == "" && addr.Addr().IsUnspecified() {
		told = "that this machine has on the route to them; set --sip-public-address if there is a router in between"
	}
	return fmt.Sprintf("%s is free, as are ports for %d simultaneous phones; they are given the address %s%s", address, size, told, secure), nil
}

// secureCalls checks the port and the certificate of SIP over TLS.
func (d *checkup) secureCalls(ctx context.Context) (string, error) {
	if d.SIPTLSListen == "" {
		return "", nil
	}
	until, err := certificateEnd("--sip-tls-cert", d.SIPTLSCert, d.SIPTLSKey)
	if err != nil {
		return "", err
	}
	text, err := free(ctx, "--sip-tls-listen", d.SIPTLSListen)
	return "; TLS: " + text + ", certificate until " + until, err
}

// soundPorts tries the first and the last port of sound.
func (d *checkup) soundPorts(addr netip.Addr) (int, error) {
	first, last, err := d.RTPRange()
	if err != nil {
		return 0, err
	}
	ports, err := rtp.NewPorts(addr, first, last)
	if err != nil {
		return 0, err
	}
	socket, err := ports.Open()
	if err != nil {
		return 0, fmt.Errorf("no port in --rtp-ports %d-%d can be opened; choose others", first, last)
	}
	return ports.Size(), socket.Close()
}

// answersSIP reports whether an address answers as an exchange does.
func answersSIP(ctx context.Context, address string) bool {
	return answersWith(ctx, address, "SIP/2.0 200", func(conn net.Conn) error {
		_, err := fmt.Fprintf(conn, "OPTIONS sip:%s SIP/2.0\r\nVia: SIP/2.0/TCP %s;branch=z9hG4bKdoctor\r\nFrom: <sip:doctor@localhost>;tag=doctor\r\n"+
			"To: <sip:%s>\r\nCall-ID: doctor\r\nCSeq: 1 OPTIONS\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n", address, conn.LocalAddr(), address)
		return err
	})
}
