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

// Session handles the requests of one sender. An *Error is sent to the sender as it is; any
// other error becomes a 451.
type Session interface {
	// Mail begins a mail; from is "" for a bounce.
	Mail(from string) error
	// Rcpt adds a recipient.
	Rcpt(to string) error
	// Data receives the mail. When it returns nil the mail is durable. It need not read to
	// the end.
	Data(r io.Reader) error
	// Reset discards the mail.
	Reset()
}

// Authenticator is a Session in which mailboxes can sign in. AUTH is offered only
// over an encrypted connection.
type Authenticator interface {
	Session
	// Authenticate checks a user and a password.
	Authenticate(user, password string) error
}

// Greeted is a Session that learns the name with which the sender greets.
type Greeted interface {
	Session
	Hello(name string)
}

// Relay is a Session that reports whether the mail goes on to other servers: it must then
// contain nothing that they could take for the end of a line.
type Relay interface {
	Session
	SendsOn() bool
}

// Peer is where a sender connects from.
type Peer struct {
	Address netip.Addr
	// Network is the network of the address: a /24 of IPv4, a /48 of IPv6.
	Network netip.Prefix
}

// Delivery is a mail that is delivered to a mailbox of this installation.
type Delivery struct {
	From, To string // of the envelope
	// Key is the same in every attempt of a delivery, "" for a single attempt.
	Key string
	// Head is the header, up to the beginning of the body.
	Head []byte
	Body io.Reader
	// Auth is the result of checking the sender, "" for none. Junk is why the mail is
	// considered junk, "" if it is not.
	Auth, Junk string
}

// Error is a refusal as sent in the protocol.
type Error struct {
	Code     int
	Enhanced string // such as 5.1.1
	Message  string
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%d %s %s", e.Code, e.Enhanced, e.Message) }

// ErrTooLarge reports that a mail exceeds the server's maximum size.
var ErrTooLarge = &Error{552, "5.3.4", "The mail is too large"}

// Server receives mail.
type Server struct {
	Domain string
	// MaxSize is the maximum size of a mail, MaxRecipients its maximum number of
	// recipients.
	MaxSize       int64
	MaxRecipients int
	// MaxSessions is the maximum number of sessions in all, MaxPerAddress from one address
	// (a /64 of IPv6), and MaxPerNetwork from one network (a /24 of IPv4, a /48 of IPv6).
	MaxSessions, MaxPerAddress, MaxPerNetwork int
	// Patience is how long a sender may be silent, MaxIdle how long a session may last
	// without a mail, whatever is sent in it.
	Patience, MaxIdle time.Duration
	// TLS enables STARTTLS, and is used from the start on the second listener of Serve; nil
	// for none.
	TLS *tls.Config
	Log *slog.Logger
	// NewSession is called for each connection.
	NewSession func(ctx context.Context, from Peer) Session

	mu    sync.Mutex
	conns map[*conn]struct{}
	// counts is the number of sessions by address and by network.
	counts map[netip.Prefix]int
}

// Time limits of a session and of a server's shutdown.
const (
	mailTime    = 15 * time.Minute // for receiving one mail
	sessionTime = time.Hour
	lingerTime  = time.Second
	closingTime = 2 * time.Second  // for a session closed in favour of another
	graceTime   = 10 * time.Second // for a mail that is being received at shutdown
	slowTime    = 2 * time.Minute  // for receiving a mail while others wait
)

// Serve receives mail on ln until ctx ends, and with TLS from the start on secure, which
// may be nil. Both share all limits. When ctx ends, sessions that wait for a command end at
// once; a mail that is being received has ten more seconds.
func (s *Server) Serve(ctx context.Context, ln, secure net.Listener) error {
	s.conns, s.counts = map[*conn]struct{}{}, map[netip.Prefix]int{}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all, accepting sync.WaitGroup
	for _, on := range []net.Listener{ln, secure} {
		if on == nil {
			continue
		}
		context.AfterFunc(ctx, func() { _ = on.Close() })
		accepting.Go(func() { cancel(s.accept(ctx, on, on == secure, &all)) })
	}
	accepting.Wait()
	s.each(func(c *conn) { c.wake() })
	late := time.AfterFunc(graceTime, func() { s.each(func(c *conn) { _ = c.raw.Close() }) })
	defer late.Stop()
	all.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// accept accepts connections until the listener is closed. It then returns
// context.Canceled; if the listener fails, it returns its error.
func (s *Server) accept(ctx context.Context, ln net.Listener, secure bool, all *sync.WaitGroup) error {
	for {
		raw, err := ln.Accept()
		if err != nil {
			if ctx.Err() == nil && !errors.Is(err, net.ErrClosed) {
				return err
			}
			return context.Canceled
		}
		c := s.admit(ctx, raw)
		if c == nil {
			continue
		}
		all.Go(func() {
			defer s.endSession(c)
			if !secure || c.handshake() {
				c.serve()
			}
		})
	}
}

func (s *Server) each(do func(c *conn)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		do(c)
	}
}

// admit counts a connection. If the server is full it closes another session for it. It
// returns nil, and notifies the sender, if the address or the network has too many
// sessions, or if no session may be closed.
func (s *Server) admit(ctx context.Context, raw net.Conn) *conn {
	peer, address := peerOf(raw.RemoteAddr())
	network := peer.Network
	s.mu.Lock()
	defer s.mu.Unlock()
	free := s.counts[address] < s.MaxPerAddress && s.counts[network] < s.MaxPerNetwork
	if free && len(s.conns) >= s.MaxSessions {
		free = s.closeSessionFor(network)
	}
	if !free {
		_ = raw.SetDeadline(clock.Deadline(time.Second))
		_, _ = io.WriteString(raw, "421 4.7.0 "+s.Domain+" "+errCrowded.Message+"\r\n")
		_ = raw.Close()
		return nil
	}
	c := newConn(ctx, s, raw, address, peer)
	s.conns[c] = struct{}{}
	s.counts[address]++
	s.counts[network]++
	return c
}

// closeSessionFor closes a session in favour of one from the given network and
// reports whether there was one to close. The caller must hold the lock. It chooses,
// in this order:
//
//  1. a session without a mail, from the network that has the most sessions and
//     at least two more than the given one;
//  2. a session that is receiving a mail, from such a network with more than an
//     eighth of all sessions: otherwise endless mails would fill the server;
//  3. a session without a mail, from a network that has at least as many sessions
//     as the given one;
//  4. a session that has been receiving a mail for two minutes, also from such a
//     network: otherwise endless mails from many networks would fill the server.
//
// Among equals it chooses the one that has waited longest.
func (s *Server) closeSessionFor(network netip.Prefix) bool {
	var closing *conn
	var best closingRank
	for c := range s.conns {
		if r := s.rank(c, s.counts[network]); r.class > 0 && (closing == nil || r.before(best)) {
			closing, best = c, r
		}
	}
	if closing == nil {
		return false
	}
	s.forget(closing)
	closing.end()
	return true
}

// closingRank orders sessions by which is closed first when the server is full and another
// one begins.
type closingRank struct {
	class    int // 0 if it must not be closed
	sessions int // of its network, where they count
	since    int64
}

func (r closingRank) before(o closingRank) bool {
	if r.class != o.class {
		return r.class > o.class
	}
	if r.sessions != o.sessions {
		return r.sessions > o.sessions
	}
	return r.since < o.since
}

// rank returns the closingRank of a session for a newcomer from a network with that many
// sessions.
func (s *Server) rank(c *conn, others int) closingRank {
	n, busy, since := s.counts[c.network], c.taking.Load(), c.since.Load()
	switch {
	case !busy && n >= others+2:
		return closingRank{4, n, since}
	case busy && n >= others+2 && n > s.MaxSessions/8:
		return closingRank{3, n, since}
	case !busy && n >= others:
		return closingRank{2, 0, since}
	case n >= others && since < clock.Deadline(-slowTime).UnixNano():
		return closingRank{1, 0, since}
	}
	return closingRank{}
}

func (s *Server) endSession(c *conn) {
	_ = c.raw.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(c)
}

// forget stops counting a session. The caller must hold the lock.
func (s *Server) forget(c *conn) {
	if _, counted := s.conns[c]; !counted {
		return
	}
	delete(s.conns, c)
	for _, p := range []netip.Prefix{c.address, c.network} {
		if s.counts[p]--; s.counts[p] == 0 {
			delete(s.counts, p)
		}
	}
}

// peerOf returns where a connection comes from, and the prefix that counts as one address.
func peerOf(a net.Addr) (p Peer, address netip.Prefix) {
	ap, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return p, address
	}
	p.Address = ap.Addr().Unmap().WithZone("")
	narrow, wide := 32, 24
	if p.Address.Is6() {
		narrow, wide = 64, 48
	}
	address, _ = p.Address.Prefix(narrow)
	p.Network, _ = p.Address.Prefix(wide)
	return p, address
}

// timedReader gives up on a silent peer, and at its end in any case.
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
	if t.stop.Load() { // after the deadline is set: wake sets its own after storing stop
		return 0, errCrowded
	}
	n, err := t.conn.Read(b)
	if err != nil && t.stop.Load() {
		err = errCrowded
	}
	return n, err
}

// errCrowded tells a sender that the session was closed so that another one can begin.
// While the server is shutting down, the sender is told that instead.
var errCrowded = &Error{421, "4.7.0", "Too many sessions, try again later"}
