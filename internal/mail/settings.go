package mail

import (
	"net/netip"
	"slices"
	"strings"

	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Settings are a workspace's settings of mail administration.
type Settings struct {
	AdminIPAllowlist Allowlist  `json:"admin_ip_allowlist"`
	Require2FA       Require2FA `json:"require_2fa"`
}

// Require2FA says whether members need a second step.
type Require2FA struct {
	Required bool `json:"required" example:"true"`
}

// Allowlist is from where mail may be administered.
type Allowlist struct {
	CIDRs []string `json:"cidrs" maxItems:"200" nullable:"false" example:"[\"203.0.113.0/24\"]" doc:"Addresses and networks, IPv4 and IPv6; an empty list lets everybody in"`
}

// parseCIDRs reads addresses and networks and writes them in one form: sorted,
// each once, an address as a network of one.
func parseCIDRs(texts []string) ([]netip.Prefix, error) {
	out := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		text = strings.TrimSpace(text)
		p, err := netip.ParsePrefix(text)
		if err != nil {
			a, err := netip.ParseAddr(text)
			if err != nil || a.Zone() != "" {
				return nil, fault.Invalid("cidrs", "invalid_address")
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		if a := p.Addr(); a.Is4In6() {
			if p.Bits() < 96 {
				return nil, fault.Invalid("cidrs", "invalid_address")
			}
			p = netip.PrefixFrom(a.Unmap(), p.Bits()-96)
		}
		out = append(out, p.Masked())
	}
	slices.SortFunc(out, func(a, b netip.Prefix) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(out), nil
}

// allows says whether an address is in the list, or the list is empty. What is
// no address is in no list.
func (l Allowlist) allows(ip string) bool {
	if len(l.CIDRs) == 0 {
		return true
	}
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return false
	}
	a = a.Unmap().WithZone("")
	return slices.ContainsFunc(l.CIDRs, func(text string) bool {
		p, err := netip.ParsePrefix(text)
		return err == nil && p.Contains(a)
	})
}

func emptySettings() Settings {
	return Settings{AdminIPAllowlist: Allowlist{CIDRs: db.OrEmpty[string](nil)}}
}
