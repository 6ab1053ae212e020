// Package twilio rents phone numbers from Twilio.
package twilio

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"konak/internal/crm/telephony/number"
	"konak/internal/kit/each"
	"konak/internal/kit/secret"
	"konak/internal/provider/rest"
)

// Host is the address of the service.
const Host = "https://api.twilio.com"

const (
	timeout   = 15 * time.Second
	maxAnswer = 1 << 20
	offers    = "20"
)

// Client speaks with Twilio.
type Client struct {
	base    string
	account string
	token   secret.Text
	http    *rest.Client
}

var _ number.Provider = (*Client)(nil)

// New creates a client for an account; an empty address means Twilio's.
func New(address, account string, token secret.Text, transport http.RoundTripper) *Client {
	return &Client{
		base:    strings.TrimSuffix(cmp.Or(address, Host), "/") + "/" + Version + "/Accounts/" + url.PathEscape(account),
		account: account, token: token,
		http: rest.New("twilio", maxAnswer, transport, timeout),
	}
}

// do sends a request and reads its answer into out. A refusal is *number.Refusal;
// a service that is overloaded or broken is any other error.
func (c *Client) do(ctx context.Context, method, path string, form url.Values, out any) error {
	var body io.Reader
	if method == http.MethodPost {
		body = strings.NewReader(form.Encode())
	} else if len(form) > 0 {
		path += "?" + form.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return fmt.Errorf("twilio: %w", err)
	}
	req.SetBasicAuth(c.account, c.token.Reveal())
	if body != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, text, err := c.http.Do(req)
	if err != nil {
		return err
	}
	switch status := resp.StatusCode; {
	case status/100 == 2 && out == nil:
		return nil
	case status/100 == 2:
		if err := json.Unmarshal(text, out); err != nil {
			return fmt.Errorf("twilio: cannot read the answer: %w", err)
		}
		return nil
	case status >= 500 || status == http.StatusTooManyRequests || status == http.StatusUnauthorized:
		return fmt.Errorf("twilio: status %d", status)
	}
	var refused Error
	if err := json.Unmarshal(text, &refused); err != nil || refused.Code == 0 {
		return fmt.Errorf("twilio: status %d without a reason", resp.StatusCode)
	}
	return &number.Refusal{Code: refused.Code, Message: refused.Message}
}

// notFound reports whether the service refused because what was asked for does not exist.
func notFound(err error) bool {
	r, ok := errors.AsType[*number.Refusal](err)
	return ok && r.Code == CodeNotFound
}

// Available implements number.Provider. For a country without such numbers it returns none.
func (c *Client) Available(ctx context.Context, s number.Search) ([]number.Offer, error) {
	query := url.Values{"VoiceEnabled": {"true"}, "PageSize": {offers}}
	if s.Contains != "" {
		query.Set("Contains", s.Contains)
	}
	var page AvailableNumbers
	err := c.do(ctx, http.MethodGet, "/AvailablePhoneNumbers/"+url.PathEscape(s.Country)+"/"+Types[s.Type]+".json", query, &page)
	if err != nil && !notFound(err) {
		return nil, err
	}
	return each.Map(page.Numbers, func(n AvailableNumber) number.Offer {
		return number.Offer{E164: n.PhoneNumber, Type: s.Type, Locality: n.Locality, Capabilities: n.Capabilities.names()}
	}), nil
}

func (c Capabilities) names() []string {
	out := []string{}
	for _, one := range []struct {
		has  bool
		name string
	}{{c.Voice, "voice"}, {c.SMS, "sms"}, {c.MMS, "mms"}} {
		if one.has {
			out = append(out, one.name)
		}
	}
	return out
}

// Find implements number.Provider.
func (c *Client) Find(ctx context.Context, e164 string) (*number.Rented, error) {
	var page IncomingNumbers
	if err := c.do(ctx, http.MethodGet, "/IncomingPhoneNumbers.json", url.Values{"PhoneNumber": {e164}}, &page); err != nil {
		return nil, err
	}
	for _, n := range page.Numbers {
		if n.PhoneNumber == e164 { // the service also matches parts of numbers
			r := n.rented()
			return &r, nil
		}
	}
	return nil, nil
}

func (n *IncomingNumber) rented() number.Rented {
	return number.Rented{ProviderID: n.SID, Name: n.FriendlyName, Capabilities: n.Capabilities.names()}
}

// Buy implements number.Provider.
func (c *Client) Buy(ctx context.Context, e164, name string) (number.Rented, error) {
	var n IncomingNumber
	if err := c.do(ctx, http.MethodPost, "/IncomingPhoneNumbers.json", url.Values{"PhoneNumber": {e164}, "FriendlyName": {name}}, &n); err != nil {
		return number.Rented{}, err
	}
	return n.rented(), nil
}

// Release implements number.Provider.
func (c *Client) Release(ctx context.Context, providerID string) error {
	err := c.do(ctx, http.MethodDelete, "/IncomingPhoneNumbers/"+url.PathEscape(providerID)+".json", nil, nil)
	if notFound(err) {
		return nil
	}
	return err
}
