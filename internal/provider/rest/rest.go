// Package rest holds what the clients of outside services over HTTP share: requests whose
// errors do not contain the address, answers of limited size, and forms with files.
package rest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"konak/internal/kit/outbound"
)

// Client makes requests to one service. It follows no redirects, so that a credential is
// sent to no other address.
type Client struct {
	name      string
	maxAnswer int64
	http      *http.Client
}

// New returns a client whose errors begin with a name, and which reads answers of at most
// maxAnswer bytes. If timeout is zero, only the contexts of requests limit their time.
func New(name string, maxAnswer int64, transport http.RoundTripper, timeout time.Duration) *Client {
	return &Client{name, maxAnswer, &http.Client{
		Transport: transport, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Error returns err with the name of the client. It leaves out the address that an error of
// net/http repeats: the caller knows it, and it may contain a token.
func (c *Client) Error(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return fmt.Errorf("%s: %w", c.name, err)
}

// Send makes a request and returns the answer, whose body the caller closes.
func (c *Client) Send(req *http.Request) (*http.Response, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.Error(err)
	}
	return resp, nil
}

// Do makes a request and reads the answer.
func (c *Client) Do(req *http.Request) (*http.Response, []byte, error) {
	resp, err := c.Send(req)
	if err != nil {
		return nil, nil, err
	}
	text, err := c.ReadAnswer(resp)
	return resp, text, err
}

// ReadAnswer reads the body of an answer and closes it. It returns outbound.ErrTooMuch if
// the body is too large.
func (c *Client) ReadAnswer(resp *http.Response) ([]byte, error) {
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, c.maxAnswer+1))
	if err == nil && int64(len(text)) > c.maxAnswer {
		err = outbound.ErrTooMuch
	}
	if err != nil {
		return nil, c.Error(err)
	}
	return text, nil
}
