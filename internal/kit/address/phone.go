package address

import (
	"slices"
	"strings"
)

// ParsePhone parses a phone number as people type it and returns it in E.164:
// +905321234567. A number without a country code is read as Turkish if it is written like
// one (0532 123 45 67); any other is refused, because a guess would reach a stranger.
func ParsePhone(s string) (string, bool) {
	var b strings.Builder
	for i, c := range strings.TrimSpace(s) {
		switch {
		case '0' <= c && c <= '9':
			b.WriteRune(c)
		case c == '+' && i == 0:
			b.WriteRune(c)
		case strings.ContainsRune(" -./()\u00a0", c):
		default:
			return "", false
		}
	}
	n := b.String()
	switch {
	case strings.HasPrefix(n, "+"):
		n = n[1:]
	case strings.HasPrefix(n, "00"):
		n = n[2:]
	case strings.HasPrefix(n, "0") && len(n) == 11:
		n = "90" + n[1:]
	default:
		return "", false
	}
	if len(n) < 8 || len(n) > 15 || n[0] == '0' || strings.HasPrefix(n, "90") && len(n) != 12 {
		return "", false
	}
	return "+" + n, true
}

// emergency is the list of emergency numbers: those that many countries share and those of
// Türkiye.
var emergency = []string{"112", "911", "999", "110", "155", "156", "158", "177"}

// IsEmergency reports whether a number is an emergency number.
func IsEmergency(number string) bool { return slices.Contains(emergency, strings.TrimSpace(number)) }
