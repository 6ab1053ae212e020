package sipexchange_test

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"

	"konak/internal/exchange/rtp"
	"konak/internal/exchange/sdp"
	"konak/internal/exchange/sound"
)

func md5Hex(s string) string {
	sum := md5.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}

func encodeSample(c sdp.Codec, v int16) byte {
	if c == sdp.PCMA {
		return sound.EncodeALaw(v)
	}
	return sound.EncodeULaw(v)
}

func rtpPacket(kind uint8, seq uint16, ts, ssrc uint32, payload []byte) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0x80, kind}, seq)
	b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, ts), ssrc)
	return append(b, payload...)
}

// toneShare is which part of the energy of samples lies at a frequency (Goertzel).
func toneShare(samples []int16, hz float64) float64 {
	c := 2 * math.Cos(2*math.Pi*hz/8000)
	var s1, s2, energy float64
	for _, v := range samples {
		s := float64(v) + c*s1 - s2
		s2, s1 = s1, s
		energy += float64(v) * float64(v)
	}
	if energy == 0 {
		return 0
	}
	power := s1*s1 + s2*s2 - c*s1*s2
	return 2 * power / (energy * float64(len(samples)))
}

// tone makes samples of a frequency.
func tone(hz float64, seconds float64) []int16 {
	out := make([]int16, int(seconds*8000))
	for i := range out {
		out[i] = int16(8000 * math.Sin(2*math.Pi*hz*float64(i)/8000))
	}
	return out
}

func decode(c sdp.Codec, payload []byte) []int16 { return rtp.Decode(nil, c, payload) }

func replaceOnce(s, old, replacement string) string { return strings.Replace(s, old, replacement, 1) }
