package outbound

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"
)

// A peer's time to answer begins with the request, not with the end of its last answer,
// although its connection waits for the next one from then on.
func TestAnswerTimeoutStartsWithRequest(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/silent" {
			<-r.Context().Done()
		}
	}))
	t.Cleanup(server.Close)
	var patience atomic.Int64
	patience.Store(int64(time.Hour))
	client := New(Options{Allowed: loopback, Patience: func() time.Duration { return time.Duration(patience.Load()) }})
	ask := func(path string) error {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.RoundTrip(req)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		return errors.Join(err, resp.Body.Close())
	}
	if err := ask("/"); err != nil {
		t.Fatal(err)
	}
	patience.Store(int64(time.Millisecond))
	if err := ask("/silent"); err == nil || errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a silent peer ended with %v", err)
	}
}
