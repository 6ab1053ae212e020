package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"konak/internal/kit/api"
)

const (
	besideGroup   = "Beside"
	besideReplies = 2000
	besideEvents  = 100
)

// measureBeside measures the CPU time of ordinary work while something else goes on in the
// workspace: replies before and after a search, streams that are opened while many others
// are open, and events that are sent to streams of both modes. Callers and readers are part
// of this process and of each figure.
func measureBeside(ctx context.Context, e *env, o options) error {
	return e.onDatabases(ctx, o, besideGroup, func(h *node) error {
		fmt.Printf("\n%s, %s: CPU of this process, callers and readers included\n", besideGroup, h.dialect())
		if err := h.repliesBesideSearch(ctx, e, besideReplies); err != nil {
			return err
		}
		return h.streamsBeside(ctx, []int{1000, 5000}, 500)
	})
}

// streamsBeside opens streams next to each number of open ones, and sends events to streams
// of both modes.
func (h *node) streamsBeside(ctx context.Context, open []int, told int) error {
	for _, n := range open {
		if err := h.openBeside(ctx, n); err != nil {
			return err
		}
	}
	for _, mode := range []string{"events", "changes"} {
		if err := h.toldBeside(ctx, mode, told); err != nil {
			return err
		}
	}
	return nil
}

// repliesBesideSearch sends replies before and after the workspace is searched.
func (h *node) repliesBesideSearch(ctx context.Context, e *env, replies int) error {
	do, closeConn, err := reply.served(h.dialect(), small)(ctx, e, 0)
	if err != nil {
		return err
	}
	defer closeConn()
	round := func() (time.Duration, error) {
		before := cpuTime()
		for range replies {
			if err := do(); err != nil {
				return 0, err
			}
		}
		return (cpuTime() - before) / time.Duration(replies), nil
	}
	if _, err := round(); err != nil { // the first replies open their conversations
		return err
	}
	before, err := round()
	if err != nil {
		return err
	}
	token, err := signIn(ctx, h.app, inboxSlug(small))
	if err != nil {
		return err
	}
	if err := h.searchOnce(ctx, token); err != nil {
		return err
	}
	after, err := round()
	fmt.Printf("  a reply: %s, after a search %s\n", before.Round(time.Microsecond), after.Round(time.Microsecond))
	return err
}

// openBeside opens streams one after another while the given number is open.
func (h *node) openBeside(ctx context.Context, open int) error {
	const more = 200
	s, err := newOpenStreams(ctx, h, "events", open+more)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.open(open); err != nil {
		return err
	}
	before := cpuTime()
	if err := s.open(more); err != nil {
		return err
	}
	fmt.Printf("  opening a stream beside %d: %s\n", open, ((cpuTime() - before) / more).Round(time.Microsecond))
	return nil
}

// toldBeside sends events to streams of one mode, twenty a second.
func (h *node) toldBeside(ctx context.Context, mode string, streams int) error {
	s, err := newOpenStreams(ctx, h, mode, streams)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.open(streams); err != nil {
		return err
	}
	before := cpuTime()
	if err := h.writeEvents(ctx, besideEvents, func(int64) {}); err != nil {
		return err
	}
	fmt.Printf("  an event that %d streams are told, mode=%s: %s\n", streams, mode, ((cpuTime() - before) / besideEvents).Round(10*time.Microsecond))
	return nil
}

// openStreams are streams of the node's workspace that are read until they are closed.
type openStreams struct {
	ctx     context.Context
	stop    context.CancelFunc
	node    *node
	mode    string
	client  *http.Client
	tokens  []string // a session for each StreamsPerCredential streams
	count   int
	read    func(io.Reader)
	readers sync.WaitGroup
}

// newOpenStreams opens as many sessions as n streams need.
func newOpenStreams(ctx context.Context, h *node, mode string, n int) (*openStreams, error) {
	ctx, stop := context.WithCancel(ctx)
	s := &openStreams{
		ctx: ctx, stop: stop, node: h, mode: mode, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: -1}},
		read: func(r io.Reader) { _, _ = io.Copy(io.Discard, r) }, // it ends with the stream
	}
	for range (n + api.StreamsPerCredential - 1) / api.StreamsPerCredential {
		token, err := signIn(ctx, h.app, "bench")
		if err != nil {
			stop()
			return nil, err
		}
		s.tokens = append(s.tokens, token)
	}
	return s, nil
}

// open opens n more streams, each when the one before it is ready.
func (s *openStreams) open(n int) error {
	for range n {
		token := s.tokens[s.count/api.StreamsPerCredential]
		s.count++
		resp, err := s.node.send(s.ctx, s.client, token, "/api/v1/stream?mode="+s.mode)
		if err != nil {
			return err
		}
		if resp.StatusCode != http.StatusOK {
			return errors.Join(fmt.Errorf("a stream was answered %s", resp.Status), resp.Body.Close())
		}
		// The comment that the stream is ready comes first.
		if _, err := io.ReadFull(resp.Body, make([]byte, len(": ready\n\n"))); err != nil {
			return err
		}
		s.readers.Go(func() {
			defer func() { _ = resp.Body.Close() }()
			s.read(resp.Body)
		})
	}
	return nil
}

// close ends the streams and waits for their readers. It may be called again.
func (s *openStreams) close() {
	s.stop()
	s.readers.Wait()
	s.client.CloseIdleConnections()
}

// send sends a GET with a session and returns the answer; the caller closes its body.
func (h *node) send(ctx context.Context, client *http.Client, token, path string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+h.addr+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header = bearer(token)
	return client.Do(r)
}
