package outbound_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"testing"

	"konak/internal/kit/clock"
	"konak/internal/kit/outbound"
	"konak/internal/kit/trace"
	"konak/internal/kit/trace/tracetest"
)

// A request in a traced context is a span that names the host and the status, and nothing
// else of the address; the other server learns nothing of the trace. Without a trace there
// is no span.
func TestRequestsAreTraced(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	tracer, err := trace.Open(trace.Config{Address: c.URL, Share: 1}, outbound.New(outbound.Options{Operator: true}), slog.New(slog.DiscardHandler), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tracer.Close() })
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Traceparent") != "" {
			t.Error("another server learns the trace")
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	to, err := url.Parse(s.URL + "/geheimer-weg?k=geheim")
	if err != nil {
		t.Fatal(err)
	}
	out := outbound.New(outbound.Options{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	ctx, above := tracer.StartUnder(t.Context(), "", "job test", trace.Consumer)
	get := func() error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := out.RoundTrip(req)
		if err == nil {
			err = resp.Body.Close()
		}
		return err
	}
	out.Post(t.Context(), to, outbound.Header{}, nil, clock.System{}.Now())
	out.Post(ctx, to, outbound.Header{}, []byte("geheim"), clock.System{}.Now())
	if err := get(); err != nil {
		t.Error(err)
	}
	s.Close()
	if err := get(); err == nil {
		t.Error("a closed server answers")
	}
	above.End("")
	if err := tracer.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	posts, gets, first := c.Named("POST"), c.Named("GET"), c.Named("job test")
	if len(posts) != 1 || len(gets) != 2 || len(first) != 1 {
		t.Fatalf("%+v", c.Spans())
	}
	for _, span := range append(posts, gets...) {
		if span.Parent != first[0].ID || !span.Failed || span.Attributes["server.address"] != "127.0.0.1" {
			t.Errorf("%+v", span)
		}
	}
	if gets[0].Attributes["http.response.status_code"] != "418" || gets[1].Attributes["error.type"] != outbound.ClassConnect {
		t.Errorf("%+v", gets)
	}
	if bytes.Contains(c.Bytes(), []byte("geheim")) {
		t.Error("the collector got the path, the query or the body")
	}
}
