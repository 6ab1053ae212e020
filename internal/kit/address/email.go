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

// Email is an e-mail address as typed and the key under which it is unique.
type Email struct {
	Address string
	Key     string
}

// domains turns domain names into A-labels and refuses what no name can be.
var domains = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true), idna.VerifyDNSLength(true))

// ParseEmail reads a bare address: no display name, no comment, a domain with
// a dot, at most 254 bytes. A domain beyond ASCII is given as mail servers know
// it, in A-labels (RFC 5890).
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

// IsWildcard says whether a text is meant for many addresses, such as *@example.com or
// @example.com.
func IsWildcard(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "@") || strings.Contains(s, "*")
}

// ParseDomain reads the name of a domain: at least two labels, no address. It is
// given as name servers know it: in small letters and A-labels.
func ParseDomain(s string) (string, bool) {
	s = strings.TrimSuffix(strings.TrimSpace(s), ".")
	name, err := domains.ToASCII(s)
	last := name[strings.LastIndex(name, ".")+1:]
	if err != nil || len(name) == len(last) || strings.Trim(last, "0123456789") == "" {
		return "", false
	}
	return Fold(name), true
}

// ShowDomain is a domain's name as people read it.
func ShowDomain(name string) string {
	if shown, err := idna.Display.ToUnicode(name); err == nil {
		return shown
	}
	return name
}

// ParseEmails reads a list of addresses and returns each once. It returns false
// where one is malformed, or is one that not every mail server takes.
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

// ContainsEmail says whether an address is in a list.
func ContainsEmail(list []string, addr string) bool {
	return slices.ContainsFunc(list, func(a string) bool { return Fold(a) == Fold(addr) })
}

// ASCII says whether every mail server takes the address. Others need one that
// speaks SMTPUTF8, which we do not ask for.
func (e Email) ASCII() bool { return isASCII(e.Address) }

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// Fold makes capitals small, the same in every language: the Turkish locale
// would turn INFO@ into ınfo@, and a database's lower() differs from one to the
// next. What is not ASCII never becomes ASCII: İ, ı and the Kelvin sign stay, so
// that nobody's address is taken for another's.
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
