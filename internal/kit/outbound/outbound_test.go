package outbound

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// Every kind of address that must not be reached, and some that may.
func TestAddresses(t *testing.T) {
	t.Parallel()
	inside := []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "100.100.100.200",
		"127.0.0.1", "127.255.255.254", "168.63.129.16", "169.254.0.1", "169.254.169.254", "169.254.170.2",
		"172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.1",
		"198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
		"255.255.255.255",
		"::", "::1", "::127.0.0.1", "::10.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
		"::ffff:0:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::a00:1", "100::1", "100:0:0:1::1",
		"2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1",
		"2002:7f00:1::", "2002:a00:1::1", "2002:808:808::1", "2620:4f:8000::1", "3fff::1", "5f00::1",
		"fc00::1", "fd00:ec2::254", "fd12:3456::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "ff0e::1",
	}
	for _, text := range inside {
		ip := netip.MustParseAddr(text)
		if err := checkIP(ip, nil); !errors.Is(err, ErrInside) {
			t.Errorf("%s: %v", text, err)
		}
		host := text
		if ip.Is6() {
			host = "[" + strings.ReplaceAll(text, "%", "%25") + "]"
		}
		if _, err := New(Options{}).Parse("https://" + host + "/"); !errors.Is(err, ErrInside) {
			t.Errorf("registering %s: %v", host, err)
		}
	}
	for _, text := range []string{
		"1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.0.1.1", "192.169.0.1",
		"198.17.0.1", "198.20.0.1", "223.255.255.255", "::ffff:8.8.8.8", "2606:4700::1111", "2a00:1450::1", "2001:200::1",
	} {
		if err := checkIP(netip.MustParseAddr(text), nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := checkIP(netip.MustParseAddr("::ffff:127.0.0.1"), loopback); err != nil {
		t.Errorf("an allowed address in its mapped form: %v", err)
	}
	if err := checkIP(netip.MustParseAddr("10.0.0.1"), loopback); !errors.Is(err, ErrInside) {
		t.Errorf("what is not allowed: %v", err)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	closed, open := New(Options{}), New(Options{Allowed: loopback})
	for _, tc := range []struct {
		client  *Client
		address string
		want    error
	}{
		{closed, "https://example.com/hook?a=b", nil},
		{closed, " https://example.com:8443 ", nil},
		{closed, "https://8.8.8.8/", nil},
		{closed, "http://example.com/", ErrScheme},
		{closed, "http://8.8.8.8/", ErrScheme},
		{closed, "ftp://example.com/", ErrScheme},
		{closed, "file:///etc/passwd", ErrAddress},
		{closed, "gopher://example.com/", ErrScheme},
		{closed, "example.com", ErrAddress},
		{closed, "https://", ErrAddress},
		{closed, "https:example.com", ErrAddress},
		{closed, "https://example.com/#x", ErrAddress},
		{closed, "https://example.com:0/", ErrAddress},
		{closed, "https://example.com:99999/", ErrAddress},
		{closed, "https://user@example.com/", ErrCredentials},
		{closed, "https://user:secret@example.com/", ErrCredentials},
		{closed, "https://2130706433/", ErrNumericHost},
		{closed, "https://0x7f000001/", ErrNumericHost},
		{closed, "https://0x7f.0.0.1/", ErrNumericHost},
		{closed, "https://127.0.0.0x1/", ErrNumericHost},
		{closed, "https://0177.0.0.1/", ErrNumericHost},
		{closed, "https://017700000001/", ErrNumericHost},
		{closed, "https://127.1/", ErrNumericHost},
		{closed, "https://127.0.0.1./", ErrNumericHost},
		{closed, "https://1.2.3.4.5/", ErrNumericHost},
		{closed, "https://[::1]/", ErrInside},
		{closed, "https://localhost/", ErrInside},
		{closed, "https://LocalHost.:8443/", ErrInside},
		{closed, "https://metadata.localhost/", ErrInside},
		{closed, "https://127。0。0。1/", ErrInside},
		{closed, "https://１２７.０.０.１/", ErrInside},
		{closed, "https://127。1/", ErrNumericHost},
		{closed, "https://ｌｏｃａｌｈｏｓｔ/", ErrInside},
		{closed, "https://\u202eexample.com/", ErrAddress},
		{closed, "https://örnek.com/", nil},
		{closed, "https://localhost.example.com/", nil},
		{closed, "https://notlocalhost/", nil},
		{open, "http://127.0.0.1:9000/", nil},
		{open, "http://localhost:9000/", nil}, // where it leads is seen when it is dialled
		{New(Options{Allowed: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}), "https://localhost/", ErrInside},
		{open, "http://8.8.8.8/", ErrScheme},
		{open, "http://10.0.0.1/", ErrInside},
		{open, "http://[::1]/", ErrInside},
	} {
		if _, err := tc.client.Parse(tc.address); !errors.Is(err, tc.want) || err != nil && tc.want == nil {
			t.Errorf("%s: %v, want %v", tc.address, err, tc.want)
		}
	}
}

func post(t *testing.T, c *Client, address string) Answer {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return c.Post(t.Context(), u, Header{"X-Test": {"1"}}, []byte("body"), time.Now())
}

// nameServer answers every A query with the next of some addresses; the last is repeated.
// AAAA queries have no answer.
func nameServer(t *testing.T, answers ...string) (*net.Resolver, *atomic.Int64) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	asked := &atomic.Int64{}
	go func() {
		b := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			end := 12
			for b[end] != 0 {
				end += int(b[end]) + 1
			}
			question := b[12 : end+5]
			reply := append([]byte{b[0], b[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, question...)
			if binary.BigEndian.Uint16(b[end+1:]) == 1 { // A
				i := min(int(asked.Add(1))-1, len(answers)-1)
				ip := netip.MustParseAddr(answers[i]).As4()
				reply[7] = 1
				reply = append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
				reply = append(reply, ip[:]...)
			}
			if n > 0 {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}, asked
}

// A name that leads outside when it is checked and inside when it is dialled is refused:
// the address that is connected to is decisive.
func TestRebinding(t *testing.T) {
	t.Parallel()
	hit := atomic.Int64{}
	victim := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hit.Add(1) }))
	t.Cleanup(victim.Close)
	_, port, _ := net.SplitHostPort(victim.Listener.Addr().String())
	resolver, asked := nameServer(t, "8.8.8.8", "127.0.0.1")
	if ips, err := resolver.LookupHost(t.Context(), "rebind.example"); err != nil || ips[0] != "8.8.8.8" {
		t.Fatalf("%v, %v", ips, err)
	}
	c := New(Options{Resolver: resolver})
	for _, scheme := range []string{"https", "http"} {
		a := post(t, c, scheme+"://rebind.example:"+port+"/")
		if a.Class != ClassRefused || !errors.Is(a.Err, ErrInside) {
			t.Errorf("%s: %+v", scheme, a)
		}
		if a.Err.Error() != "this address is not allowed" {
			t.Errorf("the text is not plain, or tells where the name leads: %v", a.Err)
		}
	}
	if hit.Load() != 0 || asked.Load() < 2 {
		t.Errorf("%d requests got inside, %d look-ups", hit.Load(), asked.Load())
	}
	// An allowed range can be reached by name.
	if a := post(t, New(Options{Resolver: resolver, Allowed: loopback}), "http://rebind.example:"+port+"/"); a.Class != "" {
		t.Errorf("allowed: %+v", a)
	}
}

// Unencrypted requests are sent only to allowed ranges, whatever the name resolved to when
// it was registered.
func TestPlainRequestsOnlyToAllowedRanges(t *testing.T) {
	t.Parallel()
	resolver, _ := nameServer(t, "8.8.8.8")
	a := post(t, New(Options{Resolver: resolver, Allowed: loopback}), "http://plain.example/")
	if a.Class != ClassRefused || !errors.Is(a.Err, ErrPlain) {
		t.Errorf("got %+v", a)
	}
}

func TestPost(t *testing.T) {
	t.Parallel()
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(target.Close)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || string(b) != "body" || r.Header.Get("X-Test") != "1" || r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("got %s %q %v", r.Method, b, r.Header)
		}
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, target.URL, http.StatusTemporaryRedirect)
		case "/long":
			_, _ = io.WriteString(w, strings.Repeat("x", 3*Keep))
		case "/later":
			w.Header().Set("Retry-After", "90")
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/date":
			w.Header().Set("Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(srv.Close)
	c := New(Options{Allowed: loopback})
	if a := post(t, c, srv.URL); a.Class != "" || a.Status != 204 || a.Duration <= 0 {
		t.Errorf("got %+v", a)
	}
	if a := post(t, c, srv.URL+"/redirect"); a.Class != ClassStatus || a.Status != 307 {
		t.Errorf("got %+v", a)
	}
	if a := post(t, c, srv.URL+"/long"); a.Class != "" || len(a.Body) != Keep {
		t.Errorf("kept %d bytes, %v", len(a.Body), a.Err)
	}
	if a := post(t, c, srv.URL+"/later"); a.RetryAfter != 90*time.Second || a.Err.Error() != "the receiver answered 503" {
		t.Errorf("got %+v", a)
	}
	if a := post(t, c, srv.URL+"/date"); a.RetryAfter < 59*time.Minute || a.RetryAfter > time.Hour {
		t.Errorf("got %+v", a)
	}
}

// No proxy is taken from the environment.
func TestNoProxy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the proxy was asked") }))
	t.Cleanup(proxy.Close)
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("HTTPS_PROXY", proxy.URL)
	resolver, _ := nameServer(t, "10.0.0.1")
	if a := post(t, New(Options{Resolver: resolver, Allowed: loopback}), "http://proxied.example/"); a.Class != ClassRefused {
		t.Errorf("got %+v", a)
	}
}

// Requests of a provider's client follow the same rules.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Method) }))
	t.Cleanup(server.Close)
	ask := func(c *Client) (string, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, server.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.RoundTrip(req)
		if err != nil {
			return "", err
		}
		text, err := io.ReadAll(resp.Body)
		return string(text), errors.Join(err, resp.Body.Close())
	}
	if text, err := ask(New(Options{Allowed: loopback})); err != nil || text != http.MethodDelete {
		t.Errorf("allowed: %q, %v", text, err)
	}
	if _, err := ask(New(Options{})); !errors.Is(err, ErrInside) {
		t.Errorf("inside: %v", err)
	}
}

func TestDial(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	at := ln.Addr().String()
	_, port, _ := net.SplitHostPort(at)
	if _, err := New(Options{}).Dial(t.Context(), at, false); !errors.Is(err, ErrInside) {
		t.Errorf("inside: got %v", err)
	} else if class, _ := Class(err); class != ClassRefused {
		t.Errorf("got class %q", class)
	}
	open := New(Options{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	conn, err := open.Dial(t.Context(), at, true)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	for _, bad := range []string{"0x7f000001:" + port, "2130706433:" + port, "nowhere"} {
		if _, err := open.Dial(t.Context(), bad, true); err == nil {
			t.Errorf("%s was dialled", bad)
		}
	}
}

func TestDialNameServer(t *testing.T) {
	t.Parallel()
	to := netip.MustParseAddrPort("127.0.0.1:53")
	for _, network := range []string{"udp", "tcp"} {
		if _, err := New(Options{}).DialNameServer(t.Context(), network, to); !errors.Is(err, ErrInside) {
			t.Errorf("%s: got %v", network, err)
		}
	}
	conn, err := New(Options{Allowed: loopback}).DialNameServer(t.Context(), "udp", to)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}
