package origin

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
)

// FindList returns the zone of the first block list that contains an address, "" for none.
// Lists that do not answer are skipped.
func (c *Checker) FindList(ctx context.Context, a netip.Addr) string {
	if !c.checks(a) || len(c.Lists) == 0 {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	name := reversed(a)
	for _, zone := range c.Lists {
		answers, _ := c.DNS.LookupHost(ctx, name+"."+zone)
		// Lists answer 127.255.255.x if they refuse queries from this server.
		if slices.ContainsFunc(answers, func(text string) bool {
			return strings.HasPrefix(text, "127.") && !strings.HasPrefix(text, "127.255.255.")
		}) {
			return zone
		}
	}
	return ""
}

// reversed returns an address in the reversed form that block lists use (RFC 5782).
func reversed(a netip.Addr) string {
	var parts []string
	if a = a.Unmap(); a.Is4() {
		for _, b := range a.As4() {
			parts = append(parts, fmt.Sprint(b))
		}
	} else {
		for _, b := range a.As16() {
			parts = append(parts, fmt.Sprintf("%x", b>>4), fmt.Sprintf("%x", b&15))
		}
	}
	slices.Reverse(parts)
	return strings.Join(parts, ".")
}

// Filter checks the content of mails, as rspamd does.
type Filter interface {
	// Check returns the filter's decision on a mail: "reject", "soft reject", "greylist",
	// "add header", "rewrite subject", or anything else for no action.
	Check(ctx context.Context, peer netip.Addr, hello, from string, to []string, mail io.Reader) (string, error)
}

// askFilter returns the filter's action for a mail, or Accept if the filter cannot be
// reached: a filter that is down must not stop the mail.
func (c *Checker) askFilter(ctx context.Context, m *Mail) string {
	answer, err := c.Filter.Check(ctx, m.Address, m.Hello, m.From, m.To, m.Open())
	if err != nil {
		c.Log.Warn("the mail filter could not be reached", "error", err)
		return Accept
	}
	switch answer {
	case "reject":
		return Reject
	case "soft reject", "greylist":
		return Later
	case "add header", "rewrite subject":
		return Junk
	}
	return Accept
}
