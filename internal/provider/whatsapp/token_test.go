package whatsapp_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	wire "konak/internal/provider/whatsapp"
)

// roundTrip answers requests in place of the network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The token is sent to the configured host and to Meta's host of files, and to no other
// that an answer names.
func TestTokenGoesOnlyToProvider(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, at string
		taken    bool
	}{
		{"the host itself", "https://graph.facebook.com/file", true},
		{"the host of files", "https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1", true},
		{"the host in capitals", "https://LOOKASIDE.fbsbx.com/x", true},
		{"another host", "https://evil.example/file", false},
		{"a host that begins alike", "https://lookaside.fbsbx.com.evil.example/file", false},
		{"a host behind a user", "https://lookaside.fbsbx.com@evil.example/file", false},
		{"no encryption", "http://lookaside.fbsbx.com/file", false},
		{"another port", "https://lookaside.fbsbx.com:8443/file", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var asked []string
			client := wire.New("", roundTrip(func(r *http.Request) (*http.Response, error) {
				asked = append(asked, r.URL.Host+" "+r.Header.Get("Authorization"))
				body := "content"
				if strings.Contains(r.URL.Path, "/4711") {
					body = fmt.Sprintf(`{"url":%q,"mime_type":"image/png"}`, c.at)
				}
				return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
			}))
			_, content, err := client.Download(t.Context(), access, "4711")
			if (err == nil) != c.taken || len(asked) != map[bool]int{true: 2, false: 1}[c.taken] {
				t.Errorf("asked %q, %v", asked, err)
			}
			if content != nil {
				_ = content.Close()
			}
		})
	}
}

// A stand-in on this machine gets the token, a neighbouring one does not.
func TestTokenGoesOnlyToStandIn(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	got := 0
	neighbour := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { mu.Lock(); got++; mu.Unlock() }))
	defer neighbour.Close()
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"url":%q,"mime_type":"image/png"}`, neighbour.URL)
	}))
	defer own.Close()
	_, _, err := wire.New(own.URL, http.DefaultTransport).Download(t.Context(), access, "4711")
	if mu.Lock(); err == nil || got != 0 {
		t.Errorf("the neighbour was asked %d times, %v", got, err)
	}
	mu.Unlock()
}
