// Package setting checks what operators write into settings.
package setting

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// IsHost reports whether name is a bare host: no scheme, port or path.
func IsHost(name string) bool {
	if len(name) > 253 {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
		if strings.ContainsFunc(label, func(r rune) bool { return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			return false
		}
	}
	return true
}

// IsLoopback reports whether a host is only this machine.
func IsLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// isPort reports whether text is the number of a port; 0 means any free port.
func isPort(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil
}

// IsAddress reports whether text is HOST:PORT to listen on; the host may be empty.
func IsAddress(text string) bool {
	host, port, err := net.SplitHostPort(text)
	if err != nil || !isPort(port) {
		return false
	}
	_, err = netip.ParseAddr(host)
	return host == "" || err == nil || IsHost(host)
}

// IsServer reports whether text is a host or an address that can be reached, with or
// without a port.
func IsServer(text string) bool {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = strings.Trim(text, "[]"), "1"
	}
	if !isPort(port) || port == "0" {
		return false
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return !ip.IsUnspecified()
	}
	return IsHost(strings.ReplaceAll(host, "_", "x")) // names of containers may have underscores
}

// Overlap reports whether it is impossible to listen on both addresses.
func Overlap(a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	everywhere := func(host string) bool {
		ip, err := netip.ParseAddr(host)
		return host == "" || err == nil && ip.IsUnspecified()
	}
	return errA == nil && errB == nil && portA == portB && portA != "0" && (hostA == hostB || everywhere(hostA) || everywhere(hostB))
}

// IsURL reports whether address is http:// or https:// with a host that can be reached.
func IsURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && IsServer(u.Host)
}

// IsOrigin reports whether address is http://HOST or https://HOST, with or without a port,
// and nothing more.
func IsOrigin(address string) bool {
	u, err := url.Parse(address)
	return err == nil && IsURL(address) && address == u.Scheme+"://"+u.Host
}

// spfTerm matches an SPF mechanism that authorizes senders (RFC 7208, 5). Neither all,
// which names nobody, nor ptr, which should not be used any more, is among them.
var spfTerm = regexp.MustCompile(`^\+?(?:(a|mx)(?::([^\s:/]+))?(?:/\d{1,3}){0,2}|(include|exists):([^\s:/]+)|(ip4|ip6):(\S+))$`)

// IsSPFTerm reports whether text is one term of an SPF record that authorizes servers to
// send.
func IsSPFTerm(text string) bool {
	m := spfTerm.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	if m[5] == "" {
		return true
	}
	ip, err := netip.ParseAddr(m[6])
	if err != nil {
		prefix, err := netip.ParsePrefix(m[6])
		if err != nil {
			return false
		}
		ip = prefix.Addr()
	}
	return ip.Is4() == (m[5] == "ip4")
}

// Prefixes parses ranges of addresses. The error names the flag.
func Prefixes(flag string, list []string) ([]netip.Prefix, error) {
	out := make([]netip.Prefix, 0, len(list))
	for _, s := range list {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return nil, fmt.Errorf("--%s %q: write a range such as 10.0.0.0/8", flag, s)
		}
		out = append(out, p)
	}
	return out, nil
}
