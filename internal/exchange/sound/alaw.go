package sound

// EncodeALaw encodes a sample by the A-law of G.711: sign, segment and four bits, every
// second bit inverted.
func EncodeALaw(sample int16) byte {
	v, sign := int(sample)>>3, byte(0x80)
	if v < 0 {
		v, sign = -v-1, 0
	}
	segment := byte(0)
	for limit := 0x1F; v > limit && segment < 7; limit = limit<<1 | 1 {
		segment++
	}
	code := segment << 4
	if segment < 2 {
		code |= byte(v>>1) & 0x0F
	} else {
		code |= byte(v>>segment) & 0x0F
	}
	return (sign | code) ^ 0x55
}

// DecodeALaw returns the sample of a code.
func DecodeALaw(code byte) int16 {
	code ^= 0x55
	v := int(code&0x0F)<<4 + 8
	if segment := code >> 4 & 7; segment > 0 {
		v = (v + 0x100) << (segment - 1)
	}
	if code&0x80 == 0 {
		v = -v
	}
	return int16(v)
}
