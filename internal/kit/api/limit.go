package api

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/fault"
	"konak/internal/kit/limit"
)

// LimitClass is how tightly a route is limited.
type LimitClass string

// The classes. The other limits depend on the caller: they apply to an API key, to a
// person, or to the address of a caller without a credential.
const (
	// Ordinary is the class of a route that declares none.
	Ordinary LimitClass = ""
	// Credentials is for routes that take a password, a code or a link: each
	// call is a guess.
	Credentials LimitClass = "credentials"
	// Mailing is for routes that make us send mail to an address that a stranger enters.
	Mailing LimitClass = "mailing"
	// Unlimited is for requests of an operator's own machines.
	Unlimited LimitClass = "unlimited"
)

// The policies. A burst is enough for a busy but honest caller.
var (
	perStranger = limit.Policy{Name: "keyless", Burst: 60, Window: time.Minute}
	refused     = limit.Policy{Name: "refused", Burst: 120, Window: time.Minute}

	guessIP      = limit.Policy{Name: "credentials-ip", Burst: 30, Window: 5 * time.Minute, Strict: true}
	guessAccount = limit.Policy{Name: "credentials-account", Burst: 10, Window: 5 * time.Minute, Strict: true}
	mailIP       = limit.Policy{Name: "mailing-ip", Burst: 10, Window: 10 * time.Minute, Strict: true}
)

// Rates are the numbers of calls allowed per minute. 0 means the default for a key, an
// account and an address, and no limit for a workspace.
type Rates struct{ Key, Account, Address, Workspace int }

// The default rates.
const (
	keyRate     = 600
	accountRate = 1200
	addressRate = 300
)

// perMinute returns a policy of that many calls a minute.
func perMinute(name string, calls int) limit.Policy {
	return limit.Policy{Name: name, Burst: calls, Window: time.Minute}
}

// withinLimits counts the call against every limit that applies and writes the RateLimit
// headers of the policy that is closest to exhaustion.
func (a *API) withinLimits(ctx context.Context, w http.ResponseWriter, rt *Route, who *caller.Caller, ip string) error {
	if rt.Limit == Unlimited || a.cfg.Limits == nil {
		return nil
	}
	var results [3]limit.Result
	n := 0
	take := func(p limit.Policy, k limit.Key) {
		results[n] = a.cfg.Limits.Take(ctx, p, k)
		n++
	}
	switch {
	case who == nil && rt.Access == Keyless:
		take(perStranger, limit.OfIP(ip))
	case who == nil:
		take(perMinute("ip", cmp.Or(a.cfg.Rates.Address, addressRate)), limit.OfIP(ip))
	case who.Kind == caller.APIKey:
		take(perMinute("key", cmp.Or(a.cfg.Rates.Key, keyRate)), limit.Key(who.ID))
	default:
		take(perMinute("account", cmp.Or(a.cfg.Rates.Account, accountRate)), limit.Key(who.UserID))
	}
	if a.cfg.Rates.Workspace > 0 && who != nil {
		take(perMinute("workspace", a.cfg.Rates.Workspace), limit.Key(who.TenantID))
	}
	switch rt.Limit {
	case Credentials:
		if who != nil && who.UserID != uuid.Nil {
			take(guessAccount, limit.Key(who.UserID))
		} else {
			take(guessIP, limit.OfIP(ip))
		}
	case Mailing:
		take(mailIP, limit.OfIP(ip))
	}
	return showLimits(w, results[:n])
}

// refusal counts an invalid credential, so that guessing is limited, and returns err or,
// past the limit, a 429.
func (a *API) refusal(ctx context.Context, w http.ResponseWriter, rt *Route, ip string, err error) error {
	if rt.Limit == Unlimited || a.cfg.Limits == nil {
		return err
	}
	if r := a.cfg.Limits.Take(ctx, refused, limit.OfIP(ip)); !r.Allowed {
		return showLimits(w, []limit.Result{r})
	}
	return err
}

// showLimits writes the headers of draft-ietf-httpapi-ratelimit-headers: every policy that
// applies, and how much is left of the one that is exhausted first.
func showLimits(w http.ResponseWriter, results []limit.Result) error {
	tightest := results[0]
	policies := make([]byte, 0, 64)
	for i, r := range results {
		if i > 0 {
			policies = append(policies, ", "...)
		}
		policies = append(append(append(policies, '"'), r.Policy.Name...), `";q=`...)
		policies = strconv.AppendInt(policies, int64(r.Policy.Burst), 10)
		policies = append(policies, ";w="...)
		policies = strconv.AppendInt(policies, int64(limit.Seconds(r.Policy.Window)), 10)
		if !r.Allowed && tightest.Allowed || r.Allowed == tightest.Allowed && r.Remaining < tightest.Remaining {
			tightest = r
		}
	}
	left := make([]byte, 0, 48)
	left = append(append(append(left, '"'), tightest.Policy.Name...), `";r=`...)
	left = strconv.AppendInt(left, int64(tightest.Remaining), 10)
	left = append(left, ";t="...)
	left = strconv.AppendInt(left, int64(limit.Seconds(tightest.Reset)), 10)
	h := w.Header()
	h["Ratelimit-Policy"] = []string{string(policies)}
	h["Ratelimit"] = []string{string(left)}
	if tightest.Allowed {
		return nil
	}
	return RateLimited(tightest)
}

// TakeLimits counts each use once. It returns rate_limited at the first limit that is used
// up.
func TakeLimits(ctx context.Context, l limit.Limiter, uses ...limit.Use) error {
	for _, u := range uses {
		if r := l.Take(ctx, u.Policy, u.Key); !r.Allowed {
			return RateLimited(r)
		}
	}
	return nil
}

// RateLimited returns the refusal of a use that exceeds a limit.
func RateLimited(r limit.Result) *fault.Fault {
	wait := max(limit.Seconds(r.RetryAfter), 1)
	f := fault.New(fault.RateLimited, wait).Because(r.Policy.Name)
	f.RetryAfter = wait
	return f
}
