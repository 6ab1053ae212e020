// Package webpage fetches web pages named by users, through kit/outbound. Every address on
// the way, including that of a redirect, is checked like the first one.
package webpage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"konak/internal/crm/assistant/source"
	"konak/internal/kit/outbound"
)

// Bounds of fetching a page.
const (
	fetchTime    = 20 * time.Second
	maxRedirects = 5
	userAgent    = "Konak-Assistant/1 (reads pages that their company named)"
)

// Client implements source.Pages.
type Client struct{ out *outbound.Client }

var _ source.Pages = Client{}

// New creates a client.
func New(out *outbound.Client) Client { return Client{out} }

// Check implements source.Pages.
func (c Client) Check(field, address string) (*url.URL, error) {
	return c.out.ParseField(field, address)
}

// Fetch implements source.Pages.
func (c Client) Fetch(ctx context.Context, address string, most int64) (source.Page, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	for range maxRedirects + 1 {
		u, err := c.out.Parse(address)
		if err != nil {
			return source.Page{}, &source.Failure{Code: outbound.ClassRefused, Gone: true}
		}
		resp, err := c.get(ctx, u)
		if err != nil {
			class, _ := outbound.Class(err)
			return source.Page{}, &source.Failure{Code: class, Gone: class == outbound.ClassRefused}
		}
		next, page, err := readAnswer(u, resp, most)
		_ = resp.Body.Close()
		if err != nil || next == "" {
			return page, err
		}
		address = next
	}
	return source.Page{}, &source.Failure{Code: source.TooManyRedirects}
}

func (c Client) get(ctx context.Context, u *url.URL) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "text/html, application/xhtml+xml, text/plain, text/markdown, application/pdf")
	req.Header.Set("Accept-Encoding", "identity")
	return c.out.RoundTrip(req)
}

// readAnswer reads the page of an answer, or returns the address to which it redirects.
func readAnswer(u *url.URL, resp *http.Response, most int64) (next string, p source.Page, err error) {
	encoding := resp.Header.Get("Content-Encoding")
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		to, err := u.Parse(resp.Header.Get("Location"))
		if err != nil || resp.Header.Get("Location") == "" {
			return "", p, &source.Failure{Code: source.Unreadable}
		}
		to.Fragment, to.RawFragment = "", ""
		return to.String(), p, nil
	case resp.StatusCode/100 != 2:
		gone := resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone
		return "", p, &source.Failure{Code: fmt.Sprintf("status_%d", resp.StatusCode), Gone: gone}
	case encoding != "" && !strings.EqualFold(encoding, "identity"):
		return "", p, &source.Failure{Code: source.Unreadable}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if errors.Is(err, outbound.ErrTooMuch) || int64(len(body)) > most {
		return "", p, &source.Failure{Code: source.TooLarge}
	}
	if err != nil {
		class, _ := outbound.Class(err)
		return "", p, &source.Failure{Code: class}
	}
	return "", source.Page{Name: u.Path, Type: resp.Header.Get("Content-Type"), Body: body}, nil
}
