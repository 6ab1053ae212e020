package webhook

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
	"konak/internal/webhook/signature"
)

type streamWebhookIn struct {
	Endpoint    string `query:"endpoint" maxLength:"36" doc:"Only deliveries to this endpoint"`
	LastEventID string `header:"Last-Event-ID" maxLength:"20" doc:"Id of the last message received, to resume from there"`
}

// StreamedDelivery is one delivery on the stream, with what its receiver gets.
type StreamedDelivery struct {
	DeliveryID uuid.UUID         `json:"delivery_id"`
	EndpointID uuid.UUID         `json:"endpoint_id"`
	EventType  string            `json:"event_type"`
	Headers    map[string]string `json:"headers"`
	Body       string            `json:"body"`
	// BodyHidden reports that the caller may not see what the event carries: body and
	// signatures are left out.
	BodyHidden bool `json:"body_hidden"`
}

const (
	streamBatch      = 100
	defaultHeartbeat = 15 * time.Second
)

// registerStream adds the stream that `konak webhooks listen` reads.
func (r *routes) registerStream(a *api.API) {
	rt := r.route("GET", "/stream", "webhook-stream", "Stream new deliveries as their receivers get them", api.SessionOrKey, r.view)
	rt.Doc = "Server-sent events for developers: every recorded delivery with its headers, signatures and body, whether or not its endpoint can be reached. Bodies are omitted (body_hidden) if the caller does not have the event's permission. A test API key receives no deliveries. The last message of an event has the event's sequence number as its id, so that nothing is missed after resuming."
	api.HandleEvents(a, rt, func(ctx context.Context, in *streamWebhookIn) (func(context.Context, *api.Sender) error, error) {
		w := &watcher{routes: r, tenant: r.db.TenantOf(ctx), who: caller.From(ctx), after: -1}
		if in.LastEventID != "" {
			n, err := strconv.ParseInt(in.LastEventID, 10, 64)
			if err != nil || n < 0 {
				return nil, fault.Invalid("Last-Event-ID", "invalid")
			}
			w.after = n
		}
		if in.Endpoint != "" {
			id, err := uuid.Parse(in.Endpoint)
			if err == nil {
				_, err = r.Endpoint(ctx, r.module, id)
			}
			if err != nil {
				return nil, fault.Invalid("endpoint", "unknown")
			}
			w.only = &id
		}
		return w.run, nil
	})
}

// watcher is one open stream.
type watcher struct {
	*routes
	tenant db.Handle
	who    *caller.Caller // as of the last look
	only   *uuid.UUID
	after  int64
}

func (w *watcher) run(ctx context.Context, send *api.Sender) error {
	if w.after < 0 {
		var err error
		if w.after, err = db.Read(ctx, w.tenant, event.Last); err != nil {
			return err
		}
	}
	tick := time.NewTicker(w.heartbeat)
	defer tick.Stop()
	for {
		// A message on the bus only triggers another look at the database, so nothing is
		// lost if the bus drops one.
		sub := w.bus.Subscribe(w.who.TenantID)
		if err := send.Comment("ready"); err != nil {
			sub.Close()
			return err
		}
		for open := true; open; {
			w.who = api.Watcher(ctx)
			if err := w.catchUp(ctx, send); err != nil {
				sub.Close()
				return err
			}
			select {
			case <-ctx.Done():
				sub.Close()
				return ctx.Err()
			case <-tick.C:
				if err := send.Comment("alive"); err != nil {
					sub.Close()
					return err
				}
			case _, open = <-sub.C:
			}
		}
	}
}

// catchUp sends the deliveries of the events after the last one.
func (w *watcher) catchUp(ctx context.Context, send *api.Sender) error {
	for {
		w.who = api.Watcher(ctx)
		var events []event.Event
		var list []numberedDelivery
		err := w.tenant.Read(ctx, func(r *db.Reader) (err error) {
			if events, err = event.After(r, w.after, streamBatch); err != nil || len(events) == 0 || w.who.Test {
				return err
			}
			list, err = w.deliveries(r, events)
			return err
		})
		if err != nil || len(events) == 0 {
			return err
		}
		for i, d := range list {
			data, err := json.Marshal(d.StreamedDelivery)
			if err != nil {
				return err
			}
			// A receiver resumes after the last id it has, so only the last delivery of an
			// event may carry the id.
			id := d.sequence
			if i+1 < len(list) && list[i+1].sequence == id {
				id = 0
			}
			if err := send.Event(id, "delivery", data); err != nil {
				return err
			}
		}
		w.after = events[len(events)-1].Sequence
	}
}

// numberedDelivery is a delivery with the sequence number of its event.
type numberedDelivery struct {
	StreamedDelivery
	sequence int64
}

func (w *watcher) deliveries(r *db.Reader, events []event.Event) ([]numberedDelivery, error) {
	subs, err := subscriptions(r, r.Tenant())
	if err != nil {
		return nil, err
	}
	var list []numberedDelivery
	for _, sub := range subs {
		if sub.module != w.module || w.only != nil && *w.only != sub.id {
			continue
		}
		some, err := w.deliveriesTo(r, sub.id, events)
		if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	slices.SortStableFunc(list, func(a, b numberedDelivery) int { return cmp.Compare(a.sequence, b.sequence) })
	return list, nil
}

func (w *watcher) deliveriesTo(r *db.Reader, endpoint uuid.UUID, events []event.Event) ([]numberedDelivery, error) {
	ids := each.Map(events, func(e event.Event) uuid.UUID { return w.deliveryID(e.ID, endpoint) })
	there, err := findExisting(r, ids)
	if err != nil || len(there) == 0 {
		return nil, err
	}
	k := laneKey{r.Tenant(), endpoint}
	t, err := findTarget(r, k)
	if err != nil {
		return nil, db.NotFound(err)
	}
	keys, err := openSecrets(w.box, k, &t)
	if err != nil {
		return nil, err
	}
	var list []numberedDelivery
	sign := signature.Signer(keys)
	for i, e := range events {
		if _, ok := there[ids[i]]; !ok {
			continue
		}
		d := StreamedDelivery{DeliveryID: ids[i], EndpointID: endpoint, EventType: e.Type, Headers: map[string]string{}}
		now := w.db.Clock().Now()
		header := signature.PlainHeader(e.Type, ids[i].String(), now)
		if d.BodyHidden = !w.maySee(w.who, e.Type); !d.BodyHidden {
			body := e.Body()
			header, d.Body = sign.Header(e.Type, ids[i].String(), body, now), string(body)
		}
		for name, values := range header {
			d.Headers[name] = values[0]
		}
		list = append(list, numberedDelivery{d, e.Sequence})
	}
	return list, nil
}
