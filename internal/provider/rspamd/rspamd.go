// Package rspamd asks an rspamd server whether a mail is junk.
package rspamd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"konak/internal/kit/outbound"
)

// The time limit of the server for a mail, and the size limit of its answer.
const (
	answerTime = 15 * time.Second
	maxAnswer  = 1 << 20
)

// Client is a client of one server.
type Client struct {
	address *url.URL
	http    *outbound.Client
}

// New returns a client for the server at an address such as http://127.0.0.1:11333.
func New(address *url.URL) *Client {
	return &Client{address, outbound.New(outbound.Options{Operator: true, MaxBody: maxAnswer})}
}

// Check returns what rspamd would do with a mail, in its own words: "no action",
// "greylist", "add header", "rewrite subject", "soft reject" or "reject".
func (c *Client) Check(ctx context.Context, peer netip.Addr, hello, from string, to []string, mail io.Reader) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address.JoinPath("checkv2").String(), mail)
	if err != nil {
		return "", fmt.Errorf("rspamd: %w", err)
	}
	for name, value := range map[string]string{"IP": peer.String(), "Helo": hello, "From": from} {
		req.Header.Set(name, clean(value))
	}
	for _, addr := range to {
		req.Header.Add("Rcpt", clean(addr))
	}
	resp, err := c.http.RoundTrip(req)
	if err != nil {
		return "", fmt.Errorf("rspamd: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("rspamd: answered %s", resp.Status)
	}
	var answer struct {
		Action string `json:"action"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return "", fmt.Errorf("rspamd: the answer cannot be read: %w", err)
	}
	return answer.Action, nil
}

// clean returns a text that is valid in an HTTP header.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}
