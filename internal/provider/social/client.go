package social

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	channel "konak/internal/crm/channel/social"
	"konak/internal/kit/outbound"
	"konak/internal/kit/secret"
	"konak/internal/provider/graph"
	"konak/internal/provider/rest"
)

// Client speaks with the Graph API.
type Client struct {
	graph *graph.Client
	// files fetches files that are not on the API's host.
	files *graph.Client
	host  string // of the API
}

var _ channel.Provider = (*Client)(nil)

// New creates a client; an empty address means Meta's own. Files on another host are
// fetched over files: anybody who has an app's secret can choose their addresses.
func New(address string, transport, files http.RoundTripper) *Client {
	c := &Client{graph: graph.New(address, transport), files: graph.New(address, files)}
	if u, err := url.Parse(address); err == nil {
		c.host = u.Host
	}
	return c
}

// object returns the name of a kind in an app's webhook.
func object(kind string) string {
	if kind == channel.Instagram {
		return ObjectInstagram
	}
	return ObjectPage
}

func path(id, edge string) string {
	out := "/" + url.PathEscape(id)
	if edge != "" {
		out += "/" + edge
	}
	return out
}

// Page implements channel.Provider.
func (c *Client) Page(ctx context.Context, a channel.Access) (out channel.Page, err error) {
	var page Page
	if err := c.graph.Get(ctx, a.Token, path(a.PageID, ""), url.Values{"fields": {PageFields}}, &page); err != nil {
		return out, err
	}
	var app App
	if err := c.graph.Get(ctx, a.Token, "/app", nil, &app); err != nil {
		return out, err
	}
	out = channel.Page{ID: page.ID, Name: page.Name, AppID: app.ID}
	if page.Instagram != nil {
		out.InstagramID, out.Username = page.Instagram.ID, page.Instagram.Username
	}
	return out, nil
}

// token returns the token with which an app accesses its own settings.
func token(app channel.App) secret.Text { return secret.Of(app.ID + "|" + app.Secret.Reveal()) }

// Webhook implements channel.Provider.
func (c *Client) Webhook(ctx context.Context, app channel.App, kind string) (string, error) {
	var list Subscriptions
	if err := c.graph.Get(ctx, token(app), path(app.ID, "subscriptions"), nil, &list); err != nil {
		return "", err
	}
	for _, s := range list.Data {
		if s.Object == object(kind) && s.Active {
			return s.Callback, nil
		}
	}
	return "", nil
}

// SetWebhook implements channel.Provider.
func (c *Client) SetWebhook(ctx context.Context, app channel.App, kind, address, verify string) error {
	return c.form(ctx, token(app), path(app.ID, "subscriptions"), url.Values{
		"object": {object(kind)}, "callback_url": {address}, "verify_token": {verify}, "fields": {fields[object(kind)]}, "include_values": {"true"},
	})
}

// form posts fields in the form in which calls that change a setting expect them.
func (c *Client) form(ctx context.Context, token secret.Text, path string, values url.Values) error {
	return c.graph.Do(ctx, graph.Call{
		Method: http.MethodPost, Path: path, Token: token, Body: strings.NewReader(values.Encode()), Kind: "application/x-www-form-urlencoded",
	}, nil)
}

// Subscribe implements channel.Provider. A page's Instagram account reports its events
// through the page.
func (c *Client) Subscribe(ctx context.Context, a channel.Access) error {
	return c.form(ctx, a.Token, path(a.PageID, "subscribed_apps"), url.Values{"subscribed_fields": {fields[ObjectPage]}})
}

// Unsubscribe implements channel.Provider.
func (c *Client) Unsubscribe(ctx context.Context, a channel.Access) error {
	return c.graph.Delete(ctx, a.Token, path(a.PageID, "subscribed_apps"), nil)
}

// Send implements channel.Provider.
func (c *Client) Send(ctx context.Context, a channel.Access, m channel.Message) (string, error) {
	out := OutgoingMessage{Text: m.Text, Metadata: m.Mark}
	if m.AttachmentID != "" {
		out.Attachment = &OutgoingAttachment{Type: m.FileKind, Payload: AttachmentPayload{AttachmentID: m.AttachmentID}}
	}
	for _, choice := range m.Choices {
		out.QuickReplies = append(out.QuickReplies, QuickReply{ContentType: "text", Title: choice.Text, Payload: choice.Data})
	}
	body := Outgoing{Recipient: Ref{m.To}, Type: TypeResponse, Message: &out}
	if m.Human {
		body.Type, body.Tag = TypeTag, TagHuman
	}
	return c.message(ctx, a, body)
}

func (c *Client) message(ctx context.Context, a channel.Access, body Outgoing) (string, error) {
	var got Accepted
	if err := c.graph.Post(ctx, a.Token, path(a.PageID, "messages"), body, &got); err != nil {
		return "", err
	}
	if got.MessageID == "" && body.Message != nil {
		return "", errors.New("social: the answer contains no message")
	}
	return got.MessageID, nil
}

// Upload implements channel.Provider.
func (c *Client) Upload(ctx context.Context, a channel.Access, f channel.OutgoingFile) (string, error) {
	message, err := json.Marshal(OutgoingMessage{Attachment: &OutgoingAttachment{Type: f.Kind, Payload: AttachmentPayload{Reusable: true}}})
	if err != nil {
		return "", err
	}
	query := url.Values{}
	if a.Kind == channel.Instagram {
		query.Set("platform", "instagram")
	}
	var got Accepted
	err = c.graph.Upload(ctx, a.Token, path(a.PageID, "message_attachments"), query, rest.Form{
		Fields: map[string]string{"message": string(message)},
		Files:  []rest.File{{Field: "filedata", Name: f.Name, Type: f.Type, Content: f.Content}},
	}, &got)
	if err == nil && got.AttachmentID == "" {
		err = errors.New("social: the answer contains no attachment")
	}
	return got.AttachmentID, err
}

// React implements channel.Provider. Instagram names its heart with a word.
func (c *Client) React(ctx context.Context, a channel.Access, to, messageID, emoji string) error {
	body := Outgoing{Recipient: Ref{to}, Action: ActionReact, Payload: &ActionPayload{MessageID: messageID, Reaction: emoji}}
	switch {
	case emoji == "":
		body.Action = ActionUnreact
	case a.Kind == channel.Instagram:
		body.Payload.Reaction = "love"
	}
	_, err := c.message(ctx, a, body)
	return err
}

// MarkSeen implements channel.Provider.
func (c *Client) MarkSeen(ctx context.Context, a channel.Access, to string) error {
	_, err := c.message(ctx, a, Outgoing{Recipient: Ref{to}, Action: ActionSeen})
	return err
}

// ShowTyping implements channel.Provider.
func (c *Client) ShowTyping(ctx context.Context, a channel.Access, to string) error {
	_, err := c.message(ctx, a, Outgoing{Recipient: Ref{to}, Action: ActionTyping})
	return err
}

// Profile implements channel.Provider.
func (c *Client) Profile(ctx context.Context, a channel.Access, id string) (channel.Profile, error) {
	ask := "name"
	if a.Kind == channel.Instagram {
		ask = "name,username"
	}
	var p Profile
	err := c.graph.Get(ctx, a.Token, path(id, ""), url.Values{"fields": {ask}}, &p)
	return channel.Profile{Name: p.Name, Username: p.Username}, err
}

// Download implements channel.Provider. The address alone grants access to the file, so no
// token is sent.
func (c *Client) Download(ctx context.Context, address string) (string, io.ReadCloser, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return "", nil, fmt.Errorf("social: %w", &channel.Refusal{Status: http.StatusNotFound, Message: "not an address"})
	}
	from := c.files
	if u.Host == c.host {
		from = c.graph
	}
	resp, err := from.Open(ctx, graph.Call{Method: http.MethodGet, Path: address})
	if errors.Is(err, outbound.ErrInside) || errors.Is(err, outbound.ErrPlain) {
		return "", nil, fmt.Errorf("social: %w", &channel.Refusal{Status: http.StatusNotFound, Message: "not an address on the public internet"})
	}
	if err != nil {
		return "", nil, err
	}
	return resp.Header.Get("Content-Type"), resp.Body, nil
}
