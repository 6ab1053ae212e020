// Package outbound makes requests to addresses that users gave. It cannot be
// led inside: the address that is really connected to is checked at dial time,
// after DNS, for every attempt. Redirects are not followed, no proxy is taken
// from the environment, and answers are cut to what is kept of them.
package outbound

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// Limits of one request.
const (
	Timeout = 15 * time.Second
	connect = 5 * time.Second
	// Keep is how much of an answer is read.
	Keep = 16 << 10
)

// ErrInside says that the address lies inside the network.
var ErrInside = errors.New("the address is inside the network")

// Client sends requests outside.
type Client struct{ http *http.Client }

// New makes a client. Allowed are ranges inside the network that may be
// reached all the same: the demo's own, or a self-hoster's receivers.
func New(allowed []netip.Prefix) *Client {
	dialer := &net.Dialer{Timeout: connect, Control: func(_, addr string, _ syscall.RawConn) error {
		return check(addr, allowed)
	}}
	return &Client{&http.Client{
		Timeout:       Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: connect,
			MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
		},
	}}
}

func check(addr string, allowed []netip.Prefix) error {
	ap, err := netip.ParseAddrPort(addr)
	if err != nil {
		return err
	}
	ip := ap.Addr().Unmap()
	if slices.ContainsFunc(allowed, func(p netip.Prefix) bool { return p.Contains(ip) }) {
		return nil
	}
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return fmt.Errorf("%w: %s", ErrInside, ip)
	}
	return nil
}

// Answer is what came back.
type Answer struct {
	Status int
	Body   []byte
}

// Post sends a body.
func (c *Client) Post(ctx context.Context, address string, header map[string]string, body []byte) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	kept, err := io.ReadAll(io.LimitReader(resp.Body, Keep))
	return Answer{resp.StatusCode, kept}, err
}
