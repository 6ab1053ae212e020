package whatsapp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	wire "konak/internal/provider/whatsapp"
)

// poster sends webhooks one after the other, so that they arrive in order.
type poster struct {
	client *http.Client
	queue  chan callback
	done   chan struct{}
	once   sync.Once

	mu      sync.Mutex
	idle    *sync.Cond
	pending int
}

type callback struct {
	to, signature string
	body          []byte
}

func newPoster() *poster {
	p := &poster{client: &http.Client{Timeout: 10 * time.Second}, queue: make(chan callback, 1024), done: make(chan struct{})}
	p.idle = sync.NewCond(&p.mu)
	go p.run()
	return p
}

func (p *poster) run() {
	for {
		select {
		case <-p.done:
			return
		case next := <-p.queue:
			p.send(next)
			p.mu.Lock()
			p.pending--
			p.idle.Broadcast()
			p.mu.Unlock()
		}
	}
}

// send tries three times; a stand-in has no days to wait.
func (p *poster) send(next callback) {
	for range 3 {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, next.to, bytes.NewReader(next.body))
		if err != nil {
			return
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set(wire.SignatureHeader, next.signature)
		resp, err := p.client.Do(req)
		if err != nil {
			continue
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
		_ = resp.Body.Close()
		if resp.StatusCode/100 == 2 {
			return
		}
	}
}

func (p *poster) add(next callback) {
	p.mu.Lock()
	p.pending++
	p.mu.Unlock()
	select {
	case p.queue <- next:
	default: // a stand-in does not hold its callers up
		p.mu.Lock()
		p.pending--
		p.mu.Unlock()
	}
}

func (p *poster) waitForPosts() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.pending > 0 {
		p.idle.Wait()
	}
}

func (p *poster) close() { p.once.Do(func() { close(p.done) }) }

// postChange posts a change to the business's callback, signed; the lock is held.
func (s *Server) postChange(b *Business, field string, value any) {
	if b.Callback == "" {
		return
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return
	}
	text, err := json.Marshal(wire.Webhook{Object: "whatsapp_business_account", Entry: []wire.Entry{{
		ID: b.ID, Time: s.clock.Now().Unix(), Changes: []wire.Change{{Field: field, Value: raw}},
	}}})
	if err != nil {
		return
	}
	s.post.add(callback{to: b.Callback, signature: wire.Sign(b.AppSecret, text), body: text})
}

// subscribe asks the callback whether it is the caller's before it is used; one
// that is in use is not asked again.
func (s *Server) subscribe(r *http.Request, b *Business) (any, *refusal) {
	var in wire.Subscription
	if err := body(r, &in); err != nil {
		return nil, err
	}
	s.mu.Lock()
	known := b.Callback == in.Callback
	s.mu.Unlock()
	if in.Callback != "" && !known {
		if err := challenge(r.Context(), in); err != nil {
			return nil, refuse(400, 2200, 0, "OAuthException", "(#2200) Callback verification failed with the following errors: "+err.Error(), "")
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b.Callback = in.Callback
	s.keep()
	return wire.Success{Success: true}, nil
}

func challenge(ctx context.Context, in wire.Subscription) error {
	const word = "1158201444"
	q := url.Values{"hub.mode": {"subscribe"}, "hub.verify_token": {in.Token}, "hub.challenge": {word}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, in.Callback+"?"+q.Encode(), http.NoBody)
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

// Customer is somebody who writes to a number.
type Customer struct {
	// ID is the number; without one the customer shows their UserID alone.
	ID     string `json:"from"`
	UserID string `json:"from_user_id"`
	Name   string `json:"name"`
}

// Write lets a customer write a message of any type to a number and gives its
// id.
func (s *Server) Write(numberID string, from Customer, m wire.Incoming) (string, error) {
	b, n := s.number(numberID, "")
	if b == nil {
		return "", errors.New("sandbox: there is no number " + numberID)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m.From, m.FromUserID = digits(from.ID), from.UserID
	if m.ID == "" {
		m.ID = "wamid.customer" + s.id()
	}
	if m.Timestamp == "" {
		m.Timestamp = strconv.FormatInt(s.clock.Now().Unix(), 10)
	}
	if m.Type == "" {
		m.Type = "text"
	}
	if m.Type != "reaction" {
		for _, id := range []string{m.From, m.FromUserID} {
			b.Wrote[numberID+"/"+id] = s.clock.Now()
		}
		s.keep()
	}
	who := wire.Profile{WaID: m.From, UserID: m.FromUserID}
	who.Profile.Name = from.Name
	s.postChange(b, "messages", wire.Messages{Product: "whatsapp", Metadata: metadata(n), Contacts: []wire.Profile{who}, Messages: []wire.Incoming{m}})
	return m.ID, nil
}

// Say lets a customer write a text.
func (s *Server) Say(numberID string, from Customer, text string) (string, error) {
	return s.Write(numberID, from, wire.Incoming{Text: &wire.Text{Body: text}})
}

// Remember notes that a customer wrote, without telling anybody.
func (s *Server) Remember(numberID, from string, at time.Time) {
	b, _ := s.number(numberID, "")
	if b == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b.Wrote[numberID+"/"+digits(from)] = at
	s.keep()
}

// File stores a file that a customer's message brings and gives its id.
func (s *Server) File(business, kind string, content []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.id()
	s.files[id] = &file{token: s.businesses[business].Token, kind: kind, content: content}
	return id
}

// Report posts a report on a message.
func (s *Server) Report(numberID string, r wire.Report) {
	b, n := s.number(numberID, "")
	if b == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.postChange(b, "messages", wire.Messages{Product: "whatsapp", Metadata: metadata(n), Statuses: []wire.Report{r}})
}

// Flag posts that a number's quality is low, or no longer is.
func (s *Server) Flag(numberID, event string) {
	b, n := s.number(numberID, "")
	if b == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.postChange(b, "phone_number_quality_update", wire.QualityNews{Display: digits(n.Display), Event: event, Limit: "TIER_1K"})
}

// control is what the sandbox has beyond the Graph API.
func (s *Server) control(w http.ResponseWriter, r *http.Request, parts []string) (any, *refusal) {
	if len(parts) != 2 {
		return nil, missing(r.URL.Path)
	}
	switch {
	case parts[0] == "media" && r.Method == http.MethodGet:
		return nil, s.serveFile(w, r, parts[1])
	case parts[1] == "messages" && r.Method == http.MethodPost:
		var in struct {
			Customer
			Text string `json:"text"`
		}
		if err := body(r, &in); err != nil {
			return nil, err
		}
		id, err := s.Say(parts[0], in.Customer, in.Text)
		if err != nil {
			return nil, missing(parts[0])
		}
		return wire.ID{ID: id}, nil
	}
	return nil, missing(r.URL.Path)
}
