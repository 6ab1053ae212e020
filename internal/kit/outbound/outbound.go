// Package outbound makes every connection that goes out of the process. An address from a
// user cannot lead to the inside: the address that is really connected to is checked at
// dial time, after DNS, for every connection. Redirects are not followed, no proxy is taken
// from the environment, and outside the allowed ranges a connection must be encrypted.
//
// A peer can neither fill the memory nor block its caller: the size of each answer is
// bounded, and a connection ends with the context for which it was made. For HTTP, Post and
// RoundTrip bound the header and the body; for other protocols Dial returns a Conn whose
// budget the protocol renews.
package outbound

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
	"konak/internal/kit/trace"
)

// Limits of one request.
const (
	Timeout = 15 * time.Second
	connect = 5 * time.Second
	// Keep is the number of bytes read of an answer.
	Keep = 16 << 10
	// idle is the number of idle connections kept per host: as many as a sender keeps busy
	// if many workspaces send to the same host.
	idle = 256
)

// Header is a request's header.
type Header = http.Header

// Client sends requests to servers outside the process.
type Client struct {
	// A transport is enough: an http.Client only adds following redirects, which we do not
	// do, and the copies it keeps for that.
	transport *http.Transport
	dialer    *net.Dialer
	allowed   []netip.Prefix
	maxBody   int64
}

// Options configure a client.
type Options struct {
	// Allowed are ranges inside the network that may be reached nevertheless, even without
	// encryption: the demo's own, or a self-hoster's receivers.
	Allowed []netip.Prefix
	// Resolver looks names up; nil means the system's.
	Resolver *net.Resolver
	// TLS replaces the trusted certificates, for tests.
	TLS *tls.Config
	// Operator is set for servers that the operator named in the settings: they may be
	// anywhere, and a proxy from the environment is used for HTTP.
	Operator bool
	// MaxBody bounds the length of an answer of RoundTrip: 128 MiB by default.
	MaxBody int64
	// Patience returns how long an HTTP peer may currently send nothing. If it is nil, only
	// the request's context limits this.
	Patience func() time.Duration
}

// anywhere covers every address.
var anywhere = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

type plainKey struct{}

// New creates a client.
func New(o Options) *Client {
	if o.Operator {
		o.Allowed = anywhere
	}
	dialer := &net.Dialer{
		Timeout: connect, Resolver: o.Resolver,
		ControlContext: func(ctx context.Context, _, addr string, _ syscall.RawConn) error {
			plain, _ := ctx.Value(plainKey{}).(bool)
			return checkDial(addr, plain, o.Allowed)
		},
	}
	c := &Client{allowed: o.Allowed, dialer: dialer, maxBody: cmp.Or(o.MaxBody, 128<<20), transport: &http.Transport{
		DialContext: dialer.DialContext, TLSHandshakeTimeout: connect, TLSClientConfig: o.TLS,
		MaxIdleConns: 4096, MaxIdleConnsPerHost: idle, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
		DisableCompression: true, MaxResponseHeaderBytes: 64 << 10,
		// What a peer may send before it is read; the default is 4 MiB.
		HTTP2: &http.HTTP2Config{MaxReceiveBufferPerStream: 256 << 10, MaxReceiveBufferPerConnection: 4 << 20},
	}}
	if o.Operator {
		c.transport.Proxy = http.ProxyFromEnvironment
	}
	if o.Patience != nil {
		c.transport.ResponseHeaderTimeout = o.Patience()
		c.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return stallingConn{conn, o.Patience}, nil
		}
	}
	return c
}

// Dial connects to HOST:PORT for protocols other than HTTP, under the same rules: the
// address that is really connected to is checked, and if plain is set, only the allowed
// ranges are reached; otherwise the caller must add encryption. The connection closes when
// ctx ends.
func (c *Client) Dial(ctx context.Context, address string, plain bool) (*Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, ErrAddress
	}
	if _, _, err := literal(host); err != nil {
		return nil, err
	}
	conn, err := c.dialer.DialContext(context.WithValue(ctx, plainKey{}, plain), "tcp", address)
	if err != nil {
		return nil, err
	}
	return newConn(ctx, conn), nil
}

// DialNameServer connects to a name server over "udp" or "tcp". The address is checked as
// in Dial, but may be reached unencrypted, as DNS is.
func (c *Client) DialNameServer(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error) {
	return c.dialer.DialContext(ctx, network, to.String())
}

// Class returns the class of an error of Dial, or of the protocol spoken over it, and its
// description in plain words.
func Class(err error) (class, text string) {
	a := failed(err)
	return a.Class, a.Err.Error()
}

// ErrPlain means that an address outside the allowed ranges must be https.
var ErrPlain = errors.New("an unencrypted request may only go to an allowed range")

func checkDial(addr string, plain bool, allowed []netip.Prefix) error {
	ap, err := netip.ParseAddrPort(addr)
	if err != nil {
		return err
	}
	if err := checkIP(ap.Addr(), allowed); err != nil {
		return err
	}
	if ip := ap.Addr().Unmap(); plain && !permitted(ip, allowed) {
		return fmt.Errorf("%w: %s", ErrPlain, ip)
	}
	return nil
}

// CheckAddr returns ErrInside for an address that a user must not make us connect to. It is
// for protocols that do not use Dial, such as SIP over UDP.
func (c *Client) CheckAddr(ip netip.Addr) error { return checkIP(ip, c.allowed) }

// The reasons why an address is refused before anything is sent.
var (
	ErrAddress     = errors.New("the address cannot be read")
	ErrCredentials = errors.New("the address contains a user name or password")
	ErrScheme      = errors.New("the address must begin with https://")
)

// Parse checks an address as far as possible without looking it up. The address behind a
// name is checked when it is dialled.
func (c *Client) Parse(raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Fragment != "" || u.Opaque != "":
		return nil, ErrAddress
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, ErrScheme
	case u.User != nil:
		return nil, ErrCredentials
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, ErrAddress
		}
	}
	// A host is judged as the dialler reads it, for which "127。0。0。1" is an address.
	host, err := asciiHost(u.Hostname())
	if err != nil {
		return nil, err
	}
	ip, is, err := literal(host)
	if err != nil {
		return nil, err
	}
	if is {
		if err := checkIP(ip, c.allowed); err != nil {
			return nil, err
		}
	} else if isLocal(host) && checkIP(loopback4, c.allowed) != nil && checkIP(netip.IPv6Loopback(), c.allowed) != nil {
		return nil, fmt.Errorf("%w: %s is this machine", ErrInside, host)
	}
	if u.Scheme == "http" && (len(c.allowed) == 0 || is && !permitted(ip.Unmap(), c.allowed)) {
		return nil, ErrScheme
	}
	return u, nil
}

// ParseField is Parse for an address in a field of a request. It returns the fault that
// describes what is wrong with it.
func (c *Client) ParseField(field, raw string) (*url.URL, error) {
	u, err := c.Parse(raw)
	switch {
	case err == nil:
		return u, nil
	case errors.Is(err, ErrScheme):
		return nil, fault.Invalid(field, "https_required")
	case errors.Is(err, ErrCredentials):
		return nil, fault.Invalid(field, "credentials_in_address")
	case errors.Is(err, ErrInside):
		return nil, fault.Invalid(field, "inside_address").Because(err.Error())
	case errors.Is(err, ErrNumericHost):
		return nil, fault.Invalid(field, "invalid_address").Because(err.Error())
	}
	return nil, fault.Invalid(field, "invalid_address")
}

// The classes of failure.
const (
	ClassDNS     = "dns"
	ClassConnect = "connect"
	ClassTLS     = "tls"
	ClassTimeout = "timeout"
	ClassRefused = "refused_address"
	ClassStatus  = "status"
	ClassBody    = "body"
)

// Answer is the answer to a Post.
type Answer struct {
	Status int
	// Body is the start of the answer.
	Body []byte
	// RetryAfter is how long the receiver asks us to wait.
	RetryAfter time.Duration
	Duration   time.Duration
	// Class and Err describe what went wrong; Class is empty for a 2xx.
	Class string
	Err   error
}

// Post sends a body and reads the start of the answer. Anything but a 2xx is a failure,
// including redirects.
func (c *Client) Post(ctx context.Context, to *url.URL, header Header, body []byte, now time.Time) Answer {
	took := clock.Stopwatch()
	ctx, span := startSpan(ctx, http.MethodPost)
	a := c.post(ctx, to, header, body, now)
	a.Duration = took()
	endSpan(span, http.MethodPost, to, a.Status, a.Class)
	return a
}

func (c *Client) post(ctx context.Context, to *url.URL, header Header, body []byte, now time.Time) Answer {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	if to.Scheme == "http" {
		ctx = context.WithValue(ctx, plainKey{}, true)
	}
	req := (&http.Request{
		Method: http.MethodPost, URL: to, Host: to.Host, Header: header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
		GetBody: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil },
	}).WithContext(ctx)
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = resp.Body.Close() }()
	a := Answer{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header.Get("Retry-After"), now)}
	if a.Body, err = io.ReadAll(io.LimitReader(resp.Body, Keep)); err != nil {
		f := failed(err)
		if f.Class != ClassTimeout {
			f.Class = ClassBody
		}
		a.Class, a.Err = f.Class, f.Err
		return a
	}
	if a.Status/100 != 2 {
		a.Class, a.Err = ClassStatus, fmt.Errorf("the receiver answered %d", a.Status)
	}
	return a
}

// plainError describes a failure in words that a user may read. The cause is for the
// program only: its text contains addresses and ports of the inside.
type plainError struct {
	text  string
	cause error
}

// Error implements error.
func (e *plainError) Error() string { return e.text }

// Unwrap returns the cause.
func (e *plainError) Unwrap() error { return e.cause }

// failed returns the class and the plain description of an error.
func failed(err error) Answer {
	a := Answer{Class: ClassConnect}
	dns, isDNS := errors.AsType[*net.DNSError](err)
	netErr, isNet := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, ErrInside) || errors.Is(err, ErrPlain):
		a.Class, a.Err = ClassRefused, &plainError{"this address is not allowed", err}
	case isDNS && !dns.IsTimeout:
		a.Class, a.Err = ClassDNS, errors.New("the host name cannot be resolved")
	case isDNS:
		a.Class, a.Err = ClassDNS, errors.New("the name service did not answer in time")
	case errors.Is(err, context.DeadlineExceeded) || isNet && netErr.Timeout():
		a.Class, a.Err = ClassTimeout, errors.New("the receiver did not answer in time")
	case errors.Is(err, ErrTooMuch):
		a.Class, a.Err = ClassBody, ErrTooMuch
	case isTLS(err):
		a.Class, a.Err = ClassTLS, err
	default:
		a.Err = &plainError{connectionText(err, isNet), err}
	}
	return a
}

// connectionText describes why a connection failed. isNet means that err is an error of the
// network.
func connectionText(err error, isNet bool) string {
	why, isSystem := errors.AsType[syscall.Errno](err)
	switch {
	case isSystem:
		return "the server could not be reached: " + why.Error()
	case isNet:
		return "the server could not be reached"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed the connection"
	}
	return "the server's answer could not be understood"
}

func isTLS(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return true
	}
	return strings.Contains(err.Error(), "tls: ") || strings.Contains(err.Error(), "x509: ")
}

func retryAfter(v string, now time.Time) time.Duration {
	if v == "" {
		return 0
	}
	if n, err := strconv.ParseUint(v, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(t.Sub(now), 0)
	}
	return 0
}

// startSpan begins the span of a request if its context is traced.
func startSpan(ctx context.Context, method string) (context.Context, trace.Span) {
	return trace.StartChild(ctx, method, trace.Client)
}

// endSpan ends the span with the status of the answer, 0 for none, and the class of the
// failure.
func endSpan(span trace.Span, method string, to *url.URL, status int, class string) {
	if span.IsKept() {
		span.End(class, Attributes(method, to, status)...)
	}
}

// Attributes returns a span's attributes for a request and the status of its answer, 0 for
// none. Of the address they contain only the host.
func Attributes(method string, to *url.URL, status int) []trace.Attribute {
	list := []trace.Attribute{trace.Text(trace.Method, method), trace.Text(trace.ServerAddress, to.Hostname())}
	if status != 0 {
		list = append(list, trace.Number(trace.Status, status))
	}
	return list
}

// RoundTrip implements http.RoundTripper under the same rules, for clients of a provider's
// API that need more than Post: other methods, streamed answers. The caller's context
// limits its time; reading an answer that is longer than Options.MaxBody returns
// ErrTooMuch.
func (c *Client) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme == "http" {
		req = req.WithContext(context.WithValue(req.Context(), plainKey{}, true))
	}
	ctx, span := startSpan(req.Context(), req.Method)
	if ctx != req.Context() {
		req = req.WithContext(ctx)
	}
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		endSpan(span, req.Method, req.URL, 0, failed(err).Class)
		return nil, err
	}
	class := ""
	if resp.StatusCode >= http.StatusBadRequest {
		class = ClassStatus
	}
	endSpan(span, req.Method, req.URL, resp.StatusCode, class)
	if resp.StatusCode != http.StatusSwitchingProtocols {
		LimitBody(resp, c.maxBody)
	}
	return resp, nil
}
