// Package totp creates and checks the codes of authenticator apps (RFC 6238): six digits by
// SHA-1 and a step of half a minute, which every app supports.
//
// It stores nothing. The caller that accepts a code must record its step, so that it is
// accepted only once.
package totp

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
)

const (
	// period is the length of a step in seconds.
	period = 30
	digits = otp.DigitsSix
	// skew is the number of steps by which a phone's clock may be off.
	skew = 1
)

// NewSecret creates a secret in the form that apps accept.
func NewSecret() string {
	var b [20]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // the platform promises this cannot fail
	}
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:])
}

// codeAt returns the code of a step.
func codeAt(secret string, step int64, length otp.Digits) (string, error) {
	return hotp.GenerateCodeCustom(secret, uint64(step), hotp.ValidateOpts{Digits: length, Algorithm: otp.AlgorithmSHA1})
}

// FindStep returns the step of a code, so that it can be recorded as used. Steps up to last
// are used already. It returns false if the code belongs to no step near now.
func FindStep(secret, code string, now time.Time, last int64) (int64, bool, error) {
	at := now.Unix() / period
	for step := at - skew; step <= at+skew; step++ {
		want, err := codeAt(secret, step, digits)
		if err != nil {
			return 0, false, fmt.Errorf("totp: code: %w", err)
		}
		if step > last && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			return step, true, nil
		}
	}
	return 0, false, nil
}

// URL returns the address that an authenticator app reads from the QR code.
func URL(issuer, account, secret string) string {
	q := url.Values{"secret": {secret}, "issuer": {issuer}}
	return "otpauth://totp/" + url.PathEscape(issuer+":"+account) + "?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}
