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

// Authenticator is a Session in which mailboxes can sign in. AUTH is offered only
// over an encrypted connection.
type Authenticator interface {
	Session
	// Authenticate checks a user and a password.
	Authenticate(user, password string) error
}

// Greeted is a Session that is told by which name the sender greets.
type Greeted interface {
	Session
	Hello(name string)
}

// Relay is a Session that says whether the mail goes on to other servers: it must not
// have what they could take for the end of a line.
type Relay interface {
	Session
	SendsOn() bool
}

// Peer is where a sender connects from.
type Peer struct {
	Address netip.Addr
	// Network is what counts as one network: a /24 of IPv4, a /48 of IPv6.
	Network netip.Prefix
}

// Delivery is a mail that is handed to a mailbox of this installation.
type Delivery struct {
	From, To string // of the envelope
	// Key is the same for the same delivery in every attempt, "" for one that stands
	// alone.
	Key string
	// Head is the header up to where the body begins.
	Head []byte
	Body io.Reader
	// Auth says what was found out about the sender, "" for nothing. Junk says why
	// the mail is taken for junk, "" for a mail that is not.
	Auth, Junk string
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
	// address (a /64 of IPv6), and MaxPerNetwork from one network (a /24 of IPv4,
	// a /48 of IPv6).
	MaxSessions, MaxPerAddress, MaxPerNetwork int
	// Patience is how long a sender may say nothing, MaxIdle how long a session
	// may go on without a mail, whatever is said in it.
	Patience, MaxIdle time.Duration
	// TLS offers STARTTLS, and is spoken from the beginning on the second listener of
	// Serve; nil for none.
	TLS *tls.Config
	Log *slog.Logger
	// NewSession is called for each connection.
	NewSession func(ctx context.Context, from Peer) Session

	mu    sync.Mutex
	conns map[*conn]struct{}
	// counts is how many sessions each address and each network has.
	counts map[netip.Prefix]int
}

// Limits of a session in time, and of how a server ends.
const (
	mailTime    = 15 * time.Minute // for one mail to come in
	sessionTime = time.Hour
	lingerTime  = time.Second
	closingTime = 2 * time.Second  // for a session that is closed so that another can begin
	graceTime   = 10 * time.Second // for a mail that is coming in when the server ends
	slowTime    = 2 * time.Minute  // for a mail to come in where others wait
)

// Serve takes mail on ln until ctx ends, and over TLS from the beginning on secure,
// which may be nil. Both share all limits. Sessions that wait for a command end at
// once then, a mail that is coming in has ten seconds.
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

// accept takes connections until the listener is closed. It returns
// context.Canceled then, and the error of a listener that failed.
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

// admit counts a connection. Where the server is full it closes another session
// for it. It returns nil, and tells the sender, where the address or the network
// has too many sessions, or where no session may be closed.
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

// closeSessionFor closes a session in favour of one from the given network and says
// whether there was one to close. The caller holds the lock. It takes, in this
// order:
//
//  1. a session without a mail, from the network that has the most sessions and
//     at least two more than the given one;
//  2. a session whose mail is coming in, from a network that has more than an
//     eighth of all sessions: or mails that never end would fill the server;
//  3. a session without a mail, from a network that has no fewer sessions than
//     the given one;
//  4. a session whose mail has been coming in for two minutes, from such a network
//     too: or mails that never end, from many networks, would fill the server.
//
// Among equals it takes the one that has waited the longest.
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

// closingRank orders sessions by which of them is closed first when the server is
// full and another begins.
type closingRank struct {
	class    int // 0 where it is not closed
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

// rank is the closingRank of a session beside a network that has so many.
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

// forget counts a session no more. The caller holds the lock.
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

// peerOf returns where a connection comes from, and what counts as one address.
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
		return 0, errCrowded
	}
	n, err := t.conn.Read(b)
	if err != nil && t.stop.Load() {
		err = errCrowded
	}
	return n, err
}

// errCrowded tells a sender that the session was closed so that another can begin. Where
// the server ends, that is said instead.
var errCrowded = &Error{421, "4.7.0", "Too many sessions, try again later"}
