package mtasts_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"konak/internal/kit/mtasts"
)

// site is a domain's record and policy, as a test sets them.
type site struct {
	record  string
	policy  string
	kind    string
	status  int
	fetched int
	asked   int
	now     time.Time
	stored  map[string]mtasts.Kept
	noLoad  error
	noSave  error
}

func (s *site) Load(_ context.Context, domain string) (mtasts.Kept, error) {
	return s.stored[domain], s.noLoad
}

func (s *site) Save(_ context.Context, domain string, k mtasts.Kept) error {
	s.stored[domain] = k
	return s.noSave
}

func (s *site) LookupTXT(_ context.Context, name string) ([]string, error) {
	s.asked++
	if name != "_mta-sts.kaya.example" || s.record == "" {
		return nil, errors.New("no such name")
	}
	return strings.Split(s.record, "|"), nil
}

func (s *site) RoundTrip(req *http.Request) (*http.Response, error) {
	s.fetched++
	if req.URL.String() != "https://mta-sts.kaya.example/.well-known/mta-sts.txt" || s.policy == "" {
		return nil, errors.New("no such page")
	}
	return &http.Response{StatusCode: s.status, Header: http.Header{"Content-Type": {s.kind}}, Body: io.NopCloser(strings.NewReader(s.policy))}, nil
}

func newSite() *site {
	return &site{
		stored: map[string]mtasts.Kept{},
		record: "v=STSv1; id=1;", kind: "text/plain; charset=utf-8", status: 200, now: time.Unix(1_800_000_000, 0),
		policy: "version: STSv1\r\nmode: enforce\r\nmx: mx.kaya.example\r\nmx: *.post.example\r\nmax_age: 86400\r\n",
	}
}

func (s *site) finder() *mtasts.Finder {
	return mtasts.New(mtasts.Config{LookupTXT: s.LookupTXT, HTTP: s, Now: func() time.Time { return s.now }, Store: s})
}

// find returns the policy from a finder.
func find(t *testing.T, f *mtasts.Finder) *mtasts.Policy {
	t.Helper()
	p, err := f.Find(t.Context(), "kaya.example")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFind(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*site){
		"no record":          func(s *site) { s.record = "" },
		"two records":        func(s *site) { s.record = "v=STSv1; id=1;|v=STSv1; id=2;" },
		"no id":              func(s *site) { s.record = "v=STSv1;" },
		"another version":    func(s *site) { s.record = "v=STSv2; id=1;" },
		"no policy":          func(s *site) { s.policy = "" },
		"elsewhere":          func(s *site) { s.status = 302 },
		"another kind":       func(s *site) { s.kind = "text/html" },
		"no version":         func(s *site) { s.policy = "mode: enforce\nmx: a.example\nmax_age: 1\n" },
		"no mode":            func(s *site) { s.policy = "version: STSv1\nmx: a.example\nmax_age: 1\n" },
		"another mode":       func(s *site) { s.policy = "version: STSv1\nmode: maybe\nmx: a.example\nmax_age: 1\n" },
		"no servers":         func(s *site) { s.policy = "version: STSv1\nmode: enforce\nmax_age: 1\n" },
		"no age":             func(s *site) { s.policy = "version: STSv1\nmode: enforce\nmx: a.example\n" },
		"a negative age":     func(s *site) { s.policy = "version: STSv1\nmode: enforce\nmx: a.example\nmax_age: -1\n" },
		"withdrawn":          func(s *site) { s.policy = "version: STSv1\nmode: none\nmax_age: 1\n" },
		"too long":           func(s *site) { s.policy += strings.Repeat("x: y\n", 20_000) },
		"too many servers":   func(s *site) { s.policy += strings.Repeat("mx: a.example\n", 101) },
		"an age without end": nil,
		"as it ought to be":  nil,
	} {
		s := newSite()
		if change != nil {
			change(s)
		}
		if name == "an age without end" {
			s.policy = strings.Replace(s.policy, "86400", "9223372036854775807", 1)
		}
		p := find(t, s.finder())
		if (p != nil) != (change == nil) {
			t.Errorf("%s: got %+v", name, p)
		}
		if p == nil {
			continue
		}
		for host, want := range map[string]bool{"mx.kaya.example": true, "MX.kaya.example.": true, "a.post.example": true, "post.example": false, "a.b.post.example": false, "evil.example": false} {
			if p.Allows(host) != want {
				t.Errorf("%s: want %v", host, want)
			}
		}
	}
}

// A known policy is valid until it expires, and is fetched again if the domain announces a
// new one.
func TestPolicyIsCachedUntilItExpires(t *testing.T) {
	t.Parallel()
	s := newSite()
	f := s.finder()
	for range 2 {
		if find(t, f) == nil || s.fetched != 1 {
			t.Fatalf("fetched %d times", s.fetched)
		}
	}
	s.record, s.policy = "", "" // somebody on the way removes it
	s.now = s.now.Add(time.Hour)
	if find(t, f) == nil {
		t.Error("the policy is forgotten")
	}
	s.record, s.policy = "v=STSv1; id=2;", "version: STSv1\nmode: testing\nmx: a.example\nmax_age: 3600\n"
	s.now = s.now.Add(5 * time.Minute)
	if p := find(t, f); p.Mode != mtasts.Enforce {
		t.Errorf("looked up too soon: %+v", p)
	}
	s.now = s.now.Add(10 * time.Minute)
	if p := find(t, f); p == nil || p.Mode != mtasts.Testing {
		t.Errorf("got %+v", p)
	}
	s.record, s.policy = "", ""
	s.now = s.now.Add(2 * time.Hour)
	if p := find(t, f); p != nil {
		t.Errorf("expired: got %+v", p)
	}
	asked := s.asked
	if find(t, f); s.asked != asked {
		t.Error("a domain without a policy is asked for it each time")
	}
	// A policy that expires soon is looked up again as soon as it has.
	s.record, s.policy = "v=STSv1; id=3;", "version: STSv1\nmode: enforce\nmx: a.example\nmax_age: 60\n"
	s.now = s.now.Add(time.Hour)
	find(t, f)
	s.now = s.now.Add(time.Minute)
	if p := find(t, f); p == nil {
		t.Error("a policy that expired is not looked for again")
	}
}

// A policy is still valid after a restart, until it expires. If it is unknown whether there
// is one, Find does not answer that there is none.
func TestRestart(t *testing.T) {
	t.Parallel()
	s := newSite()
	want := find(t, s.finder()).Lines()
	if got := strings.Join(want, "\r\n") + "\r\n"; got != s.policy {
		t.Errorf("got %q", got)
	}
	s.record, s.policy = "", "" // somebody on the way removes it
	s.now = s.now.Add(23 * time.Hour)
	if p := find(t, s.finder()); p == nil || !slices.Equal(p.Lines(), want) {
		t.Errorf("after a restart: %+v", p)
	}
	s.noLoad = errors.New("down")
	if p, err := s.finder().Find(t.Context(), "kaya.example"); !errors.Is(err, s.noLoad) || p != nil {
		t.Errorf("without the store: %+v, %v", p, err)
	}
	s.noLoad = nil
	s.now = s.now.Add(2 * time.Hour)
	if p := find(t, s.finder()); p != nil {
		t.Errorf("expired: got %+v", p)
	}
	again := newSite()
	again.noSave = errors.New("down")
	if p, err := again.finder().Find(t.Context(), "kaya.example"); !errors.Is(err, again.noSave) || p != nil {
		t.Errorf("a policy that cannot be kept: %+v, %v", p, err)
	}
}
