package realtime_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/bus"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
	"konak/internal/kit/realtime"
)

var catalog = event.Catalog{
	{Name: "dlp.seen", Module: "mail", Permission: perm.DLPView},
	{Name: "crm.hidden", Module: "crm", Permission: perm.ConversationsView},
	{Name: "erp.unlicensed", Module: "erp", Permission: perm.DLPView},
}

var signals = event.Catalog{
	{Name: "signal.seen", Module: "mail", Permission: perm.DLPView},
	{Name: "signal.hidden", Module: "crm", Permission: perm.ConversationsView},
}

// watcher authenticates everybody who knows the token, with one permission and one licence.
type watcher struct {
	tenant uuid.UUID
	out    *atomic.Bool
}

// Authenticate implements api.Authenticator.
func (w watcher) Authenticate(_ context.Context, token string) (*caller.Caller, error) {
	id := uuid.Max
	if token == "another" {
		id[0]--
	} else if token != "token" || w.out.Load() {
		return nil, fault.New(fault.Unauthenticated)
	}
	return &caller.Caller{
		Kind: caller.Agent, TenantID: w.tenant, Slug: "demo", ID: id, Perms: perm.NewSet(perm.DLPView),
		Licences: map[string]bool{"mail": true, "crm": true},
	}, nil
}

// Recheck implements api.Authenticator.
func (w watcher) Recheck(ctx context.Context, token string) (*caller.Caller, error) {
	return w.Authenticate(ctx, token)
}

type harness struct {
	t       *testing.T
	db      *db.DB
	tenant  uuid.UUID
	hub     *bus.Hub
	api     *api.API
	url     string
	out     *atomic.Bool // everybody was signed out
	streams *realtime.Streams
	// prepared and made count the calls of the digest's functions.
	prepared, made atomic.Int64
}

func open(t *testing.T, d *db.DB) *harness {
	t.Helper()
	h := &harness{t: t, db: d, tenant: dbtest.Tenant(t, d, "demo"), hub: bus.NewHub(), out: &atomic.Bool{}}
	h.api = api.New(api.Config{
		DB: d, Log: slog.New(slog.DiscardHandler), Clock: d.Clock(), Auth: watcher{h.tenant, h.out}, Domain: "localhost", StreamCheck: 50 * time.Millisecond,
	})
	streams := realtime.New(realtime.Config{
		DB: d, Bus: h.hub, Log: slog.New(slog.DiscardHandler), Catalog: catalog, Signals: signals,
		Digests: []realtime.Digest{{
			Name: "digest", Module: "mail", Permission: perm.DLPView,
			Concerns: func(name string) bool { return name == "dlp.seen" },
			Prepare:  func(context.Context) (any, error) { return h.prepared.Add(1), nil },
			Make: func(_ context.Context, n any) (any, error) {
				h.made.Add(1)
				return n, nil
			},
		}},
	})
	h.streams = streams
	(&realtime.Routes{Streams: streams, Beat: 50 * time.Millisecond}).Register(h.api)
	server := httptest.NewServer(h.api.Handler())
	h.url = server.URL
	t.Cleanup(func() {
		h.api.Drain()
		server.Close()
	})
	return h
}

// emit emits one event of each type and dispatches them on the given bus: the hub, or
// nowhere, as if another node's message was lost.
func (h *harness) emit(on bus.Bus, types ...string) {
	h.t.Helper()
	err := h.db.Tenant(h.tenant).InTx(h.t.Context(), func(tx *db.Tx) error {
		for _, name := range types {
			if _, err := event.Emit(tx, event.Change{Type: name, Object: map[string]string{"id": "x"}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	for n := 1; n > 0; {
		if n, err = (&event.Dispatcher{DB: h.db, Bus: on}).Step(h.t.Context()); err != nil {
			h.t.Fatal(err)
		}
	}
}

// nowhere is a bus that loses everything.
type nowhere struct{}

// Publish implements bus.Bus.
func (nowhere) Publish(uuid.UUID, bus.Message) {}

// Subscribe implements bus.Bus.
func (nowhere) Subscribe(uuid.UUID) *bus.Subscription { return nil }

// Watch implements bus.Bus.
func (nowhere) Watch(string, func(uuid.UUID, bus.Message)) {}

// stream is an open connection of a panel.
type stream struct {
	t     *testing.T
	lines *bufio.Scanner
}

// watch opens a stream and waits until it is ready.
func (h *harness) watch(lastEventID string) *stream {
	h.t.Helper()
	resp := h.get("token", lastEventID)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		h.t.Fatalf("answered %d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	s := &stream{t: h.t, lines: bufio.NewScanner(resp.Body)}
	s.until(": ready")
	return s
}

func (h *harness) get(token, lastEventID string) *http.Response {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 30*time.Second)
	h.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+"/api/v1/stream", nil)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if lastEventID != "" {
		req.Header.Set("Last-Event-ID", lastEventID)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func (s *stream) until(line string) {
	s.t.Helper()
	for s.lines.Scan() {
		if s.lines.Text() == line {
			return
		}
	}
	s.t.Fatalf("the stream ended before %q: %v", line, s.lines.Err())
}

// next reads the ids of the next n events.
func (s *stream) next(n int) []string {
	s.t.Helper()
	out := []string{}
	for len(out) < n && s.lines.Scan() {
		if id, ok := strings.CutPrefix(s.lines.Text(), "id: "); ok {
			out = append(out, id)
		}
	}
	if len(out) < n {
		s.t.Fatalf("the stream ended after %v: %v", out, s.lines.Err())
	}
	return out
}

func TestStreamIsLiveAndRespectsPermissions(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := open(t, d)
		h.emit(h.hub, "dlp.seen") // before the stream: not sent without Last-Event-ID
		s := h.watch("")
		h.emit(h.hub, "dlp.seen", "crm.hidden", "erp.unlicensed", "not.in.the.catalog", "dlp.seen")
		if diff := cmp.Diff([]string{"2", "6"}, s.next(2)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestStreamResumes(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := open(t, d)
		h.emit(nowhere{}, "dlp.seen", "dlp.seen", "crm.hidden", "dlp.seen")
		s := h.watch("1")
		if diff := cmp.Diff([]string{"2", "4"}, s.next(2)); diff != "" {
			t.Error(diff)
		}
		h.emit(h.hub, "dlp.seen")
		if diff := cmp.Diff([]string{"5"}, s.next(1)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"1", "2", "4", "5"}, h.watch("0").next(4)); diff != "" {
			t.Error(diff)
		}
	})
}

// Events that the bus lost are read from the database as soon as a later number reveals the
// gap.
func TestStreamFillsAGap(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := open(t, d)
		s := h.watch("")
		h.emit(h.hub, "dlp.seen")
		s.next(1)
		h.emit(nowhere{}, "dlp.seen", "dlp.seen")
		h.emit(h.hub, "dlp.seen")
		if diff := cmp.Diff([]string{"2", "3", "4"}, s.next(3)); diff != "" {
			t.Error(diff)
		}
	})
}

// Events dispatched by another node, whose bus does not reach this one, are seen here
// anyway, on the database that nodes can share.
func TestStreamSeesOtherNodes(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		if d.Dialect() != db.Postgres {
			return
		}
		h := open(t, d)
		s := h.watch("")
		h.emit(nowhere{}, "dlp.seen", "dlp.seen")
		if diff := cmp.Diff([]string{"1", "2"}, s.next(2)); diff != "" {
			t.Error(diff)
		}
	})
}

// A stream that falls behind loses its place on the bus, but no events.
func TestSlowStreamMissesNothing(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := open(t, d)
		s := h.watch("")
		const bursts, each = 4, 400 // each more than the bus holds for one
		types := make([]string, each)
		for i := range types {
			types[i] = "dlp.seen"
		}
		for range bursts {
			h.emit(h.hub, types...)
		}
		for i, id := range s.next(bursts * each) {
			if id != fmt.Sprint(i+1) {
				t.Fatalf("event %d has the id %s", i+1, id)
			}
		}
	})
}

func TestStreamRefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	h := open(t, dbtest.Open(t, db.SQLite, clock.NewFake(dbtest.Start)))
	for _, id := range []string{"x", "-1", "1.5", "99999999999999999999"} {
		if resp := h.get("token", id); resp.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s was answered %d", id, resp.StatusCode)
		}
	}
	if resp := h.get("forged", ""); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("answered %d", resp.StatusCode)
	}
}

// A person who is signed out loses their open streams.
func TestStreamEndsWithItsSession(t *testing.T) {
	t.Parallel()
	h := open(t, dbtest.Open(t, db.SQLite, clock.NewFake(dbtest.Start)))
	s, socket := h.watch(""), h.dial(t, "")
	s.until(": alive")
	h.out.Store(true)
	for s.lines.Scan() {
	}
	if err := s.lines.Err(); err != nil {
		t.Errorf("the stream was cut: %v", err)
	}
	if _, _, err := socket.conn.Read(t.Context()); websocket.CloseStatus(err) == -1 {
		t.Errorf("the socket was cut: %v", err)
	}
}

// A node that stops ends its streams, so that the panel finds another one.
func TestDrainEndsStreams(t *testing.T) {
	t.Parallel()
	h := open(t, dbtest.Open(t, db.SQLite, clock.NewFake(dbtest.Start)))
	s := h.watch("")
	h.api.Drain()
	for s.lines.Scan() {
	}
	if err := s.lines.Err(); err != nil {
		t.Errorf("the stream was cut: %v", err)
	}
}
