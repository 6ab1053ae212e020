package rtp

import (
	"konak/internal/exchange/sdp"
	"konak/internal/exchange/sound"
)

var (
	fromULaw, fromALaw = decodeTable(sound.DecodeULaw), decodeTable(sound.DecodeALaw)
	uLawToALaw         = recodeTable(sound.DecodeULaw, sound.EncodeALaw)
	aLawToULaw         = recodeTable(sound.DecodeALaw, sound.EncodeULaw)
)

func decodeTable(decode func(byte) int16) *[256]int16 {
	var out [256]int16
	for i := range out {
		out[i] = decode(byte(i))
	}
	return &out
}

func recodeTable(decode func(byte) int16, encode func(int16) byte) *[256]byte {
	var out [256]byte
	for i := range out {
		out[i] = encode(decode(byte(i)))
	}
	return &out
}

// Decode appends the samples of a payload.
func Decode(out []int16, codec sdp.Codec, payload []byte) []int16 {
	table := fromULaw
	if codec == sdp.PCMA {
		table = fromALaw
	}
	for _, b := range payload {
		out = append(out, table[b])
	}
	return out
}

// encode appends samples as a payload.
func encode(out []byte, codec sdp.Codec, samples []int16) []byte {
	code := sound.EncodeULaw
	if codec == sdp.PCMA {
		code = sound.EncodeALaw
	}
	for _, v := range samples {
		out = append(out, code(v))
	}
	return out
}

// recode appends a payload converted to another codec.
func recode(out []byte, from, to sdp.Codec, payload []byte) []byte {
	if from == to {
		return append(out, payload...)
	}
	table := uLawToALaw
	if from == sdp.PCMA {
		table = aLawToULaw
	}
	for _, b := range payload {
		out = append(out, table[b])
	}
	return out
}
