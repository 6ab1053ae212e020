package sdp

import (
	"crypto/rand"
	"encoding/base64"
	"strconv"
	"strings"
)

// Suite is a way to encrypt sound (RFC 4568 section 6.2).
type Suite string

// The known suites, both AES with 128-bit keys.
const (
	SHA180 Suite = "AES_CM_128_HMAC_SHA1_80"
	SHA132 Suite = "AES_CM_128_HMAC_SHA1_32"
)

// TagSize returns the number of bytes of a packet's authentication tag.
func (s Suite) TagSize() int {
	if s == SHA132 {
		return 4
	}
	return 10
}

// MasterSize is the size of a master key with its salt.
const MasterSize = 30

// Crypto is the key with which one side encrypts its sound.
type Crypto struct {
	Tag    int
	Suite  Suite
	Master [MasterSize]byte
}

// NewCrypto returns a new random key.
func NewCrypto(tag int, suite Suite) *Crypto {
	c := &Crypto{Tag: tag, Suite: suite}
	_, _ = rand.Read(c.Master[:]) // never fails
	return c
}

// parseCrypto parses the value of a crypto attribute: tag, suite, key and parameters. It
// returns nil for an unknown one, which is skipped: a side may offer several.
func parseCrypto(value string) *Crypto {
	fields := strings.Fields(value)
	if len(fields) != 3 { // session parameters may change what is encrypted
		return nil
	}
	tag, err := strconv.ParseUint(fields[0], 10, 30)
	suite := Suite(fields[1])
	if err != nil || suite != SHA180 && suite != SHA132 {
		return nil
	}
	key, ok := strings.CutPrefix(fields[2], "inline:")
	if !ok || strings.Contains(key, ";") {
		return nil
	}
	key, parameters, _ := strings.Cut(key, "|")
	if strings.Contains(parameters, ":") { // with a key identifier, every packet would contain it
		return nil
	}
	master, err := base64.StdEncoding.DecodeString(key)
	if err != nil || len(master) != MasterSize {
		return nil
	}
	return &Crypto{Tag: int(tag), Suite: suite, Master: [MasterSize]byte(master)}
}

// String returns the value of the attribute.
func (c Crypto) String() string {
	return strconv.Itoa(c.Tag) + " " + string(c.Suite) + " inline:" + base64.StdEncoding.EncodeToString(c.Master[:])
}
