// Package realtime is the panel's stream: it sends the events of a workspace, as
// they happen, to those who may see them.
//
// A stream carries three kinds of messages. Events have the tenant's sequence, by
// which a stream is resumed from the database, so a stream that was cut misses
// nothing and repeats nothing. Signals (typing, presence) have no sequence: they
// matter only at the moment. Digests are small answers, such as the inbox's
// counters, that are computed again when events may have changed them.
//
// The same messages are sent as server-sent events and over a WebSocket. All
// streams of a workspace on a node share one feed, so that an event is received,
// and a gap filled, only once for all of them.
package realtime

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/bus"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
)

// Config is what streams need.
type Config struct {
	DB      *db.DB
	Bus     bus.Bus
	Log     *slog.Logger
	Catalog event.Catalog
	// Signals are the names of messages without a sequence, with who may see them.
	Signals event.Catalog
	Digests []Digest
}

// Streams holds the open streams of every tenant on this node.
type Streams struct {
	Config
	visible map[string]event.Type

	mu    sync.Mutex
	feeds map[uuid.UUID]*feed
}

// New returns a Streams; Routes lets people open streams.
func New(c Config) *Streams {
	s := &Streams{Config: c, feeds: map[uuid.UUID]*feed{}, visible: map[string]event.Type{}}
	for _, t := range slices.Concat(c.Catalog, c.Signals) {
		s.visible[t.Name] = t
	}
	return s
}

// Routes are the routes that open streams.
type Routes struct {
	*Streams
	// Audience is notified of watchers; nil if that is not needed.
	Audience Audience
	// Beat is the interval of a stream's signs of life: 15 seconds by default.
	Beat time.Duration
}

// Audience is notified of those who watch.
type Audience interface {
	// TrackConnection is called when somebody opens a stream; the function it returns is called when
	// the stream ends.
	TrackConnection(ctx context.Context, who *caller.Caller) (left func())
}

type streamIn struct {
	LastEventID string `header:"Last-Event-ID" maxLength:"20" doc:"Id of the last event received, to resume from there"`
	After       string `query:"after" maxLength:"20" doc:"Same as Last-Event-ID, for clients that cannot send the header"`
	Mode        string `query:"mode" enum:"events,changes" default:"events" doc:"events: every event with its body. changes: which records changed, batched over a short moment, and the digests."`
}

const how = " The id of an event is its sequence number. A client that reconnects with the last id receives the events it missed, or a `reset` message if they are no longer stored. Messages without an id (typing, presence) are not repeated. The stream sends only what the caller can see, and ends if the caller loses access."

// Register adds the routes.
func (s *Routes) Register(a *api.API) {
	route := api.Route{
		Method: "GET", Path: "/api/v1/stream", ID: "stream", Tag: "Realtime", Access: api.Session,
		Permission: api.Anyone, Delegable: true, Summary: "Stream the workspace's events",
		Doc: "Server-sent events." + how,
	}
	api.HandleEvents(a, route, func(ctx context.Context, in *streamIn) (func(context.Context, *api.Sender) error, error) {
		st, err := s.begin(ctx, in)
		return func(ctx context.Context, send *api.Sender) error { return st.run(ctx, sse{send}) }, err
	})
	route.Path, route.ID, route.Summary = "/api/v1/socket", "socket", "Stream the workspace's events over a WebSocket"
	route.Doc = "Each message is a JSON object with a type; events include their sequence number. The first message is `ready`, with the sequence number after which the stream starts." + how
	api.HandleSocket(a, route, func(ctx context.Context, in *streamIn) (func(context.Context, *api.Socket) error, error) {
		st, err := s.begin(ctx, in)
		return func(ctx context.Context, socket *api.Socket) error { return st.run(ctx, ws{socket}) }, err
	})
}

// Signal sends a message without a sequence to everyone who is watching a workspace, on
// every node.
func (s *Streams) Signal(tenant uuid.UUID, name string, data any) {
	s.SignalTo(tenant, uuid.Nil, name, data)
}

// SignalTo sends a signal only to the streams of one caller, wherever they are signed in.
func (s *Streams) SignalTo(tenant, to uuid.UUID, name string, data any) {
	s.Bus.Publish(tenant, bus.Message{Type: name, Body: message{Type: name, To: to, Data: data}.text()})
}

// SignalHere sends a signal only to watchers on this node, for what every node detects by
// itself.
func (s *Streams) SignalHere(tenant uuid.UUID, name string, data any) {
	s.mu.Lock()
	f := s.feeds[tenant]
	s.mu.Unlock()
	if f != nil {
		f.take(bus.Message{Type: name, Body: message{Type: name, Data: data}.text()})
	}
}

func (s *Routes) begin(ctx context.Context, in *streamIn) (*stream, error) {
	st := &stream{Routes: s, who: caller.From(ctx), after: -1, gather: in.Mode == "changes"}
	for _, from := range []struct{ name, text string }{{"after", in.After}, {"Last-Event-ID", in.LastEventID}} {
		if from.text == "" {
			continue
		}
		n, err := strconv.ParseInt(from.text, 10, 64)
		if err != nil || n < 0 {
			return nil, fault.Invalid(from.name, "invalid")
		}
		st.after = n
	}
	return st, nil
}

const (
	catchUp   = 500
	heartbeat = 15 * time.Second
	// gathering is how long changes are collected, repeat is the minimum time between
	// digests. Nobody notices either delay.
	gathering = 250 * time.Millisecond
	repeat    = time.Second
)

func (s *Streams) isVisible(name string) bool {
	_, ok := s.visible[name]
	return ok
}

// mayHear reports whether the caller may receive messages of a name. Keys of the test
// environment receive none, since a feed carries live data.
func (s *Streams) mayHear(who *caller.Caller, name string) bool {
	t, ok := s.visible[name]
	return ok && !who.Test && (t.Module == "" || who.Licences[t.Module]) && who.Can(t.Permission)
}
