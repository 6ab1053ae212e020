package setting_test

import (
	"strings"
	"testing"

	"konak/internal/kit/setting"
)

func TestForms(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		is        func(string) bool
		good, bad []string
	}{
		"host": {
			setting.IsHost,
			[]string{"localhost", "example.com", "örnek.com", "xn--rnek-4qa.com", "a-b.c", "10.0.0.1"},
			[]string{"", ".", "a..b", ".example.com", "example.com.", "-a.example", "a-.example", "a b", "a_b", "a:80", "https://a", "a/b", strings.Repeat("a", 64), strings.Repeat("a.", 127) + "a"},
		},
		"address": {
			setting.IsAddress,
			[]string{"127.0.0.1:0", ":8080", "[::1]:25", "0.0.0.0:65535", "localhost:80"},
			[]string{"", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", "a b:80", "::1:25"},
		},
		"server": {
			setting.IsServer,
			[]string{"sip.carrier.example", "sip.carrier.example:5060", "192.0.2.7", "[2001:db8::7]:5060", "2001:db8::7", "[2001:db8::7]"},
			[]string{"", ":5060", "a b", "sip:carrier.example", "carrier.example:0", "carrier.example:x", "carrier.example:70000", "0.0.0.0", "0.0.0.0:5060"},
		},
		"url": {
			setting.IsURL,
			[]string{"http://127.0.0.1:11333", "https://example.com/path", "http://[::1]:80"},
			[]string{"", "example.com", "http://", "https://:443", "https://example.com:99999", "ftp://example.com", "https://a..b", "https://-"},
		},
		"origin": {
			setting.IsOrigin,
			[]string{"http://localhost:8080", "https://example.com"},
			[]string{"https://example.com/", "https://user@example.com", "https://example.com?x", "https://:443", "HTTPS://example.com"},
		},
		"SPF term": {
			setting.IsSPFTerm,
			[]string{"mx", "+mx", "a", "a:mail.example.com", "mx/24", "include:_spf.example.com", "ip4:192.0.2.0/24", "ip4:192.0.2.7", "ip6:2001:db8::/32", "exists:%{i}.example.com"},
			[]string{"", "x y z", "mx a", "all", "+all", "-mx", "include:", "include", "ip4:2001:db8::1", "ip6:192.0.2.7", "ip4:x", "ip4:192.0.2.0/64", "v=spf1 mx"},
		},
	} {
		for _, text := range tc.good {
			if !tc.is(text) {
				t.Errorf("%q is no %s", text, name)
			}
		}
		for _, text := range tc.bad {
			if tc.is(text) {
				t.Errorf("%q is a %s", text, name)
			}
		}
	}
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"127.0.0.1:80", "127.0.0.1:80", true},
		{"127.0.0.1:80", ":80", true},
		{"0.0.0.0:80", "192.0.2.7:80", true},
		{"[::]:80", "192.0.2.7:80", true},
		{"127.0.0.1:80", "127.0.0.2:80", false},
		{"127.0.0.1:80", "127.0.0.1:81", false},
		{"127.0.0.1:0", "127.0.0.1:0", false},
		{"off", "off", false},
		{"", "", false},
	} {
		if got := setting.Overlap(tc.a, tc.b); got != tc.want {
			t.Errorf("%s and %s: %t", tc.a, tc.b, got)
		}
	}
}
