package webhook_test

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/kit/trace"
	"konak/internal/kit/trace/tracetest"
)

// kept counts the events and jobs that keep a trace.
func kept(t *testing.T, s *apptest.Server) int {
	t.Helper()
	n, err := db.Read(t.Context(), s.DB.System("test"), func(r *db.Reader) (int, error) {
		return db.One(r, db.Scalar[int], `SELECT (SELECT count(*) FROM outbox WHERE traceparent IS NOT NULL) +
			(SELECT count(*) FROM job WHERE traceparent IS NOT NULL)`)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// one returns the only span with a name.
func one(t *testing.T, c *tracetest.Collector, name string) tracetest.Span {
	t.Helper()
	list := c.Named(name)
	if len(list) != 1 {
		var names []string
		for _, s := range c.Spans() {
			names = append(names, s.Name)
		}
		t.Fatalf("%d spans %q among %q", len(list), name, names)
	}
	return list[0]
}

// A request, the dispatch of its event and the attempts to deliver it are one trace, and so
// are a request and its job. The trace holds no content: the receiver and the trace's
// readers learn nothing of each other.
func TestTraceReachesDeliveriesAndJobs(t *testing.T) {
	t.Parallel()
	for _, d := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			c := tracetest.New(t)
			s := apptest.NewOn(t, d, func(cfg *app.Config) { cfg.Traces = trace.Config{Address: c.URL, Share: 1, Header: "X-Key=schluessel"} })
			w := s.Workspace("demo")
			rcv := newReceiver(t)
			rcv.answer(503)
			e := register(w, rcv.URL+"/geheimer-weg?k=geheime-frage", "contact.created")
			made := w.Owner.Post("/api/crm/v1/contacts?fields=geheim", map[string]any{"name": "x"}).Status
			id := uuid.MustParse(w.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Elif Kaya", "emails": []string{"elif@kaya.example"}}).Want(201).ID())
			w.Owner.Get("/api/crm/v1/contacts/" + id.String()).Want(200)
			s.Settle()
			wait(s, w, 31*60*1e9)
			s.Settle()
			w.Owner.Delete(hooks + "/" + e.ID.String()).Want(200)
			s.Settle()
			if err := s.Traces.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}

			dispatch := one(t, c, "dispatch contact.created")
			posts := c.Named("POST /api/crm/v1/contacts")
			i := slices.IndexFunc(posts, func(p tracetest.Span) bool { return p.Trace == dispatch.Trace })
			if made != 422 || len(posts) != 2 || i < 0 {
				t.Fatalf("%d: %+v, dispatched in %+v", made, posts, dispatch)
			}
			if a := posts[i].Attributes; a["http.response.status_code"] != "201" || a["http.request.method"] != "POST" || a["konak.tenant.id"] != w.ID.String() {
				t.Errorf("%+v", posts[i])
			}
			attempts := c.Named("deliver contact.created")
			if len(attempts) < 2 {
				t.Fatalf("%+v", attempts)
			}
			for n, a := range attempts {
				if a.Trace != dispatch.Trace || !a.Failed || a.Attributes["server.address"] != "127.0.0.1" || a.Attributes["http.response.status_code"] != "503" ||
					a.Attributes["error.type"] != "status" || a.Attributes["konak.attempt"] != string(rune('1'+n)) {
					t.Errorf("%+v", a)
				}
			}
			// The first run adds the second.
			runs, deleted := c.Named("job webhook.purge"), one(t, c, "DELETE /api/erp/v1/webhooks/{id}")
			if len(runs) != 2 || runs[0].Trace != deleted.Trace || runs[0].Trace == dispatch.Trace || runs[1].Trace != deleted.Trace {
				t.Fatalf("%+v after %+v", runs, deleted)
			}
			job := runs[0]
			below := slices.ContainsFunc(c.Named("db write"), func(x tracetest.Span) bool {
				return x.ID == job.Parent && x.Parent == deleted.ID && strings.HasPrefix(x.Attributes["db.system.name"], string(d))
			})
			if !below {
				t.Errorf("%+v was not written by a transaction of %+v", job, deleted)
			}
			for _, r := range rcv.take() {
				if r.header.Get("Traceparent") != "" {
					t.Error("a receiver learns the trace")
				}
			}
			for what, text := range map[string]string{
				"the path": id.String(), "the id of an endpoint": e.ID.String(), "the receiver's path": "geheim", "a name": "Kaya", "an address": "kaya.example",
				"a session": w.Owner.Token(), "the signing secret": e.Secret, "the collector's key": "schluessel", "the owner": "owner@demo.example", "the slug": "/demo",
			} {
				raw := c.Bytes()
				if bytes.Contains(raw, []byte(text)) || bytes.Contains(raw, []byte(hex.EncodeToString([]byte(text)))) {
					t.Errorf("the collector got %s", what)
				}
			}
			for _, id := range []uuid.UUID{id, e.ID} {
				if bytes.Contains(c.Bytes(), id[:]) {
					t.Errorf("the collector got the id %s", id)
				}
			}
			if kept(t, s) == 0 {
				t.Error("no row keeps a trace, and all of it was found")
			}
		})
	}
}

// Without a collector, and with a share of zero, no row keeps a trace.
func TestNoTraceWithoutCollector(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	for name, cfg := range map[string]trace.Config{"off": {}, "share of nothing": {Address: c.URL}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			apptest.RunWith(t, func(to *app.Config) { to.Traces = cfg }, func(t *testing.T, s *apptest.Server) {
				w := s.Workspace("demo")
				rcv := newReceiver(t)
				e := register(w, rcv.URL, "contact.created")
				w.Owner.Header("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").Post("/api/crm/v1/contacts", map[string]any{"name": "Elif"}).Want(201)
				w.Owner.Delete(hooks + "/" + e.ID.String()).Want(200)
				if n := kept(t, s); n != 0 {
					t.Errorf("%d rows keep a trace", n)
				}
				s.Settle()
				if err := s.Traces.Flush(t.Context()); err != nil || len(c.Spans()) != 0 {
					t.Errorf("%v, %+v", err, c.Spans())
				}
			})
		})
	}
}
