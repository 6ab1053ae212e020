package rtp

import (
	"crypto/rand"
	"encoding/binary"
	"net/netip"
	"slices"
	"sync"
	"time"

	"konak/internal/exchange"
	"konak/internal/exchange/sdp"
	"konak/internal/kit/clock"
)

const (
	// FrameSamples is 20 ms of sound, which is what one packet carries.
	FrameSamples  = 160
	FrameDuration = 20 * time.Millisecond
	// maxPacketsPerSecond is four times what a telephone sends.
	maxPacketsPerSecond = 200
	// moveAfter is how long the peer must be silent before sound from another port of
	// its address is taken: its router gave it a new one.
	moveAfter = 5 * time.Second
	// maxGap is the largest step of timestamps that is passed on: 10 seconds.
	maxGap = 80_000
)

// A Listener is told what a session receives, in the order of arrival and by one
// goroutine. The payload is valid until the call returns.
type Listener interface {
	HearPacket(p Packet, codec sdp.Codec)
	// HearKey is called for each packet of a pressed key; key is zero for all but the
	// first.
	HearKey(key byte, p Packet)
}

// A Tap is given the sound of a session in both directions, as the packets in which it
// travels.
type Tap interface {
	Said(p Packet)
	Heard(p Packet)
}

// Session is the sound of one leg.
type Session struct {
	socket   *Socket
	clock    clock.Source
	listener Listener

	mu       sync.Mutex
	peer     Peer
	latched  netip.AddrPort
	lastAt   time.Time // of the last packet that was taken
	tap      Tap
	buf      []byte
	payload  []byte
	out      outgoing
	in       incoming
	lastKey  uint32 // timestamp of the last key, by which its repetitions are known
	sawKey   bool
	keying   bool // a key is being sent: sound waits
	sealer   *secured
	opener   *secured
	budget   int
	budgetAt time.Time
}

// Peer is what a call's signalling says about the other side of a session.
type Peer struct {
	// Addr is where it wants its sound.
	Addr netip.AddrPort
	// Signalling is where its messages come from. Behind a router this is where its
	// sound comes from as well.
	Signalling netip.Addr
	Codec      sdp.Codec
	Keys       int
	// Ours and Theirs encrypt what is sent and what is received; both are nil for sound
	// that is not encrypted.
	Ours, Theirs *sdp.Crypto
	// Send says whether it wants sound, Receive whether sound of it is taken.
	Send, Receive bool
}

// outgoing is the stream that is sent.
type outgoing struct {
	ssrc    uint32
	seq     uint16
	ts      uint32
	source  uint32 // SSRC of the stream that is forwarded, with its last numbers
	lastSeq uint16
	lastTS  uint32
	forward bool
	packets int64
}

// NewSession makes a session on an open port. Run reads from it.
func NewSession(socket *Socket, c clock.Source, l Listener) *Session {
	var random [10]byte
	_, _ = rand.Read(random[:]) // never fails
	return &Session{
		socket: socket, clock: c, listener: l,
		out: outgoing{
			ssrc: binary.BigEndian.Uint32(random[:]), seq: binary.BigEndian.Uint16(random[4:]), ts: binary.BigEndian.Uint32(random[6:]),
		},
	}
}

// Port is the local port.
func (s *Session) Port() int { return s.socket.Port }

// SetPeer tells the session who its peer is. Where the peer's addresses changed, the
// port that its sound comes from is learned anew.
func (s *Session) SetPeer(p Peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.Addr != s.peer.Addr || p.Signalling != s.peer.Signalling {
		s.latched = netip.AddrPort{}
	}
	s.sealer = changeKey(s.sealer, s.peer.Ours, p.Ours)
	s.opener = changeKey(s.opener, s.peer.Theirs, p.Theirs)
	s.peer = p
	s.lastAt = s.clock.Now()
}

// changeKey returns what encrypts with a key. The same key goes on counting.
func changeKey(now *secured, old, key *sdp.Crypto) *secured {
	switch {
	case key == nil:
		return nil
	case now != nil && old != nil && old.Suite == key.Suite && old.Master == key.Master:
		return now
	}
	return newSecured(*key)
}

// SetTap gives the sound in both directions to t as well; nil ends it.
func (s *Session) SetTap(t Tap) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tap = t
}

// Run reads packets until the session is closed.
func (s *Session) Run() {
	buf := make([]byte, maxPacket+1)
	for {
		n, from, err := s.socket.ReadFromUDPAddrPort(buf)
		if err != nil {
			return
		}
		s.receive(buf[:n], netip.AddrPortFrom(from.Addr().Unmap(), from.Port()))
	}
}

// Close ends Run and frees the port.
func (s *Session) Close() { _ = s.socket.Close() }

func (s *Session) receive(b []byte, from netip.AddrPort) {
	b, ok := s.decrypt(b, from)
	if !ok {
		return
	}
	p, err := Parse(b)
	if err != nil {
		return
	}
	key, isKey, codec, ok := s.accept(p, from)
	switch {
	case !ok:
	case isKey:
		s.listener.HearKey(key, p)
	default:
		s.listener.HearPacket(p, codec)
	}
}

// decrypt opens what is encrypted. It returns false for what is not the peer's, of
// which no proof is looked at: that would cost more than it is worth.
func (s *Session) decrypt(b []byte, from netip.AddrPort) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opener == nil {
		return b, true
	}
	if !s.isPeer(from, s.clock.Now()) {
		return nil, false
	}
	return s.opener.open(b)
}

// accept decides whether a packet is taken, and counts it. It returns the key of the
// first packet of a pressed key, and zero for its repetitions.
func (s *Session) accept(p Packet, from netip.AddrPort) (key byte, isKey bool, codec sdp.Codec, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	if !s.peer.Receive || !s.isPeer(from, now) || !s.withinBudget(now) {
		return 0, false, 0, false
	}
	isKey = s.peer.Keys != sdp.NoKeys && int(p.PayloadType) == s.peer.Keys
	isSound := p.PayloadType == uint8(sdp.PCMU) || p.PayloadType == uint8(sdp.PCMA)
	if !isKey && !isSound {
		return 0, false, 0, false
	}
	s.latched, s.lastAt = from, now
	s.in.count(p, now)
	if isKey {
		pressed, known := parseKey(p.Payload)
		if !known {
			return 0, false, 0, false
		}
		if !s.sawKey || s.lastKey != p.Timestamp {
			s.sawKey, s.lastKey, key = true, p.Timestamp, pressed
		}
		return key, true, 0, true
	}
	codec = sdp.Codec(p.PayloadType)
	if s.tap != nil {
		s.tap.Said(p)
	}
	return 0, false, codec, true
}

// isPeer says whether sound from an address is taken: from the port that the first
// sound came from, of the addresses that the call names.
func (s *Session) isPeer(from netip.AddrPort, now time.Time) bool {
	if from == s.latched {
		return true
	}
	if !slices.Contains([]netip.Addr{s.peer.Addr.Addr(), s.peer.Signalling}, from.Addr()) {
		return false
	}
	return !s.latched.IsValid() || now.Sub(s.lastAt) >= moveAfter
}

// withinBudget says whether a packet more may be taken in this second.
func (s *Session) withinBudget(now time.Time) bool {
	if now.Sub(s.budgetAt) >= time.Second {
		s.budgetAt, s.budget = now, maxPacketsPerSecond
	}
	s.budget--
	return s.budget >= 0
}

// LastReceived is when the last sound came, or when the peer was set.
func (s *Session) LastReceived() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lastAt
}

// Stats is how the sound travelled so far.
func (s *Session) Stats() exchange.MediaStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.in.stats()
	stats.PacketsSent = s.out.packets
	return stats
}
