package socket

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/wallet"
	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/perm"
)

// told lists the events that the socket carries.
var told = []string{call.Started, call.AnsweredEvent, call.EndedEvent, call.MissedEvent, call.MessageLeft, wallet.Low}

// countsPause is the minimum time between two reads of the counts.
const countsPause = time.Second

// message is a message of the server. Fields that do not belong to its type are left out.
type message struct {
	Type  string   `json:"type"`
	Seq   *int64   `json:"seq,omitempty"`
	ID    string   `json:"id,omitempty"`
	Data  any      `json:"data,omitempty"`
	Error *refusal `json:"error,omitempty"`
}

// connection is one open socket. Three goroutines send on it, each at most one message at a
// time, so nothing piles up for a client that does not read.
type connection struct {
	*Service
	ctx      context.Context
	socket   *api.DialogueSocket
	language string
	started  chan struct{} // closed after the snapshot
	stale    chan struct{} // signals that the counts must be read
}

// run serves a socket until it ends.
func (s *Service) run(ctx context.Context, in *streamIn, socket *api.DialogueSocket) error {
	after, err := in.parseAfter()
	if err != nil {
		return err
	}
	who := api.Watcher(ctx)
	_, language, err := s.findCaller(ctx, who.TenantID, who.SessionID)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	c := &connection{Service: s, ctx: ctx, socket: socket, language: language, started: make(chan struct{}), stale: make(chan struct{}, 1)}
	var others sync.WaitGroup
	defer others.Wait()
	defer cancel()
	others.Go(func() { defer cancel(); c.runCommands(ctx) })
	others.Go(func() { defer cancel(); c.sendCounts(ctx) })
	return s.Streams.Follow(ctx, after, c)
}

func (c *connection) send(m message) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return c.socket.Send(text)
}

// Ready implements realtime.Receiver.
func (c *connection) Ready(after int64) error {
	if err := c.send(message{Type: "hello", Seq: &after}); err != nil {
		return err
	}
	if err := c.sendSnapshot(); err != nil {
		return err
	}
	close(c.started)
	c.markStale()
	return nil
}

// Receive implements realtime.Receiver.
func (c *connection) Receive(sequence int64, name string, body []byte) error {
	if name == "reset" {
		if err := c.send(message{Type: name, Seq: &sequence}); err != nil {
			return err
		}
		c.markStale()
		return c.sendSnapshot()
	}
	if !slices.Contains(told, name) {
		return nil
	}
	var event struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		return err
	}
	if name != wallet.Low {
		c.markStale()
	}
	return c.send(message{Type: name, Seq: &sequence, Data: event.Data})
}

// sendSnapshot sends the calls in progress: all of them, or only the person's own without
// crm.calls.view.
func (c *connection) sendSnapshot() error {
	who := api.Watcher(c.ctx)
	ctx := caller.With(c.ctx, who)
	list, err := c.Calls.Live(ctx)
	if err != nil {
		return err
	}
	if !who.Can(perm.CallsView) {
		list = slices.DeleteFunc(list, func(l call.Live) bool { return l.AgentID == nil || *l.AgentID != who.ID })
	}
	return c.send(message{Type: "snapshot", Data: map[string]any{"calls": list}})
}

// markStale requests a new read of the counts.
func (c *connection) markStale() {
	select {
	case c.stale <- struct{}{}:
	default:
	}
}

// sendCounts sends the counts when they have changed, at most once a second, if the person
// may see calls.
func (c *connection) sendCounts(ctx context.Context) {
	var last *call.Counts
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.stale:
		}
		if who := api.Watcher(ctx); who.Can(perm.CallsView) {
			counts, err := c.Calls.Counts(caller.With(ctx, who))
			if err != nil {
				return // the client reconnects
			}
			if last == nil || *last != counts {
				if c.send(message{Type: "counts", Data: counts}) != nil {
					return
				}
				last = &counts
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(countsPause):
		}
	}
}
