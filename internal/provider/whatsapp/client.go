package whatsapp

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	channel "konak/internal/crm/channel/whatsapp"
	"konak/internal/provider/graph"
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
	for range 20 {
		var page struct {
			Data   []PhoneNumber `json:"data"`
			Paging *Paging       `json:"paging"`
		}
		err := c.graph.Do(ctx, graph.Call{Method: http.MethodGet, Path: "/" + url.PathEscape(a.BusinessID) + "/phone_numbers", Query: query, Token: a.Token}, &page)
		if err != nil {
			return channel.Number{}, err
		}
		for _, n := range page.Data {
			if n.ID == a.NumberID {
				return channel.Number{ID: n.ID, Display: n.Display, VerifiedName: n.VerifiedName, Quality: n.Quality, Limit: n.Limit, Mode: n.Mode, Unregistered: n.Platform == "NOT_APPLICABLE", OnApp: n.OnApp}, nil
			}
		}
		if page.Paging == nil || page.Paging.Next == "" {
			break
		}
		query.Set("after", page.Paging.Cursors.After)
	}
	return channel.Number{}, channel.ErrNoNumber
}

// Subscribe implements channel.Provider.
func (c *Client) Subscribe(ctx context.Context, a channel.Access, address, token string) error {
	var out Success
	return c.post(ctx, a, "/"+url.PathEscape(a.BusinessID)+"/subscribed_apps", Subscription{Callback: address, Token: token}, &out)
}

// Unsubscribe implements channel.Provider.
func (c *Client) Unsubscribe(ctx context.Context, a channel.Access) error {
	var out Success
	return c.graph.Do(ctx, graph.Call{Method: http.MethodDelete, Path: "/" + url.PathEscape(a.BusinessID) + "/subscribed_apps", Token: a.Token}, &out)
}

// Register implements channel.Provider.
func (c *Client) Register(ctx context.Context, a channel.Access, pin string) error {
	var out Success
	return c.post(ctx, a, "/"+url.PathEscape(a.NumberID)+"/register", Registration{Product: "whatsapp", PIN: pin}, &out)
}

// Deregister implements channel.Provider.
func (c *Client) Deregister(ctx context.Context, a channel.Access) error {
	var out Success
	return c.post(ctx, a, "/"+url.PathEscape(a.NumberID)+"/deregister", Registration{Product: "whatsapp"}, &out)
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
	var out Success
	return c.post(ctx, a, "/"+url.PathEscape(a.NumberID)+"/messages", Outgoing{Product: "whatsapp", Status: "read", MessageID: messageID}, &out)
}

// Upload implements channel.Provider.
func (c *Client) Upload(ctx context.Context, a channel.Access, name, kind string, content io.Reader) (string, error) {
	body, w := io.Pipe()
	form := multipart.NewWriter(w)
	go func() { _ = w.CloseWithError(writeForm(form, name, kind, content)) }()
	var out ID
	err := c.graph.Do(ctx, graph.Call{
		Method: http.MethodPost, Path: "/" + url.PathEscape(a.NumberID) + "/media", Token: a.Token, Body: body, Kind: form.FormDataContentType(), Timeout: graph.FilePatience,
	}, &out)
	// However the call ended, the writer must not wait for a reader.
	_ = body.CloseWithError(errors.New("whatsapp: the upload has ended"))
	return out.ID, err
}

func writeForm(form *multipart.Writer, name, kind string, content io.Reader) error {
	for _, f := range [][2]string{{"messaging_product", "whatsapp"}, {"type", kind}} {
		if err := form.WriteField(f[0], f[1]); err != nil {
			return err
		}
	}
	part, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {mime.FormatMediaType("form-data", map[string]string{"name": "file", "filename": name})}, "Content-Type": {kind},
	})
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, content); err != nil {
		return err
	}
	return form.Close()
}

// Download implements channel.Provider.
func (c *Client) Download(ctx context.Context, a channel.Access, mediaID string) (string, io.ReadCloser, error) {
	var info MediaInfo
	query := url.Values{"phone_number_id": {a.NumberID}}
	if err := c.graph.Do(ctx, graph.Call{Method: http.MethodGet, Path: "/" + url.PathEscape(mediaID), Query: query, Token: a.Token}, &info); err != nil {
		return "", nil, err
	}
	resp, err := c.graph.Send(ctx, graph.Call{Method: http.MethodGet, Path: info.URL, Token: a.Token})
	if err != nil {
		return "", nil, err
	}
	if resp.StatusCode/100 != 2 {
		defer func() { _ = resp.Body.Close() }()
		text, err := graph.ReadAnswer(resp.Body)
		if err != nil {
			return "", nil, err
		}
		return "", nil, graph.ParseRefusal(resp, text)
	}
	return info.MimeType, resp.Body, nil
}
