// Package siteverify is the request that captcha services have in common: it sends the
// secret, the visitor's token and address, and gets success and error codes.
package siteverify

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"konak/internal/kit/outbound"
	"konak/internal/kit/secret"
)

// Client is a client of one service.
type Client struct {
	Address string
	Secret  secret.Text
	// SiteKey is sent along if it is set.
	SiteKey string
	// Refusals are the error codes about the visitor's token. Any other code is about us or
	// the service, and is an error.
	Refusals []string

	out *outbound.Client
}

// New returns a copy of c that is ready to use.
func New(c Client) *Client {
	c.out = outbound.New(outbound.Options{Operator: true})
	return &c
}

// patience is how long somebody who signs in waits for the service.
const patience = 5 * time.Second

type answer struct {
	Success    bool     `json:"success"`
	ErrorCodes []string `json:"error-codes"`
}

// Verify reports whether a token is valid. An error means that this is unknown: the caller
// must not treat it as valid.
func (c *Client) Verify(ctx context.Context, token, ip string) (bool, error) {
	form := url.Values{"secret": {c.Secret.Reveal()}, "response": {token}}
	if ip != "" {
		form.Set("remoteip", ip)
	}
	if c.SiteKey != "" {
		form.Set("sitekey", c.SiteKey)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Address, strings.NewReader(form.Encode()))
	if err != nil {
		return false, fmt.Errorf("siteverify: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := c.out.RoundTrip(req)
	if err != nil {
		return false, fmt.Errorf("siteverify: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	// A refusal may come with a 4xx.
	status, a := resp.StatusCode, answer{}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 16<<10)).Decode(&a); err != nil {
		return false, fmt.Errorf("siteverify: cannot read the answer with status %d: %w", status, err)
	}
	if status/100 == 2 && a.Success {
		return true, nil
	}
	for _, code := range a.ErrorCodes {
		if !slices.Contains(c.Refusals, code) {
			return false, fmt.Errorf("siteverify: the service answered %q", code)
		}
	}
	if status/100 == 5 {
		return false, fmt.Errorf("siteverify: the service answered %d", status)
	}
	return false, nil
}
