package origin

import (
	"context"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"
)

// policy is what a domain asks receivers to do with mail that does not prove to be its own.
type policy struct {
	// action applies to mail of the domain itself, below to mail of its subdomains.
	action, below         string
	strictSPF, strictDKIM bool
	// trying requests the next milder action (pct=0 of RFC 7489, t=y of RFC 9989).
	trying bool
}

var (
	errNoPolicy  = errors.New("origin: the domain has no policy")
	errBadPolicy = errors.New("origin: cannot parse the policy")
)

// findPolicy returns the policy of a domain. It returns errNoPolicy if there is no record
// or more than one, errBadPolicy if the record cannot be used.
func (c *Checker) findPolicy(ctx context.Context, name string) (policy, error) {
	texts, err := c.DNS.LookupTXT(ctx, "_dmarc."+name)
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return policy{}, errNoPolicy
	}
	if err != nil {
		return policy{}, err
	}
	texts = slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return !isPolicy(t) })
	if len(texts) != 1 {
		return policy{}, errNoPolicy
	}
	return parsePolicy(texts[0])
}

// isPolicy reports whether a text is a policy record: its version comes first and is
// DMARC1.
func isPolicy(text string) bool {
	first, _, _ := strings.Cut(text, ";")
	name, version, _ := strings.Cut(first, "=")
	return strings.EqualFold(strings.TrimSpace(name), "v") && strings.TrimSpace(version) == "DMARC1"
}

// parsePolicy parses a policy record. Only the requested action must be valid, and tags
// unique: other mistakes are ignored (RFC 7489, 6.3), so that a forger cannot profit from
// them. A record that only requests reports means no action (6.6.3).
func parsePolicy(text string) (p policy, err error) {
	tags := map[string]string{}
	for part := range strings.SplitSeq(strings.ToLower(text), ";") {
		name, value, _ := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		if _, twice := tags[name]; twice && name != "" {
			return p, errBadPolicy
		}
		tags[name] = strings.TrimSpace(value)
	}
	actions := map[string]string{"none": Accept, "quarantine": Junk, "reject": Reject}
	p.action = actions[tags["p"]]
	p.below = p.action
	if below, there := tags["sp"]; there {
		p.below = actions[below]
	}
	if p.action == "" || p.below == "" {
		if !strings.Contains(tags["rua"], ":") {
			return p, errBadPolicy
		}
		p.action, p.below = Accept, Accept
	}
	p.strictSPF, p.strictDKIM = tags["aspf"] == "s", tags["adkim"] == "s"
	percent, err := strconv.Atoi(tags["pct"])
	p.trying = err == nil && percent == 0 || tags["t"] == "y"
	return p, nil
}
