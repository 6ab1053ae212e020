// Package flood limits how much of the exchange strangers can use: messages that come too
// fast or claim a false size, connections, and password guesses. The memory for this is
// bounded.
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
	// MaxMessage is the size of the largest message that is read, maxHeaders the number of
	// lines allowed before its body.
	MaxMessage = 16 << 10
	maxHeaders = 128
	// maxSources is the number of addresses remembered at once.
	maxSources = 20_000
	// idleSource is the time after which a silent address is forgotten.
	idleSource = 10 * time.Second
)

// errTooManyPorts stops the reading of UDP, which then starts again: until then, the SIP
// library remembers every address that ever sent a datagram.
var errTooManyPorts = errors.New("flood: too many different senders")

// Guard drops messages that come too fast, or are or claim to be too large, before they are
// parsed.
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

// New returns a guard that lets through this many messages per second, in total and per
// address.
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

// Filter is called with all data that is read. It returns nil for data to be dropped.
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

// Dropped returns the number of dropped messages.
func (g *Guard) Dropped() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.dropped
}

// IsReadable reports whether a datagram is small enough to be parsed and its body as long
// as it claims: the SIP library allocates the claimed size, whatever arrives.
func IsReadable(data []byte) bool {
	head, body, whole := bytes.Cut(data, []byte("\r\n\r\n"))
	if len(data) > MaxMessage || bytes.Count(head, []byte("\n")) > maxHeaders {
		return false
	}
	return !whole || !claimsMore(head, len(body)) // an incomplete message is not parsed
}

// claimsMore reports whether a header of a message claims a body longer than have bytes, or
// of an unreadable length. A line that begins with a space continues the one before.
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

// take counts a message against the limits of its address and of all addresses. The caller
// holds the lock.
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

// forgetIdle forgets silent addresses, at most once a second: scanning all of them for each
// message would make a flood worse.
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

// Listener accepts a bounded number of connections.
type Listener struct {
	net.Listener
	*Connections
}

// Connections limits connections, in total and per address.
type Connections struct {
	perAddress, all int

	mu    sync.Mutex
	open  int
	peers map[netip.Addr]int
}

// NewConnections returns limits for connections, in total and per address.
func NewConnections(all, perAddress int) *Connections {
	return &Connections{all: all, perAddress: perAddress, peers: map[netip.Addr]int{}}
}

// Accept returns the next connection within the limits; others are closed at once.
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
