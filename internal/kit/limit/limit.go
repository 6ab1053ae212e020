// Package limit bounds how often something may happen: requests of a caller,
// tries of a password, sign-ups from one address.
//
// What is counted stays in the process. Behind several nodes each counts for
// itself, so a limit may be reached as many times as there are nodes; whoever
// needs more puts another Limiter behind the interface.
package limit

import (
	"crypto/sha256"
	"net/netip"
	"time"
)

// Policy allows Burst uses at once and as many again in every window.
type Policy struct {
	// Name says whose uses are counted; clients see it in the headers.
	Name   string
	Burst  int
	Window time.Duration
}

// Key is whose uses are counted: an id, an address or a hash.
type Key [16]byte

// OfIP is the key of an address. A person with IPv6 has a whole /64.
func OfIP(ip string) Key {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return OfText(ip)
	}
	addr = addr.Unmap()
	if addr.Is6() {
		if p, err := addr.WithZone("").Prefix(64); err == nil {
			addr = p.Addr()
		}
	}
	return addr.As16()
}

// OfText is the key of anything that can be written.
func OfText(s string) Key {
	h := sha256.Sum256([]byte(s))
	return Key(h[:16])
}

// Result is what became of one use.
type Result struct {
	Policy  Policy
	Allowed bool
	// Remaining is how many uses are left now.
	Remaining int
	// Reset is when the whole burst is there again.
	Reset time.Duration
	// RetryAfter is when a refused use may be tried again.
	RetryAfter time.Duration
}

// Seconds rounds up, as headers want it.
func Seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// Limiter counts uses.
type Limiter interface {
	// Take uses one, unless the policy's burst is spent.
	Take(p Policy, k Key) Result
}
