package apptest

import (
	"net/netip"

	"konak/internal/exchange/sipexchange"
)

// StartExchange lets the server's exchange take calls on a free port of loopback, and
// returns its address. The server's settings must have SIPListen.
func (s *Server) StartExchange() netip.AddrPort {
	s.tb.Helper()
	sockets, err := sipexchange.Listen(s.tb.Context(), "127.0.0.1:0")
	s.must(err)
	s.must(s.App.StartExchange(s.tb.Context(), sockets))
	return sockets.Addr()
}
