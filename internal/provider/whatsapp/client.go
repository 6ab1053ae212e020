package whatsapp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	channel "konak/internal/crm/channel/whatsapp"
	"konak/internal/kit/outbound"
	"konak/internal/kit/secret"
)

// Client speaks with the Graph API.
type Client struct {
	base string
	// hosts are where tokens may go, each with its scheme.
	hosts []string
	http  *http.Client
}

var _ channel.Provider = (*Client)(nil)

// patience is how long one call may take; files have more.
const (
	patience     = 15 * time.Second
	filePatience = 2 * time.Minute
	// maxAnswer is the size of the largest answer that is read into memory. A page
	// of templates is the largest of the provider's.
	maxAnswer = 1 << 20
)

// New makes a client; an empty address means Meta's own.
func New(address string, transport http.RoundTripper) *Client {
	base := strings.TrimSuffix(cmp.Or(address, Host), "/")
	hosts := []string{mediaHost}
	if u, err := url.Parse(base); err == nil {
		hosts = append(hosts, hostOf(u))
	}
	return &Client{
		base: base + "/" + Version, hosts: hosts,
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// mediaHost is where Meta keeps the files of messages.
const mediaHost = "https://lookaside.fbsbx.com"

// errForeignHost says that an answer names a host that is not the provider's.
var errForeignHost = errors.New("whatsapp: the provider's answer names another host, which gets no token")

// hostOf is the scheme, host and port of an address.
func hostOf(u *url.URL) string { return strings.ToLower(u.Scheme + "://" + u.Host) }

type call struct {
	method  string
	path    string // below the version, or a whole address
	query   url.Values
	token   secret.Text
	scheme  string // of Authorization; Bearer where it is empty
	header  http.Header
	body    io.Reader
	kind    string // of the body
	timeout time.Duration
}

// do sends a call and reads its answer into out.
func (c *Client) do(ctx context.Context, in call, out any) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(in.timeout, patience))
	defer cancel()
	resp, err := c.send(ctx, in)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := readAnswer(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return parseRefusal(resp, text)
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("whatsapp: an answer that cannot be read: %w", err)
	}
	return nil
}

// readAnswer reads an answer into memory. It returns outbound.ErrTooMuch for one
// that is larger than maxAnswer.
func readAnswer(body io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
	if err == nil && len(text) > maxAnswer {
		err = outbound.ErrTooMuch
	}
	if err != nil {
		return nil, fmt.Errorf("whatsapp: %w", err)
	}
	return text, nil
}

func (c *Client) send(ctx context.Context, in call) (*http.Response, error) {
	to := in.path
	if !strings.Contains(to, "://") {
		to = c.base + to
	}
	if len(in.query) > 0 {
		to += "?" + in.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, in.method, to, in.body)
	if err != nil {
		return nil, fmt.Errorf("whatsapp: %w", err)
	}
	if !slices.Contains(c.hosts, hostOf(req.URL)) {
		return nil, errForeignHost
	}
	if in.header != nil {
		req.Header = in.header
	}
	req.Header.Set("Authorization", cmp.Or(in.scheme, "Bearer")+" "+in.token.Reveal())
	if in.kind != "" {
		req.Header.Set("Content-Type", in.kind)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		// The error of the client repeats the address, which the caller knows.
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err
		}
		return nil, fmt.Errorf("whatsapp: %w", err)
	}
	return resp, nil
}

// parseRefusal reads the error object.
func parseRefusal(resp *http.Response, text []byte) error {
	r := &channel.Refusal{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header.Get("Retry-After"))}
	var body ErrorBody
	if err := json.Unmarshal(text, &body); err != nil || body.Error.Code == 0 && body.Error.Message == "" {
		r.Message = http.StatusText(resp.StatusCode)
		return r
	}
	e := body.Error
	r.Code, r.Subcode, r.Message, r.Title, r.Text, r.Trace = e.Code, e.Subcode, e.Message, e.UserTitle, e.UserMsg, e.TraceID
	if e.Data != nil {
		r.Details = e.Data.Details
	}
	return r
}

func retryAfter(v string) time.Duration {
	n, err := strconv.ParseUint(v, 10, 31)
	if err != nil {
		return 0
	}
	return time.Duration(n) * time.Second
}

func (c *Client) post(ctx context.Context, a channel.Access, path string, body, out any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("whatsapp: %w", err)
	}
	return c.do(ctx, call{method: http.MethodPost, path: path, token: a.Token, body: bytes.NewReader(text), kind: "application/json"}, out)
}

// Number implements channel.Provider. The business account is asked for the
// number, so that a number of another account is not found.
func (c *Client) Number(ctx context.Context, a channel.Access) (channel.Number, error) {
	query := url.Values{"fields": {NumberFields}, "limit": {"100"}}
	for range 20 {
		var page struct {
			Data   []PhoneNumber `json:"data"`
			Paging *Paging       `json:"paging"`
		}
		err := c.do(ctx, call{method: http.MethodGet, path: "/" + url.PathEscape(a.BusinessID) + "/phone_numbers", query: query, token: a.Token}, &page)
		if err != nil {
			return channel.Number{}, err
		}
		for _, n := range page.Data {
			if n.ID == a.NumberID {
				return channel.Number{ID: n.ID, Display: n.Display, VerifiedName: n.VerifiedName, Quality: n.Quality, Limit: n.Limit, Mode: n.Mode}, nil
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
	return c.do(ctx, call{method: http.MethodDelete, path: "/" + url.PathEscape(a.BusinessID) + "/subscribed_apps", token: a.Token}, &out)
}

// Send implements channel.Provider.
func (c *Client) Send(ctx context.Context, a channel.Access, m channel.Message) (string, error) {
	var out Accepted
	if err := c.post(ctx, a, "/"+url.PathEscape(a.NumberID)+"/messages", outgoing(m), &out); err != nil {
		return "", err
	}
	if len(out.Messages) == 0 {
		return "", errors.New("whatsapp: an answer without a message")
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
		file.Caption = "" // a voice has none
		out.Audio = file
	case channel.KindDocument:
		file.Filename = m.Filename
		out.Document = file
	case channel.KindReaction:
		out.Reaction = &Reaction{MessageID: m.ReactTo, Emoji: m.Emoji}
	case channel.KindTemplate:
		t := templateMessage(m.Template)
		out.Template = &t
	}
	return out
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
	err := c.do(ctx, call{
		method: http.MethodPost, path: "/" + url.PathEscape(a.NumberID) + "/media", token: a.Token, body: body, kind: form.FormDataContentType(), timeout: filePatience,
	}, &out)
	// Whatever became of the call, the writer must not wait for a reader.
	_ = body.CloseWithError(errors.New("whatsapp: the upload is over"))
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
	if err := c.do(ctx, call{method: http.MethodGet, path: "/" + url.PathEscape(mediaID), query: query, token: a.Token}, &info); err != nil {
		return "", nil, err
	}
	resp, err := c.send(ctx, call{method: http.MethodGet, path: info.URL, token: a.Token})
	if err != nil {
		return "", nil, err
	}
	if resp.StatusCode/100 != 2 {
		defer func() { _ = resp.Body.Close() }()
		text, err := readAnswer(resp.Body)
		if err != nil {
			return "", nil, err
		}
		return "", nil, parseRefusal(resp, text)
	}
	return info.MimeType, resp.Body, nil
}
