package sound

// The µ-law of G.711 adds the bias to a sample and keeps the sign, the position of the
// highest bit and the four bits after it. All bits are sent inverted.
const (
	bias    = 0x84
	loudest = 32635
)

// EncodeULaw encodes a sample.
func EncodeULaw(sample int16) byte {
	v, sign := int(sample), byte(0)
	if v < 0 {
		v, sign = -v, 0x80
	}
	v = min(v, loudest) + bias
	exponent := byte(7)
	for bit := 0x4000; v&bit == 0; bit >>= 1 {
		exponent--
	}
	return ^(sign | exponent<<4 | byte(v>>(exponent+3))&0x0F)
}

// DecodeULaw returns the sample of a code.
func DecodeULaw(code byte) int16 {
	code = ^code
	v := (int(code&0x0F)<<3+bias)<<(code>>4&7) - bias
	if code&0x80 != 0 {
		v = -v
	}
	return int16(v)
}
