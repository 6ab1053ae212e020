package totp

import (
	"encoding/base32"
	"testing"
	"time"

	"github.com/pquerna/otp"
)

// The SHA-1 vectors of RFC 6238, appendix B, which have eight digits.
func TestRFC6238(t *testing.T) {
	t.Parallel()
	secret := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	for at, want := range map[int64]string{
		59: "94287082", 1111111109: "07081804", 1111111111: "14050471",
		1234567890: "89005924", 2000000000: "69279037", 20000000000: "65353130",
	} {
		if got, err := codeAt(secret, at/period, otp.DigitsEight); err != nil || got != want {
			t.Errorf("at %d: %s, %v; want %s", at, got, err, want)
		}
		now := time.Unix(at, 0)
		step, ok, err := FindStep(secret, want[2:], now, 0)
		if err != nil || !ok || step != at/period {
			t.Errorf("at %d: step %d, %v, %v", at, step, ok, err)
		}
		if _, ok, _ := FindStep(secret, want[2:], now, step); ok {
			t.Errorf("at %d: a spent code is taken", at)
		}
		if _, ok, _ := FindStep(secret, want[2:], now.Add(2*period*time.Second), 0); ok {
			t.Errorf("at %d: a code is taken two periods late", at)
		}
	}
}
