package api_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"konak/internal/kit/api"
	"konak/internal/kit/fault"
)

type manyIn struct {
	Body struct {
		Items []struct {
			N int `json:"n"`
		} `json:"items"`
	}
}

// A body full of mistakes gets a short answer: a hundred of them and a count.
func TestFieldErrorsAreBounded(t *testing.T) {
	t.Parallel()
	h := open(t, func(a *api.API) {
		api.Handle(a, route("POST", "/api/test/many", "test-many"), func(context.Context, *manyIn) (string, error) { return "", nil })
	})
	resp, body := h.do("POST", "/api/test/many", `{"items":[`+strings.TrimSuffix(strings.Repeat(`{"n":"x"},`, 5000), ",")+`]}`)
	if resp.StatusCode != 422 || len(body) > 10_000 || strings.Count(body, "wrong_type") != fault.MaxFields || !strings.Contains(body, `"more_fields":4900`) {
		t.Errorf("answered %d with %d bytes: %.300s", resp.StatusCode, len(body), body)
	}
	resp, body = h.do("POST", "/api/test/many", `{"items":[],"`+strings.Repeat("k", 100_000)+`":1}`)
	if resp.StatusCode != 422 || len(body) > 1000 {
		t.Errorf("answered %d with %d bytes", resp.StatusCode, len(body))
	}
}

// A body with too many values is refused before it is validated, and commas in a text do
// not count as values.
func TestValuesAreBounded(t *testing.T) {
	t.Parallel()
	h := open(t, func(a *api.API) {
		api.Handle(a, route("POST", "/api/test/text", "test-text"), func(context.Context, *textIn) (string, error) { return "", nil })
	})
	resp, body := h.do("POST", "/api/test/text", `{"text":"","list":[1`+strings.Repeat(`,1`, 20_000)+`]}`)
	if resp.StatusCode != 400 || !strings.Contains(body, `"reason":"too_many_values"`) {
		t.Errorf("answered %d: %.300s", resp.StatusCode, body)
	}
	resp, body = h.do("POST", "/api/test/text", `{"text":"\"[{`+strings.Repeat(`,`, 100_000)+`"}`)
	if resp.StatusCode != 200 {
		t.Errorf("answered %d: %.300s", resp.StatusCode, body)
	}
}

// The cost of checking a body for U+0000 is bounded by its length, however long its names
// are.
func TestLongNamesAreCheckedCheaply(t *testing.T) { // not parallel: it counts what the process allocates
	h := open(t, func(a *api.API) {
		api.Handle(a, route("POST", "/api/test/text", "test-text"), func(context.Context, *textIn) (string, error) { return "", nil })
	})
	name := strings.Repeat("k", 100_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	resp, body := h.do("POST", "/api/test/text", `{"`+name+`":[0`+strings.Repeat(`,0`, 10_000)+`,"\u0000"],"text":""}`)
	runtime.ReadMemStats(&after)
	if resp.StatusCode != 422 || len(body) > 1000 || !strings.Contains(body, "invalid_character") {
		t.Errorf("answered %d with %d bytes: %.300s", resp.StatusCode, len(body), body)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 50<<20 {
		t.Errorf("took %d MiB", used>>20)
	}
}

func TestMethodNotAllowedNamesTheOthers(t *testing.T) {
	t.Parallel()
	h := open(t, func(a *api.API) {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			api.Handle(a, route(method, "/api/test/thing/{id}", "test-"+method), func(context.Context, *struct {
				ID string `path:"id"`
			},
			) (string, error) {
				return "", nil
			})
		}
	})
	resp, body := h.do("PATCH", "/api/test/thing/x", "{}")
	if resp.StatusCode != 405 || resp.Header.Get("Allow") != "GET, HEAD, POST, DELETE" {
		t.Errorf("answered %d %v %s", resp.StatusCode, resp.Header, body)
	}
}

// HEAD answers as GET does, without a body, even if GET streams.
func TestHead(t *testing.T) {
	t.Parallel()
	h := open(t, func(a *api.API) {
		api.Handle(a, route("GET", "/api/test/value", "test-value"), func(context.Context, *struct{}) (string, error) { return "x", nil })
		api.HandleEvents(a, route("GET", "/api/test/events", "test-events"),
			func(context.Context, *struct{}) (func(context.Context, *api.Sender) error, error) {
				return func(ctx context.Context, _ *api.Sender) error {
					<-ctx.Done()
					return ctx.Err()
				}, nil
			})
		api.HandleBytes(a, route("GET", "/api/test/bytes", "test-bytes"), "text/csv", func(context.Context, *struct{}) (*api.Bytes, error) {
			return &api.Bytes{ContentType: "text/csv", Write: func(io.Writer) error {
				t.Error("an export was made for its head")
				return nil
			}}, nil
		})
		talk(a)
	})
	for path, kind := range map[string]string{
		"/api/test/value": "application/json", "/api/test/events": "text/event-stream", "/api/test/bytes": "text/csv",
		"/openapi.json": "application/vnd.oai.openapi+json;version=3.1",
	} {
		resp, body := h.do("HEAD", path, "")
		if resp.StatusCode != 200 || body != "" || resp.Header.Get("Content-Type") != kind {
			t.Errorf("%s: answered %d %q %v", path, resp.StatusCode, body, resp.Header)
		}
	}
	for path, status := range map[string]int{"/api/test/socket": 426, "/api/test/nothing": 404} {
		if resp, _ := h.do("HEAD", path, ""); resp.StatusCode != status {
			t.Errorf("%s: answered %d", path, resp.StatusCode)
		}
	}
	if resp, _ := h.do("HEAD", "/api/test/value", "", "Authorization", "Bearer forged"); resp.StatusCode != 401 {
		t.Errorf("a stranger was answered %d", resp.StatusCode)
	}
}

// A caller that sends too much gets the error although it is still sending; even one that
// reads only after it has sent everything.
func TestTooLargeBodyGetsError(t *testing.T) {
	t.Parallel()
	h := open(t, func(a *api.API) {
		api.Handle(a, route("POST", "/api/test/text", "test-text"), func(_ context.Context, in *textIn) (string, error) { return in.Body.Text, nil })
		up := route("POST", "/api/test/upload", "test-upload")
		up.MaxBody = 1000
		api.HandleUpload(a, up, func(_ context.Context, _ *struct{}, body *api.Upload) (string, error) {
			_, err := io.Copy(io.Discard, body)
			return "", err
		})
	})
	const size = 16 << 20
	for _, path := range []string{"/api/test/text", "/api/test/upload"} {
		for name, length := range map[string]string{"length": fmt.Sprintf("Content-Length: %d", size), "chunked": "Transfer-Encoding: chunked"} {
			t.Run(path+" "+name, func(t *testing.T) {
				t.Parallel()
				conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = conn.Close() }()
				_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\n%s\r\n\r\n", path, length)
				part := bytes.Repeat([]byte("x"), 64<<10)
				for sent := 0; sent < size && err == nil; sent += len(part) {
					if name == "chunked" {
						_, err = fmt.Fprintf(conn, "%x\r\n%s\r\n", len(part), part)
					} else {
						_, err = conn.Write(part)
					}
				}
				if name == "chunked" && err == nil {
					_, err = io.WriteString(conn, "0\r\n\r\n")
				}
				if err != nil {
					t.Fatalf("the connection was cut: %v", err)
				}
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = resp.Body.Close() }()
				if body, _ := io.ReadAll(resp.Body); resp.StatusCode != 413 || !bytes.Contains(body, []byte(`"body_too_large"`)) {
					t.Errorf("answered %d %s", resp.StatusCode, body)
				}
			})
		}
	}
}

// A body of exactly the limit is accepted, one byte more is refused with the limit.
func TestBodyOfExactlyTheLimit(t *testing.T) {
	t.Parallel()
	h := open(t, func(a *api.API) {
		text := route("POST", "/api/test/text", "test-text")
		text.MaxBody = 1000
		api.Handle(a, text, func(_ context.Context, in *textIn) (string, error) { return "", nil })
		up := route("POST", "/api/test/upload", "test-upload")
		up.MaxBody = 1000
		api.HandleUpload(a, up, func(_ context.Context, _ *struct{}, body *api.Upload) (string, error) {
			_, err := io.Copy(io.Discard, body)
			return "", err
		})
	})
	for _, path := range []string{"/api/test/text", "/api/test/upload"} {
		for length, want := range map[int]int{999: 200, 1000: 200, 1001: 413} {
			body := `{"text":"` + strings.Repeat("x", length-11) + `"}`
			kind := "application/json"
			if strings.HasSuffix(path, "upload") {
				kind = "application/octet-stream"
			}
			resp, said := h.do("POST", path, body, "Authorization", "Bearer good", "Content-Type", kind)
			if resp.StatusCode != want || want == 413 && !strings.Contains(said, "1000") {
				t.Errorf("%s with %d bytes: answered %d %s", path, length, resp.StatusCode, said)
			}
		}
	}
}

// PostgreSQL without disk space is an outage, and remembered as one for a while.
func TestDatabaseWithoutSpace(t *testing.T) {
	t.Parallel()
	var served *api.API
	h := open(t, func(a *api.API) {
		served = a
		api.Handle(a, route("GET", "/api/test/full", "test-full"), func(context.Context, *struct{}) (string, error) {
			return "", fmt.Errorf("put: %w", &pgconn.PgError{Code: "53100", Message: "could not extend file"})
		})
	})
	if served.DiskWasFull() {
		t.Error("the disk was never full")
	}
	if resp, _ := h.do("GET", "/api/test/full", ""); resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" {
		t.Errorf("answered %d", resp.StatusCode)
	}
	if !served.DiskWasFull() {
		t.Error("a full disk was not noticed")
	}
}

// logged is a log to which several goroutines write.
type logged struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

// An outage sets Retry-After and does not flood the log; a bug is logged each time.
func TestOutages(t *testing.T) {
	t.Parallel()
	log, cause := &logged{}, error(nil)
	h := openWith(t, func(cfg *api.Config) { cfg.Log = slog.New(slog.NewTextHandler(log, nil)) }, func(a *api.API) {
		api.Handle(a, route("GET", "/api/test/broken", "test-broken"), func(context.Context, *struct{}) (string, error) { return "", cause })
	})
	for _, tc := range []struct {
		err           error
		status, lines int
	}{
		{fmt.Errorf("store: %w", syscall.ENOSPC), 503, 1},
		{errors.New("a bug"), 500, 3},
	} {
		cause = tc.err
		log.Reset()
		for range 3 {
			resp, body := h.do("GET", "/api/test/broken", "")
			if resp.StatusCode != tc.status || (resp.Header.Get("Retry-After") == "") != (tc.status == 500) {
				t.Errorf("%v: answered %d %v %s", tc.err, resp.StatusCode, resp.Header, body)
			}
		}
		if n := strings.Count(log.String(), "request failed"); n != tc.lines {
			t.Errorf("%v: %d lines", tc.err, n)
		}
	}
}
