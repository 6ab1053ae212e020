package trace_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"konak/internal/kit/hostile"
	"konak/internal/kit/obs"
	"konak/internal/kit/outbound"
	"konak/internal/kit/trace"
	"konak/internal/kit/trace/tracetest"
)

// route is a route that is named by its pattern and not by its path.
const route = "/api/things/{id}"

// lines is a log.
type lines struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.String(), text)
}

// way returns a client like the one that a server uses for its collector.
func way() *outbound.Client {
	return outbound.New(outbound.Options{Operator: true, MaxBody: trace.MaxAnswer})
}

// open creates a tracer that sends to an address.
func open(t *testing.T, c trace.Config) (*trace.Tracer, *lines) {
	t.Helper()
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	log := &lines{}
	tracer, err := trace.Open(c, way(), slog.New(slog.NewTextHandler(log, nil)), "0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tracer.Close(); err != nil {
			t.Error(err)
		}
	})
	return tracer, log
}

// request begins and ends a request with a traceparent header and returns the header of the
// answer.
func request(t *testing.T, tracer *trace.Tracer, header string) (parent string) {
	t.Helper()
	ctx, _ := obs.StartTrace(t.Context(), header)
	_, span, parent := tracer.StartRequest(ctx, "GET", route)
	span.End("")
	return parent
}

func flush(t *testing.T, tracer *trace.Tracer) {
	t.Helper()
	if err := tracer.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// The span of a request, those below it and those that continue from a row are one trace:
// the one that its log lines and its answer name.
func TestRequestAndJobShareTrace(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	tracer, _ := open(t, trace.Config{Address: c.URL + "/", Share: 1, Header: "X-Key=geheim"})
	ctx, began := obs.StartTrace(t.Context(), "")
	ctx, span, answer := tracer.StartRequest(ctx, "POST", route)
	if answer != began.Parent() {
		t.Errorf("answered with %s, the log has %s", answer, began.Parent())
	}
	below, child := trace.StartChild(ctx, "db write", trace.Client)
	kept := trace.Parent(below)
	child.End("")
	span.End("500", trace.Number(trace.Status, 500))
	if kept == nil {
		t.Fatal("nothing is kept with a row")
	}
	job, work := tracer.StartUnder(t.Context(), *kept, "job test", trace.Consumer)
	if obs.TraceID(job) != began.ID {
		t.Errorf("the job's lines have the trace %s", obs.TraceID(job))
	}
	work.End("failed")
	tracer.Record(*kept, "dispatch test", trace.Consumer, time.Second, "")
	flush(t, tracer)
	got := map[string]tracetest.Span{}
	for _, s := range c.Spans() {
		got[s.Name] = s
		if s.Trace != began.ID {
			t.Errorf("%s is in the trace %s", s.Name, s.Trace)
		}
	}
	first, write := got["POST "+route], got["db write"]
	if len(got) != 4 || first.ID != began.Span || first.Parent != "" || write.Parent != first.ID ||
		got["job test"].Parent != write.ID || got["dispatch test"].Parent != write.ID {
		t.Errorf("%+v", got)
	}
	if !first.Failed || first.Attributes["error.type"] != "500" || first.Attributes["http.route"] != route || !got["job test"].Failed || write.Failed {
		t.Errorf("%+v", got)
	}
	if c.Header().Get("X-Key") != "geheim" {
		t.Error("the collector's key is not sent")
	}
}

const callers = "4bf92f3577b34da6a3ce929d0e0e4736"

// A caller's trace continues below its span.
func TestCallersTraceIsContinued(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	tracer, _ := open(t, trace.Config{Address: c.URL, Share: 1})
	answer := request(t, tracer, "00-"+callers+"-00f067aa0ba902b7-01")
	if !strings.HasPrefix(answer, "00-"+callers+"-") || strings.Contains(answer, "00f067aa0ba902b7") || !strings.HasSuffix(answer, "-01") {
		t.Errorf("answered with %s", answer)
	}
	if answer := request(t, tracer, "00-"+callers+"-00f067aa0ba902b7-00"); !strings.HasSuffix(answer, "-00") {
		t.Errorf("a trace that is not kept is answered with %s", answer)
	}
	flush(t, tracer)
	got := c.Spans()
	if len(got) != 1 || got[0].Trace != callers || got[0].Parent != "00f067aa0ba902b7" || strings.Split(answer, "-")[2] != got[0].ID {
		t.Errorf("%+v", got)
	}
}

// Nobody gets more than the sampling share: neither by marking the trace as kept, nor with
// an id that would be sampled.
func TestNobodyExceedsSamplingShare(t *testing.T) {
	t.Parallel()
	const n = 200
	for _, id := range []string{callers, strings.Repeat("0", 31) + "1", strings.Repeat("f", 32)} {
		c := tracetest.New(t)
		tracer, _ := open(t, trace.Config{Address: c.URL, Share: 0.5})
		for range n {
			if answer := request(t, tracer, "00-"+id+"-00f067aa0ba902b7-01"); !strings.HasPrefix(answer, "00-"+id) {
				t.Fatalf("answered with %s", answer)
			}
		}
		flush(t, tracer)
		if got := len(c.Spans()); got == 0 || got == n {
			t.Errorf("%s: %d of %d requests are traced", id, got, n)
		}
	}
}

// With a share of zero, nothing is sent and no row keeps anything, whoever asks.
func TestShareOfZeroSendsNothing(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	tracer, _ := open(t, trace.Config{Address: c.URL})
	for _, header := range []string{"", "00-" + callers + "-00f067aa0ba902b7-01"} {
		ctx, _ := obs.StartTrace(t.Context(), header)
		ctx, span, _ := tracer.StartRequest(ctx, "GET", route)
		below, child := trace.StartChild(ctx, "db write", trace.Client)
		if trace.Parent(ctx) != nil || trace.Parent(below) != nil || trace.IsTraced(ctx) {
			t.Error("a row keeps a trace that is not kept")
		}
		child.End("")
		span.End("")
	}
	_, work := tracer.StartUnder(t.Context(), "", "job test", trace.Consumer)
	work.End("")
	flush(t, tracer)
	if got := c.Spans(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// Without a collector no span begins, and every call is allowed.
func TestNoSpansWithoutCollector(t *testing.T) {
	t.Parallel()
	tracer, err := trace.Open(trace.Config{}, nil, nil, "")
	if err != nil || tracer != nil {
		t.Fatal(tracer, err)
	}
	ctx, _ := obs.StartTrace(t.Context(), "")
	same, span, answer := tracer.StartRequest(ctx, "GET", route)
	if same != ctx || answer != "" || span.IsKept() || trace.Parent(same) != nil {
		t.Error("something begins")
	}
	span.End("500")
	if same, _ := tracer.StartUnder(ctx, "", "job test", trace.Consumer); same != ctx {
		t.Error("something begins")
	}
	tracer.Record("00-"+callers+"-00f067aa0ba902b7-01", "dispatch test", trace.Consumer, 0, "")
	if err := tracer.Close(); err != nil {
		t.Error(err)
	}
}

// A value in a row that is not a traceparent, as in a hostile archive, does not become a
// parent.
func TestDamagedRows(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	tracer, _ := open(t, trace.Config{Address: c.URL, Share: 1})
	for _, parent := range []string{"x", strings.Repeat("0", 55), strings.Repeat("z", 1<<20)} {
		tracer.Record(parent, "dispatch test", trace.Consumer, 0, "")
	}
	_, work := tracer.StartUnder(t.Context(), "x", "job test", trace.Consumer)
	work.End("")
	flush(t, tracer)
	if got := c.Spans(); len(got) != 1 || got[0].Name != "job test" || got[0].Parent != "" {
		t.Errorf("%+v", got)
	}
}

// A collector that does not answer delays nobody: what does not fit into the queue is
// dropped.
func TestSilentCollectorDelaysNobody(t *testing.T) {
	t.Parallel()
	c, release := tracetest.NewHeld(t)
	tracer, _ := open(t, trace.Config{Address: c.URL, Share: 1})
	const n, most = 10_000, 2048 + 512 // what is waiting, and what is being sent
	for range n {
		request(t, tracer, "")
	}
	release()
	flush(t, tracer)
	if got := len(c.Spans()); got == 0 || got > most {
		t.Errorf("%d of %d spans came, at most %d may wait", got, n, most)
	}
}

// A shutdown waits only for a limited time for a collector that does not answer, and a
// collector that answers gets everything.
func TestClose(t *testing.T) {
	t.Parallel()
	held, _ := tracetest.NewHeld(t)
	good := tracetest.New(t)
	for c, within := range map[*tracetest.Collector]time.Duration{held: 50 * time.Millisecond, good: time.Minute} {
		tracer, err := trace.OpenWithin(trace.Config{Address: c.URL, Share: 1}, way(), slog.New(slog.DiscardHandler), time.Hour, within)
		if err != nil {
			t.Fatal(err)
		}
		request(t, tracer, "")
		ended := make(chan error, 1)
		go func() { ended <- tracer.Close() }()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(20 * time.Second):
			t.Error("a stop waits for a collector that does not answer")
		}
	}
	if got := len(good.Spans()); got != 1 {
		t.Errorf("%d spans came", got)
	}
}

// A message that a collector does not answer ends by itself.
func TestUnansweredMessagesTimeOut(t *testing.T) {
	t.Parallel()
	held, _ := tracetest.NewHeld(t)
	log := &lines{}
	tracer, err := trace.OpenWithin(trace.Config{Address: held.URL, Share: 1}, way(), slog.New(slog.NewTextHandler(log, nil)), 50*time.Millisecond, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	request(t, tracer, "")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := tracer.Flush(ctx); err != nil || log.count("does not accept traces") != 1 {
		t.Errorf("%v: %s", err, log.String())
	}
	_ = tracer.Close()
}

// An outage is logged as one line, and so is its end.
func TestOutageIsOneLine(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	down.Store(true)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write(bytes.Repeat([]byte("no "), 10_000))
		}
	}))
	t.Cleanup(s.Close)
	tracer, log := open(t, trace.Config{Address: s.URL, Share: 1, Header: "Authorization=geheim"})
	send := func() {
		for range 3 {
			request(t, tracer, "")
			flush(t, tracer)
		}
	}
	send()
	if n := log.count("\n"); n != 1 || log.count("does not accept traces") != 1 || log.count("no ") > 200 || log.count("geheim") > 0 {
		t.Errorf("%d lines:\n%s", n, log.String())
	}
	down.Store(false)
	send()
	if log.count("\n") != 2 || log.count("accepts traces again") != 1 || log.count("lost=3") != 1 {
		t.Errorf("%s", log.String())
	}
}

// The header is for the collector only: a redirect does not send it elsewhere.
func TestRedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	s := httptest.NewServer(http.RedirectHandler(c.URL+"/v1/traces", http.StatusTemporaryRedirect))
	t.Cleanup(s.Close)
	cfg := trace.Config{Address: s.URL, Share: 1, Header: "Authorization=geheim"}
	tracer, log := open(t, cfg)
	request(t, tracer, "")
	flush(t, tracer)
	if c.Header() != nil || log.count("does not accept traces") != 1 {
		t.Error("a redirect is followed")
	}
	if err := trace.Probe(t.Context(), cfg, way()); err == nil || c.Header() != nil {
		t.Errorf("the probe follows it: %v", err)
	}
}

// Whatever a collector does, only a little is read from it, and a message to it ends.
func TestHostileCollectors(t *testing.T) {
	t.Parallel()
	hostile.CallEach(t, 8<<20, func(ctx context.Context, address string) error {
		log := &lines{}
		tracer, err := trace.Open(trace.Config{Address: address, Share: 1}, way(), slog.New(slog.NewTextHandler(log, nil)), "")
		if err != nil {
			return err
		}
		started, _ := obs.StartTrace(ctx, "")
		_, span, _ := tracer.StartRequest(started, "GET", route)
		span.End("")
		if err := tracer.Flush(ctx); err != nil {
			return err
		}
		if log.count("does not accept traces") == 1 {
			return fmt.Errorf("noticed: %s", log.String())
		}
		return nil
	})
}

// Settings that cannot work are refused, and a key is not repeated.
func TestCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []trace.Config{
		{Address: "127.0.0.1:4318"},
		{Address: "ftp://x"},
		{Address: "http://"},
		{Address: "http://user:geheim@x"},
		{Address: "http://x?key=geheim"},
		{Address: "http://x", Share: 1.1},
		{Address: "http://x", Share: -1},
		{Address: "http://x", Header: "geheim"},
		{Address: "http://x", Header: "a=geheim\nb: c"},
	} {
		if err := c.Check(); err == nil || strings.Contains(err.Error(), "geheim") || !strings.HasPrefix(err.Error(), "--traces") {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for _, c := range []trace.Config{{}, {Address: "http://127.0.0.1:4318", Share: 1}, {Address: "https://x/otlp", Header: "Authorization=Basic YQ=="}} {
		if err := c.Check(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
