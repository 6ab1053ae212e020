package origin

import (
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"konak/internal/mail/header"
)

// dmarcResult is the DMARC result of a mail for a domain in From.
type dmarcResult struct {
	value  string
	domain string
	action string
}

// checkDMARC applies the DMARC policies of the domains in From to a mail that neither SPF
// nor DKIM proves to be theirs (RFC 7489). The strictest policy wins. If From cannot be
// parsed, every domain that a reader could take for the sender's is checked, and the mail
// never passes.
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

// standIns are the fields that name the sender if From does not.
var standIns = []string{"sender", "resent-from", "return-path", "x-envelope-from", "reply-to"}

// domainsOfFrom returns the domains that a mail may appear to be from, and false if From
// cannot be parsed.
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

// looseDomains returns the domains that a reader could see in the fields with a name, both
// in the raw and the decoded text, and without comments and spaces. It leaves out known
// domains.
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

// endsDomain reports whether a character cannot be part of a domain name.
func endsDomain(r rune) bool {
	return r <= ' ' || strings.ContainsRune(`<>,;:"()[]\\'=?!/&|`, r)
}

// checkDomain applies the policy of one domain.
func (c *Checker) checkDomain(ctx context.Context, name string, sender senderResult, signatures []signature) dmarcResult {
	out := dmarcResult{value: "none", domain: name, action: Accept}
	asked, err := c.findPolicy(ctx, name)
	action := asked.action
	if main := mainDomain(name); errors.Is(err, errNoPolicy) && main != name {
		asked, err = c.findPolicy(ctx, main)
		action = asked.below
	}
	switch {
	case errors.Is(err, errNoPolicy):
		return out
	case errors.Is(err, errBadPolicy):
		out.value = "permerror"
		return out
	case err != nil:
		out.value = "temperror"
		return out
	}
	if sender.value == "pass" && isAligned(sender.domain, name, asked.strictSPF) ||
		slices.ContainsFunc(signatures, func(s signature) bool { return s.value == "pass" && isAligned(s.domain, name, asked.strictDKIM) }) {
		out.value = "pass"
		return out
	}
	out.value = "fail"
	if sender.value == "temperror" || slices.ContainsFunc(signatures, func(s signature) bool { return s.value == "temperror" }) {
		out.value = "temperror" // it might have passed
		return out
	}
	if asked.trying {
		action = map[string]string{Reject: Junk, Junk: Accept, Accept: Accept}[action]
	}
	out.action = action
	return out
}

// mainDomain returns the registrable domain of a name, such as example.com for
// mail.example.com.
func mainDomain(name string) string {
	if main, err := publicsuffix.EffectiveTLDPlusOne(name); err == nil {
		return main
	}
	return name
}

// isAligned reports whether a proven domain may authenticate the one in From.
func isAligned(proven, from string, strict bool) bool {
	if strict {
		return proven == from
	}
	return mainDomain(proven) == mainDomain(from)
}
