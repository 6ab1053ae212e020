// Package partner is the client of Meta's sign-up for businesses: the page on which people
// agree, the exchange of its code, and the list of what they shared.
package partner

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	channel "konak/internal/crm/channel/partner"
	"konak/internal/kit/secret"
	"konak/internal/provider/graph"
	"konak/internal/provider/social"
	"konak/internal/provider/whatsapp"
)

// Client speaks with the Graph API.
type Client struct {
	graph  *graph.Client
	dialog string
}

var _ channel.Provider = (*Client)(nil)

// dialogHost is the address of the page on which people agree.
const dialogHost = "https://www.facebook.com"

// New creates a client; an empty address means Meta's own.
func New(address string, transport http.RoundTripper) *Client {
	return &Client{graph.New(address, transport), strings.TrimSuffix(cmp.Or(address, dialogHost), "/") + "/" + graph.Version + "/dialog/oauth"}
}

// DialogURL implements channel.Provider.
func (c *Client) DialogURL(query url.Values) string { return c.dialog + "?" + query.Encode() }

// Token is the answer to a code.
type Token struct {
	AccessToken string `json:"access_token"`
	Type        string `json:"token_type,omitempty"`
}

// Exchange implements channel.Provider.
func (c *Client) Exchange(ctx context.Context, app channel.App, code, redirect string) (secret.Text, error) {
	var out Token
	err := c.graph.Get(ctx, secret.Text{}, "/oauth/access_token", url.Values{
		"client_id": {app.ID}, "client_secret": {app.Secret.Reveal()}, "code": {code}, "redirect_uri": {redirect},
	}, &out)
	if err == nil && out.AccessToken == "" {
		err = errors.New("partner: the answer contains no token")
	}
	return secret.Of(out.AccessToken), err
}

// Debug describes what a token grants access to.
type Debug struct {
	Data struct {
		AppID  string  `json:"app_id"`
		Valid  bool    `json:"is_valid"`
		Scopes []Scope `json:"granular_scopes"`
	} `json:"data"`
}

// Scope is a permission and the objects for which it was given.
type Scope struct {
	Name    string   `json:"scope"`
	Targets []string `json:"target_ids,omitempty"`
}

// ScopeWhatsApp is the permission for WhatsApp accounts.
const ScopeWhatsApp = "whatsapp_business_management"

// pagesMax is the number of pages read of a list.
const pagesMax = 5

// Assets implements channel.Provider.
func (c *Client) Assets(ctx context.Context, app channel.App, token secret.Text) (out channel.Assets, err error) {
	var got Debug
	own := secret.Of(app.ID + "|" + app.Secret.Reveal())
	if err := c.graph.Get(ctx, own, "/debug_token", url.Values{"input_token": {token.Reveal()}}, &got); err != nil {
		return out, err
	}
	if !got.Data.Valid || got.Data.AppID != app.ID {
		return out, errors.New("partner: the token belongs to another program")
	}
	businesses := []string{}
	for _, s := range got.Data.Scopes {
		if s.Name == ScopeWhatsApp {
			businesses = append(businesses, s.Targets...)
		}
	}
	slices.Sort(businesses)
	for _, id := range slices.Compact(businesses) {
		query := url.Values{"fields": {whatsapp.NumberFields}, "limit": {"100"}}
		for n, err := range graph.List[whatsapp.PhoneNumber](ctx, c.graph, token, "/"+url.PathEscape(id)+"/phone_numbers", query, pagesMax) {
			if err != nil {
				return out, err
			}
			out.Numbers = append(out.Numbers, channel.Number{BusinessID: id, NumberID: n.ID})
		}
	}
	query := url.Values{"fields": {social.PageFields + ",access_token"}, "limit": {"100"}}
	for p, err := range graph.List[social.Page](ctx, c.graph, token, "/me/accounts", query, pagesMax) {
		if err != nil {
			return out, err
		}
		out.Pages = append(out.Pages, channel.Page{ID: p.ID, Token: secret.Of(p.Token), Instagram: p.Instagram != nil})
	}
	return out, nil
}
