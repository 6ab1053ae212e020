package mail

import (
	"net/netip"
	"slices"
	"strings"

	"konak/internal/kit/address"
	"konak/internal/kit/fault"
)

// Settings are a workspace's mail administration settings.
type Settings struct {
	AdminIPAllowlist Allowlist  `json:"admin_ip_allowlist"`
	Require2FA       Require2FA `json:"require_2fa"`
	Defaults         Defaults   `json:"defaults"`
	Abuse            Abuse      `json:"abuse"`
	Journaling       Journaling `json:"journaling"`
	DLP              DLP        `json:"dlp"`
	Forwarding       Forwarding `json:"forwarding"`
}

// DLP defines what the rules of data-loss prevention check in addition to e-mail.
type DLP struct {
	Messaging bool `json:"messaging" example:"true" doc:"Whether messages on other channels, including templates, are checked too"`
}

// Forwarding defines where mailboxes may forward their mail automatically.
type Forwarding struct {
	Allowed []string `json:"allowed" maxItems:"200" nullable:"false" example:"[\"example.com\", \"elif@example.org\"]" doc:"Domains and addresses outside the workspace's own domains; with an empty list, no mailbox can forward outside"`
}

// parseForwarding parses domains and addresses and normalises them: sorted, without
// duplicates.
func parseForwarding(texts []string) (Forwarding, error) {
	out := Forwarding{Allowed: []string{}}
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if e, ok := address.ParseEmail(text); ok {
			out.Allowed = append(out.Allowed, e.Key)
			continue
		}
		name, ok := address.ParseDomain(text)
		if !ok {
			return out, fault.Invalid("allowed", "invalid_address")
		}
		out.Allowed = append(out.Allowed, name)
	}
	slices.Sort(out.Allowed)
	out.Allowed = slices.Compact(out.Allowed)
	return out, nil
}

// Defaults apply to a new mailbox unless other values are given.
type Defaults struct {
	DefaultQuotaMB    *int64 `json:"default_quota_mb" required:"false" nullable:"true" minimum:"1" maximum:"1048576" example:"2048" doc:"Total mail a new inbox accepts; null means no limit of its own"`
	MinPasswordLength *int64 `json:"min_password_length" required:"false" nullable:"true" minimum:"8" maximum:"128" example:"14" doc:"Minimum password length of mailboxes; null means 12"`
}

// Abuse defines what happens to a mailbox that sends more than a person would.
type Abuse struct {
	AutoSuspend bool `json:"auto_suspend" example:"true" doc:"Whether the mailbox is suspended at once; otherwise an event is sent and an administrator decides"`
}

// Journaling defines whether every mail is kept in the journal, and for how long.
type Journaling struct {
	Enabled       bool  `json:"enabled" example:"true"`
	RetentionDays int64 `json:"retention_days" minimum:"1" maximum:"36500" example:"3650" doc:"How many days mail is kept. A longer time also applies to stored mail, a shorter one only to new mail"`
}

// defaultRetention is the number of days that journal mails are kept by default.
const defaultRetention = 3650

// Require2FA defines whether members need a second step.
type Require2FA struct {
	Required bool `json:"required" example:"true"`
}

// Allowlist is the list of networks from which mail may be administered.
type Allowlist struct {
	CIDRs []string `json:"cidrs" maxItems:"200" nullable:"false" example:"[\"203.0.113.0/24\"]" doc:"Addresses and networks, IPv4 and IPv6; an empty list allows all"`
}

// parseCIDRs parses addresses and networks and normalises them: sorted, without duplicates,
// an address as a network of one.
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

// allows reports whether an address is in the list, or the list is empty. A text that is
// not an address is in no list.
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
	return Settings{AdminIPAllowlist: Allowlist{CIDRs: []string{}}, Forwarding: Forwarding{Allowed: []string{}}, Journaling: Journaling{RetentionDays: defaultRetention}}
}
