// Package flood keeps strangers from taking more of the exchange than is theirs: messages
// that come too fast or claim to be larger than they are, connections, and guesses of
// passwords. What it remembers of them is bounded.
package flood

import (
	"bytes"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/emiago/sipgo/sip"

	"konak/internal/kit/clock"
)

const (
	// MaxMessage is the largest message that is read, maxHeaders how many lines it may
	// have before its body.
	MaxMessage = 16 << 10
	maxHeaders = 128
	// maxSources is how many addresses are remembered at once.
	maxSources = 20_000
	// idleSource is when an address that sent nothing is forgotten.
	idleSource = 10 * time.Second
)

// errTooManyPorts ends the reading of UDP, which then begins anew: the SIP library
// remembers every address that ever sent a datagram until then.
var errTooManyPorts = errors.New("flood: too many different senders")

// Guard drops what comes too fast, is too large or claims to be, before it is parsed.
type Guard struct {
	clock      clock.Source
	perAddress int
	limit      int

	mu      sync.Mutex
	sources map[netip.Addr]*bucket
	all     bucket
	ports   map[netip.AddrPort]struct{}
	dropped int64
	swept   time.Time
}

// New makes a guard that lets so many messages pass in a second, and so many of one address.
func New(c clock.Source, all, perAddress int) *Guard {
	return &Guard{clock: c, limit: all, perAddress: perAddress, sources: map[netip.Addr]*bucket{}, ports: map[netip.AddrPort]struct{}{}}
}

// bucket counts messages of one second.
type bucket struct {
	since time.Time
	used  int
}

func (b *bucket) take(now time.Time, limit int) bool {
	if now.Sub(b.since) >= time.Second {
		b.since, b.used = now, 0
	}
	b.used++
	return b.used <= limit
}

// Filter is called with all that is read. It returns nothing for what is dropped.
func (g *Guard) Filter(props sip.TransportReadProps, data []byte) ([]byte, error) {
	from, err := netip.ParseAddrPort(props.RemoteAddr.String())
	if err != nil {
		return nil, nil
	}
	from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
	g.mu.Lock()
	defer g.mu.Unlock()
	datagram := props.Transport == "UDP"
	if datagram && !IsReadable(data) || !g.take(from.Addr()) {
		g.dropped++
		return nil, nil
	}
	if !datagram {
		return data, nil
	}
	if _, ok := g.ports[from]; !ok {
		if len(g.ports) >= maxSources {
			g.ports = map[netip.AddrPort]struct{}{}
			return nil, errTooManyPorts
		}
		g.ports[from] = struct{}{}
	}
	return data, nil
}

// Dropped is how many messages were dropped.
func (g *Guard) Dropped() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.dropped
}

// IsReadable says whether a datagram is small enough to be parsed, and its body as long
// as it claims: the SIP library makes space for what is claimed, whatever came.
func IsReadable(data []byte) bool {
	head, body, whole := bytes.Cut(data, []byte("\r\n\r\n"))
	if len(data) > MaxMessage || bytes.Count(head, []byte("\n")) > maxHeaders {
		return false
	}
	return !whole || !claimsMore(head, len(body)) // what has no end is not parsed
}

// claimsMore says whether a header of a message claims a body of more than have bytes, or
// one of a length that cannot be read. A line that begins with a space goes on from the one
// before.
func claimsMore(head []byte, have int) bool {
	for _, space := range []string{" ", "\t"} {
		head = bytes.ReplaceAll(head, []byte("\r\n"+space), []byte(" "))
	}
	for line := range bytes.SplitSeq(head, []byte("\r\n")) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		if name = bytes.TrimSpace(name); !bytes.EqualFold(name, []byte("Content-Length")) && !bytes.EqualFold(name, []byte("l")) {
			continue
		}
		if n, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 32); err != nil || n > uint64(have) {
			return true
		}
	}
	return false
}

// take counts a message of an address and of all. The caller holds the lock.
func (g *Guard) take(addr netip.Addr) bool {
	now := g.clock.Now()
	b := g.sources[addr]
	if b == nil {
		if len(g.sources) >= maxSources {
			g.forgetIdle(now)
		}
		if len(g.sources) >= maxSources {
			return false
		}
		b = &bucket{}
		g.sources[addr] = b
	}
	return b.take(now, g.perAddress) && g.all.take(now, g.limit)
}

// forgetIdle drops who was silent, at most once a second: looking at all of them for
// each message of a flood would be what the flood wants.
func (g *Guard) forgetIdle(now time.Time) {
	if now.Sub(g.swept) < time.Second {
		return
	}
	g.swept = now
	for addr, b := range g.sources {
		if now.Sub(b.since) >= idleSource {
			delete(g.sources, addr)
		}
	}
}

// Listener takes a bounded number of connections.
type Listener struct {
	net.Listener
	*Connections
}

// Connections bounds connections, in all and of one address.
type Connections struct {
	perAddress, all int

	mu    sync.Mutex
	open  int
	peers map[netip.Addr]int
}

// NewConnections bounds connections to so many, and to so many of one address.
func NewConnections(all, perAddress int) *Connections {
	return &Connections{all: all, perAddress: perAddress, peers: map[netip.Addr]int{}}
}

// Accept returns the next connection within the bounds; others are closed at once.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from, err := netip.ParseAddrPort(conn.RemoteAddr().String())
		if err != nil || !l.add(from.Addr().Unmap()) {
			_ = conn.Close()
			continue
		}
		return &limitedConn{Conn: conn, remove: sync.OnceFunc(func() { l.remove(from.Addr().Unmap()) })}, nil
	}
}

func (l *Connections) add(addr netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= l.all || l.peers[addr] >= l.perAddress {
		return false
	}
	l.open++
	l.peers[addr]++
	return true
}

func (l *Connections) remove(addr netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if l.peers[addr]--; l.peers[addr] == 0 {
		delete(l.peers, addr)
	}
}

type limitedConn struct {
	net.Conn
	remove func()
}

// Close closes the connection. It is no longer counted, so its address may open another.
func (c *limitedConn) Close() error {
	c.remove()
	return c.Conn.Close()
}
