// Package obs provides what operators see: trace ids, logs and metrics.
package obs

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"log/slog"
	"strings"

	"konak/internal/kit/caller"
)

type traceKey struct{}

const traceBytes, spanBytes = 16, 8

// Trace is a W3C trace context.
type Trace struct {
	ID, Span string
	// Caller is the span of the sender of the header, "" if there was none.
	Caller string
	// Sampled means that the caller keeps this trace.
	Sampled bool
}

// StartTrace continues the trace of a caller's traceparent header, or begins a new one.
func StartTrace(ctx context.Context, traceparent string) (context.Context, Trace) {
	fresh := randomHex(traceBytes + spanBytes)
	t := Trace{ID: fresh[:2*traceBytes], Span: fresh[2*traceBytes:]}
	if from, ok := ParseParent(traceparent); ok {
		t.ID, t.Caller, t.Sampled = from.ID, from.Span, from.Sampled
	}
	return WithTrace(ctx, t), t
}

// WithTrace returns a context with a trace.
func WithTrace(ctx context.Context, t Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceOf returns the trace of ctx, the zero one if it has none.
func TraceOf(ctx context.Context) Trace {
	t, _ := ctx.Value(traceKey{}).(Trace)
	return t
}

// TraceID returns the id of the trace of ctx, or "".
func TraceID(ctx context.Context) string { return TraceOf(ctx).ID }

// Parent returns the traceparent header to answer with or to send on.
func (t Trace) Parent() string { return "00-" + t.ID + "-" + t.Span + "-01" }

// ParseParent parses a traceparent header. A header that is not strictly valid is ignored
// as a whole, as the standard requires.
func ParseParent(h string) (t Trace, ok bool) {
	if len(h) < 55 || h[2] != '-' || h[35] != '-' || h[52] != '-' {
		return Trace{}, false
	}
	version, id, span, flags := h[:2], h[3:35], h[36:52], h[53:55]
	if version == "ff" || len(h) > 55 && (version == "00" || h[55] != '-') {
		return Trace{}, false // only later versions may have more fields
	}
	for _, part := range []string{version, id, span, flags} {
		if strings.Trim(part, "0123456789abcdef") != "" {
			return Trace{}, false
		}
	}
	if strings.Trim(id, "0") == "" || strings.Trim(span, "0") == "" {
		return Trace{}, false
	}
	return Trace{ID: id, Span: span, Sampled: strings.Contains("13579bdf", flags[1:])}, true
}

func randomHex(n int) string {
	b := make([]byte, n)
	if _, err := rand.Read(b); err != nil {
		panic(err)
	}
	return hex.EncodeToString(b)
}

// NewLogger returns a logger that writes structured lines with the trace and the tenant.
func NewLogger(w io.Writer, level slog.Level, json bool) *slog.Logger {
	opts := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewTextHandler(w, opts)
	if json {
		h = slog.NewJSONHandler(w, opts)
	}
	return slog.New(contextHandler{h})
}

type contextHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h contextHandler) Handle(ctx context.Context, r slog.Record) error {
	if id := TraceID(ctx); id != "" {
		r.AddAttrs(slog.String("trace_id", id))
	}
	if c := caller.From(ctx); c.Slug != "" {
		r.AddAttrs(slog.String("tenant", c.Slug))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h contextHandler) WithAttrs(a []slog.Attr) slog.Handler {
	return contextHandler{h.Handler.WithAttrs(a)}
}

// WithGroup implements slog.Handler.
func (h contextHandler) WithGroup(name string) slog.Handler {
	return contextHandler{h.Handler.WithGroup(name)}
}
