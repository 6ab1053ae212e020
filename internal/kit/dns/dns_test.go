package dns_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"konak/internal/kit/dns"
	"konak/internal/kit/dns/dnstest"
)

func dial(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, network, to.String())
}

func newClient(s *dnstest.Server, timeout time.Duration) *dns.Client {
	return dns.New(dns.Config{Dial: dial, Servers: s.Find, Timeout: timeout})
}

func TestLookup(t *testing.T) {
	t.Parallel()
	s := dnstest.Start(t)
	long := strings.Repeat("x", 255)
	s.SetTXT("chunked.example", []string{long, "yz"})
	s.SetTXT("two.example", []string{"a"}, []string{"b"})
	s.SetMX("example.com", "20 B.example", "10 a.example")
	s.SetCNAME("alias.example", "two.example")
	s.SetCNAME("loop.example", "loop.example")
	s.SetSRV("_imap._tcp.example", "0 0 0 .")
	s.SetTXT("large.example", []string{long}, []string{long}, []string{long}, []string{long}, []string{long}, []string{long})
	s.SetManner("large.example", dnstest.Truncates)
	c := newClient(s, 0)
	for _, q := range []struct {
		name string
		typ  dns.Type
		want []string
	}{
		{"chunked.example", dns.TXT, []string{long + "yz"}},
		{"CHUNKED.example.", dns.TXT, []string{long + "yz"}},
		{"two.example", dns.TXT, []string{"a", "b"}},
		{"two.example", dns.MX, nil},
		{"absent.example", dns.TXT, nil},
		{"example.com", dns.MX, []string{"20 b.example.", "10 a.example."}},
		{"alias.example", dns.TXT, []string{"a", "b"}},
		{"alias.example", dns.CNAME, []string{"two.example."}},
		{"_imap._tcp.example", dns.SRV, []string{"0 0 0 ."}},
		{"large.example", dns.TXT, []string{long, long, long, long, long, long}},
	} {
		got, err := c.Lookup(t.Context(), "example", q.name, q.typ)
		var texts []string
		for _, r := range got {
			texts = append(texts, r.String())
		}
		if err != nil || !slices.Equal(texts, q.want) {
			t.Errorf("%s %s: got %q, %v", q.name, q.typ, texts, err)
		}
	}
	if s.Streams() != 1 {
		t.Errorf("%d questions by TCP", s.Streams())
	}
	if _, err := c.Lookup(t.Context(), "example", "loop.example", dns.TXT); err == nil {
		t.Error("an alias of itself has an answer")
	}
}

// A server that does not answer is distinguished from a name without records.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	for manner, want := range map[dnstest.Manner]string{
		dnstest.Fails: dns.ReasonFailed, dnstest.Refuses: dns.ReasonFailed, dnstest.Silent: dns.ReasonTimeout,
		dnstest.Strays: dns.ReasonUnreachable, dnstest.Cut: dns.ReasonUnreachable,
	} {
		t.Run(string(manner), func(t *testing.T) {
			t.Parallel()
			s := dnstest.Start(t)
			s.SetTXT("example.com", []string{"a"})
			s.SetManner("*", manner)
			timeout := 5 * time.Second
			if manner == dnstest.Silent {
				timeout = 50 * time.Millisecond
			}
			got, err := newClient(s, timeout).Lookup(t.Context(), "example.com", "example.com", dns.TXT)
			if e, ok := errors.AsType[*dns.Error](err); !ok || e.Reason != want || got != nil {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

// If the first server is dead, the next one is asked.
func TestSeveralServers(t *testing.T) {
	t.Parallel()
	dead, works := dnstest.Start(t), dnstest.Start(t)
	dead.SetManner("*", dnstest.Fails)
	works.SetTXT("example.com", []string{"a"})
	c := dns.New(dns.Config{Dial: dial, Servers: func(ctx context.Context, name string) ([]netip.AddrPort, error) {
		first, _ := dead.Find(ctx, name)
		second, _ := works.Find(ctx, name)
		return append(first, second...), nil
	}})
	if got, err := c.Lookup(t.Context(), "example.com", "example.com", dns.TXT); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

// Questions about a zone below are put to its own servers, and a server that delegates to a
// zone elsewhere is not believed.
func TestDelegation(t *testing.T) {
	t.Parallel()
	above, below := dnstest.Start(t), dnstest.Start(t)
	above.Delegate("_domainkey.example.com")
	above.SetTXT("a._domainkey.example.com", []string{"old"})
	below.SetTXT("a._domainkey.example.com", []string{"new"})
	c := dns.New(dns.Config{Dial: dial, Servers: func(ctx context.Context, zone string) ([]netip.AddrPort, error) {
		if zone == "_domainkey.example.com." {
			return below.Find(ctx, zone)
		}
		return above.Find(ctx, zone)
	}})
	if got, err := c.Lookup(t.Context(), "example.com", "a._domainkey.example.com", dns.TXT); err != nil || len(got) != 1 || got[0].Text != "new" {
		t.Errorf("got %v, %v", got, err)
	}
}
