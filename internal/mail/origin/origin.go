package origin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"blitiri.com.ar/go/spf"
	"github.com/emersion/go-msgauth/authres"
	"github.com/emersion/go-msgauth/dkim"

	"konak/internal/kit/address"
	"konak/internal/mail/header"
)

// Limits of the checks of one mail.
const (
	checkTime     = 20 * time.Second
	listTime      = 5 * time.Second
	maxSignatures = 5
	maxFrom       = 5 // domains in From
)

// Resolver queries name servers. *net.Resolver is one.
type Resolver interface {
	spf.DNSResolver
	LookupHost(ctx context.Context, host string) ([]string, error)
}

// Config is the configuration of the checks.
type Config struct {
	DNS Resolver
	Log *slog.Logger
	// Host is the name of this server, under which results are recorded.
	Host string
	// Lists are the zones of block lists; none by default.
	Lists []string
	// Filter checks the content, nil for none.
	Filter Filter
	// CheckLoopback also checks mail from this machine itself, which no DNS record
	// authorises. It is for tests.
	CheckLoopback bool
}

// Checker checks incoming mail.
type Checker struct{ Config }

// New creates a checker.
func New(c Config) *Checker { return &Checker{c} }

// Mail is an incoming mail.
type Mail struct {
	Address netip.Addr // of the delivering server
	Hello   string     // the name in its greeting
	From    string     // envelope sender, "" for a bounce
	To      []string
	Header  *header.Header
	Open    func() io.Reader
}

// The actions for a mail.
const (
	Accept = "accept"
	Junk   = "junk"
	Later  = "later"
	Reject = "reject"
)

// strictness orders the actions, mildest first.
var strictness = []string{Accept, Junk, Later, Reject}

// Reasons why a mail is refused or treated as junk.
const (
	ReasonDMARC  = "dmarc"
	ReasonFilter = "filter"
)

// Result is the result of checking a mail.
type Result struct {
	Action string
	Reason string // "" if it is accepted
	// Summary is a short form of the results, such as "spf=pass dkim=none dmarc=pass".
	Summary string
	// Field is the Authentication-Results field to record (RFC 8601), with its line end.
	Field string
}

// Check checks a mail. For one from this machine itself it returns an empty Result with
// Accept.
func (c *Checker) Check(ctx context.Context, m Mail) Result {
	out := Result{Action: Accept}
	if !c.checks(m.Address) {
		return out
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	sender := c.checkSPF(ctx, &m)
	signatures := c.checkDKIM(ctx, &m)
	from := c.checkDMARC(ctx, &m, sender, signatures)
	out.raise(from.action, ReasonDMARC)
	out.record(c.Host, sender, signatures, from)
	if c.Filter != nil {
		out.raise(c.askFilter(ctx, &m), ReasonFilter)
	}
	return out
}

// checks reports whether mail from an address is checked.
func (c *Checker) checks(a netip.Addr) bool { return c.CheckLoopback || a.IsValid() && !a.IsLoopback() }

// raise sets an action if it is stricter than the current one.
func (r *Result) raise(action, reason string) {
	if slices.Index(strictness, action) > slices.Index(strictness, r.Action) {
		r.Action, r.Reason = action, reason
	}
}

// senderResult is the SPF result.
type senderResult struct {
	value  string
	domain string // that was checked
	from   string
}

// checkSPF checks whether the sender's domain authorises the address to send for it (RFC
// 7208).
func (c *Checker) checkSPF(ctx context.Context, m *Mail) senderResult {
	out := senderResult{value: string(spf.None), domain: domainOf(m.From), from: m.From}
	if out.domain == "" {
		out.domain, _ = address.ParseDomain(m.Hello)
		out.from = "postmaster@" + out.domain
	}
	if out.domain == "" {
		return out
	}
	result, _ := spf.CheckHostWithSender(net.IP(m.Address.AsSlice()), m.Hello, out.from, spf.WithContext(ctx), spf.WithResolver(c.DNS))
	out.value = string(result)
	return out
}

// signature is one DKIM signature.
type signature struct{ value, domain string }

// checkDKIM verifies the first few signatures of a mail (RFC 6376).
func (c *Checker) checkDKIM(ctx context.Context, m *Mail) (out []signature) {
	found, err := dkim.VerifyWithOptions(m.Open(), &dkim.VerifyOptions{
		MaxVerifications: maxSignatures,
		LookupTXT:        func(name string) ([]string, error) { return c.DNS.LookupTXT(ctx, name) },
	})
	if err != nil && !errors.Is(err, dkim.ErrTooManySignatures) {
		return nil // text that is not a mail has no signature
	}
	for _, v := range found {
		s := signature{value: "pass", domain: strings.ToLower(v.Domain)}
		switch {
		case v.Err == nil:
		case dkim.IsTempFail(v.Err):
			s.value = "temperror"
		case dkim.IsPermFail(v.Err):
			s.value = "permerror"
		default:
			s.value = "fail"
		}
		out = append(out, s)
	}
	return out
}

// record sets Summary and Field from the results.
func (r *Result) record(host string, sender senderResult, signatures []signature, from dmarcResult) {
	results := []authres.Result{&authres.SPFResult{Value: authres.ResultValue(sender.value), From: sender.from}}
	signed := "none"
	for _, s := range signatures {
		results = append(results, &authres.DKIMResult{Value: authres.ResultValue(s.value), Domain: s.domain})
		if signed == "none" || s.value == "pass" {
			signed = s.value
		}
	}
	results = append(results, &authres.DMARCResult{Value: authres.ResultValue(from.value), From: from.domain})
	r.Summary = fmt.Sprintf("spf=%s dkim=%s dmarc=%s", sender.value, signed, from.value)
	line := authres.Format(host, results)
	// One result per line, and no character that could begin another field.
	line = strings.Map(func(x rune) rune {
		if x < ' ' || x > '~' {
			return '?'
		}
		return x
	}, line)
	r.Field = "Authentication-Results: " + strings.ReplaceAll(line, "; ", ";\r\n\t") + "\r\n"
}

// IsRecord reports whether a field of a mail claims to be a result of this server (RFC
// 8601): such fields are removed from incoming mail. A field whose server cannot be parsed
// counts as one.
func (c *Checker) IsRecord(f header.Field) bool {
	if f.Name != "authentication-results" {
		return false
	}
	_, value, _ := strings.Cut(f.Raw, ":")
	value = strings.Join(strings.Fields(header.WithoutComments(value)), " ")
	name, _, _ := strings.Cut(value, ";")
	if rest, quoted := strings.CutPrefix(name, `"`); quoted {
		name, _, _ = strings.Cut(strings.ReplaceAll(rest, `\`, ""), `"`)
	}
	name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
	return name == "" || strings.EqualFold(strings.TrimSuffix(name, "."), strings.TrimSuffix(c.Host, "."))
}

// junkField marks a mail as junk.
const junkField = "x-spam-flag"

// Recorded returns what this server found about one of its own queued mails when it came
// in, from the fields that it added.
func (c *Checker) Recorded(h *header.Header) Result {
	out := Result{Action: Accept}
	for _, f := range h.Fields {
		switch {
		case out.Field == "" && c.IsRecord(f):
			out.Field = strings.TrimRight(f.Raw, "\r\n") + "\r\n"
		case f.Name == junkField && strings.EqualFold(h.Value(junkField), "yes"):
			out.raise(Junk, ReasonFilter)
		}
	}
	if out.Action == Junk && strings.Contains(out.Field, "dmarc=fail") {
		out.Reason = ReasonDMARC
	}
	return out
}

// Mark returns the header of a mail with the result added, and without fields that claim to
// be from this server.
func (c *Checker) Mark(h *header.Header, head []byte, found Result) []byte {
	checked := found.Field != ""
	claims := func(f header.Field) bool { return c.IsRecord(f) || checked && f.Name == junkField }
	var out bytes.Buffer
	out.WriteString(found.Field)
	if checked && found.Action == Junk {
		out.WriteString("X-Spam-Flag: YES\r\n")
	}
	if !slices.ContainsFunc(h.Fields, claims) {
		out.Write(head)
		return out.Bytes()
	}
	for _, f := range h.Fields {
		if !claims(f) {
			out.WriteString(f.Raw)
		}
	}
	out.WriteString("\r\n")
	return out.Bytes()
}

// domainOf returns the domain of an address in its DNS form, "" for none.
func domainOf(addr string) string {
	at := strings.LastIndexByte(addr, '@')
	if at < 0 {
		return ""
	}
	name, _ := address.ParseDomain(strings.TrimSuffix(addr[at+1:], "."))
	return name
}
