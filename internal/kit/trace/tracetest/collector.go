// Package tracetest is a collector for tests: it receives spans over HTTP as a real one
// does and keeps them.
package tracetest

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Span is a received span.
type Span struct {
	Name, Trace, ID, Parent string
	Failed                  bool
	Attributes              map[string]string
}

// Collector is a server that receives spans.
type Collector struct {
	URL string

	mu     sync.Mutex
	bytes  []byte
	spans  []Span
	header http.Header
	hold   chan struct{} // nil to answer at once
}

// New starts a collector.
func New(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.take(t, w, r) }))
	t.Cleanup(s.Close)
	c.URL = s.URL
	return c
}

// NewHeld starts a collector that does not answer before release is called.
func NewHeld(t testing.TB) (c *Collector, release func()) {
	t.Helper()
	c = New(t)
	hold := make(chan struct{})
	c.hold = hold
	release = sync.OnceFunc(func() { close(hold) })
	t.Cleanup(release)
	return c, release
}

func (c *Collector) take(t testing.TB, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender gave up
	}
	if c.hold != nil {
		<-c.hold
	}
	var message collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &message); err != nil || r.URL.Path != "/v1/traces" || r.Method != http.MethodPost {
		t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.header = r.Header.Clone()
	c.bytes = append(c.bytes, body...)
	for _, resource := range message.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				c.spans = append(c.spans, read(s))
			}
		}
	}
	w.WriteHeader(http.StatusOK)
}

func read(s *spans.Span) Span {
	out := Span{
		Name: s.GetName(), Trace: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()),
		Parent: hex.EncodeToString(s.GetParentSpanId()), Failed: s.GetStatus().GetCode() == spans.Status_STATUS_CODE_ERROR,
		Attributes: map[string]string{},
	}
	for _, a := range s.GetAttributes() {
		text := a.GetValue().GetStringValue()
		if n, ok := a.GetValue().GetValue().(*common.AnyValue_IntValue); ok {
			text = strconv.FormatInt(n.IntValue, 10)
		}
		out.Attributes[a.GetKey()] = text
	}
	return out
}

// Spans returns the received spans.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Named returns the spans with a name.
func (c *Collector) Named(name string) []Span {
	return slices.DeleteFunc(c.Spans(), func(s Span) bool { return s.Name != name })
}

// Bytes returns everything received, unchanged.
func (c *Collector) Bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.bytes)
}

// Header returns the header of the last message.
func (c *Collector) Header() http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.header
}
