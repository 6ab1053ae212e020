// Package graph is the part of Meta's Graph API that WhatsApp, Messenger, Instagram and the
// sign-up of partners share: calls, refusals and signatures.
package graph

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"konak/internal/crm/channel/meta"
	"konak/internal/kit/secret"
	"konak/internal/kit/trtext"
	"konak/internal/provider/rest"
)

// Client makes calls.
type Client struct {
	base string
	// hosts are the hosts to which tokens may be sent, each with its scheme.
	hosts []string
	http  *rest.Client
}

// patience is how long one call may take; files have FilePatience.
const (
	patience     = 15 * time.Second
	FilePatience = 2 * time.Minute
	// maxAnswer is the size of the largest answer that is read into memory. The provider's
	// largest is a page of templates.
	maxAnswer = 1 << 20
)

// New creates a client; an empty address means Meta's own. Tokens are sent to that address
// and to the hosts, and to no other that an answer names.
func New(address string, transport http.RoundTripper, hosts ...string) *Client {
	base := strings.TrimSuffix(cmp.Or(address, Host), "/")
	if u, err := url.Parse(base); err == nil {
		hosts = append(hosts, hostOf(u))
	}
	return &Client{base: base + "/" + Version, hosts: hosts, http: rest.New("graph", maxAnswer, transport, 0)}
}

// errForeignHost means that an answer names a host that is not the provider's.
var errForeignHost = errors.New("graph: the provider's answer names another host, so no token is sent")

// hostOf returns the scheme, host and port of an address.
func hostOf(u *url.URL) string { return strings.ToLower(u.Scheme + "://" + u.Host) }

// Call is one request.
type Call struct {
	Method  string
	Path    string // below the version, or a whole address
	Query   url.Values
	Token   secret.Text // the zero value for a call without one
	Scheme  string      // of Authorization; Bearer if empty
	Header  http.Header
	Body    io.Reader
	Kind    string // of the body
	Timeout time.Duration
}

// Do sends a call and reads its answer into out; nil for a call whose answer only reports
// success. A refusal is a *meta.Refusal.
func (c *Client) Do(ctx context.Context, in Call, out any) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(in.Timeout, patience))
	defer cancel()
	resp, err := c.Open(ctx, in)
	if err != nil {
		return err
	}
	text, err := c.http.ReadAnswer(resp)
	if err != nil {
		return err
	}
	if out == nil {
		out = &Success{}
	}
	if err := json.Unmarshal(trtext.WithoutNUL(text), out); err != nil {
		return fmt.Errorf("graph: cannot read the answer: %w", err)
	}
	return nil
}

// Get sends a GET request.
func (c *Client) Get(ctx context.Context, token secret.Text, path string, query url.Values, out any) error {
	return c.Do(ctx, Call{Method: http.MethodGet, Path: path, Query: query, Token: token}, out)
}

// Post sends a body as JSON.
func (c *Client) Post(ctx context.Context, token secret.Text, path string, body, out any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("graph: %w", err)
	}
	return c.Do(ctx, Call{Method: http.MethodPost, Path: path, Token: token, Body: bytes.NewReader(text), Kind: "application/json"}, out)
}

// Delete sends a DELETE request.
func (c *Client) Delete(ctx context.Context, token secret.Text, path string, query url.Values) error {
	return c.Do(ctx, Call{Method: http.MethodDelete, Path: path, Query: query, Token: token}, nil)
}

// Upload posts a form with files.
func (c *Client) Upload(ctx context.Context, token secret.Text, path string, query url.Values, form rest.Form, out any) error {
	body, kind := form.Open()
	defer func() { _ = body.Close() }()
	return c.Do(ctx, Call{Method: http.MethodPost, Path: path, Query: query, Token: token, Body: body, Kind: kind, Timeout: FilePatience}, out)
}

// List reads a list page by page, and at most the given number of pages. It ends with the
// first error.
func List[T any](ctx context.Context, c *Client, token secret.Text, path string, query url.Values, pages int) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for range pages {
			var page Page[T]
			if err := c.Get(ctx, token, path, query, &page); err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, row := range page.Data {
				if !yield(row, nil) {
					return
				}
			}
			if page.Paging == nil || page.Paging.Next == "" || page.Paging.Cursors.After == "" {
				return
			}
			query.Set("after", page.Paging.Cursors.After)
		}
	}
}

// Open sends a call and returns the answer, whose body the caller closes. A refusal is a
// *meta.Refusal.
func (c *Client) Open(ctx context.Context, in Call) (*http.Response, error) {
	resp, err := c.send(ctx, in)
	if err != nil || resp.StatusCode/100 == 2 {
		return resp, err
	}
	text, err := c.http.ReadAnswer(resp)
	if err != nil {
		return nil, err
	}
	return nil, parseRefusal(resp, text)
}

func (c *Client) send(ctx context.Context, in Call) (*http.Response, error) {
	to := in.Path
	if !strings.Contains(to, "://") {
		to = c.base + to
	}
	if len(in.Query) > 0 {
		to += "?" + in.Query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, in.Method, to, in.Body)
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	if in.Header != nil {
		req.Header = in.Header
	}
	if token := in.Token.Reveal(); token != "" {
		if !slices.Contains(c.hosts, hostOf(req.URL)) {
			return nil, errForeignHost
		}
		req.Header.Set("Authorization", cmp.Or(in.Scheme, "Bearer")+" "+token)
	}
	if in.Kind != "" {
		req.Header.Set("Content-Type", in.Kind)
	}
	return c.http.Send(req)
}

// parseRefusal parses the error object.
func parseRefusal(resp *http.Response, text []byte) error {
	r := &meta.Refusal{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header.Get("Retry-After"))}
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

// SignatureHeader is the header with the signature of a webhook.
const SignatureHeader = "X-Hub-Signature-256"

// Sign returns the signature that Meta sends with a webhook.
func Sign(appSecret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(appSecret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// Signed reports whether Meta signed a webhook with an app's secret.
func Signed(appSecret secret.Text, body []byte, signature string) bool {
	return appSecret.Reveal() != "" && hmac.Equal([]byte(Sign(appSecret.Reveal(), body)), []byte(strings.TrimSpace(signature)))
}
