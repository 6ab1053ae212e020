package rtp_test

import (
	"errors"
	"net/netip"
	"slices"
	"testing"
	"time"

	"konak/internal/exchange/rtp"
	"konak/internal/exchange/sdp"
	"konak/internal/kit/clock"
)

func TestPacketsAreRead(t *testing.T) {
	t.Parallel()
	head := []byte{0x80, 0x80, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3}
	with := func(first byte, rest ...byte) []byte {
		return append(append([]byte{first}, head[1:]...), rest...)
	}
	for name, test := range map[string]struct {
		b       []byte
		payload string
		bad     bool
	}{
		"plain":                    {with(0x80, 'a', 'b'), "ab", false},
		"sources":                  {with(0x81, 1, 2, 3, 4, 'a'), "a", false},
		"an extension":             {with(0x90, 0, 0, 0, 1, 9, 9, 9, 9, 'a'), "a", false},
		"padding":                  {with(0xA0, 'a', 0, 2), "a", false},
		"another version":          {with(0x40, 'a'), "", true},
		"short":                    {head[:11], "", true},
		"too few sources":          {with(0x8F, 1), "", true},
		"a cut extension":          {with(0x90, 0), "", true},
		"an extension beyond all":  {with(0x90, 0, 0, 255, 255), "", true},
		"padding beyond all":       {with(0xA0, 'a', 200), "", true},
		"larger than any datagram": {with(0x80, make([]byte, 1500)...), "", true},
	} {
		p, err := rtp.Parse(test.b)
		if (err != nil) != test.bad || string(p.Payload) != test.payload {
			t.Errorf("%s: %q, %v", name, p.Payload, err)
		}
		if err == nil && (p.Seq != 1 || p.Timestamp != 2 || p.SSRC != 3 || !p.Marker) {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte{0xB1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := rtp.Parse(b); err == nil && len(p.Payload) > len(b)-12 {
			t.Fatal("more payload than packet")
		}
	})
}

// ports returns a small range of free ports.
func ports(t *testing.T, n int) *rtp.Ports {
	t.Helper()
	for first := 40000; first < 60000; first += 2 * n {
		p, err := rtp.NewPorts(netip.MustParseAddr("127.0.0.1"), first, first+2*n-1)
		if err != nil {
			t.Fatal(err)
		}
		var open []*rtp.Socket
		for range n {
			if s, err := p.Open(); err == nil {
				open = append(open, s)
			}
		}
		for _, s := range open {
			_ = s.Close()
		}
		if len(open) == n {
			return p
		}
	}
	t.Fatal("no free ports")
	return nil
}

func TestPortsAreBoundedAndReused(t *testing.T) {
	p := ports(t, 3)
	if p.Size() != 3 {
		t.Fatalf("%d ports", p.Size())
	}
	var open []*rtp.Socket
	for range 3 {
		s, err := p.Open()
		if err != nil || s.Port%2 != 0 {
			t.Fatalf("port %v, %v", s, err)
		}
		open = append(open, s)
	}
	if _, err := p.Open(); !errors.Is(err, rtp.ErrNoPort) {
		t.Errorf("a fourth: %v", err)
	}
	_ = open[1].Close()
	s, err := p.Open()
	if err != nil || s.Port != open[1].Port {
		t.Errorf("the free one is not used: %v", err)
	}
	for _, s := range []*rtp.Socket{open[0], open[2], s} {
		_ = s.Close()
	}
	for _, bad := range [][2]int{{1000, 2000}, {5000, 4000}, {60000, 70000}} {
		if _, err := rtp.NewPorts(netip.MustParseAddr("127.0.0.1"), bad[0], bad[1]); err == nil {
			t.Errorf("%v is taken as a range", bad)
		}
	}
}

// ear counts what a session passes to its listener.
type ear struct {
	sound []uint16
	keys  int
}

// HearPacket implements rtp.Listener.
func (e *ear) HearPacket(p rtp.Packet, _ sdp.Codec) { e.sound = append(e.sound, p.Seq) }

// HearKey implements rtp.Listener.
func (e *ear) HearKey(byte, rtp.Packet) { e.keys++ }

var peer, moved = netip.MustParseAddrPort("192.0.2.7:4000"), netip.MustParseAddrPort("192.0.2.7:4002")

// newSession returns a session that gets its datagrams from the test.
func newSession(t *testing.T) (*rtp.Session, *ear, *clock.Fake) {
	t.Helper()
	socket, err := ports(t, 2).Open()
	if err != nil {
		t.Fatal(err)
	}
	e, now := &ear{}, clock.NewFake(time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC))
	s := rtp.NewSession(socket, now, e)
	t.Cleanup(s.Close)
	return s, e, now
}

func packet(seq int, payload string) []byte {
	return append([]byte{0x80, 0, byte(seq >> 8), byte(seq), 0, byte(seq >> 8), byte(seq), 0, 0, 0, 0, 9}, payload...)
}

// A flood of packets is limited to what a telephone can send, and counted by its numbers.
func TestPacketFloodIsLimited(t *testing.T) {
	s, e, now := newSession(t)
	s.SetPeer(rtp.Peer{Addr: peer, Receive: true, Keys: sdp.NoKeys})
	for i := range 300 {
		s.Receive(packet(i, "x"), peer)
	}
	if len(e.sound) != 200 {
		t.Errorf("%d packets pass", len(e.sound))
	}
	now.Advance(time.Second)
	s.Receive(packet(301, "y"), peer)
	if stats := s.Stats(); len(e.sound) != 201 || stats.PacketsReceived != 201 || stats.PacketsLost != 101 {
		t.Errorf("%d packets pass, statistics %+v", len(e.sound), stats)
	}
}

// A peer whose port changes is heard again only after five seconds of silence; another
// address never is.
func TestPeerMayChangePortAfterSilence(t *testing.T) {
	s, e, now := newSession(t)
	s.SetPeer(rtp.Peer{Addr: peer, Receive: true, Keys: sdp.NoKeys})
	stranger := netip.MustParseAddrPort("198.51.100.1:4000")
	s.Receive(packet(1, "before anybody"), stranger)
	s.Receive(packet(2, "first"), peer)
	s.Receive(packet(3, "too early"), moved)
	now.Advance(5 * time.Second)
	s.Receive(packet(4, "another address"), stranger)
	s.Receive(packet(5, "moved"), moved)
	s.Receive(packet(6, "the old port"), peer)
	if !slices.Equal(e.sound, []uint16{2, 5}) {
		t.Errorf("packets %v pass", e.sound)
	}
	// With a new description the port is learned again.
	s.SetPeer(rtp.Peer{Addr: netip.MustParseAddrPort("192.0.2.8:1"), Signalling: stranger.Addr(), Receive: true, Keys: sdp.NoKeys})
	s.Receive(packet(7, "from where the signalling comes"), stranger)
	if !slices.Equal(e.sound, []uint16{2, 5, 7}) {
		t.Errorf("packets %v pass", e.sound)
	}
}

// Packets that are not the agreed sound, or come before a peer is known, are dropped.
func TestOtherPayloadsAreDropped(t *testing.T) {
	s, e, _ := newSession(t)
	s.Receive(packet(1, "nobody yet"), peer)
	s.SetPeer(rtp.Peer{Addr: peer, Receive: true, Keys: 101})
	other := packet(2, "video")
	other[1] = 96
	s.Receive(other, peer)
	strange := packet(3, "\x20\x0a\x00\xa0") // an event that is not a key
	strange[1] = 101
	s.Receive(strange, peer)
	s.Receive([]byte("no packet at all"), peer)
	s.Receive(packet(4, "sound"), peer)
	if !slices.Equal(e.sound, []uint16{4}) || e.keys > 0 {
		t.Errorf("packets %v and %d keys pass", e.sound, e.keys)
	}
}

// A telephone's reports (RTCP) that come to its sound port are not sound: they do not
// affect where the sound is expected from, and are not counted.
func TestRTCPReportsAreNotSound(t *testing.T) {
	s, e, now := newSession(t)
	s.SetPeer(rtp.Peer{Addr: peer, Receive: true, Keys: 101})
	began := s.LastReceived()
	now.Advance(time.Second)
	for kind := byte(200); kind <= 207; kind++ { // sender report to extended report
		s.Receive([]byte{0x81, kind, 0, 7, 0, 0, 0, 9, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 160, 0, 0, 0, 1, 0, 0, 0, 160, 0, 0, 0, 0}, moved)
	}
	if stats := s.Stats(); len(e.sound)+e.keys > 0 || stats.PacketsReceived != 0 || !s.LastReceived().Equal(began) {
		t.Errorf("%v and %d keys pass, statistics %+v", e.sound, e.keys, stats)
	}
	s.Receive(packet(1, "sound"), peer)
	s.Receive(packet(2, "from where only reports came"), moved)
	if !slices.Equal(e.sound, []uint16{1}) {
		t.Errorf("packets %v pass", e.sound)
	}
}

func TestDTMFKeysAreRecognised(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{"0123456789*#ABCD": true, "": false, "1 2": false, "a": false} {
		if rtp.AreKeys(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}
