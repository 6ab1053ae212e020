package rtp

import (
	"encoding/binary"
	"strings"
)

// keyNames are the keys of a telephone in the order of their codes in RFC 4733.
const keyNames = "0123456789*#ABCD"

// keyCode returns the code of a key; false if there is no such key.
func keyCode(key byte) (byte, bool) {
	i := strings.IndexByte(keyNames, key)
	return byte(i), i >= 0
}

// AreKeys reports whether a text consists only of telephone keys.
func AreKeys(s string) bool {
	for i := range len(s) {
		if _, ok := keyCode(s[i]); !ok {
			return false
		}
	}
	return s != ""
}

// parseKey reads the payload of a pressed key. It returns false for other events.
func parseKey(payload []byte) (key byte, ok bool) {
	if len(payload) < 4 || int(payload[0]) >= len(keyNames) {
		return 0, false
	}
	return keyNames[payload[0]], true
}

// appendKey appends the payload of a key that is pressed for this many samples.
func appendKey(b []byte, code byte, end bool, duration uint16) []byte {
	volume := byte(10)
	if end {
		volume |= 0x80
	}
	return binary.BigEndian.AppendUint16(append(b, code, volume), duration)
}
