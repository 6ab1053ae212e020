package smtpd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"konak/internal/kit/clock"
)

// Session is what one sender asks for. An error that is an *Error is said to
// the sender; any other is a 451.
type Session interface {
	// Mail begins a mail; from is "" for a bounce.
	Mail(from string) error
	// Rcpt adds a recipient.
	Rcpt(to string) error
	// Data takes the mail. When it returns nil the mail is durable. It need not
	// read to the end.
	Data(r io.Reader) error
	// Reset forgets the mail.
	Reset()
}

// Error is a refusal in the protocol's words.
type Error struct {
	Code     int
	Enhanced string // such as 5.1.1
	Message  string
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%d %s %s", e.Code, e.Enhanced, e.Message) }

// ErrTooLarge says that a mail is longer than the server takes.
var ErrTooLarge = &Error{552, "5.3.4", "The mail is too large"}

// Server takes mail.
type Server struct {
	Domain string
	// MaxSize is how long a mail may be, MaxRecipients how many it may have.
	MaxSize       int64
	MaxRecipients int
	// MaxSessions is how many there may be in all, MaxPerAddress from one
	// address (from one /64 where it is IPv6).
	MaxSessions, MaxPerAddress int
	// Patience is how long a sender may say nothing.
	Patience time.Duration
	// TLS offers STARTTLS; nil for none.
	TLS *tls.Config
	Log *slog.Logger
	// NewSession is called for each connection.
	NewSession func(ctx context.Context) Session

	mu    sync.Mutex
	conns map[*conn]struct{}
	from  map[netip.Prefix]int
}

// Limits of a session in time, and of how a server ends.
const (
	mailTime    = 15 * time.Minute // for one mail to come in
	sessionTime = time.Hour
	lingerTime  = time.Second
	graceTime   = 10 * time.Second // for a mail that is coming in when the server ends
)

// Serve takes mail on ln until ctx ends. Sessions that wait for a command end
// at once then, a mail that is coming in has ten seconds.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	s.conns, s.from = map[*conn]struct{}{}, map[netip.Prefix]int{}
	var all sync.WaitGroup
	stopped := context.AfterFunc(ctx, func() { _ = ln.Close() })
	defer stopped()
	var failed error
	for {
		raw, err := ln.Accept()
		if err != nil {
			if ctx.Err() == nil && !errors.Is(err, net.ErrClosed) {
				failed = err
			}
			break
		}
		c := s.admit(ctx, raw)
		if c == nil {
			continue
		}
		all.Go(func() {
			defer s.dismiss(c)
			c.serve()
		})
	}
	s.each(func(c *conn) { c.wake() })
	late := time.AfterFunc(graceTime, func() { s.each(func(c *conn) { _ = c.raw.Close() }) })
	defer late.Stop()
	all.Wait()
	return failed
}

func (s *Server) each(do func(c *conn)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		do(c)
	}
}

// admit counts a connection; nil where there are too many.
func (s *Server) admit(ctx context.Context, raw net.Conn) *conn {
	from := network(raw.RemoteAddr())
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) >= s.MaxSessions || s.from[from] >= s.MaxPerAddress {
		_ = raw.SetDeadline(clock.Deadline(time.Second))
		_, _ = io.WriteString(raw, "421 4.7.0 "+s.Domain+" Too many sessions, try again later\r\n")
		_ = raw.Close()
		return nil
	}
	c := newConn(ctx, s, raw, from)
	s.conns[c] = struct{}{}
	s.from[from]++
	return c
}

func (s *Server) dismiss(c *conn) {
	_ = c.raw.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	if s.from[c.from]--; s.from[c.from] == 0 {
		delete(s.from, c.from)
	}
}

// network is what counts as one address.
func network(a net.Addr) netip.Prefix {
	ap, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Prefix{}
	}
	ip := ap.Addr().Unmap().WithZone("")
	bits := 32
	if ip.Is6() {
		bits = 64
	}
	p, _ := ip.Prefix(bits)
	return p
}

// timedReader gives up on a peer that says nothing, and at its end in any case.
type timedReader struct {
	conn     net.Conn
	patience time.Duration
	end      time.Time
	stop     *atomic.Bool
}

// Read implements io.Reader.
func (t *timedReader) Read(b []byte) (int, error) {
	at := clock.Deadline(t.patience)
	if t.end.Before(at) {
		at = t.end
	}
	if err := t.conn.SetReadDeadline(at); err != nil {
		return 0, err
	}
	if t.stop.Load() { // after the deadline is set: wake sets its own behind it
		return 0, errStopped
	}
	return t.conn.Read(b)
}

var errStopped = errors.New("the server ends")
