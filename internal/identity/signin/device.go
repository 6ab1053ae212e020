package signin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"

	"konak/internal/kit/address"
	"konak/internal/kit/limit"
)

// deviceTokenFor is how long a device is known after a sign-in.
const deviceTokenFor = 180 * 24 * time.Hour

// newDeviceToken creates the token that a successful sign-in leaves on a device. It proves
// that somebody signed in there with this address, and opens nothing: a device that shows
// it has its own tries at the password. Nothing is stored.
func (s *Service) newDeviceToken(email string) string {
	nonce := make([]byte, len(limit.Key{}))
	_, _ = rand.Read(nonce) // it never fails
	return encodeToken(nonce) + "." + encodeToken(s.signDevice(nonce, address.Fold(email)))
}

// knownDevice reports whether a token was made for this address, and returns the key by
// which the tries of its device are counted.
func (s *Service) knownDevice(token, emailKey string) (limit.Key, bool) {
	left, right, _ := strings.Cut(token, ".")
	nonce, err := base64.RawURLEncoding.DecodeString(left)
	if err != nil || len(nonce) != len(limit.Key{}) {
		return limit.Key{}, false
	}
	signature, err := base64.RawURLEncoding.DecodeString(right)
	return limit.Key(nonce), err == nil && hmac.Equal(signature, s.signDevice(nonce, emailKey))
}

func (s *Service) signDevice(nonce []byte, emailKey string) []byte {
	m := hmac.New(sha256.New, s.cfg.Box.Derive("known device"))
	m.Write(nonce)
	m.Write([]byte(emailKey))
	return m.Sum(nil)
}

func encodeToken(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
