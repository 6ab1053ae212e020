package rtp

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/binary"
	"hash"

	"konak/internal/exchange/sdp"
)

// The parts of a key that are derived from a master key (RFC 3711 section 4.3.2).
const (
	labelCipher = 0
	labelAuth   = 1
	labelSalt   = 2
)

const (
	saltSize = sdp.MasterSize - aes.BlockSize
	authSize = sha1.Size
)

// secured is one direction of a session's encryption (SRTP, RFC 3711): AES in counter mode
// with HMAC-SHA1. A packet number is used only once: a repeat is refused both when sending
// and when receiving.
type secured struct {
	block cipher.Block
	salt  [saltSize]byte
	mac   hash.Hash
	tag   int // size of the authentication tag at the end of a packet

	ssrc   uint32
	begun  bool
	last   uint64 // highest number so far: roll-over counter and sequence number
	window uint64 // which of the 64 numbers up to last were used
}

// newSecured returns the encryption of one direction with a key.
func newSecured(c sdp.Crypto) *secured {
	master, err := aes.NewCipher(c.Master[:aes.BlockSize])
	if err != nil {
		panic("rtp: " + err.Error()) // its size is right
	}
	derive := func(label byte, size int) []byte {
		var iv [aes.BlockSize]byte
		copy(iv[:], c.Master[aes.BlockSize:])
		iv[7] ^= label
		out := make([]byte, size)
		cipher.NewCTR(master, iv[:]).XORKeyStream(out, out)
		return out
	}
	s := &secured{mac: hmac.New(sha1.New, derive(labelAuth, authSize)), tag: c.Suite.TagSize()}
	if s.block, err = aes.NewCipher(derive(labelCipher, aes.BlockSize)); err != nil {
		panic("rtp: " + err.Error())
	}
	copy(s.salt[:], derive(labelSalt, saltSize))
	return s
}

// number estimates the full number of a packet from its sequence number: the nearest to the
// highest so far (RFC 3711 appendix A).
func (s *secured) number(seq uint16) uint64 {
	if !s.begun {
		return uint64(seq)
	}
	n := s.last&^0xFFFF | uint64(seq)
	switch {
	case n+1<<15 < s.last:
		n += 1 << 16
	case n > s.last+1<<15 && n >= 1<<16:
		n -= 1 << 16
	}
	return n
}

// isFresh reports whether a number is unused. Numbers too old to know count as used.
func (s *secured) isFresh(n uint64) bool {
	if !s.begun || n > s.last {
		return true
	}
	return s.last-n < 64 && s.window&(1<<(s.last-n)) == 0
}

// use marks a number as used.
func (s *secured) use(n uint64) {
	switch {
	case !s.begun:
		s.begun, s.last, s.window = true, n, 1
	case n > s.last:
		s.window = s.window<<min(n-s.last, 64) | 1
		s.last = n
	default:
		s.window |= 1 << (s.last - n)
	}
}

// begin returns s, with the numbers reset if ssrc is another stream.
func (s *secured) begin(ssrc uint32) secured {
	next := *s
	if next.ssrc != ssrc {
		next.ssrc, next.begun, next.last, next.window = ssrc, false, 0, 0
	}
	return next
}

// crypt encrypts or decrypts the part of a packet after its header.
func (s *secured) crypt(payload []byte, ssrc uint32, n uint64) {
	var iv [aes.BlockSize]byte
	copy(iv[:], s.salt[:])
	var mix [aes.BlockSize]byte
	binary.BigEndian.PutUint32(mix[4:], ssrc)
	binary.BigEndian.PutUint64(mix[8:], n<<16)
	subtle.XORBytes(iv[:], iv[:], mix[:])
	cipher.NewCTR(s.block, iv[:]).XORKeyStream(payload, payload)
}

// sign returns the authentication tag of a packet with its number.
func (s *secured) sign(packet []byte, n uint64) []byte {
	s.mac.Reset()
	s.mac.Write(packet)
	var over [4]byte
	binary.BigEndian.PutUint32(over[:], uint32(n>>16))
	s.mac.Write(over[:])
	return s.mac.Sum(nil)[:s.tag]
}

// protect encrypts a packet that was written by Packet.append. It returns false if its
// number was used before.
func (s *secured) protect(b []byte) ([]byte, bool) {
	*s = s.begin(binary.BigEndian.Uint32(b[8:]))
	n := s.number(binary.BigEndian.Uint16(b[2:]))
	if !s.isFresh(n) {
		return nil, false
	}
	s.use(n)
	s.crypt(b[headerSize:], s.ssrc, n)
	return append(b, s.sign(b, n)...), true
}

// open checks and decrypts a packet in place. It returns false for a forged or repeated
// packet.
func (s *secured) open(b []byte) ([]byte, bool) {
	if len(b) < headerSize+s.tag || b[0]>>6 != 2 {
		return nil, false
	}
	packet, proof := b[:len(b)-s.tag], b[len(b)-s.tag:]
	next := s.begin(binary.BigEndian.Uint32(b[8:]))
	n := next.number(binary.BigEndian.Uint16(b[2:]))
	if !next.isFresh(n) || !hmac.Equal(proof, next.sign(packet, n)) {
		return nil, false
	}
	start := payloadStart(packet)
	if start > len(packet) {
		return nil, false
	}
	next.use(n)
	next.crypt(packet[start:], next.ssrc, n)
	*s = next
	return packet, true
}
