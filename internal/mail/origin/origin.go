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

// Resolver asks name servers. *net.Resolver is one.
type Resolver interface {
	spf.DNSResolver
	LookupHost(ctx context.Context, host string) ([]string, error)
}

// Config is what the checks need.
type Config struct {
	DNS Resolver
	Log *slog.Logger
	// Host is the name of this server, in whose name results are recorded.
	Host string
	// Lists are the zones of block lists; none by default.
	Lists []string
	// Filter judges the content, nil for none.
	Filter Filter
	// CheckLoopback also checks what comes from this machine itself, which no name
	// server vouches for; for tests.
	CheckLoopback bool
}

// Checker checks mails that come in.
type Checker struct{ Config }

// New makes a checker.
func New(c Config) *Checker { return &Checker{c} }

// Mail is a mail that comes in.
type Mail struct {
	Address netip.Addr // of who brings it
	Hello   string     // the name that they greeted with
	From    string     // of the envelope, "" for a bounce
	To      []string
	Header  *header.Header
	Open    func() io.Reader
}

// What is done about a mail.
const (
	Accept = "accept"
	Junk   = "junk"
	Later  = "later"
	Reject = "reject"
)

// strictness orders what is done about a mail.
var strictness = []string{Accept, Junk, Later, Reject}

// Why a mail is refused or taken for junk.
const (
	ReasonDMARC  = "dmarc"
	ReasonFilter = "filter"
)

// Result is what was found out about a mail.
type Result struct {
	Action string
	Reason string // "" where it is accepted
	// Summary are the results in short, such as "spf=pass dkim=none dmarc=pass".
	Summary string
	// Field is the Authentication-Results field to record (RFC 8601), with its line end.
	Field string
}

// Check checks a mail. It returns the zero Result, accepted, for one that comes from
// this machine itself.
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

// checks says whether mails from an address are checked.
func (c *Checker) checks(a netip.Addr) bool { return c.CheckLoopback || a.IsValid() && !a.IsLoopback() }

// raise takes an action that is stricter than what is there.
func (r *Result) raise(action, reason string) {
	if slices.Index(strictness, action) > slices.Index(strictness, r.Action) {
		r.Action, r.Reason = action, reason
	}
}

// senderResult is what SPF says.
type senderResult struct {
	value  string
	domain string // that was asked for
	from   string
}

// checkSPF asks whether the sender's domain lets the address send for it (RFC 7208).
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

// checkDKIM verifies the signatures of a mail (RFC 6376), the first few of them.
func (c *Checker) checkDKIM(ctx context.Context, m *Mail) (out []signature) {
	found, err := dkim.VerifyWithOptions(m.Open(), &dkim.VerifyOptions{
		MaxVerifications: maxSignatures,
		LookupTXT:        func(name string) ([]string, error) { return c.DNS.LookupTXT(ctx, name) },
	})
	if err != nil && !errors.Is(err, dkim.ErrTooManySignatures) {
		return nil // what is no mail has no signature
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

// record writes the results down.
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
	// One result in a line, and nothing that could begin another field.
	line = strings.Map(func(x rune) rune {
		if x < ' ' || x > '~' {
			return '?'
		}
		return x
	}, line)
	r.Field = "Authentication-Results: " + strings.ReplaceAll(line, "; ", ";\r\n\t") + "\r\n"
}

// IsRecord says whether a field of a mail claims to be a result of this server (RFC 8601):
// such fields are taken out of what comes in. One whose server cannot be read is one.
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

// Recorded returns what this server found out about a mail of its own queue when it came
// in, by the fields that it added.
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

// Mark returns the header of a mail with what was found out about it instead of fields
// that claim to be of this server.
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

// domainOf returns the domain of an address as name servers know it, "" for none.
func domainOf(addr string) string {
	at := strings.LastIndexByte(addr, '@')
	if at < 0 {
		return ""
	}
	name, _ := address.ParseDomain(strings.TrimSuffix(addr[at+1:], "."))
	return name
}
