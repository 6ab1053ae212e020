package whatsapp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	channel "konak/internal/crm/channel/whatsapp"
	"konak/internal/provider/graph"
	"konak/internal/provider/rest"
)

// Client speaks with the Graph API.
type Client struct{ graph *graph.Client }

var _ channel.Provider = (*Client)(nil)

// mediaHost is the host on which Meta stores the files of messages.
const mediaHost = "https://lookaside.fbsbx.com"

// New creates a client; an empty address means Meta's own.
func New(address string, transport http.RoundTripper) *Client {
	return &Client{graph.New(address, transport, mediaHost)}
}

func (c *Client) post(ctx context.Context, a channel.Access, path string, body, out any) error {
	return c.graph.Post(ctx, a.Token, path, body, out)
}

// Number implements channel.Provider. It asks the business account for the number, so that
// a number of another account is not found.
func (c *Client) Number(ctx context.Context, a channel.Access) (channel.Number, error) {
	query := url.Values{"fields": {NumberFields}, "limit": {"100"}}
	for n, err := range graph.List[PhoneNumber](ctx, c.graph, a.Token, "/"+url.PathEscape(a.BusinessID)+"/phone_numbers", query, 20) {
		if err != nil {
			return channel.Number{}, err
		}
		if n.ID == a.NumberID {
			return channel.Number{ID: n.ID, Display: n.Display, VerifiedName: n.VerifiedName, Quality: n.Quality, Limit: n.Limit, Mode: n.Mode, Unregistered: n.Platform == "NOT_APPLICABLE", OnApp: n.OnApp}, nil
		}
	}
	return channel.Number{}, channel.ErrNoNumber
}

// Subscribe implements channel.Provider.
func (c *Client) Subscribe(ctx context.Context, a channel.Access, address, token string) error {
	return c.post(ctx, a, "/"+url.PathEscape(a.BusinessID)+"/subscribed_apps", Subscription{Callback: address, Token: token}, nil)
}

// Unsubscribe implements channel.Provider.
func (c *Client) Unsubscribe(ctx context.Context, a channel.Access) error {
	return c.graph.Delete(ctx, a.Token, "/"+url.PathEscape(a.BusinessID)+"/subscribed_apps", nil)
}

// Register implements channel.Provider.
func (c *Client) Register(ctx context.Context, a channel.Access, pin string) error {
	return c.post(ctx, a, "/"+url.PathEscape(a.NumberID)+"/register", Registration{Product: "whatsapp", PIN: pin}, nil)
}

// Deregister implements channel.Provider.
func (c *Client) Deregister(ctx context.Context, a channel.Access) error {
	return c.post(ctx, a, "/"+url.PathEscape(a.NumberID)+"/deregister", Registration{Product: "whatsapp"}, nil)
}

// Send implements channel.Provider.
func (c *Client) Send(ctx context.Context, a channel.Access, m channel.Message) (string, error) {
	var out Accepted
	if err := c.post(ctx, a, "/"+url.PathEscape(a.NumberID)+"/messages", outgoing(m), &out); err != nil {
		return "", err
	}
	if len(out.Messages) == 0 {
		return "", errors.New("whatsapp: the answer contains no message")
	}
	return out.Messages[0].ID, nil
}

func outgoing(m channel.Message) Outgoing {
	out := Outgoing{Product: "whatsapp", RecipientType: "individual", To: m.To, Type: m.Kind, Mark: m.Mark}
	if isUserID(m.To) {
		out.To, out.Recipient = "", m.To
	}
	file := &Media{ID: m.MediaID, Link: m.Link, Caption: m.Text}
	switch m.Kind {
	case channel.KindText:
		out.Text = &Text{Body: m.Text, Preview: strings.Contains(m.Text, "http://") || strings.Contains(m.Text, "https://")}
	case channel.KindImage:
		out.Image = file
	case channel.KindVideo:
		out.Video = file
	case channel.KindAudio:
		file.Caption = "" // a voice message has none
		out.Audio = file
	case channel.KindDocument:
		file.Filename = m.Filename
		out.Document = file
	case channel.KindReaction:
		out.Reaction = &Reaction{MessageID: m.ReactTo, Emoji: m.Emoji}
	case channel.KindCallRequest:
		out.Type, out.Interactive = "interactive", &Question{Type: m.Kind}
		out.Interactive.Action.Name, out.Interactive.Body.Text = m.Kind, m.Text
	case channel.KindTemplate:
		t := templateMessage(m.Template)
		out.Template = &t
	}
	return out
}

// AskToCall implements channel.Provider.
func (c *Client) AskToCall(ctx context.Context, a channel.Access, customer, text string) error {
	_, err := c.Send(ctx, a, channel.Message{To: customer, Kind: channel.KindCallRequest, Text: text})
	return err
}

// MarkRead implements channel.Provider.
func (c *Client) MarkRead(ctx context.Context, a channel.Access, messageID string) error {
	return c.post(ctx, a, "/"+url.PathEscape(a.NumberID)+"/messages", Outgoing{Product: "whatsapp", Status: "read", MessageID: messageID}, nil)
}

// Upload implements channel.Provider.
func (c *Client) Upload(ctx context.Context, a channel.Access, name, kind string, content io.Reader) (string, error) {
	var out ID
	err := c.graph.Upload(ctx, a.Token, "/"+url.PathEscape(a.NumberID)+"/media", nil, rest.Form{
		Fields: map[string]string{"messaging_product": "whatsapp", "type": kind},
		Files:  []rest.File{{Field: "file", Name: name, Type: kind, Content: content}},
	}, &out)
	return out.ID, err
}

// Download implements channel.Provider.
func (c *Client) Download(ctx context.Context, a channel.Access, mediaID string) (string, io.ReadCloser, error) {
	var info MediaInfo
	if err := c.graph.Get(ctx, a.Token, "/"+url.PathEscape(mediaID), url.Values{"phone_number_id": {a.NumberID}}, &info); err != nil {
		return "", nil, err
	}
	resp, err := c.graph.Open(ctx, graph.Call{Method: http.MethodGet, Path: info.URL, Token: a.Token})
	if err != nil {
		return "", nil, err
	}
	return info.MimeType, resp.Body, nil
}
