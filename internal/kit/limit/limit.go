// Package limit limits how often something may happen: requests of a caller,
// password attempts, sign-ups from one address.
//
// Memory counts in the process, which is enough for one node. Shared counts
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
	// Name identifies the policy; clients see it in the headers.
	Name   string
	Burst  int
	Window time.Duration
	// Strict uses are few and expensive: several nodes count them together, one by one.
	Strict bool
}

// costOfOne is the share of the window that one use takes up.
func (p Policy) costOfOne() time.Duration { return p.Window / time.Duration(p.Burst) }

// allowed returns the result of an allowed use, given the time until which all uses are
// spread out.
func (p Policy) allowed(until, now time.Time) Result {
	left := until.Sub(now)
	return Result{Policy: p, Allowed: true, Remaining: int((p.Window - left) / p.costOfOne()), Reset: left}
}

func (p Policy) refused(until, now time.Time) Result {
	return Result{Policy: p, Reset: until.Sub(now), RetryAfter: until.Add(p.costOfOne()).Sub(now) - p.Window}
}

// Key identifies whose uses are counted: an id, an address or a hash.
type Key [16]byte

// OfIP returns the key of an address. A person with IPv6 has a whole /64.
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

// Use is one use of a policy by a key.
type Use struct {
	Policy Policy
	Key    Key
}

// By returns one use of the policy by a key.
func (p Policy) By(k Key) Use { return Use{p, k} }

// OfText returns the key of any text.
func OfText(s string) Key {
	h := sha256.Sum256([]byte(s))
	return Key(h[:16])
}

// Result is the result of one use.
type Result struct {
	Policy  Policy
	Allowed bool
	// Remaining is the number of uses left now.
	Remaining int
	// Reset is the time until the whole burst is available again.
	Reset time.Duration
	// RetryAfter is the time after which a refused use may be tried again.
	RetryAfter time.Duration
}

// Seconds rounds up, as headers require.
func Seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// Limiter counts uses.
type Limiter interface {
	// Take counts one use, unless the policy's burst is used up.
	Take(ctx context.Context, p Policy, k Key) Result
}
