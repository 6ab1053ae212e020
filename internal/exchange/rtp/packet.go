// Package rtp carries the sound of one leg of a call over UDP (RFC 3550): it reads and
// writes packets, learns its peer's port, forwards the sound of another leg, sends
// samples and pressed keys (RFC 4733), and counts loss and jitter.
//
// What always holds: a session accepts sound only from the addresses that its call
// names, and of these from one port, so nobody else can inject sound into a call or
// divert it. Packets that come too fast are dropped.
package rtp

import (
	"encoding/binary"
	"errors"
)

const (
	headerSize = 12
	// maxPacket is the size of the largest datagram that is read; 20 ms of G.711 are 172.
	maxPacket = 1500
)

// ErrInvalid means that the bytes are not an RTP packet.
var ErrInvalid = errors.New("rtp: invalid packet")

// Packet is one packet of sound. Its payload is a slice of the bytes that it was read from.
type Packet struct {
	PayloadType uint8
	Marker      bool
	Seq         uint16
	Timestamp   uint32
	SSRC        uint32
	Payload     []byte
}

// Parse reads a packet. It returns ErrInvalid for every other datagram.
func Parse(b []byte) (Packet, error) {
	if len(b) < headerSize || len(b) > maxPacket || b[0]>>6 != 2 {
		return Packet{}, ErrInvalid
	}
	p := Packet{
		PayloadType: b[1] & 0x7F, Marker: b[1]&0x80 != 0, Seq: binary.BigEndian.Uint16(b[2:]),
		Timestamp: binary.BigEndian.Uint32(b[4:]), SSRC: binary.BigEndian.Uint32(b[8:]),
	}
	start, end := payloadStart(b), len(b)
	if b[0]&0x20 != 0 { // padding
		end -= int(b[end-1])
	}
	if start > end {
		return Packet{}, ErrInvalid
	}
	p.Payload = b[start:end]
	return p, nil
}

// payloadStart returns where the payload of a packet begins: sources and an extension may
// come between header and payload. It is beyond the end if the packet is cut off.
func payloadStart(b []byte) int {
	start := headerSize + 4*int(b[0]&0x0F)
	if b[0]&0x10 == 0 {
		return start
	}
	if start+4 > len(b) {
		return len(b) + 1
	}
	return start + 4 + 4*int(binary.BigEndian.Uint16(b[start+2:]))
}

// append adds the packet to b.
func (p Packet) append(b []byte) []byte {
	second := p.PayloadType
	if p.Marker {
		second |= 0x80
	}
	b = append(b, 0x80, second)
	b = binary.BigEndian.AppendUint16(b, p.Seq)
	b = binary.BigEndian.AppendUint32(b, p.Timestamp)
	b = binary.BigEndian.AppendUint32(b, p.SSRC)
	return append(b, p.Payload...)
}
