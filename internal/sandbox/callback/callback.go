// Package callback posts the webhooks of stand-ins, one after the other, so that they
// arrive in order.
package callback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Challenge verifies that an address belongs to the caller, as Meta does before it posts
// there. The query holds hub.mode and hub.verify_token.
func Challenge(ctx context.Context, address string, query url.Values) error {
	const word = "1158201444"
	query.Set("hub.challenge", word)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"?"+query.Encode(), http.NoBody)
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Timeout: 10 * time.Second}).Do(req)
	if err != nil {
		return errors.New("the address does not answer")
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if err != nil || resp.StatusCode != http.StatusOK || string(text) != word {
		return fmt.Errorf("HTTP status code = %d", resp.StatusCode)
	}
	return nil
}

// Call is one webhook with the header that authenticates it.
type Call struct {
	To, Header, Value string
	Body              []byte
	// Failed is called with the reason when a call is given up; it may be nil.
	Failed func(reason string)
}

// Poster sends calls.
type Poster struct {
	client *http.Client
	queue  chan Call
	done   chan struct{}
	once   sync.Once

	mu      sync.Mutex
	idle    *sync.Cond
	pending int
}

// NewPoster starts a poster.
func NewPoster() *Poster {
	p := &Poster{client: &http.Client{Timeout: 10 * time.Second}, queue: make(chan Call, 1024), done: make(chan struct{})}
	p.idle = sync.NewCond(&p.mu)
	go p.run()
	return p
}

func (p *Poster) run() {
	for {
		select {
		case <-p.done:
			return
		case next := <-p.queue:
			if reason := p.send(next); reason != "" && next.Failed != nil {
				next.Failed(reason)
			}
			p.count(-1)
		}
	}
}

func (p *Poster) count(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending += n
	p.idle.Broadcast()
}

// send tries three times; a stand-in cannot retry for days. It returns why the last try
// failed, "" if one succeeded.
func (p *Poster) send(next Call) (reason string) {
	for range 3 {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, next.To, bytes.NewReader(next.Body))
		if err != nil {
			return err.Error()
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set(next.Header, next.Value)
		resp, err := p.client.Do(req)
		if err != nil {
			reason = "Connection refused"
			continue
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
		_ = resp.Body.Close()
		if resp.StatusCode/100 == 2 {
			return ""
		}
		reason = fmt.Sprintf("Wrong response from the webhook: %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	return reason
}

// Add queues a call. If the queue is full the call is dropped: a stand-in does not block
// its callers.
func (p *Poster) Add(next Call) {
	p.count(1)
	select {
	case p.queue <- next:
	default:
		p.count(-1)
	}
}

// Settle waits until everything that was added is posted.
func (p *Poster) Settle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.pending > 0 {
		p.idle.Wait()
	}
}

// Close stops the poster.
func (p *Poster) Close() { p.once.Do(func() { close(p.done) }) }
