package api_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"konak/internal/kit/api"
	"konak/internal/kit/outbound"
	"konak/internal/kit/trace"
	"konak/internal/kit/trace/tracetest"
)

// traced opens an API whose requests are traced, with some failing routes.
func traced(t *testing.T, address string) (*harness, *trace.Tracer) {
	t.Helper()
	way := outbound.New(outbound.Options{Operator: true, MaxBody: trace.MaxAnswer})
	tracer, err := trace.Open(trace.Config{Address: address, Share: 1}, way, slog.New(slog.DiscardHandler), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tracer.Close() })
	return openWith(t, func(cfg *api.Config) { cfg.Traces = tracer }, func(a *api.API) {
		api.Handle(a, route("GET", "/api/test/things/{id}", "test-thing"), func(context.Context, *contactIn) (string, error) { return "ok", nil })
		api.Handle(a, route("POST", "/api/test/things/{id}", "test-broken-thing"), func(context.Context, *contactIn) (string, error) {
			return "", errors.New("geheim")
		})
		api.Handle(a, route("DELETE", "/api/test/things/{id}", "test-mad-thing"), func(context.Context, *contactIn) (string, error) { panic("geheim") })
		api.HandleEvents(a, route("GET", "/api/test/events", "test-events"), func(ctx context.Context, _ *struct{}) (func(context.Context, *api.Sender) error, error) {
			return func(ctx context.Context, s *api.Sender) error {
				if trace.Parent(ctx) != nil {
					t.Error("what a stream does is part of a trace")
				}
				return s.Event(1, "one", []byte("{}"))
			}, nil
		})
	}), tracer
}

// Each request is a span with the route and the outcome, but no content of the request or
// of an error, even if a handler panics. A stream that stays open has no span.
func TestRequestsAreTraced(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	h, tracer := traced(t, c.URL)
	const id = "0191e7a0-0000-4000-8000-000000000001"
	answer, _ := h.do("GET", "/api/test/things/"+id, "")
	h.do("GET", "/api/test/things/"+id+"?secret=geheim", "")
	h.do("GET", "/api/test/things/"+id, "", "Authorization", "Bearer nobody")
	h.do("POST", "/api/test/things/"+id, "")
	h.do("DELETE", "/api/test/things/"+id, "")
	h.do("GET", "/api/test/events", "")
	if err := tracer.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := c.Spans()
	want := []struct {
		method, status string
		tenant, failed bool
	}{{"GET", "200", true, false}, {"GET", "422", true, false}, {"GET", "401", false, false}, {"POST", "500", true, true}, {"DELETE", "500", true, true}}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, w := range want {
		a := got[i].Attributes
		if got[i].Name != w.method+" /api/test/things/{id}" || a["http.response.status_code"] != w.status || (a["konak.tenant.id"] != "") != w.tenant || got[i].Failed != w.failed {
			t.Errorf("%+v, want %+v", got[i], w)
		}
	}
	callers, _ := h.do("GET", "/api/test/things/"+id, "", "Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	if err := tracer.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	below := c.Spans()[len(want)]
	if header := callers.Header.Get("Traceparent"); below.Parent != "00f067aa0ba902b7" || header != "00-4bf92f3577b34da6a3ce929d0e0e4736-"+below.ID+"-01" {
		t.Errorf("a caller's trace is answered with %s: %+v", header, below)
	}
	if header := answer.Header.Get("Traceparent"); header != "00-"+got[0].Trace+"-"+got[0].ID+"-01" {
		t.Errorf("answered with %s", header)
	}
	for _, text := range []string{id, "geheim", "127.0.0.1", "Bearer", "nobody"} {
		if bytes.Contains(c.Bytes(), []byte(text)) {
			t.Errorf("the collector got %q", text)
		}
	}
}

// Requests do not wait for a collector that never answers or does not exist.
func TestRequestsDoNotWaitForTheCollector(t *testing.T) {
	t.Parallel()
	held, _ := tracetest.NewHeld(t)
	for _, address := range []string{held.URL, "http://127.0.0.1:1"} {
		h, _ := traced(t, address)
		for range 1000 {
			if answer, text := h.do("GET", "/api/test/things/"+strings.Repeat("a", 8), ""); answer.StatusCode != http.StatusOK {
				t.Fatalf("%d: %s", answer.StatusCode, text)
			}
		}
	}
}
