package origin_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"

	"konak/internal/mail/header"
	"konak/internal/mail/origin"
)

// names answers with lists of records by name; "fails" is a server that is down.
type names map[string][]string

func (n names) find(name string) ([]string, error) {
	list, ok := n[strings.TrimSuffix(strings.ToLower(name), ".")]
	switch {
	case !ok:
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	case len(list) == 1 && list[0] == "fails":
		return nil, &net.DNSError{Err: "server misbehaving", Name: name, IsTemporary: true}
	}
	return list, nil
}

func (n names) LookupTXT(_ context.Context, name string) ([]string, error) { return n.find(name) }

func (n names) LookupMX(context.Context, string) ([]*net.MX, error) { return nil, errors.New("none") }

func (n names) LookupIPAddr(context.Context, string) ([]net.IPAddr, error) {
	return nil, errors.New("none")
}

func (n names) LookupAddr(context.Context, string) ([]string, error) { return nil, errors.New("none") }

func (n names) LookupHost(_ context.Context, name string) ([]string, error) { return n.find(name) }

// key is the signing key of every domain that publishes it.
var key = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))

func publicKey(tb testing.TB) string {
	tb.Helper()
	if _, err := x509.MarshalPKIXPublicKey(key.Public()); err != nil {
		tb.Fatal(err)
	}
	return "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
}

func sign(tb testing.TB, mail, domain string) string {
	tb.Helper()
	var out bytes.Buffer
	if err := dkim.Sign(&out, strings.NewReader(mail), &dkim.SignOptions{Domain: domain, Selector: "s", Signer: key}); err != nil {
		tb.Fatal(err)
	}
	return out.String()
}

func mailFrom(from string) string {
	return "From: " + from + "\r\nTo: info@firma.example\r\nSubject: Soru\r\n\r\nMerhaba\r\n"
}

func headerOf(tb testing.TB, mail string) *header.Header {
	tb.Helper()
	h, err := header.Read(strings.NewReader(mail))
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

func check(tb testing.TB, c *origin.Checker, peer, envelope, mail string) origin.Result {
	tb.Helper()
	return c.Check(tb.Context(), origin.Mail{
		Address: netip.MustParseAddr(peer), Hello: "mx.kaya.example", From: envelope, To: []string{"info@firma.example"}, Header: headerOf(tb, mail),
		Open: func() io.Reader { return strings.NewReader(mail) },
	})
}

func newChecker(n names, change func(*origin.Config)) *origin.Checker {
	c := origin.Config{DNS: n, Log: slog.New(slog.DiscardHandler), Host: "mx.konak.example"}
	if change != nil {
		change(&c)
	}
	return origin.New(c)
}

const (
	good = "192.0.2.1" // an address that kaya.example sends from
	bad  = "198.51.100.1"
)

// The records that a domain publishes decide about a mail in its name.
func TestCheck(t *testing.T) {
	t.Parallel()
	zone := names{
		"kaya.example":                  {"v=spf1 ip4:192.0.2.0/24 -all"},
		"_dmarc.kaya.example":           {"v=DMARC1; p=reject; sp=quarantine"},
		"s._domainkey.kaya.example":     {publicKey(t)},
		"soft.example":                  {"v=spf1 ip4:192.0.2.0/24 ~all"},
		"_dmarc.soft.example":           {"v=DMARC1; p=quarantine"},
		"_dmarc.watch.example":          {"v=DMARC1; p=none"},
		"_dmarc.strict.example":         {"v=DMARC1; p=reject; adkim=s; aspf=s"},
		"a.strict.example":              {"v=spf1 ip4:192.0.2.0/24 -all"},
		"s._domainkey.a.strict.example": {publicKey(t)},
		"_dmarc.trying.example":         {"v=DMARC1; p=reject; pct=0"},
		"_dmarc.twice.example":          {"v=DMARC1; p=reject", "v=DMARC1; p=none"},
		"_dmarc.broken.example":         {"v=DMARC1; p=perhaps"},
		"_dmarc.down.example":           {"fails"},
		"slow.example":                  {"fails"},
		"_dmarc.slow.example":           {"v=DMARC1; p=reject"},
		"two.example":                   {"v=spf1 -all", "v=spf1 +all"},
		"a.kaya.example":                {"v=spf1 ip4:192.0.2.0/24 -all"},
		"long.example":                  {"v=spf1 include:l1.example -all"},
		"_dmarc.com":                    {"v=DMARC1; p=reject"},
	}
	for i := 1; i <= 11; i++ {
		zone[fmt.Sprintf("l%d.example", i)] = []string{fmt.Sprintf("v=spf1 include:l%d.example -all", i+1)}
	}
	for _, c := range []struct {
		name, peer, envelope, mail, summary, action string
	}{
		{"by SPF", good, "elif@kaya.example", mailFrom("elif@kaya.example"), "spf=pass dkim=none dmarc=pass", origin.Accept},
		{"forged", bad, "elif@kaya.example", mailFrom("elif@kaya.example"), "spf=fail dkim=none dmarc=fail", origin.Reject},
		{"by DKIM, forwarded", bad, "liste@watch.example", sign(t, mailFrom("elif@kaya.example"), "kaya.example"), "spf=none dkim=pass dmarc=pass", origin.Accept},
		{"signed and changed", bad, "elif@kaya.example", sign(t, mailFrom("elif@kaya.example"), "kaya.example") + "x\r\n", "spf=fail dkim=fail dmarc=fail", origin.Reject},
		{"signed by another domain", bad, "a@other.example", sign(t, mailFrom("patron@strict.example"), "kaya.example"), "spf=none dkim=pass dmarc=fail", origin.Reject},
		{"SPF of another domain", good, "elif@kaya.example", mailFrom("patron@strict.example"), "spf=pass dkim=none dmarc=fail", origin.Reject},
		{"of a domain below", good, "elif@a.kaya.example", mailFrom("elif@kaya.example"), "spf=pass dkim=none dmarc=pass", origin.Accept},
		{"below, where that is not enough", good, "x@a.strict.example", mailFrom("elif@strict.example"), "spf=pass dkim=none dmarc=fail", origin.Reject},
		{"signed below, where that is not enough", bad, "", sign(t, mailFrom("elif@strict.example"), "a.strict.example"), "spf=none dkim=pass dmarc=fail", origin.Reject},
		{"policy for domains below", bad, "", mailFrom("x@yeni.kaya.example"), "spf=none dkim=none dmarc=fail", origin.Junk},
		{"quarantine", bad, "elif@soft.example", mailFrom("elif@soft.example"), "spf=softfail dkim=none dmarc=fail", origin.Junk},
		{"only watched", bad, "", mailFrom("elif@watch.example"), "spf=none dkim=none dmarc=fail", origin.Accept},
		{"only tried", bad, "", mailFrom("elif@trying.example"), "spf=none dkim=none dmarc=fail", origin.Junk},
		{"nothing published", bad, "a@other.example", mailFrom("a@other.example"), "spf=none dkim=none dmarc=none", origin.Accept},
		{"two records", bad, "", mailFrom("elif@twice.example"), "spf=none dkim=none dmarc=none", origin.Accept},
		{"two records of SPF", bad, "a@two.example", mailFrom("a@two.example"), "spf=permerror dkim=none dmarc=none", origin.Accept},
		{"too many names", bad, "a@long.example", mailFrom("a@long.example"), "spf=permerror dkim=none dmarc=none", origin.Accept},
		{"a record that says nothing", bad, "", mailFrom("elif@broken.example"), "spf=none dkim=none dmarc=permerror", origin.Accept},
		{"name server down", bad, "", mailFrom("elif@down.example"), "spf=none dkim=none dmarc=temperror", origin.Accept},
		{"name server down for SPF", bad, "a@slow.example", mailFrom("a@slow.example"), "spf=temperror dkim=none dmarc=temperror", origin.Accept},
		{"two in From, one forged", good, "elif@kaya.example", mailFrom("elif@kaya.example, patron@strict.example"), "spf=pass dkim=none dmarc=fail", origin.Reject},
		{"two From", good, "elif@kaya.example", "From: elif@kaya.example\r\n" + mailFrom("patron@strict.example"), "spf=pass dkim=none dmarc=fail", origin.Reject},
		{"no From", good, "elif@kaya.example", "Subject: x\r\n\r\n", "spf=pass dkim=none dmarc=permerror", origin.Accept},
		{"dot at the end", bad, "", mailFrom("patron@strict.example."), "spf=none dkim=none dmarc=fail", origin.Reject},
		{"never closed", bad, "", mailFrom("<patron@strict.example"), "spf=none dkim=none dmarc=fail", origin.Reject},
		{"with a route", bad, "", mailFrom("<@watch.example:patron@strict.example>"), "spf=none dkim=none dmarc=fail", origin.Reject},
		{"comments in the address", bad, "", mailFrom("patron@(x)strict(y) . (z)example"), "spf=none dkim=none dmarc=fail", origin.Reject},
		{"encoded", bad, "", mailFrom("=?utf-8?q?patron=40strict.example?="), "spf=none dkim=none dmarc=fail", origin.Reject},
		{"unreadable never passes", good, "elif@kaya.example", mailFrom("<elif@kaya.example"), "spf=pass dkim=none dmarc=permerror", origin.Accept},
		{"beside no domain", bad, "", mailFrom("root@localhost, patron@strict.example"), "spf=none dkim=none dmarc=fail", origin.Reject},
		{"no address, but a sender", bad, "", "Sender: patron@strict.example\r\n" + mailFrom("Patron"), "spf=none dkim=none dmarc=fail", origin.Reject},
		{"no domain, but somebody to answer", bad, "", "Reply-To: patron@strict.example\r\n" + mailFrom("root@localhost"), "spf=none dkim=none dmarc=fail", origin.Reject},
		{"six domains", good, "", mailFrom("a@b1.example, a@b2.example, a@b3.example, a@b4.example, a@b5.example, a@b6.example"), "spf=none dkim=none dmarc=permerror", origin.Reject},
		{"policy of a suffix", bad, "", mailFrom("a@shop.com"), "spf=none dkim=none dmarc=none", origin.Accept},
	} {
		got := check(t, newChecker(zone, nil), c.peer, c.envelope, c.mail)
		if got.Summary != c.summary || got.Action != c.action || (got.Reason != "") != (got.Action != origin.Accept) {
			t.Errorf("%s: got %+v", c.name, got)
		}
		if !strings.HasPrefix(got.Field, "Authentication-Results: mx.konak.example;\r\n\t") || !strings.HasSuffix(got.Field, "\r\n") || strings.Count(got.Field, "\n") != strings.Count(got.Field, "\r\n") {
			t.Errorf("%s: the field is %q", c.name, got.Field)
		}
	}
}

// A mail with very many signatures costs no more than a few.
func TestManySignatures(t *testing.T) {
	t.Parallel()
	asked := 0
	mail := mailFrom("elif@kaya.example")
	for range 50 {
		mail = sign(t, mail, "kaya.example")
	}
	c := newChecker(names{}, func(c *origin.Config) { c.DNS = counting{&asked} })
	if got := check(t, c, bad, "", mail); got.Action != origin.Accept || asked > 10 {
		t.Errorf("%d names were asked for: %+v", asked, got)
	}
}

// counting is a resolver that knows no names and counts the queries for keys.
type counting struct{ n *int }

func (c counting) LookupTXT(_ context.Context, name string) ([]string, error) {
	if strings.Contains(name, "._domainkey.") {
		*c.n++
	}
	return names{}.find(name)
}
func (c counting) LookupMX(context.Context, string) ([]*net.MX, error)        { return nil, nil }
func (c counting) LookupIPAddr(context.Context, string) ([]net.IPAddr, error) { return nil, nil }
func (c counting) LookupAddr(context.Context, string) ([]string, error)       { return nil, nil }
func (c counting) LookupHost(_ context.Context, name string) ([]string, error) {
	return names{}.find(name)
}

// A name in a mail cannot inject a field into the record.
func TestNameCannotInjectHeaderField(t *testing.T) {
	t.Parallel()
	got := check(t, newChecker(names{}, nil), bad, "a\r\nX-Evil: 1@b.example", mailFrom("elif@kaya.example"))
	if strings.Contains(got.Field, "\nX-Evil") {
		t.Errorf("got %q", got.Field)
	}
	c := newChecker(names{}, nil)
	for text, want := range map[string]bool{
		"Authentication-Results: mx.konak.example; spf=pass\r\n":      true,
		"Authentication-Results:  MX.konak.example 1;\r\n spf=pass":   true,
		"Authentication-Results : (c) MX.konak.EXAMPLE ;\r\n":         true,
		"Authentication-Results: (a (b\\) c)) mx.konak.example(d);":   true,
		"Authentication-Results: \"mx.konak.example\"; spf=pass":      true,
		"Authentication-Results:\r\n mx.konak.example\r\n ; spf=pass": true,
		"Authentication-Results: (never closed mx.konak.example;":     true,
		"Authentication-Results: mx.other.example; spf=pass\r\n":      false,
		"Subject: mx.konak.example;\r\n":                              false,
	} {
		h, _ := header.Parse([]byte(text))
		if c.IsRecord(h.Fields[0]) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
}

// Addresses on a block list are found; answers that are not listings are ignored.
func TestBlockLists(t *testing.T) {
	t.Parallel()
	zone := names{
		"1.100.51.198.list.example":  {"127.0.0.2"},
		"2.100.51.198.list.example":  {"127.255.255.254"},
		"3.100.51.198.list.example":  {"203.0.113.9"},
		"4.100.51.198.list.example":  {"fails"},
		"4.100.51.198.other.example": {"127.0.0.4"},
		"1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.list.example": {"127.0.0.2"},
	}
	c := newChecker(zone, func(c *origin.Config) { c.Lists = []string{"list.example", "other.example"} })
	for addr, want := range map[string]string{
		bad: "list.example", "198.51.100.2": "", "198.51.100.3": "", "198.51.100.4": "other.example", good: "", "2001:db8::1": "list.example", "::ffff:198.51.100.1": "list.example",
	} {
		if got := c.FindList(t.Context(), netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: got %q", addr, got)
		}
	}
	if got := newChecker(zone, nil).FindList(t.Context(), netip.MustParseAddr(bad)); got != "" {
		t.Errorf("without lists: got %q", got)
	}
}

// answers is a filter with a fixed answer.
type answers struct {
	action string
	err    error
}

func (a answers) Check(context.Context, netip.Addr, string, string, []string, io.Reader) (string, error) {
	return a.action, a.err
}

// A filter can treat a mail as junk or refuse it, and stops nothing while it is down. The
// stricter of filter and domain wins.
func TestFilter(t *testing.T) {
	t.Parallel()
	zone := names{"_dmarc.soft.example": {"v=DMARC1; p=quarantine"}}
	for _, c := range []struct {
		filter         answers
		from           string
		action, reason string
	}{
		{answers{action: "no action"}, "a@b.example", origin.Accept, ""},
		{answers{action: "add header"}, "a@b.example", origin.Junk, origin.ReasonFilter},
		{answers{action: "rewrite subject"}, "a@b.example", origin.Junk, origin.ReasonFilter},
		{answers{action: "greylist"}, "a@b.example", origin.Later, origin.ReasonFilter},
		{answers{action: "soft reject"}, "a@b.example", origin.Later, origin.ReasonFilter},
		{answers{action: "reject"}, "a@b.example", origin.Reject, origin.ReasonFilter},
		{answers{action: "reject", err: errors.New("down")}, "a@b.example", origin.Accept, ""},
		{answers{action: "no action"}, "a@soft.example", origin.Junk, origin.ReasonDMARC},
		{answers{action: "reject"}, "a@soft.example", origin.Reject, origin.ReasonFilter},
	} {
		checker := newChecker(zone, func(o *origin.Config) { o.Filter = c.filter })
		if got := check(t, checker, bad, "", mailFrom(c.from)); got.Action != c.action || got.Reason != c.reason {
			t.Errorf("%+v: got %+v", c.filter, got)
		}
	}
}

// Mail from this machine itself is not checked.
func TestLoopback(t *testing.T) {
	t.Parallel()
	zone := names{"_dmarc.kaya.example": {"v=DMARC1; p=reject"}}
	if got := check(t, newChecker(zone, nil), "127.0.0.1", "", mailFrom("elif@kaya.example")); got != (origin.Result{Action: origin.Accept}) {
		t.Errorf("got %+v", got)
	}
	if got := check(t, newChecker(zone, func(c *origin.Config) { c.CheckLoopback = true }), "127.0.0.1", "", mailFrom("elif@kaya.example")); got.Action != origin.Reject {
		t.Errorf("got %+v", got)
	}
}

// Recorded results are read back, and claims by others are removed.
func TestMark(t *testing.T) {
	t.Parallel()
	c := newChecker(names{}, nil)
	const claim = "Authentication-Results : (c) mx.konak.example; dmarc=pass\r\n"
	const mail = "A: b\r\n" + claim + "X-Spam-Flag: NO\r\nFrom: a@b.example\r\n\r\n"
	junk := origin.Result{Action: origin.Junk, Reason: origin.ReasonDMARC, Field: "Authentication-Results: mx.konak.example; dmarc=fail\r\n"}
	marked := string(c.Mark(headerOf(t, mail), []byte(mail), junk))
	if want := junk.Field + "X-Spam-Flag: YES\r\nA: b\r\nFrom: a@b.example\r\n\r\n"; marked != want {
		t.Errorf("got %q", marked)
	}
	if got := c.Recorded(headerOf(t, marked)); got != junk {
		t.Errorf("got %+v", got)
	}
	// From this machine itself: there is no result, and the claim is removed anyway.
	if got := string(c.Mark(headerOf(t, mail), []byte(mail), origin.Result{Action: origin.Accept})); got != strings.Replace(mail, claim, "", 1) {
		t.Errorf("got %q", got)
	}
	if got := c.Recorded(headerOf(t, "X-Spam-Flag: yes\r\n\r\n")); got.Action != origin.Junk || got.Reason != origin.ReasonFilter {
		t.Errorf("got %+v", got)
	}
}
