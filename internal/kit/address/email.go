// Package address reads addresses that people type: e-mail and phone numbers.
package address

import (
	"net/mail"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Email is an e-mail address as typed, and the key that must be unique.
type Email struct {
	Address string
	Key     string
}

// domains converts domain names into A-labels and refuses what cannot be a domain name.
var domains = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true), idna.VerifyDNSLength(true))

// ParseEmail parses a bare address: no display name, no comment, a domain with a dot, at
// most 254 bytes. A non-ASCII domain is returned in A-labels (RFC 5890), the form that mail
// servers use.
func ParseEmail(s string) (Email, bool) {
	s = strings.TrimSpace(s)
	if len(s) > 254 || !utf8.ValidString(s) {
		return Email{}, false
	}
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || a.Name != "" {
		return Email{}, false
	}
	local, domain, _ := strings.Cut(s, "@")
	if !isASCII(domain) {
		if domain, err = domains.ToASCII(domain); err != nil {
			return Email{}, false
		}
		if s = local + "@" + domain; len(s) > 254 {
			return Email{}, false
		}
	}
	if len(local) > 64 || !strings.Contains(strings.Trim(domain, "."), ".") || strings.HasPrefix(domain, "[") {
		return Email{}, false
	}
	return Email{Address: s, Key: Fold(s)}, true
}

// IsWildcard reports whether a text stands for many addresses, such as *@example.com or
// @example.com.
func IsWildcard(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "@") || strings.Contains(s, "*")
}

// ParseDomain parses a domain name with at least two labels; an address is refused. The
// name is returned in the form that name servers use: lower case, in A-labels.
func ParseDomain(s string) (string, bool) {
	s = strings.TrimSuffix(strings.TrimSpace(s), ".")
	name, err := domains.ToASCII(s)
	last := name[strings.LastIndex(name, ".")+1:]
	if err != nil || len(name) == len(last) || strings.Trim(last, "0123456789") == "" {
		return "", false
	}
	return Fold(name), true
}

// ShowDomain returns a domain name in its readable form.
func ShowDomain(name string) string {
	if shown, err := idna.Display.ToUnicode(name); err == nil {
		return shown
	}
	return name
}

// ParseEmails parses a list of addresses and drops duplicates. It returns false if one is
// malformed or not accepted by every mail server.
func ParseEmails(list []string) ([]string, bool) {
	out := []string{}
	for _, text := range list {
		e, ok := ParseEmail(text)
		if !ok || !e.ASCII() {
			return nil, false
		}
		if !ContainsEmail(out, e.Address) {
			out = append(out, e.Address)
		}
	}
	return out, true
}

// ContainsEmail reports whether an address is in a list.
func ContainsEmail(list []string, addr string) bool {
	return slices.ContainsFunc(list, func(a string) bool { return Fold(a) == Fold(addr) })
}

// ASCII reports whether every mail server accepts the address. Other addresses need a
// server with SMTPUTF8, which we do not ask for.
func (e Email) ASCII() bool { return isASCII(e.Address) }

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// Fold converts capitals to lower case, the same in every language: the Turkish locale
// would turn INFO@ into ınfo@, and lower() differs between databases. A non-ASCII letter
// never becomes ASCII: İ, ı and the Kelvin sign stay, so that no address is taken for
// somebody else's.
func Fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch small := unicode.ToLower(r); {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case r < utf8.RuneSelf || small < utf8.RuneSelf:
			return r
		default:
			return small
		}
	}, s)
}
