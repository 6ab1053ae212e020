// Package address reads addresses that people type: e-mail and phone numbers.
package address

import (
	"net/mail"
	"slices"
	"strings"
	"unicode/utf8"
)

// Email is an e-mail address as typed and the key under which it is unique.
type Email struct {
	Address string
	Key     string
}

// ParseEmail reads a bare address: no display name, no comment, a domain with
// a dot, at most 254 bytes.
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
	if len(local) > 64 || !strings.Contains(strings.Trim(domain, "."), ".") || strings.HasPrefix(domain, "[") {
		return Email{}, false
	}
	return Email{Address: s, Key: Fold(s)}, true
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
func (e Email) ASCII() bool {
	return !strings.ContainsFunc(e.Address, func(r rune) bool { return r >= utf8.RuneSelf })
}

// Fold lowers A to Z and nothing else. Addresses are compared by ASCII rules:
// the Turkish locale would turn INFO@ into ınfo@, and a database's lower()
// differs from one to the next.
func Fold(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
