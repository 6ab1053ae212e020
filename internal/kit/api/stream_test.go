package api_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"konak/internal/kit/api"
)

const shortLimit = 100 * time.Millisecond

// pastTheLimit waits until a request that began now would have been cut. It returns why ctx
// ended if that happened before.
func pastTheLimit(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(3 * shortLimit):
		return nil
	}
}

// lateFile is a file whose bytes arrive after the request limit, from a source that ends
// with the context.
type lateFile struct {
	*bytes.Reader
	ctx context.Context
}

func (f lateFile) Read(p []byte) (int, error) {
	if err := pastTheLimit(f.ctx); err != nil {
		return 0, err
	}
	return f.Reader.Read(p)
}

func (f lateFile) Close() error { return nil }

// Once an answer has begun, the time limit of a request does not cut it.
func TestStreamedAnswerMayExceedTimeout(t *testing.T) {
	t.Parallel()
	h := openWith(t, func(cfg *api.Config) { cfg.RequestTimeout = shortLimit }, func(a *api.API) {
		api.HandleEvents(a, route("GET", "/api/test/events", "test-events"),
			func(context.Context, *struct{}) (func(context.Context, *api.Sender) error, error) {
				return func(ctx context.Context, s *api.Sender) error {
					if err := s.Comment("ready"); err != nil {
						return err
					}
					if err := pastTheLimit(ctx); err != nil {
						return err
					}
					return s.Event(1, "late", []byte("late"))
				}, nil
			})
		api.HandleBytes(a, route("GET", "/api/test/bytes", "test-bytes"), "text/plain",
			func(ctx context.Context, _ *struct{}) (*api.Bytes, error) {
				return &api.Bytes{ContentType: "text/plain", Write: func(w io.Writer) error {
					if err := pastTheLimit(ctx); err != nil {
						return err
					}
					_, err := io.WriteString(w, "late")
					return err
				}}, nil
			})
		api.HandleFile(a, route("GET", "/api/test/file", "test-file"), func(ctx context.Context, _ *struct{}) (*api.File, error) {
			return &api.File{Name: "f", Type: "text/plain", Tag: "t", Content: lateFile{bytes.NewReader([]byte("late")), ctx}}, nil
		})
		api.HandleSocket(a, route("GET", "/api/test/late-socket", "test-late-socket"),
			func(context.Context, *struct{}) (func(context.Context, *api.Socket) error, error) {
				return func(ctx context.Context, s *api.Socket) error {
					if err := pastTheLimit(ctx); err != nil {
						return err
					}
					return s.Send([]byte("late"))
				}, nil
			})
	})
	for _, path := range []string{"/api/test/events", "/api/test/bytes", "/api/test/file"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			if resp, body := h.do("GET", path, ""); resp.StatusCode != 200 || !strings.Contains(body, "late") {
				t.Errorf("answered %d %q", resp.StatusCode, body)
			}
		})
	}
	t.Run("socket", func(t *testing.T) {
		t.Parallel()
		conn, _, err := h.dial("/api/test/late-socket", bearer("good"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := read(t, conn); got != "late" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

// The time before the first byte is bound by the limit of a request.
func TestTimeToFirstByteIsLimited(t *testing.T) {
	t.Parallel()
	h := openWith(t, func(cfg *api.Config) { cfg.RequestTimeout = shortLimit }, func(a *api.API) {
		api.HandleBytes(a, route("GET", "/api/test/bytes", "test-bytes"), "text/plain",
			func(ctx context.Context, _ *struct{}) (*api.Bytes, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
	})
	if resp, body := h.do("GET", "/api/test/bytes", ""); resp.StatusCode != 503 {
		t.Errorf("answered %d %s", resp.StatusCode, body)
	}
}

// holdStream opens a stream and, once it is open, returns the function that closes it.
func (h *harness) holdStream(t *testing.T, path string) (resp *http.Response, leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = bearer("good")
	if resp, err = http.DefaultClient.Do(req); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp, cancel
}

// One session can hold a limited number of streams of any kind, and one that ends frees its
// place.
func TestStreamsAreCounted(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{}, 1)
	var asked atomic.Int64
	h := open(t, func(a *api.API) {
		talk(a)
		api.HandleEvents(a, route("GET", "/api/test/events", "test-events"),
			func(context.Context, *struct{}) (func(context.Context, *api.Sender) error, error) {
				asked.Add(1)
				return func(ctx context.Context, s *api.Sender) error {
					defer func() { ended <- struct{}{} }()
					if err := s.Comment("ready"); err != nil {
						return err
					}
					<-ctx.Done()
					return ctx.Err()
				}, nil
			})
	})
	_, leave := h.holdStream(t, "/api/test/events")
	for range api.StreamsPerCredential - 1 {
		if _, _, err := h.dial("/api/test/socket?word=x", bearer("good")); err != nil {
			t.Fatal(err)
		}
	}
	resp, body := h.do("GET", "/api/test/events", "")
	if resp.StatusCode != 429 || !strings.Contains(body, `"too_many_streams"`) || resp.Header.Get("Retry-After") == "" {
		t.Errorf("answered %d %s", resp.StatusCode, body)
	}
	// Only the function that a handler returns releases what it holds, so the handler is
	// not called for a stream that is not opened.
	if n := asked.Load(); n != 1 {
		t.Errorf("the handler was asked %d times for one stream", n)
	}
	if _, resp, err := h.dial("/api/test/socket?word=x", bearer("good")); err == nil || resp.StatusCode != 429 {
		t.Errorf("a socket more was opened: %v", err)
	}
	leave()
	<-ended
	// The count decreases shortly after the sender has returned.
	for {
		resp, _ := h.holdStream(t, "/api/test/events")
		if resp.StatusCode == 200 {
			break
		}
		if t.Context().Err() != nil {
			t.Fatal("no stream can be opened")
		}
	}
}
