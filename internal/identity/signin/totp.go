package signin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
)

// RFC 6238 as every authenticator app knows it.
const (
	totpPeriod = 30
	totpDigits = otp.DigitsSix
	// totpSkew is how many periods a phone's clock may be off.
	totpSkew = 1
)

// totpSealName is what a person's secret is sealed to.
func totpSealName(user uuid.UUID) string { return "app_user/" + user.String() + "/totp" }

// newTOTPSecret makes a secret in the form that apps take.
func newTOTPSecret() string {
	var b [20]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // the platform promises this cannot fail
	}
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:])
}

func totpCode(secret string, step int64, digits otp.Digits) (string, error) {
	return hotp.GenerateCodeCustom(secret, uint64(step), hotp.ValidateOpts{Digits: digits, Algorithm: otp.AlgorithmSHA1})
}

// totpStep finds the time step of a code, so that it can be spent. Steps up to
// last are spent already.
func totpStep(secret, code string, now time.Time, last int64) (int64, bool, error) {
	at := now.Unix() / totpPeriod
	for step := at - totpSkew; step <= at+totpSkew; step++ {
		want, err := totpCode(secret, step, totpDigits)
		if err != nil {
			return 0, false, fmt.Errorf("signin: code: %w", err)
		}
		if step > last && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			return step, true, nil
		}
	}
	return 0, false, nil
}

// otpauthURL is what an authenticator app reads from the QR code.
func otpauthURL(issuer, account, secret string) string {
	q := url.Values{"secret": {secret}, "issuer": {issuer}}
	return "otpauth://totp/" + url.PathEscape(issuer+":"+account) + "?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

const (
	recoveryCodes = 10
	// recoveryAlphabet has no letters that are mistaken for digits.
	recoveryAlphabet = "abcdefghjkmnpqrstuvwxyz23456789"
	recoveryHalf     = 5
)

// newRecoveryCodes makes ten codes such as k7mqx-4rdwp.
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

// hashRecoveryCode returns what is stored of a code. Codes are short enough to be typed,
// so the hash takes a key that is not in the database.
func (s *Service) hashRecoveryCode(user uuid.UUID, code string) []byte {
	m := hmac.New(sha256.New, s.cfg.Box.Derive("recovery-code"))
	m.Write(user[:])
	m.Write([]byte(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(code)), "-", "")))
	return m.Sum(nil)
}
