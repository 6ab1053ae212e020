// Package mtasts finds out how a domain wants mail to be brought to it (MTA-STS,
// RFC 8461): to which servers, and only over encrypted connections with a right
// certificate.
//
// A domain can neither fill the memory nor hold its caller: a policy has 64 KiB at
// most, a look-up ends in time, and a bounded number of policies is kept. A policy that
// was seen holds until it expires, also while it cannot be fetched: otherwise anybody on
// the way could take it away.
package mtasts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limits of a look-up.
const (
	lookupTime  = 20 * time.Second
	maxPolicy   = 64 << 10
	maxPolicies = 10_000
	maxServers  = 100
	// maxAge is the longest that a policy holds, checkPause how long nobody looks
	// whether there is another one.
	maxAge     = 31_557_600 * time.Second
	checkPause = 10 * time.Minute
)

// The modes of a policy.
const (
	Enforce = "enforce"
	Testing = "testing"
	none    = "none"
)

// Policy is how a domain wants its mail.
type Policy struct {
	Mode    string
	Servers []string // patterns of host names
	MaxAge  time.Duration
}

// Allows says whether the policy names a server.
func (p *Policy) Allows(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return slices.ContainsFunc(p.Servers, func(pattern string) bool {
		if rest, wild := strings.CutPrefix(pattern, "*."); wild {
			_, parent, _ := strings.Cut(host, ".")
			return parent == rest
		}
		return pattern == host
	})
}

// Config is what look-ups need.
type Config struct {
	// LookupTXT asks name servers.
	LookupTXT func(ctx context.Context, name string) ([]string, error)
	// HTTP fetches policies; it must not follow redirects.
	HTTP http.RoundTripper
	Now  func() time.Time
}

// Finder finds policies and keeps them.
type Finder struct {
	Config
	mu   sync.Mutex
	kept map[string]entry
}

type entry struct {
	id      string
	policy  *Policy
	checked time.Time
	expires time.Time
}

// New makes a finder.
func New(c Config) *Finder { return &Finder{Config: c, kept: map[string]entry{}} }

// Find returns the policy of a domain, nil where it has none that is enforced or
// tested.
func (f *Finder) Find(ctx context.Context, domain string) *Policy {
	now := f.Now()
	f.mu.Lock()
	known := f.kept[domain]
	f.mu.Unlock()
	if known.policy != nil && !known.expires.After(now) {
		known = entry{}
	}
	if !known.checked.IsZero() && now.Before(known.checked.Add(checkPause)) {
		return inForce(known.policy)
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	known.checked = now
	if id, err := f.findID(ctx, domain); err == nil && (id != known.id || known.policy == nil) {
		if p, err := f.fetch(ctx, domain); err == nil {
			known.id, known.policy, known.expires = id, p, now.Add(p.MaxAge)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.kept) >= maxPolicies {
		clear(f.kept)
	}
	f.kept[domain] = known
	return inForce(known.policy)
}

func inForce(p *Policy) *Policy {
	if p == nil || p.Mode == none {
		return nil
	}
	return p
}

var errNoRecord = errors.New("mtasts: no record")

// findID returns the id of a domain's policy. It returns an error where there is no
// record, or more than one.
func (f *Finder) findID(ctx context.Context, domain string) (string, error) {
	texts, err := f.LookupTXT(ctx, "_mta-sts."+domain)
	if err != nil {
		return "", err
	}
	texts = slices.DeleteFunc(texts, func(t string) bool { return !strings.HasPrefix(t, "v=STSv1;") })
	if len(texts) != 1 {
		return "", errNoRecord
	}
	for field := range strings.SplitSeq(texts[0], ";") {
		if name, value, _ := strings.Cut(strings.TrimSpace(field), "="); name == "id" && value != "" {
			return value, nil
		}
	}
	return "", errNoRecord
}

// fetch fetches the policy of a domain.
func (f *Finder) fetch(ctx context.Context, domain string) (*Policy, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://mta-sts."+domain+"/.well-known/mta-sts.txt", nil)
	if err != nil {
		return nil, err
	}
	resp, err := f.HTTP.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode != http.StatusOK || kind != "text/plain" {
		return nil, fmt.Errorf("mtasts: the policy of %s cannot be had: %s %s", domain, resp.Status, kind)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxPolicy+1))
	if err != nil {
		return nil, err
	}
	return parse(string(text))
}

// parse reads a policy.
func parse(text string) (*Policy, error) {
	p := &Policy{MaxAge: -1}
	version := ""
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "version":
			version = value
		case "mode":
			p.Mode = value
		case "mx":
			p.Servers = append(p.Servers, strings.ToLower(value))
		case "max_age":
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil || n < 0 {
				return nil, errors.New("mtasts: max_age is no number of seconds")
			}
			p.MaxAge = time.Duration(min(n, int64(maxAge/time.Second))) * time.Second
		}
	}
	if len(text) > maxPolicy || version != "STSv1" || p.MaxAge < 0 || len(p.Servers) > maxServers ||
		!slices.Contains([]string{Enforce, Testing, none}, p.Mode) || p.Mode != none && len(p.Servers) == 0 {
		return nil, errors.New("mtasts: the policy cannot be read")
	}
	return p, nil
}
