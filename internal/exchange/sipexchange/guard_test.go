package sipexchange

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

// addrOf makes a different address for each number.
func addrOf(i int) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], 0x0A000000+uint32(i))
	return netip.AddrFrom4(b)
}

func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()
	now := clock.NewFake(someDay)
	g := newGuard(now, Limits{Messages: 25, MessagesPerAddress: 10})
	passed := func(i, times int) (n int) {
		for range times {
			data, err := g.filter(datagram(netip.AddrPortFrom(addrOf(i), 5060)), []byte("OPTIONS"))
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
	g := newGuard(clock.NewFake(someDay), DefaultLimits)
	for name, test := range map[string]struct {
		data string
		want bool
	}{
		"small":           {"OPTIONS sip:a SIP/2.0\r\nVia: x\r\n\r\n", true},
		"large":           {"OPTIONS sip:a SIP/2.0\r\n\r\n" + strings.Repeat("x", maxMessage), false},
		"many headers":    {"OPTIONS sip:a SIP/2.0\r\n" + strings.Repeat("A: b\r\n", maxHeaders+1) + "\r\n", false},
		"many body lines": {"OPTIONS sip:a SIP/2.0\r\n\r\n" + strings.Repeat("a\r\n", 2*maxHeaders), true},
	} {
		data, err := g.filter(datagram(netip.MustParseAddrPort("10.0.0.1:5060")), []byte(test.data))
		if err != nil || (len(data) > 0) != test.want {
			t.Errorf("%s: %d bytes pass, %v", name, len(data), err)
		}
	}
}

// A datagram that claims a longer body than came is dropped, however it writes the claim:
// the SIP library would make space for all of it.
func TestClaimedLengths(t *testing.T) { // not parallel: it counts what the process allocates
	g := newGuard(clock.NewFake(someDay), DefaultLimits)
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
		data, err := g.filter(from, message)
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

// However many addresses a flood claims to come from, a bounded number is remembered,
// and after a while others are heard again.
func TestAFloodOfSendersIsBounded(t *testing.T) {
	t.Parallel()
	now := clock.NewFake(someDay)
	g := newGuard(now, Limits{Messages: 1 << 30, MessagesPerAddress: 10})
	restarts := 0
	send := func(i int) bool {
		data, err := g.filter(datagram(netip.AddrPortFrom(addrOf(i), 5060)), []byte("OPTIONS"))
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

// Connections are bounded, in all and of one address, and free again when they end.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	l := &limitedListener{ln, &connectionLimit{all: 3, perAddress: 2, peers: map[netip.Addr]int{}}}
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
	a := newAttempts(now, slog.New(slog.DiscardHandler))
	for i := range maxAttempts {
		a.fail(addrOf(i), "x")
	}
	if len(a.by) > maxAttempts {
		t.Errorf("%d are remembered", len(a.by))
	}
	if !a.isBlocked(addrOf(1<<20), "x", false) {
		t.Error("a user whom everybody guesses is not slowed down")
	}
	if a.isBlocked(addrOf(1<<20), "x", true) {
		t.Error("a telephone that is signed in is held up")
	}
	now.Advance(attemptsWindow + time.Second)
	a.fail(addrOf(1), "y")
	if len(a.by) > 3 {
		t.Errorf("%d are remembered after the window", len(a.by))
	}
}

func TestChallengesBelongToAnAddress(t *testing.T) {
	t.Parallel()
	n := nonces{key: []byte("key")}
	nonce := n.make(someDay, addrOf(1))
	for name, test := range map[string]struct {
		nonce       string
		after       time.Duration
		addr        netip.Addr
		ours, fresh bool
	}{
		"right":           {nonce, time.Second, addrOf(1), true, true},
		"old":             {nonce, nonceLife, addrOf(1), true, false},
		"another address": {nonce, time.Second, addrOf(2), false, false},
		"of the future":   {nonce, -time.Second, addrOf(1), true, false},
		"another key":     {nonces{key: []byte("other")}.make(someDay, addrOf(1)), time.Second, addrOf(1), false, false},
		"garbage":         {"x", 0, addrOf(1), false, false},
	} {
		if ours, fresh := n.check(test.nonce, someDay.Add(test.after), test.addr); ours != test.ours || fresh != test.fresh {
			t.Errorf("%s: ours %v, fresh %v", name, ours, fresh)
		}
	}
}

// The proof is the one of RFC 2617 section 3.5.
func TestTheProofOfRFC2617(t *testing.T) {
	t.Parallel()
	p, err := parseDigest(`Digest username="Mufasa", realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", uri="/dir/index.html", ` +
		`qop=auth, nc=00000001, cnonce="0a4f113b", response="6629fae49393a05397450978507c4ef1", opaque="5ccc069c403ebaf9f0171e9517f40e41"`)
	if err != nil {
		t.Fatal(err)
	}
	ha1 := HA1("Mufasa", "testrealm@host.com", "Circle Of Life")
	if !p.provesHA1(ha1, "GET") {
		t.Error("the proof is refused")
	}
	for name, change := range map[string]func(params){
		"another method's": func(params) {},
		"another qop":      func(p params) { p["qop"] = "auth-int" },
		"SHA-256":          func(p params) { p["algorithm"] = "SHA-256" },
		"no uri":           func(p params) { p["uri"] = "" },
		"no response":      func(p params) { delete(p, "response") },
	} {
		changed, method := params{}, "GET"
		for k, v := range p {
			changed[k] = v
		}
		if change(changed); name == "another method's" {
			method = "PUT"
		}
		if changed.provesHA1(ha1, method) {
			t.Errorf("%s proof is accepted", name)
		}
	}
}

// FuzzParseDigest holds that no header makes parseDigest panic, and that what we write
// as an answer can be read.
func FuzzParseDigest(f *testing.F) {
	f.Add(`Digest realm="a", nonce="b\"c", qop="auth,auth-int", algorithm=MD5`)
	f.Add(`Digest a=,b="`)
	f.Fuzz(func(t *testing.T, value string) {
		challenge, err := parseDigest(value)
		if err != nil {
			return
		}
		answer, err := answerChallenge(challenge, "user", "ha1", "REGISTER", "sip:x")
		if err != nil {
			return
		}
		back, err := parseDigest(answer)
		if err != nil || back["realm"] != challenge["realm"] || back["nonce"] != challenge["nonce"] || !back.provesHA1("ha1", "REGISTER") {
			t.Fatalf("%q is answered by %q: %v", value, answer, err)
		}
	})
}

// FuzzMessage holds that no message makes the library's parser or our reading of its
// headers panic.
func FuzzMessage(f *testing.F) {
	f.Add([]byte("INVITE sip:a@b SIP/2.0\r\nVia: SIP/2.0/UDP h;branch=z9hG4bKx\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:b@c>\r\nCall-ID: x\r\n" +
		"CSeq: 1 INVITE\r\nContact: <sip:a@h>;expires=5\r\nRecord-Route: <sip:p;lr>\r\nSession-Expires: 90\r\nRequire: x\r\nContent-Length: 0\r\n\r\n"))
	f.Add([]byte("REGISTER sip:b SIP/2.0\r\nm: *\r\n\r\n"))
	f.Add([]byte("SIP/2.0 200 OK\r\nTo: x;tag=1\r\nContact: y\r\n\r\n"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		if !isReadable(b) {
			return
		}
		switch m, err := sip.NewParser().ParseSIP(b); m := m.(type) {
		case *sip.Request:
			if err == nil && isComplete(m) {
				_, _ = dialogOfInvite(m)
				_, _, _ = refusal(m)
				_, _, _ = readOffer(m)
				_, _ = answerRefresh(m, someDay)
				_, _ = parseInfoKey(header(m, "Content-Type"), string(m.Body()))
				_ = sip.NewResponseFromRequest(m, 200, "OK", nil).String()
			}
		case *sip.Response:
			_ = (&dialog{}).establish(m)
			_ = agreedRefresh(m, someDay)
			_ = grantedExpiry(m, "x", time.Minute)
		}
	})
}
