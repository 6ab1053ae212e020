package apptest

import (
	"context"
	"crypto/tls"
	"net"
)

// ListenSMTP serves SMTP on its own port until the test ends, with STARTTLS if there is a
// certificate, and returns its address.
func (s *Server) ListenSMTP(cert *tls.Certificate) string {
	s.tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	s.must(err)
	ctx, stop := context.WithCancel(s.tb.Context())
	done := make(chan error, 1)
	go func() { done <- s.Engine.Serve(ctx, ln, nil, cert) }()
	s.tb.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			s.tb.Error(err)
		}
	})
	return ln.Addr().String()
}
