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
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"konak/internal/crm/channel/meta"
	"konak/internal/kit/outbound"
	"konak/internal/kit/secret"
	"konak/internal/kit/trtext"
)

// Client makes calls.
type Client struct {
	base string
	// hosts are the hosts to which tokens may be sent, each with its scheme.
	hosts []string
	http  *http.Client
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
	return &Client{
		base: base + "/" + Version, hosts: hosts,
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
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

// Do sends a call and reads its answer into out. A refusal is a *meta.Refusal.
func (c *Client) Do(ctx context.Context, in Call, out any) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(in.Timeout, patience))
	defer cancel()
	resp, err := c.Send(ctx, in)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := ReadAnswer(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return ParseRefusal(resp, text)
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

// ReadAnswer reads an answer into memory. It returns outbound.ErrTooMuch if it is larger
// than maxAnswer.
func ReadAnswer(body io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
	if err == nil && len(text) > maxAnswer {
		err = outbound.ErrTooMuch
	}
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	return text, nil
}

// Send sends a call and returns the answer, whose body the caller closes.
func (c *Client) Send(ctx context.Context, in Call) (*http.Response, error) {
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
	resp, err := c.http.Do(req)
	if err != nil {
		// The client's error repeats the address, which the caller knows.
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err
		}
		return nil, fmt.Errorf("graph: %w", err)
	}
	return resp, nil
}

// ParseRefusal parses the error object.
func ParseRefusal(resp *http.Response, text []byte) error {
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
