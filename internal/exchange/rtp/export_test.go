package rtp

import "net/netip"

// Receive passes a datagram to the session as if it had come over the network.
func (s *Session) Receive(b []byte, from netip.AddrPort) { s.receive(b, from) }
