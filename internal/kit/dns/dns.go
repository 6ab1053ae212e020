// Package dns asks the authoritative name servers of a name directly, without a cache: what
// a person changed a minute ago is visible.
//
// A server can neither fill the memory nor block its caller: an answer has 64 KiB at most,
// packets that answer another question are dropped and counted, and each attempt and each
// question has a time limit.
package dns

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// Type is the type of a record.
type Type = dnsmessage.Type

// The types that can be queried.
const (
	TXT   = dnsmessage.TypeTXT
	MX    = dnsmessage.TypeMX
	CNAME = dnsmessage.TypeCNAME
	SRV   = dnsmessage.TypeSRV
)

// Limits of one question.
const (
	attemptTime = 2 * time.Second
	lookupTime  = 8 * time.Second
	maxSteps    = 8   // aliases and delegations that are followed
	maxServers  = 6   // addresses that are asked for one name
	maxRecords  = 100 // in an answer
)

// Record is one record of an answer.
type Record struct {
	Type Type
	// Text is the text of a TXT record: its strings, joined.
	Text string
	// Host is the target of an MX, CNAME or SRV record, without the final dot.
	Host string
	// Priority is set for MX and SRV, Weight and Port for SRV.
	Priority, Weight, Port uint16
}

// String returns the record's value as in a zone file; a text has no quotes.
func (r Record) String() string {
	switch r.Type {
	case MX:
		return fmt.Sprintf("%d %s.", r.Priority, r.Host)
	case SRV:
		return fmt.Sprintf("%d %d %d %s.", r.Priority, r.Weight, r.Port, r.Host)
	case CNAME:
		return r.Host + "."
	}
	return r.Text
}

// The reasons why a question has no answer.
const (
	ReasonFailed      = "server_failed" // the servers answer, but with a failure
	ReasonTimeout     = "timeout"
	ReasonUnreachable = "unreachable"
)

// Error means that no authoritative server gave an answer. A record that does not exist is
// not an error.
type Error struct {
	Name   string
	Reason string
	Err    error
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("dns: %s has no answer (%s): %v", e.Name, e.Reason, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Config is what a client needs.
type Config struct {
	// Dial connects to a name server over "udp" or "tcp".
	Dial func(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error)
	// Servers finds the authoritative servers of a name; nil asks the system's resolver for
	// them.
	Servers func(ctx context.Context, name string) ([]netip.AddrPort, error)
	// Timeout is how long one attempt may take; zero means two seconds.
	Timeout time.Duration
}

// Client queries name servers.
type Client struct{ cfg Config }

// New creates a client.
func New(c Config) *Client {
	if c.Servers == nil {
		c.Servers = findServers
	}
	if c.Timeout == 0 {
		c.Timeout = attemptTime
	}
	return &Client{c}
}

// Lookup returns the records of a name, or nothing if there are none. zone is a name above
// it, or the name itself, at which the search for servers begins. Lookup follows aliases
// and delegations. It returns an *Error if no authoritative server answers.
func (c *Client) Lookup(ctx context.Context, zone, name string, t Type) ([]Record, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	records, err := c.followReferrals(ctx, fullName(zone), fullName(name), t)
	if err != nil {
		return nil, &Error{Name: name, Reason: reasonOf(ctx, err), Err: err}
	}
	return records, nil
}

func (c *Client) followReferrals(ctx context.Context, zone, name string, t Type) ([]Record, error) {
	for range maxSteps {
		servers, err := c.cfg.Servers(ctx, zone)
		if err != nil {
			return nil, err
		}
		r, err := c.askAll(ctx, servers, zone, name, t)
		if err != nil {
			return nil, err
		}
		switch {
		case r.alias != "":
			zone, name = r.alias, r.alias
		case r.zone != "":
			zone = r.zone
		default:
			return r.records, nil
		}
	}
	return nil, errors.New("too many aliases or delegations")
}

// askAll asks one server after the other until one answers.
func (c *Client) askAll(ctx context.Context, servers []netip.AddrPort, zone, name string, t Type) (r reply, err error) {
	err = errors.New("no name server was found")
	for _, server := range servers[:min(len(servers), maxServers)] {
		if r, err = c.ask(ctx, server, zone, name, t); err == nil || ctx.Err() != nil {
			return r, err
		}
	}
	return r, err
}

// findServers asks the system's resolver for the servers of the zone of a name.
func findServers(ctx context.Context, name string) ([]netip.AddrPort, error) {
	for zone := name; strings.Count(zone, ".") > 1; _, zone, _ = strings.Cut(zone, ".") {
		list, err := net.DefaultResolver.LookupNS(ctx, zone)
		if e, ok := errors.AsType[*net.DNSError](err); len(list) == 0 && (err == nil || ok && e.IsNotFound) {
			continue
		}
		if len(list) == 0 {
			return nil, err
		}
		return findAddresses(ctx, list)
	}
	return nil, nil
}

func findAddresses(ctx context.Context, list []*net.NS) (out []netip.AddrPort, err error) {
	for _, ns := range list[:min(len(list), maxServers)] {
		var ips []netip.Addr
		if ips, err = net.DefaultResolver.LookupNetIP(ctx, "ip", ns.Host); err != nil {
			continue
		}
		for _, ip := range ips {
			out = append(out, netip.AddrPortFrom(ip.Unmap(), 53))
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	return nil, err
}

func reasonOf(ctx context.Context, err error) string {
	timeout, isNet := errors.AsType[net.Error](err)
	switch {
	case ctx.Err() != nil || isNet && timeout.Timeout():
		return ReasonTimeout
	case errors.Is(err, errRefusing):
		return ReasonFailed
	}
	return ReasonUnreachable
}

// fullName returns a name in lower case with a final dot.
func fullName(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) + "." }
