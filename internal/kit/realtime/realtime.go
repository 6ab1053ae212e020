// Package realtime is the panel's stream: what happens in a workspace, as it
// happens, to those who may see it. A stream that was cut resumes by sequence
// from the database and misses nothing.
package realtime

import (
	"context"
	"strconv"
	"time"

	"konak/internal/kit/api"
	"konak/internal/kit/bus"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
)

// Streams serves the stream of every tenant.
type Streams struct {
	DB      *db.DB
	Bus     bus.Bus
	Catalog event.Catalog
}

type streamIn struct {
	LastEventID string `header:"Last-Event-ID" maxLength:"20" doc:"The id of the last event received, to go on from there"`
}

// Register adds the route.
func (s *Streams) Register(a *api.API) {
	api.HandleEvents(a, api.Route{
		Method: "GET", Path: "/api/v1/stream", ID: "stream", Tag: "Realtime", Access: api.Session,
		Permission: api.Anyone, Delegable: true, Summary: "Stream of the workspace's events",
		Doc: "Server-sent events. The id of an event is its sequence; a client that reconnects with Last-Event-ID receives what it missed. Only events that the caller may see are sent.",
	}, s.open)
}

const (
	catchUp   = 500
	heartbeat = 15 * time.Second
)

func (s *Streams) open(ctx context.Context, in *streamIn) (func(context.Context, *api.Sender) error, error) {
	who := caller.From(ctx)
	after := int64(-1)
	if in.LastEventID != "" {
		n, err := strconv.ParseInt(in.LastEventID, 10, 64)
		if err != nil || n < 0 {
			return nil, fault.Invalid("Last-Event-ID", "invalid")
		}
		after = n
	}
	return func(ctx context.Context, send *api.Sender) error { return s.run(ctx, who, after, send) }, nil
}

func (s *Streams) run(ctx context.Context, who *caller.Caller, after int64, send *api.Sender) error {
	tenant := s.DB.Tenant(who.TenantID)
	if after < 0 {
		err := tenant.Read(ctx, func(r *db.Reader) (err error) { after, err = event.Last(r); return err })
		if err != nil {
			return err
		}
	}
	// Subscribe before reading the past: what commits in between arrives on
	// both ways and is told apart by its sequence.
	for {
		sub := s.Bus.Subscribe(who.TenantID)
		var err error
		if after, err = s.past(ctx, tenant, who, after, send); err == nil {
			after, err = s.live(ctx, sub, who, after, send)
		}
		sub.Close()
		if err != nil {
			return err
		}
	}
}

// past sends what the database has after a sequence.
func (s *Streams) past(ctx context.Context, tenant db.Handle, who *caller.Caller, after int64, send *api.Sender) (int64, error) {
	if err := send.Comment("ready"); err != nil {
		return after, err
	}
	for {
		var events []event.Event
		err := tenant.Read(ctx, func(r *db.Reader) (err error) { events, err = event.After(r, after, catchUp); return err })
		if err != nil {
			return after, err
		}
		for _, e := range events {
			after = e.Sequence
			if s.visible(who, e.Type) {
				if err := send.Event(e.Sequence, e.Type, e.Body()); err != nil {
					return after, err
				}
			}
		}
		if len(events) < catchUp {
			return after, nil
		}
	}
}

// live sends what the bus brings. It returns without an error when there is a
// gap to fill from the database: the bus dropped us, or a number is missing.
func (s *Streams) live(ctx context.Context, sub *bus.Subscription, who *caller.Caller, after int64, send *api.Sender) (int64, error) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return after, ctx.Err()
		case <-tick.C:
			if err := send.Comment("alive"); err != nil {
				return after, err
			}
		case m, ok := <-sub.C:
			if !ok || m.Sequence > after+1 {
				return after, nil
			}
			if m.Sequence <= after {
				continue
			}
			after = m.Sequence
			if s.visible(who, m.Type) {
				if err := send.Event(m.Sequence, m.Type, m.Body); err != nil {
					return after, err
				}
			}
		}
	}
}

func (s *Streams) visible(who *caller.Caller, name string) bool {
	t, ok := s.Catalog.Find(name)
	return ok && (t.Module == "" || who.Licences[t.Module]) && who.Can(t.Permission)
}
