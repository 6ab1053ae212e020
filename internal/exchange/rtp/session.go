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
	// moveAfter is how long the peer must be silent before sound from another port of its
	// address is accepted: its router may have given it a new one.
	moveAfter = 5 * time.Second
	// maxGap is the largest step of timestamps that is forwarded: 10 seconds.
	maxGap = 80_000
)

// A Listener receives the packets of a session, in the order of arrival and from one
// goroutine. The payload is valid until the call returns.
type Listener interface {
	HearPacket(p Packet, codec sdp.Codec)
	// HearKey is called for each packet of a pressed key; key is zero for all but the
	// first.
	HearKey(key byte, p Packet)
}

// A Tap receives the sound of a session in both directions, as packets.
type Tap interface {
	Said(p Packet)
	Heard(p Packet)
}

// Session carries the sound of one leg.
type Session struct {
	socket   *Socket
	clock    clock.Source
	listener Listener

	mu       sync.Mutex
	peer     Peer
	latched  netip.AddrPort
	lastAt   time.Time // of the last accepted packet
	tap      Tap
	buf      []byte
	payload  []byte
	out      outgoing
	in       incoming
	lastKey  uint32 // timestamp of the last key, to recognize its repetitions
	sawKey   bool
	keying   bool // a key is being sent: sound waits
	sealer   *secured
	opener   *secured
	budget   int
	budgetAt time.Time
}

// Peer is what the signalling of a call says about the other side of a session.
type Peer struct {
	// Addr is where it wants to receive sound.
	Addr netip.AddrPort
	// Signalling is the address that its messages come from. Behind a router its sound
	// comes from there as well.
	Signalling netip.Addr
	Codec      sdp.Codec
	Keys       int
	// Ours and Theirs are the keys for sent and received sound; both are nil if it is not
	// encrypted.
	Ours, Theirs *sdp.Crypto
	// Send is set if the peer wants sound, Receive if sound from it is accepted.
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

// NewSession returns a session on an open port. Run reads from it.
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

// Port returns the local port.
func (s *Session) Port() int { return s.socket.Port }

// SetPeer sets the peer of the session. If the peer's addresses changed, the port that its
// sound comes from is learned again.
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

// changeKey returns the encryption for a key. If the key is the same, its packet numbers
// continue.
func changeKey(now *secured, old, key *sdp.Crypto) *secured {
	switch {
	case key == nil:
		return nil
	case now != nil && old != nil && old.Suite == key.Suite && old.Master == key.Master:
		return now
	}
	return newSecured(*key)
}

// SetTap also sends the sound in both directions to t; nil ends it.
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

// decrypt decrypts a packet if the peer encrypts. It returns false for packets that are not
// the peer's; those from other addresses are dropped before the costly check of their
// authentication tag.
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

// accept decides whether a packet is accepted, and counts it. It returns the key for the
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

// isPeer reports whether sound from an address is accepted: it must come from an address
// that the call names, and from the port that the first sound came from.
func (s *Session) isPeer(from netip.AddrPort, now time.Time) bool {
	if from == s.latched {
		return true
	}
	if !slices.Contains([]netip.Addr{s.peer.Addr.Addr(), s.peer.Signalling}, from.Addr()) {
		return false
	}
	return !s.latched.IsValid() || now.Sub(s.lastAt) >= moveAfter
}

// withinBudget reports whether one more packet may be accepted in this second.
func (s *Session) withinBudget(now time.Time) bool {
	if now.Sub(s.budgetAt) >= time.Second {
		s.budgetAt, s.budget = now, maxPacketsPerSecond
	}
	s.budget--
	return s.budget >= 0
}

// LastReceived returns when the last sound came, or when the peer was set.
func (s *Session) LastReceived() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lastAt
}

// Stats returns the statistics of the sound so far.
func (s *Session) Stats() exchange.MediaStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.in.stats()
	stats.PacketsSent = s.out.packets
	return stats
}
