package flood

import (
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/emiago/sipgo/sip"

	"konak/internal/kit/clock"
)

var someDay = time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)

func datagram(from netip.AddrPort) sip.TransportReadProps {
	return sip.TransportReadProps{Transport: "UDP", RemoteAddr: net.UDPAddrFromAddrPort(from)}
}

// addrOf returns a different address for each number.
func addrOf(i int) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], 0x0A000000+uint32(i))
	return netip.AddrFrom4(b)
}

func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()
	now := clock.NewFake(someDay)
	g := New(now, 25, 10)
	passed := func(i, times int) (n int) {
		for range times {
			data, err := g.Filter(datagram(netip.AddrPortFrom(addrOf(i), 5060)), []byte("OPTIONS"))
			if err != nil {
				t.Fatal(err)
			}
			if len(data) > 0 {
				n++
			}
		}
		return n
	}
	if n := passed(1, 20); n != 10 {
		t.Errorf("%d messages of one address pass", n)
	}
	if n := passed(2, 10) + passed(3, 10) + passed(4, 10); n != 15 {
		t.Errorf("%d messages of others pass", n)
	}
	now.Advance(time.Second)
	if n := passed(1, 5); n != 5 {
		t.Errorf("%d messages pass a second later", n)
	}
	if g.dropped != 25 {
		t.Errorf("%d are counted as dropped", g.dropped)
	}
}

func TestLargeMessagesAreDropped(t *testing.T) {
	t.Parallel()
	g := New(clock.NewFake(someDay), 5000, 500)
	for name, test := range map[string]struct {
		data string
		want bool
	}{
		"small":           {"OPTIONS sip:a SIP/2.0\r\nVia: x\r\n\r\n", true},
		"large":           {"OPTIONS sip:a SIP/2.0\r\n\r\n" + strings.Repeat("x", MaxMessage), false},
		"many headers":    {"OPTIONS sip:a SIP/2.0\r\n" + strings.Repeat("A: b\r\n", maxHeaders+1) + "\r\n", false},
		"many body lines": {"OPTIONS sip:a SIP/2.0\r\n\r\n" + strings.Repeat("a\r\n", 2*maxHeaders), true},
	} {
		data, err := g.Filter(datagram(netip.MustParseAddrPort("10.0.0.1:5060")), []byte(test.data))
		if err != nil || (len(data) > 0) != test.want {
			t.Errorf("%s: %d bytes pass, %v", name, len(data), err)
		}
	}
}

// A datagram that claims a longer body than it has is dropped, in whatever form the claim
// is written: the SIP library would allocate all of it.
func TestFalseContentLengthsAreDropped(t *testing.T) { // not parallel: it counts what the process allocates
	g := New(clock.NewFake(someDay), 5000, 500)
	parser := sip.NewParser()
	const claim = 1 << 30
	from := datagram(netip.MustParseAddrPort("10.0.0.1:5060"))
	for fields, want := range map[string]bool{
		"Content-Length: 4":                            true,
		"Content-Length: 2":                            true, // the rest is not read
		"l: 4":                                         true,
		"Subject: Content-Length: 1073741824":          true,
		"Content-Length: 5":                            false,
		"Content-Length: 1073741824":                   false,
		"content-LENGTH:1073741824":                    false,
		"l: 1073741824":                                false,
		"L\t :  1073741824 \t":                         false,
		"Content-Length:\r\n 1073741824":               false,
		"Content-Length\r\n\t: \r\n \r\n\t1073741824":  false,
		"Content-Length: 4\r\nl: 1073741824":           false,
		"l: 1073741824\r\nContent-Length: 4":           false,
		"Content-Length: 4294967295":                   false,
		"Content-Length: 99999999999999999999999":      false,
		"Content-Length: -1":                           false,
		"Content-Length: 4, 1073741824":                false,
		"Content-Length: 1\r\n 2":                      false,
		"Content-Length:":                              false,
		"Content-Length: 16385\r\nX: y":                false,
		"\u0085Content-Length\u00a0: \u20281073741824": false,
	} {
		message := []byte("OPTIONS sip:a SIP/2.0\r\n" + fields + "\r\nVia: SIP/2.0/UDP h;branch=z9hG4bKx\r\n\r\nbody")
		before, after := runtime.MemStats{}, runtime.MemStats{}
		runtime.ReadMemStats(&before)
		data, err := g.Filter(from, message)
		if len(data) > 0 {
			_, _ = parser.ParseSIP(data)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > claim/100 {
			t.Errorf("%q allocates %d bytes", fields, used)
		}
		if err != nil || (len(data) > 0) != want {
			t.Errorf("%q: %d bytes pass, %v", fields, len(data), err)
		}
	}
	if g.dropped != 17 {
		t.Errorf("%d are counted as dropped", g.dropped)
	}
}

// However many addresses a flood claims to come from, only a limited number is remembered,
// and after a while other addresses are accepted again.
func TestRememberedSendersAreBounded(t *testing.T) {
	t.Parallel()
	now := clock.NewFake(someDay)
	g := New(now, 1<<30, 10)
	restarts := 0
	send := func(i int) bool {
		data, err := g.Filter(datagram(netip.AddrPortFrom(addrOf(i), 5060)), []byte("OPTIONS"))
		if errors.Is(err, errTooManyPorts) {
			restarts++
		}
		return len(data) > 0
	}
	for i := range 3 * maxSources {
		send(i)
	}
	if len(g.sources) > maxSources || len(g.ports) > maxSources {
		t.Errorf("%d addresses and %d senders are remembered", len(g.sources), len(g.ports))
	}
	if send(1 << 20) {
		t.Error("a new address is heard while the memory is full")
	}
	now.Advance(idleSource)
	send(1 << 20)
	if !send(1<<20+1) || len(g.sources) > 2 {
		t.Errorf("nobody is forgotten: %d", len(g.sources))
	}
	if sweeps := g.swept.Sub(someDay); sweeps != idleSource { // once for each of the two moments
		t.Errorf("looked at all of them %s after the start", sweeps)
	}
	if restarts == 0 {
		t.Error("the library never forgets its senders")
	}
}

// Connections are limited, in total and per address, and free again when they end.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	l := &Listener{ln, NewConnections(3, 2)}
	accepted := make(chan net.Conn)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	dial()
	first := <-accepted
	dial()
	<-accepted
	refused := dial()
	_ = refused.SetReadDeadline(clock.Deadline(10 * time.Second))
	if _, err := refused.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !isReset(err) {
		t.Errorf("a third connection: %v", err)
	}
	_ = first.Close()
	_ = first.Close() // counts once
	dial()
	<-accepted
	if l.open != 2 {
		t.Errorf("%d connections are counted", l.open)
	}
}

func isReset(err error) bool { return err != nil && strings.Contains(err.Error(), "reset") }

func TestFailuresAreForgotten(t *testing.T) {
	t.Parallel()
	now := clock.NewFake(someDay)
	a := NewAttempts(now, slog.New(slog.DiscardHandler))
	for i := range maxAttempts {
		a.Fail(addrOf(i), "x")
	}
	if len(a.by) > maxAttempts {
		t.Errorf("%d are remembered", len(a.by))
	}
	if !a.IsBlocked(addrOf(1<<20), "x", false) {
		t.Error("a user whom everybody guesses is not slowed down")
	}
	if a.IsBlocked(addrOf(1<<20), "x", true) {
		t.Error("a telephone that is signed in is held up")
	}
	now.Advance(attemptsWindow + time.Second)
	a.Fail(addrOf(1), "y")
	if len(a.by) > 3 {
		t.Errorf("%d are remembered after the window", len(a.by))
	}
}
