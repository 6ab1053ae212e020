package apptest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"konak/internal/kit/api"
)

// Client calls the API with one credential.
type Client struct {
	s     *Server
	token string
	host  string
	head  http.Header
}

// Client returns a client; an empty token sends no credential.
func (s *Server) Client(token string) *Client {
	return &Client{s: s, token: token, head: http.Header{}}
}

// Host returns the client with another host, such as demo.crm.localhost.
func (c *Client) Host(host string) *Client {
	d := *c
	d.host = host
	return &d
}

// Header returns the client with another header.
func (c *Client) Header(name, value string) *Client {
	d := *c
	d.head = c.head.Clone()
	d.head.Set(name, value)
	return &d
}

// Token returns the client's credential.
func (c *Client) Token() string { return c.token }

// Response is an answer whose body was read.
type Response struct {
	tb     testing.TB
	what   string
	Status int
	Header http.Header
	Body   []byte
}

// straight returns redirects instead of following them.
var straight = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// Do sends a request. A body that is not a string is sent as JSON.
func (c *Client) Do(method, path string, body any) *Response {
	tb := c.s.tb
	tb.Helper()
	var r io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		r = strings.NewReader(b)
	default:
		text, err := json.Marshal(b)
		c.s.must(err)
		r = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(tb.Context(), method, c.s.URL+path, r)
	c.s.must(err)
	req.Header = c.head.Clone()
	if r != nil && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.host != "" {
		req.Host = c.host
	}
	resp, err := straight.Do(req)
	c.s.must(err)
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	c.s.must(err)
	if err := c.s.API.Check(method, req.URL.Path, resp.StatusCode, text); err != nil {
		tb.Error(err)
	}
	return &Response{tb: tb, what: method + " " + path, Status: resp.StatusCode, Header: resp.Header, Body: text}
}

// Get sends a GET request.
func (c *Client) Get(path string) *Response { c.s.tb.Helper(); return c.Do("GET", path, nil) }

// Post sends a POST request with a body.
func (c *Client) Post(path string, body any) *Response {
	c.s.tb.Helper()
	return c.Do("POST", path, body)
}

// Put sends a PUT request with a body.
func (c *Client) Put(path string, body any) *Response {
	c.s.tb.Helper()
	return c.Do("PUT", path, body)
}

// Delete sends a DELETE request.
func (c *Client) Delete(path string) *Response { c.s.tb.Helper(); return c.Do("DELETE", path, nil) }

// Want fails the test unless the status is as expected.
func (r *Response) Want(status int) *Response {
	r.tb.Helper()
	if r.Status != status {
		r.tb.Fatalf("%s: status %d, want %d\n%s", r.what, r.Status, status, r.Body)
	}
	return r
}

// Refused fails the test unless the answer is the given error.
func (r *Response) Refused(status int, code string) *Error {
	r.tb.Helper()
	r.Want(status)
	var body struct {
		Error Error `json:"error"`
	}
	r.decode(&body)
	if body.Error.Code != code {
		r.tb.Fatalf("%s: error %q, want %q\n%s", r.what, body.Error.Code, code, r.Body)
	}
	return &body.Error
}

// Error returns the error of an answer.
type Error struct {
	Code       string              `json:"code"`
	Message    string              `json:"message"`
	Fields     map[string][]string `json:"fields"`
	Reason     string              `json:"reason"`
	Permission string              `json:"permission"`
	Step       *ErrorStep          `json:"step"`
	Matches    []api.ErrorMatch    `json:"matches"`
}

// ErrorStep returns which of several actions failed.
type ErrorStep struct {
	Index  int    `json:"index"`
	Action string `json:"action"`
}

// Data decodes the answer's data.
func (r *Response) Data(v any) *Response {
	r.tb.Helper()
	var body struct {
		Data json.RawMessage `json:"data"`
	}
	r.decode(&body)
	if err := json.Unmarshal(body.Data, v); err != nil {
		r.tb.Fatalf("%s: %v\n%s", r.what, err, r.Body)
	}
	return r
}

// Whole decodes the whole answer, including the fields next to its data.
func (r *Response) Whole(v any) *Response { r.tb.Helper(); r.decode(v); return r }

// ID returns the id of the answer's record.
func (r *Response) ID() string {
	r.tb.Helper()
	var v struct {
		ID string `json:"id"`
	}
	r.Data(&v)
	return v.ID
}

// NextCursor returns the cursor of the list's next page, or "".
func (r *Response) NextCursor() string {
	r.tb.Helper()
	var body struct {
		NextCursor *string `json:"next_cursor"`
	}
	r.decode(&body)
	if body.NextCursor == nil {
		return ""
	}
	return *body.NextCursor
}

func (r *Response) decode(v any) {
	r.tb.Helper()
	if err := json.Unmarshal(r.Body, v); err != nil {
		r.tb.Fatalf("%s: %v\n%s", r.what, err, r.Body)
	}
}
