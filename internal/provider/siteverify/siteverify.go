// Package siteverify is the request that captcha services have in common: the
// secret, the visitor's token and address in, success and error codes out.
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

// Client asks one service.
type Client struct {
	Address string
	Secret  secret.Text
	// SiteKey is sent along where it is set.
	SiteKey string
	// Refusals are the error codes that speak of the visitor's token. Any other
	// speaks of us or of the service, and is an error.
	Refusals []string

	out *outbound.Client
}

// New makes c ready to ask.
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

// Verify says whether a token is good. An error means that nobody knows: the
// caller must not take it for a yes.
func (c *Client) Verify(ctx context.Context, token, ip string) (bool, error) {
	form := url.Values{"secret": {c.Secret.Reveal()}, "response": {token}}
	if ip != "" {
		form.Set("remoteip", ip)
	}
	if c.SiteKey != "" {
		form.Set("sitekey", c.SiteKey)
	}
	status, a, err := c.post(ctx, form)
	if err != nil {
		return false, err
	}
	if status/100 == 2 && a.Success {
		return true, nil
	}
	for _, code := range a.ErrorCodes {
		if !slices.Contains(c.Refusals, code) {
			return false, fmt.Errorf("siteverify: the service answers %q", code)
		}
	}
	if status/100 == 5 {
		return false, fmt.Errorf("siteverify: the service answers %d", status)
	}
	return false, nil
}

// post reads the answer of any status: refusals may come with a 4xx.
func (c *Client) post(ctx context.Context, form url.Values) (int, answer, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Address, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, answer{}, fmt.Errorf("siteverify: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := c.out.RoundTrip(req)
	if err != nil {
		return 0, answer{}, fmt.Errorf("siteverify: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	var a answer
	if err := json.NewDecoder(io.LimitReader(resp.Body, 16<<10)).Decode(&a); err != nil {
		return 0, answer{}, fmt.Errorf("siteverify: status %d with an answer that cannot be read: %w", resp.StatusCode, err)
	}
	return resp.StatusCode, a, nil
}
