package outbound

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// ErrInside means that the address lies inside the network, or is not one that the open
// internet routes to a single host.
var ErrInside = errors.New("the address is not on the public internet")

// closed are the ranges that no request may reach: everything that IANA's special-purpose
// registries list as not globally reachable, and the forms in which an inside address can
// be disguised as an outside one.
var closed = []struct {
	prefix netip.Prefix
	what   string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "this network"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private"},
	{netip.MustParsePrefix("100.64.0.0/10"), "shared"},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local and cloud metadata"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private"},
	{netip.MustParsePrefix("192.0.0.0/24"), "protocol assignments and cloud metadata"},
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation"},
	{netip.MustParsePrefix("192.31.196.0/24"), "AS112"},
	{netip.MustParsePrefix("192.52.193.0/24"), "AMT"},
	{netip.MustParsePrefix("192.88.99.0/24"), "6to4 relay"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private"},
	{netip.MustParsePrefix("192.175.48.0/24"), "AS112"},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking"},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("240.0.0.0/4"), "class E and broadcast"},
	{netip.MustParsePrefix("100.100.100.200/32"), "cloud metadata"},
	{netip.MustParsePrefix("168.63.129.16/32"), "cloud metadata"},

	// Of IPv6 only 2000::/3 is global unicast; these ranges are closed although they lie in
	// it.
	{netip.MustParsePrefix("2001::/23"), "protocol assignments, Teredo, ORCHID"},
	{netip.MustParsePrefix("2001:db8::/32"), "documentation"},
	{netip.MustParsePrefix("2002::/16"), "6to4"},
	{netip.MustParsePrefix("2620:4f:8000::/48"), "AS112"},
	{netip.MustParsePrefix("3fff::/20"), "documentation"},
}

var global6 = netip.MustParsePrefix("2000::/3")

// wrapped are ranges that carry an IPv4 address in their last four bytes. They lie outside
// 2000::/3 and are refused anyway; they are listed for a clearer error.
var wrapped = []struct {
	prefix netip.Prefix
	what   string
}{
	{netip.MustParsePrefix("::/96"), "IPv4-compatible"},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), "IPv4-translated"},
	{netip.MustParsePrefix("64:ff9b::/96"), "NAT64"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "NAT64"},
}

// checkIP refuses an address unless it is on the public internet or allowed. An IPv4
// address that is mapped into IPv6 is checked as the IPv4 address.
func checkIP(ip netip.Addr, allowed []netip.Prefix) error {
	if ip.Zone() != "" {
		return fmt.Errorf("%w: %s has a zone", ErrInside, ip)
	}
	ip = ip.Unmap()
	if permitted(ip, allowed) {
		return nil
	}
	for _, c := range closed {
		if c.prefix.Contains(ip) {
			return fmt.Errorf("%w: %s is %s", ErrInside, ip, c.what)
		}
	}
	if ip.Is4() || global6.Contains(ip) {
		return nil
	}
	for _, w := range wrapped {
		if w.prefix.Contains(ip) && !ip.IsLoopback() && !ip.IsUnspecified() {
			return fmt.Errorf("%w: %s is %s", ErrInside, ip, w.what)
		}
	}
	return fmt.Errorf("%w: %s is not global unicast", ErrInside, ip)
}

func permitted(ip netip.Addr, allowed []netip.Prefix) bool {
	return slices.ContainsFunc(allowed, func(p netip.Prefix) bool { return p.Contains(ip) })
}

var loopback4 = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// isLocal reports whether a name means this machine, whatever a name service answers (RFC
// 6761). The addresses of other names are checked when they are dialled.
func isLocal(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// asciiHost returns a host name in the form that name services use. It returns ErrAddress
// if there is no such form.
func asciiHost(host string) (string, error) {
	if strings.IndexFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return host, nil
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil {
		return "", ErrAddress
	}
	return ascii, nil
}

// ErrNumericHost means that a host is a number in a form that programs read differently
// (decimal, octal, hexadecimal, short).
var ErrNumericHost = errors.New("write an IPv4 address as four decimal numbers")

// literal parses a host that is an address. Browsers and C libraries take any host whose
// last label is a number for an address, whatever else it looks like, so it must be in the
// one unambiguous form.
func literal(host string) (ip netip.Addr, is bool, err error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip, true, nil
	}
	last := strings.ToLower(strings.TrimSuffix(host, "."))
	last = last[strings.LastIndexByte(last, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok && strings.Trim(hex, "0123456789abcdef") == "" {
		return netip.Addr{}, true, ErrNumericHost
	}
	if last != "" && strings.Trim(last, "0123456789") == "" {
		return netip.Addr{}, true, ErrNumericHost
	}
	return netip.Addr{}, false, nil
}
