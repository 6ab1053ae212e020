// Package mtasts finds out how a domain wants mail to be delivered to it (MTA-STS, RFC
// 8461): to which servers, and only over encrypted connections with a valid certificate.
//
// A domain can neither fill the memory nor block its caller: a policy has 64 KiB at most, a
// look-up has a time limit, and a bounded number of policies is kept in memory. A known
// policy is valid until it expires, even while it cannot be fetched and after a restart:
// otherwise anybody on the way could remove it.
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
	// maxAge is the longest time that a policy is valid, checkPause how long no check for a
	// new one is made.
	maxAge     = 31_557_600 * time.Second
	checkPause = 10 * time.Minute
)

// The modes of a policy.
const (
	Enforce = "enforce"
	Testing = "testing"
	none    = "none"
)

// Policy describes how a domain wants its mail delivered.
type Policy struct {
	Mode    string        `json:"mode"`
	Servers []string      `json:"servers"` // patterns of host names
	MaxAge  time.Duration `json:"max_age"`
}

// Lines returns the policy in the form in which its domain publishes it.
func (p *Policy) Lines() []string {
	out := []string{"version: STSv1", "mode: " + p.Mode}
	for _, server := range p.Servers {
		out = append(out, "mx: "+server)
	}
	return append(out, fmt.Sprintf("max_age: %d", p.MaxAge/time.Second))
}

// Allows reports whether the policy names a server.
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

// Config holds what look-ups need.
type Config struct {
	// LookupTXT queries name servers.
	LookupTXT func(ctx context.Context, name string) ([]string, error)
	// HTTP fetches policies; it must not follow redirects.
	HTTP http.RoundTripper
	Now  func() time.Time
	// Store persists policies across restarts.
	Store Store
}

// Kept is a stored policy, with the id under which its domain published it.
type Kept struct {
	ID      string
	Policy  *Policy
	Expires time.Time
}

// Store stores the policies of domains.
type Store interface {
	// Load returns the policy of a domain, the zero Kept if there is none.
	Load(ctx context.Context, domain string) (Kept, error)
	// Save stores a policy, replacing the previous one.
	Save(ctx context.Context, domain string, k Kept) error
}

// Finder finds policies and caches them.
type Finder struct {
	Config
	mu   sync.Mutex
	kept map[string]entry
}

type entry struct {
	Kept
	checked time.Time
}

// New creates a finder.
func New(c Config) *Finder { return &Finder{Config: c, kept: map[string]entry{}} }

// Find returns the policy of a domain, nil if it has none in mode enforce or testing. It
// returns an error if the store fails: then it is unknown whether there is a policy.
func (f *Finder) Find(ctx context.Context, domain string) (*Policy, error) {
	now := f.Now()
	f.mu.Lock()
	known, ok := f.kept[domain]
	f.mu.Unlock()
	if !ok {
		var err error
		if known.Kept, err = f.Store.Load(ctx, domain); err != nil {
			return nil, fmt.Errorf("mtasts: load policy: %w", err)
		}
	}
	if known.Policy != nil && !known.Expires.After(now) {
		known = entry{}
	}
	if !known.checked.IsZero() && now.Before(known.checked.Add(checkPause)) {
		return inForce(known.Policy), nil
	}
	known.checked = now
	if fresh := f.lookUp(ctx, domain, known.Kept); fresh != nil {
		known.Kept = *fresh
		if err := f.Store.Save(ctx, domain, *fresh); err != nil {
			return nil, fmt.Errorf("mtasts: keep policy: %w", err)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.kept) >= maxPolicies {
		clear(f.kept)
	}
	f.kept[domain] = known
	return inForce(known.Policy), nil
}

// lookUp returns a policy that is newer than the known one, nil if there is none or it
// cannot be fetched.
func (f *Finder) lookUp(ctx context.Context, domain string, known Kept) *Kept {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	id, err := f.findID(ctx, domain)
	if err != nil || known.Policy != nil && id == known.ID {
		return nil
	}
	p, err := f.fetch(ctx, domain)
	if err != nil {
		return nil
	}
	return &Kept{id, p, f.Now().Add(p.MaxAge)}
}

func inForce(p *Policy) *Policy {
	if p == nil || p.Mode == none {
		return nil
	}
	return p
}

var errNoRecord = errors.New("mtasts: no record")

// findID returns the id of a domain's policy. It returns an error if there is no record, or
// more than one.
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
		return nil, fmt.Errorf("mtasts: cannot fetch the policy of %s: %s %s", domain, resp.Status, kind)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxPolicy+1))
	if err != nil {
		return nil, err
	}
	return parse(string(text))
}

// parse parses a policy.
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
				return nil, errors.New("mtasts: max_age is not a number of seconds")
			}
			p.MaxAge = time.Duration(min(n, int64(maxAge/time.Second))) * time.Second
		}
	}
	if len(text) > maxPolicy || version != "STSv1" || p.MaxAge < 0 || len(p.Servers) > maxServers ||
		!slices.Contains([]string{Enforce, Testing, none}, p.Mode) || p.Mode != none && len(p.Servers) == 0 {
		return nil, errors.New("mtasts: cannot parse the policy")
	}
	return p, nil
}
