// Package limit bounds how often something may happen: requests of a caller,
// tries of a password, sign-ups from one address.
//
// Memory counts in the process, which is all that one node needs. Shared counts
// for several nodes on one database. Recent counts rare events in the database.
package limit

import (
	"context"
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
	// Strict uses are few and dear: several nodes count them together, one by
	// one.
	Strict bool
}

// pace is the time that one use takes up.
func (p Policy) pace() time.Duration { return p.Window / time.Duration(p.Burst) }

// allowed is the result of a use after which all uses are spread out until then.
func (p Policy) allowed(until, now time.Time) Result {
	left := until.Sub(now)
	return Result{Policy: p, Allowed: true, Remaining: int((p.Window - left) / p.pace()), Reset: left}
}

func (p Policy) refused(until, now time.Time) Result {
	return Result{Policy: p, Reset: until.Sub(now), RetryAfter: until.Add(p.pace()).Sub(now) - p.Window}
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
	Take(ctx context.Context, p Policy, k Key) Result
}
