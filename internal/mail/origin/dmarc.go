package origin

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"

	"github.com/emersion/go-msgauth/dmarc"
	"golang.org/x/net/publicsuffix"

	"konak/internal/mail/header"
)

// dmarcResult is what the domain in From says about a mail.
type dmarcResult struct {
	value  string
	domain string
	action string
}

// checkDMARC asks the domains in From what is to be done about a mail that neither SPF
// nor DKIM shows to be theirs (RFC 7489). The strictest of several wins. Where From
// cannot be read, everything in it that somebody could take for the sender is asked, and
// the mail never passes.
func (c *Checker) checkDMARC(ctx context.Context, m *Mail, sender senderResult, signatures []signature) dmarcResult {
	domains, readable := domainsOfFrom(m)
	if len(domains) > maxFrom {
		return dmarcResult{value: "permerror", action: Reject}
	}
	out := dmarcResult{value: "none", action: Accept}
	for _, name := range domains {
		r := c.checkDomain(ctx, name, sender, signatures)
		if out.domain == "" || slices.Index(strictness, r.action) > slices.Index(strictness, out.action) {
			out = r
		}
	}
	if !readable && out.value != "fail" {
		out.value = "permerror"
	}
	return out
}

// standIns are the fields that name the sender where From does not.
var standIns = []string{"sender", "resent-from", "return-path", "x-envelope-from", "reply-to"}

// domainsOfFrom returns the domains of whom a mail may be taken to be from, and false
// where From cannot be read.
func domainsOfFrom(m *Mail) (out []string, readable bool) {
	list, readable := m.Header.Addresses("from")
	for _, addr := range list {
		out = addDomain(out, domainOf(addr))
	}
	if !readable {
		out = append(out, looseDomains(m.Header, out, "from")...)
	}
	if len(out) > 0 {
		return out, readable
	}
	for _, name := range standIns {
		out = append(out, looseDomains(m.Header, out, name)...)
	}
	return addDomain(out, domainOf(m.From)), false
}

func addDomain(list []string, name string) []string {
	if name == "" || slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// looseDomains returns the domains that somebody could read in the fields of a name, as
// they stand, decoded, and without comments and spaces, other than those that are known.
func looseDomains(h *header.Header, known []string, name string) (out []string) {
	for _, value := range h.Values(name) {
		bare := header.WithoutComments(value)
		for _, text := range []string{value, header.Decode(value), bare, strings.Join(strings.Fields(bare), "")} {
			for _, piece := range strings.Split(text, "@")[1:] {
				piece = strings.TrimLeft(piece, " ")
				if end := strings.IndexFunc(piece, endsDomain); end >= 0 {
					piece = piece[:end]
				}
				if found := domainOf("@" + piece); !slices.Contains(known, found) {
					out = addDomain(out, found)
				}
				if len(out) > maxFrom {
					return out
				}
			}
		}
	}
	return out
}

// endsDomain says whether a character cannot be part of a domain's name.
func endsDomain(r rune) bool {
	return r <= ' ' || strings.ContainsRune(`<>,;:"()[]\\'=?!/&|`, r)
}

// checkDomain asks one domain.
func (c *Checker) checkDomain(ctx context.Context, name string, sender senderResult, signatures []signature) dmarcResult {
	out := dmarcResult{value: "none", domain: name, action: Accept}
	record, err := c.findPolicy(ctx, name)
	policy := dmarc.PolicyNone
	if record != nil {
		policy = record.Policy
	}
	if main := mainDomain(name); errors.Is(err, dmarc.ErrNoPolicy) && main != name {
		if record, err = c.findPolicy(ctx, main); record != nil {
			if policy = record.Policy; record.SubdomainPolicy != "" {
				policy = record.SubdomainPolicy
			}
		}
	}
	switch {
	case errors.Is(err, dmarc.ErrNoPolicy):
		return out
	case dmarc.IsTempFail(err):
		out.value = "temperror"
		return out
	case err != nil:
		out.value = "permerror"
		return out
	}
	if sender.value == "pass" && isAligned(sender.domain, name, record.SPFAlignment) ||
		slices.ContainsFunc(signatures, func(s signature) bool { return s.value == "pass" && isAligned(s.domain, name, record.DKIMAlignment) }) {
		out.value = "pass"
		return out
	}
	out.value = "fail"
	if sender.value == "temperror" || slices.ContainsFunc(signatures, func(s signature) bool { return s.value == "temperror" }) {
		out.value = "temperror" // it might have passed
		return out
	}
	if record.Percent != nil && *record.Percent == 0 {
		// The domain is only trying: the next milder policy holds.
		policy = map[dmarc.Policy]dmarc.Policy{dmarc.PolicyReject: dmarc.PolicyQuarantine}[policy]
	}
	switch policy {
	case dmarc.PolicyReject:
		out.action = Reject
	case dmarc.PolicyQuarantine:
		out.action = Junk
	}
	return out
}

// findPolicy returns the record of a domain, and dmarc.ErrNoPolicy where it has none
// or more than one.
func (c *Checker) findPolicy(ctx context.Context, name string) (*dmarc.Record, error) {
	return dmarc.LookupWithOptions(name, &dmarc.LookupOptions{LookupTXT: func(at string) ([]string, error) {
		texts, err := c.DNS.LookupTXT(ctx, at)
		texts = slices.DeleteFunc(texts, func(t string) bool { return !strings.HasPrefix(t, "v=DMARC1") })
		if err == nil && len(texts) != 1 {
			err = &net.DNSError{Err: "no record", Name: at, IsNotFound: true}
		}
		return texts, err
	}})
}

// mainDomain returns the domain that a name belongs to, such as example.com for
// mail.example.com.
func mainDomain(name string) string {
	if main, err := publicsuffix.EffectiveTLDPlusOne(name); err == nil {
		return main
	}
	return name
}

// isAligned says whether a domain that was proven may speak for the one in From.
func isAligned(proven, from string, mode dmarc.AlignmentMode) bool {
	if mode == dmarc.AlignmentStrict {
		return proven == from
	}
	return mainDomain(proven) == mainDomain(from)
}
