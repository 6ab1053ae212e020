package sipexchange_test

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"konak/internal/exchange/baresiptest"
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

func toneShare(samples []int16, hz float64) float64 { return baresiptest.ToneShare(samples, hz) }

func tone(hz, seconds float64) []int16 { return baresiptest.Tone(hz, seconds) }

func decode(c sdp.Codec, payload []byte) []int16 { return rtp.Decode(nil, c, payload) }

func replaceOnce(s, old, replacement string) string { return strings.Replace(s, old, replacement, 1) }
