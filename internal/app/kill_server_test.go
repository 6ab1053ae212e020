package app_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"konak/internal/webhook/signature"
)

// binary builds the program that people run, as the Makefile does, once for all tests.
// KONAK_TEST_BIN names an existing one.
var binary func() (string, error)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "konak")
	if err != nil {
		panic(err)
	}
	binary = sync.OnceValues(func() (string, error) {
		if named := os.Getenv("KONAK_TEST_BIN"); named != "" {
			return named, nil
		}
		path := filepath.Join(dir, "konak")
		cmd := exec.Command("go", "build", "-o", path, "../../cmd/konak")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("go build: %w\n%s", err, out)
		}
		return path, nil
	})
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// process is a running konak.
type process struct {
	cmd  *exec.Cmd
	url  string
	logs *bytes.Buffer
	done chan error
}

var panelLine = regexp.MustCompile(`Panel\s+http://[^:]+:(\d+)`)

// start runs `konak serve --demo` on a free port and returns once it listens.
func start(ctx context.Context, args ...string) (*process, error) {
	path, err := binary()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, append([]string{
		"serve", "--demo", "--listen=127.0.0.1:0", "--private-listen=off", "--log-level=warn",
	}, args...)...)
	// Settings of the developer's own shell must not reach the server.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	p := &process{cmd: cmd, logs: &bytes.Buffer{}, done: make(chan error, 1)}
	cmd.Stderr = p.logs
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for p.url == "" && lines.Scan() {
		if m := panelLine.FindStringSubmatch(lines.Text()); m != nil {
			p.url = "http://127.0.0.1:" + m[1]
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		p.done <- cmd.Wait()
	}()
	if p.url == "" {
		return nil, fmt.Errorf("the server did not start: %w\n%s", <-p.done, p.logs)
	}
	return p, nil
}

// kill ends the process as the kernel would: nothing is logged or flushed.
func (p *process) kill() error {
	if err := p.cmd.Process.Kill(); err != nil {
		return err
	}
	var ended *exec.ExitError
	if err := <-p.done; !errors.As(err, &ended) || ended.ExitCode() != -1 {
		return fmt.Errorf("the server ended by itself: %w\n%s", err, p.logs)
	}
	return nil
}

// stop asks the process to end and expects it to do so normally.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := <-p.done; err != nil {
		return fmt.Errorf("the server did not stop in order: %w\n%s", err, p.logs)
	}
	return nil
}

// client calls a server that may die at any moment.
type client struct {
	url, token string
	head       http.Header // sent with every request
	http       *http.Client
}

func newClient(url, token string) *client {
	return &client{url: url, token: token, http: &http.Client{
		Timeout: 20 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: writers},
	}}
}

// reply is the part of an answer that the test reads.
type reply struct {
	Status int
	Data   struct {
		ID      string
		Address string
		Secret  string
		Token   string `json:"session_token"`
		// VisitorToken belongs to live chat, Key to API keys.
		VisitorToken string `json:"token"`
		Key          string
		Settings     struct{ Key string }
		Forwarding   string `json:"forwarding_address"`
	}
	Error struct{ Code string }
}

func (c *client) post(ctx context.Context, path, key string, body any) (reply, error) {
	return c.send(ctx, http.MethodPost, path, key, body)
}

// send is post with any method.
func (c *client) send(ctx context.Context, method, path, key string, body any) (r reply, err error) {
	b, err := json.Marshal(body)
	if err != nil {
		return r, err
	}
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(b))
	if err != nil {
		return r, err
	}
	maps.Copy(req.Header, c.head)
	req.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return r, err
	}
	defer func() { _ = resp.Body.Close() }()
	// An answer that was cut off is not an acknowledgement.
	if b, err = io.ReadAll(resp.Body); err != nil {
		return r, err
	}
	r.Status = resp.StatusCode
	return r, json.Unmarshal(b, &r)
}

// receiver is the receiving end of a webhook. It keeps what it was sent.
type receiver struct {
	mu     sync.Mutex
	secret string
	bodies map[string][sha256.Size]byte // event id -> what its body was
	// objects maps a record to its events in the order in which each first arrived, with
	// the text of what was added to the record.
	objects map[string][]string
	times   map[string]int // delivery id -> how often it came
	all     int            // requests
	faults  []string
}

func newReceiver() *receiver {
	return &receiver{bodies: map[string][sha256.Size]byte{}, objects: map[string][]string{}, times: map[string]int{}}
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the sender died on the way and will come again
	}
	e, err := decodeEvent(body)
	sum := sha256.Sum256(body)
	r.mu.Lock()
	defer r.mu.Unlock()
	old, again := r.bodies[e.ID]
	switch {
	case err != nil || !strings.HasPrefix(e.ID, "evt_"):
		r.faults = append(r.faults, "not an event: "+string(body))
	case req.Header.Get("X-Service-Signature") != signature.Sign(r.secret, body):
		r.faults = append(r.faults, "wrong signature on "+e.ID)
	case again && old != sum:
		r.faults = append(r.faults, "another body of "+e.ID+" came before:\n"+string(body))
	}
	if !again {
		r.bodies[e.ID] = sum
		r.objects[e.Data.Object.ID] = append(r.objects[e.Data.Object.ID], e.Data.Item.Body)
	}
	r.times[req.Header.Get("X-Service-Delivery")]++
	r.all++
	w.WriteHeader(http.StatusNoContent)
}

// seenEvent is the part of an event that the test reads.
type seenEvent struct {
	ID   string
	Data struct {
		Object struct{ ID string }
		Item   struct{ Body string }
	}
}

func decodeEvent(body []byte) (e seenEvent, err error) {
	return e, json.Unmarshal(body, &e)
}

// repeated returns the number of requests and of repetitions among them.
func (r *receiver) repeated() (all, again int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all, r.all - len(r.times)
}
