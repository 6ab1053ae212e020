package address_test

import (
	"strings"
	"testing"

	"konak/internal/kit/address"
)

func TestParseEmail(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 64)
	for in, key := range map[string]string{
		"auditor@example.com":         "auditor@example.com",
		"  Auditor@Example.COM\n":     "auditor@example.com",
		"INFO@example.com":            "info@example.com",
		"İNFO@example.com":            "İnfo@example.com", // İ is not the capital of i
		"ılgın@example.com":           "ılgın@example.com",
		"\u212Aerem@example.com":      "\u212Aerem@example.com", // nor is the Kelvin sign that of k
		"ÖMER.Ünal@example.com":       "ömer.ünal@example.com",
		"first.last+tag@sub.dom.ain":  "first.last+tag@sub.dom.ain",
		long + "@example.com":         long + "@example.com",
		"o'neil@example.co.uk":        "o'neil@example.co.uk",
		"gonderen@ÖRNEK.com":          "gonderen@xn--rnek-4qa.com",
		"gonderen@sub.örnek.com":      "gonderen@sub.xn--rnek-4qa.com",
		"a@xn--rnek-5qa.com":          "a@xn--rnek-5qa.com",
		"123@example.com":             "123@example.com",
		"a_b-c@example-of-domain.com": "a_b-c@example-of-domain.com",
	} {
		got, ok := address.ParseEmail(in)
		local, domain, _ := strings.Cut(strings.TrimSpace(in), "@")
		if _, label, _ := strings.Cut(key, "@"); strings.Contains(label, "xn--") {
			domain = label // the form that mail servers use
		}
		if !ok || got.Key != key || got.Address != local+"@"+domain || got.Key != address.Fold(got.Address) {
			t.Errorf("%q: got %+v, %v", in, got, ok)
		}
	}
	for _, in := range []string{
		"a@ör_nek.com", "a@örnek", "a@" + strings.Repeat("ö", 80) + ".com", "", " ", "nobody", "@example.com", "a@", "a@localhost", "a@.", "a@.com", "a@example..com", "a@@example.com",
		"a b@example.com", "Name <a@example.com>", "<a@example.com>", `"a b"@example.com`, "a@[127.0.0.1]",
		"a@example.com, b@example.com", "a@example.com (comment)", "a\x00@example.com", "a\xff@example.com",
		"a@example.com\r\nBcc: b@example.com", ".a@example.com", "a.@example.com",
		long + "x@example.com", "a@" + strings.Repeat("x.", 126) + "com",
	} {
		if got, ok := address.ParseEmail(in); ok {
			t.Errorf("%q was taken for %+v", in, got)
		}
	}
}

func TestParseDomain(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		" Example.COM. ": "example.com", "örnek.example": "xn--rnek-4qa.example", "ÖRNEK.example": "xn--rnek-4qa.example", "a.b.example": "a.b.example",
		"": "", "example": "", "a..example": "", "a@b.example": "", "a_b.example": "", "127.0.0.1": "", "a b.example": "", "-a.example": "", "*.example": "",
	} {
		if got, ok := address.ParseDomain(in); got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v", in, got, ok)
		}
	}
	if got := address.ShowDomain("xn--rnek-4qa.example"); got != "örnek.example" {
		t.Errorf("got %q", got)
	}
}
