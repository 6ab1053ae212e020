package hostile

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Manner is how a peer misbehaves.
type Manner string

// The manners.
const (
	Endless Manner = "endless" // sends without ever coming to an end
	Drip    Manner = "drip"    // sends one byte at a time
	Silent  Manner = "silent"  // sends nothing and keeps the connection
	Cut     Manner = "cut"     // ends in the middle of its answer
	Garbage Manner = "garbage" // sends bytes without meaning
)

// Manners returns all manners.
func Manners() []Manner { return []Manner{Endless, Drip, Silent, Cut, Garbage} }

// Waits reports whether a client gets out of the manner only by its own time limit.
func (m Manner) Waits() bool { return m == Drip || m == Silent }

// Peer is a server that misbehaves.
type Peer struct {
	Port    int
	manner  Manner
	phase   string
	reached chan struct{} // one token for each connection that reached the phase
	sent    atomic.Int64
	open    atomic.Int64
	ended   chan struct{} // one token for each connection that ended
	stop    context.Context
}

// Address returns HOST:PORT.
func (p *Peer) Address() string { return fmt.Sprintf("127.0.0.1:%d", p.Port) }

// Sent returns the number of bytes handed to the network while misbehaving. Bytes that the
// client has not read are in buffers of the system, a few megabytes.
func (p *Peer) Sent() int64 { return p.sent.Load() }

// Open returns the number of open connections.
func (p *Peer) Open() int64 { return p.open.Load() }

// Reached delivers a value for each connection that reached the phase, up to the first
// 1,024.
func (p *Peer) Reached() <-chan struct{} { return p.reached }

// Ended delivers a value for each connection that ended, up to the first 1,024.
func (p *Peer) Ended() <-chan struct{} { return p.ended }

// Start runs a peer that serves each connection with speak until the test ends.
func Start(t testing.TB, phase string, manner Manner, speak func(c *Conn)) *Peer {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &Peer{
		Port: ln.Addr().(*net.TCPAddr).Port, manner: manner, phase: phase,
		reached: make(chan struct{}, 1024), ended: make(chan struct{}, 1024), stop: ctx,
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			raw, err := ln.Accept()
			if err != nil {
				return
			}
			all.Go(func() { p.serve(raw, speak) })
		}
	})
	t.Cleanup(func() {
		cancel()
		_ = ln.Close()
		all.Wait()
	})
	return p
}

func (p *Peer) serve(raw net.Conn, speak func(c *Conn)) {
	p.open.Add(1)
	release := context.AfterFunc(p.stop, func() { _ = raw.Close() })
	defer func() {
		release()
		_ = raw.Close()
		p.open.Add(-1)
		put(p.ended)
	}()
	speak(&Conn{peer: p, raw: raw, in: bufio.NewReader(raw)})
}

// put adds a token if there is space for one.
func put(tokens chan struct{}) {
	select {
	case tokens <- struct{}{}:
	default:
	}
}

// Conn is one connection of a peer.
type Conn struct {
	peer *Peer
	raw  net.Conn
	in   *bufio.Reader
}

// Say sends text.
func (c *Conn) Say(text string) bool {
	_, err := io.WriteString(c.raw, text)
	return err == nil
}

// Line reads a line and returns it without its end; it returns false if there is none.
func (c *Conn) Line() (string, bool) {
	line, err := c.in.ReadString('\n')
	return strings.TrimRight(line, "\r\n"), err == nil
}

// At misbehaves if phase is the one for which the peer was started, and reports whether it
// did; the connection is over then. An endless peer sends first once and more forever.
func (c *Conn) At(phase, first, more string) bool {
	p := c.peer
	if phase != p.phase {
		return false
	}
	put(p.reached)
	switch p.manner {
	case Endless:
		c.flood(first, more)
	case Drip:
		c.drip(first + strings.Repeat(more, 1000))
	case Silent:
		_, _ = io.Copy(io.Discard, c.in)
	case Cut:
		text := first + more
		c.Say(text[:len(text)/2])
	case Garbage:
		c.Say(noise())
	}
	return true
}

func (c *Conn) flood(first, more string) {
	block := []byte(strings.Repeat(more, max(1, (32<<10)/len(more))))
	n, err := io.WriteString(c.raw, first)
	for c.peer.sent.Add(int64(n)); err == nil; c.peer.sent.Add(int64(n)) {
		n, err = c.raw.Write(block)
	}
}

func (c *Conn) drip(text string) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for i := range text {
		select {
		case <-c.peer.stop.Done():
			return
		case <-tick.C:
		}
		if !c.Say(text[i : i+1]) {
			return
		}
		c.peer.sent.Add(1)
	}
}

// noise returns the same 8 KiB each time, with line ends in them.
func noise() string {
	source := rand.NewPCG(1, 2)
	b := make([]byte, 8<<10)
	for i := range b {
		b[i] = byte(source.Uint64())
	}
	return string(b) + "\r\n"
}
