package signin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"strings"

	"github.com/google/uuid"
)

const (
	recoveryCodes = 10
	// recoveryAlphabet has no letters that can be mistaken for digits.
	recoveryAlphabet = "abcdefghjkmnpqrstuvwxyz23456789"
	recoveryHalf     = 5
)

// newRecoveryCodes returns ten codes such as k7mqx-4rdwp.
func newRecoveryCodes() []string {
	out := make([]string, recoveryCodes)
	for i := range out {
		out[i] = randomText(recoveryHalf) + "-" + randomText(recoveryHalf)
	}
	return out
}

func randomText(n int) string {
	out := make([]byte, 0, n)
	var b [1]byte
	for len(out) < n {
		if _, err := rand.Read(b[:]); err != nil {
			panic(err)
		}
		// Values past the last whole alphabet would favour its first letters.
		if int(b[0]) < 256-256%len(recoveryAlphabet) {
			out = append(out, recoveryAlphabet[int(b[0])%len(recoveryAlphabet)])
		}
	}
	return string(out)
}

// hashRecoveryCode returns the stored form of a code. Codes are short enough to be typed,
// so the hash uses a key that is not in the database.
func (s *Service) hashRecoveryCode(user uuid.UUID, code string) []byte {
	m := hmac.New(sha256.New, s.cfg.Box.Derive("recovery-code"))
	m.Write(user[:])
	m.Write([]byte(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(code)), "-", "")))
	return m.Sum(nil)
}
