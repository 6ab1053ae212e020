package origin_test

import (
	"strings"
	"testing"

	"konak/internal/mail/origin"
)

// There is no published suite for DMARC as there is for SPF. These tables cover the
// situations in the tests of OpenDMARC 1.4.2 (libopendmarc/tests and opendmarc/tests) in
// our own words; where our result differs, a comment says why.

// A record is parsed as the standard requires, and a mistake in it does not help a forger.
func TestPolicyRecords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ record, value, action string }{
		{"v=DMARC1; p=none; rf=afrf; rua=mailto:a@rapor.example; ruf=mailto:f@rapor.example", "fail", origin.Accept},
		{"v=DMARC1; p=none;", "fail", origin.Accept},
		{"v=DMARC1; p=reject;", "fail", origin.Reject},
		{"v=DMARC1; p=quarantine;", "fail", origin.Junk},
		{"v=DMARC1; p=n;", "permerror", origin.Accept}, // OpenDMARC reads it as none
		{"", "none", origin.Accept},
		{"V=BOB", "none", origin.Accept},
		{"v=DMARC1; p=bob;", "permerror", origin.Accept},
		{"v=DMARC1; p=reject; sp=bob;", "permerror", origin.Accept},
		// OpenDMARC ignores these records; RFC 7489 requires the default instead (6.3).
		{"v=DMARC1; p=reject; adkim=bob;", "fail", origin.Reject},
		{"v=DMARC1; p=reject; aspf=bob;", "fail", origin.Reject},
		{"v=DMARC1; p=reject; rf=bob;", "fail", origin.Reject},
		{"v=DMARC1; p=reject; ri=bob;", "fail", origin.Reject},
		{"v=DMARC1; p=reject; pct=500;", "fail", origin.Reject},
		{"v=DMARC1; p=reject; rf=000000000000000000000000000000000", "fail", origin.Reject},
		{"v=DMARC1; pct=100;", "permerror", origin.Accept},
		{"v=DMARC1; p=reject; rua=ftp://rapor.example", "fail", origin.Reject},
		{"v=DMARC1; p=reject; ruf=mailto://rapor.example", "fail", origin.Reject},
		{"v=DMARC1; p=reject; ruf=mailto://rapor.example; foo=bar; buzz=happy;", "fail", origin.Reject},
		{"v=DMARC1; p=reject; sp=none; adkim=s; aspf=s; pct=50; ri=300; rf=afrf; rua=mailto:a@rapor.example", "fail", origin.Reject},
		// Our own cases.
		{"v=DMARC1; p=Reject", "fail", origin.Reject},
		{"v=DMARC1; P=REJECT", "fail", origin.Reject},
		{"V = DMARC1 ; p = Quarantine ;", "fail", origin.Junk},
		{"v=DMARC1; p=reject; fo=x; ri=0; words", "fail", origin.Reject},
		{"v=DMARC1; rua=mailto:a@rapor.example", "fail", origin.Accept},
		{"v=DMARC1; p=bob; rua=mailto:a@rapor.example", "fail", origin.Accept},
		{"v=DMARC1; p=reject; sp=bob; rua=mailto:a@rapor.example", "fail", origin.Accept},
		{"v=DMARC1; p=reject; p=none", "permerror", origin.Accept},
		{"v=DMARC1;; ;p=reject;;", "fail", origin.Reject},
		{"v=DMARC12; p=reject", "none", origin.Accept},
		{"v=dmarc1; p=reject", "none", origin.Accept},
		{"p=reject; v=DMARC1", "none", origin.Accept},
		{"v=DMARC1; p=reject; pct=00", "fail", origin.Junk},
		{"v=DMARC1; p=reject; t=y", "fail", origin.Junk},
		{"v=DMARC1; p=quarantine; t=Y", "fail", origin.Accept},
		{"v=DMARC1; p=none; t=y", "fail", origin.Accept},
		{"v=DMARC1; p=reject; t=n", "fail", origin.Reject},
	} {
		got := check(t, newChecker(names{"_dmarc.kaya.example": {c.record}}, nil), bad, "", mailFrom("elif@kaya.example"))
		if want := "spf=none dkim=none dmarc=" + c.value; got.Summary != want || got.Action != c.action {
			t.Errorf("%q: got %s, %s", c.record, got.Summary, got.Action)
		}
	}
}

// Which domain may authenticate which.
func TestAlignment(t *testing.T) {
	t.Parallel()
	const strict, relaxed = "; aspf=s; adkim=s", ""
	for _, c := range []struct{ proven, from, mode, value string }{
		{"a.b.c.bcx.com", "bcx.com", relaxed, "pass"},
		{"a.b.c.edu.ar", "edr.au", strict, "fail"},
		{"oooo.com", "ooo.com", strict, "fail"},
		{"a.foo.com", "b.foo.com", relaxed, "pass"},
		{"a.foo.com", "b.foo.com", strict, "fail"},
		{"mac.com.", "mac.com", strict, "pass"},
		{"a.b.com", "b.com", relaxed, "pass"},
		{"b.com", "a.b.com", relaxed, "pass"},
		{"b.com", "a.b.com", strict, "fail"},
		{"a.b.de", "a.b.de", strict, "pass"},
		{"A.B.de", "a.b.DE", strict, "pass"},
		{"a.co.uk", "b.co.uk", relaxed, "fail"}, // customers of the same registry are not aligned
	} {
		zone := names{}
		for _, name := range []string{"bcx.com", "edr.au", "ooo.com", "foo.com", "mac.com", "b.com", "b.de", "b.co.uk"} {
			zone["_dmarc."+name] = []string{"v=DMARC1; p=reject" + c.mode}
		}
		for _, name := range []string{"a.b.c.bcx.com", "a.b.c.edu.ar", "oooo.com", "a.foo.com", "mac.com", "a.b.com", "b.com", "a.b.de", "a.co.uk"} {
			zone[name], zone["s._domainkey."+name] = []string{"v=spf1 ip4:192.0.2.0/24 -all"}, []string{publicKey(t)}
		}
		action := map[string]string{"pass": origin.Accept, "fail": origin.Reject}[c.value]
		got := check(t, newChecker(zone, nil), good, "x@"+c.proven, mailFrom("elif@"+c.from))
		if want := "spf=pass dkim=none dmarc=" + c.value; got.Summary != want || got.Action != action {
			t.Errorf("%+v by SPF: got %+v", c, got)
		}
		got = check(t, newChecker(zone, nil), bad, "", sign(t, mailFrom("elif@"+c.from), strings.TrimSuffix(c.proven, ".")))
		if want := "spf=none dkim=pass dmarc=" + c.value; got.Summary != want || got.Action != action {
			t.Errorf("%+v by DKIM: got %+v", c, got)
		}
	}
}

// The policy of the domain in From is found however From is written.
func TestDomainsOfFrom(t *testing.T) {
	t.Parallel()
	zone := names{}
	for _, name := range []string{"joe.com", "bcx.com", "educ.ar", "c.xn--mgba3a4f16a.ir"} {
		zone["_dmarc."+name] = []string{"v=DMARC1; p=reject"}
	}
	for _, from := range []string{
		"Joe Johnson <joe@joe.com>", `"Johnson, Joe <joe@joe.com>" joe@joe.com`, `"Joe Johnson" <joe@joe.com>`, "(Joe Johnson) joe@joe.com", "joe@joe.com",
		"<<<><joe@joe.com>>>", "Joe Johnson <joe@joe.com>, ace@ace.com", "joe@joe.com, ace@ace.com", "Mail From:<joe@joe.com>", `"Mandel, Bob" <joe@joe.com>`,
		"(,) joe@joe.com", `"( bob@bob.com)" joe@joe.com`, "From: Joe D'Marco <joe@joe.com>",
		"a@eleet.org, b@joe.com, c@eleet.org", "a@eleet.org, b, c@joe.com",
		// Which domain is asked for its policy (tests/test_tld.c).
		"joe@a.b.c.bcx.com", "joe@a.b.c.educ.ar", "joe@a.b.c.xn--mgba3a4f16a.ir",
	} {
		if got := check(t, newChecker(zone, nil), bad, "", mailFrom(from)); got.Action != origin.Reject {
			t.Errorf("%q: got %+v", from, got)
		}
	}
	// An unparsable From with domains without a policy stops nothing.
	if got := check(t, newChecker(zone, nil), bad, "", mailFrom("a@blackops.org, b, c@blackops.org")); got.Action != origin.Accept {
		t.Errorf("got %+v", got)
	}
}
