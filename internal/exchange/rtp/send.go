package rtp

import (
	"net/netip"

	"konak/internal/exchange/sdp"
)

// Forward sends a packet of another session, in this one's codec and numbering. Gaps and
// the order of its numbers are preserved, so that the peer can count loss.
func (s *Session) Forward(p Packet, codec sdp.Codec) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keying {
		return
	}
	s.advanceWith(p)
	s.payload = recode(s.payload[:0], codec, s.peer.Codec, p.Payload)
	s.send(Packet{PayloadType: uint8(s.peer.Codec), Marker: p.Marker, Payload: s.payload})
}

// ForwardKey sends a packet of a pressed key of another session. It returns false if the
// peer accepts no keys in RTP.
func (s *Session) ForwardKey(p Packet) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.peer.Keys == sdp.NoKeys {
		return false
	}
	if s.keying {
		return true
	}
	s.advanceWith(p)
	s.send(Packet{PayloadType: uint8(s.peer.Keys), Marker: p.Marker, Payload: p.Payload})
	return true
}

// advanceWith advances the numbers by as much as those of the forwarded stream.
func (s *Session) advanceWith(p Packet) {
	o := &s.out
	step, gap := p.Seq-o.lastSeq, p.Timestamp-o.lastTS
	if o.forward && o.source == p.SSRC && int32(gap) < maxGap && int32(gap) > -maxGap && int16(step) < 500 && int16(step) > -500 {
		o.seq, o.ts = o.seq+step, o.ts+gap
	} else {
		o.seq, o.ts = o.seq+1, o.ts+FrameSamples
	}
	o.forward, o.source, o.lastSeq, o.lastTS = true, p.SSRC, p.Seq, p.Timestamp
}

// SendSamples sends a frame of samples.
func (s *Session) SendSamples(samples []int16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keying {
		return
	}
	s.out.forward = false
	s.out.seq, s.out.ts = s.out.seq+1, s.out.ts+uint32(len(samples))
	s.payload = encode(s.payload[:0], s.peer.Codec, samples)
	s.send(Packet{PayloadType: uint8(s.peer.Codec), Payload: s.payload})
}

// keyFrames is the number of packets while a key is pressed, 100 ms; its end is sent three
// times after that.
const keyFrames = 5

// KeyPackets is the number of packets per key, including a pause after it.
const KeyPackets = keyFrames + 3 + 2

// SendKey sends packet i of a key, from 0 to KeyPackets-1, one every FrameDuration. No
// sound is sent between them: all packets of a key have the timestamp of its beginning. It
// returns false if the peer accepts no keys in RTP.
func (s *Session) SendKey(key byte, i int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	code, known := keyCode(key)
	if s.peer.Keys == sdp.NoKeys || !known {
		return false
	}
	s.out.forward = false
	s.keying = i < KeyPackets-1
	if i == 0 {
		s.out.ts += FrameSamples // the key's packets share the time of its beginning
	}
	if i >= keyFrames+3 {
		s.out.ts += FrameSamples
		return true
	}
	s.out.seq++
	duration := min(i+1, keyFrames) * FrameSamples
	s.payload = appendKey(s.payload[:0], code, i >= keyFrames, uint16(duration))
	s.send(Packet{PayloadType: uint8(s.peer.Keys), Marker: i == 0, Payload: s.payload})
	if i == keyFrames+2 {
		s.out.ts += uint32(duration)
	}
	return true
}

// send sends a packet to where the peer's sound comes from, or to the address it asked for
// if none has come yet. The caller holds the lock and has set seq and ts.
func (s *Session) send(p Packet) {
	to := s.latched
	if !to.IsValid() {
		to = s.peer.Addr
	}
	if !s.peer.Send || !isSendable(to) {
		return
	}
	p.SSRC, p.Seq, p.Timestamp = s.out.ssrc, s.out.seq, s.out.ts
	if s.tap != nil && int(p.PayloadType) != s.peer.Keys {
		s.tap.Heard(p)
	}
	s.buf = p.append(s.buf[:0])
	if s.sealer != nil {
		var fresh bool
		if s.buf, fresh = s.sealer.protect(s.buf); !fresh {
			return
		}
	}
	// A packet that cannot be sent is lost, like any packet on the network.
	if _, err := s.socket.WriteToUDPAddrPort(s.buf, to); err == nil {
		s.out.packets++
	}
}

func isSendable(to netip.AddrPort) bool {
	return to.IsValid() && to.Port() != 0 && !to.Addr().IsUnspecified() && !to.Addr().IsMulticast()
}
