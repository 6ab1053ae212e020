// Package trace records spans: how long a request, a transaction, a job, the dispatch of an
// event or a call of another server took, and what it was part of. They are sent to an
// OpenTelemetry collector that the operator names.
//
// Spans begin at the few gates that everything passes; modules know nothing of them. A span
// names things by their kind: the pattern of a route, the type of an event, the host of a
// server. It never contains a path, a query, a body, an address of a person or the text of
// an error, because ids grant access and more people read a collector than a database.
//
// Work that a request leaves for later (an event, a job) keeps the request's span in its
// row, so that its execution, perhaps on another node and days later, is part of the same
// trace. Without a collector a Tracer is nil, no span begins and nothing is kept.
package trace

import (
	"context"
	"math/rand/v2"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	otel "go.opentelemetry.io/otel/trace"

	"konak/internal/kit/clock"
	"konak/internal/kit/obs"
)

// Attribute is a detail of the work that a span stands for.
type Attribute = attribute.KeyValue

// Kind is the side of a call that a span represents.
type Kind = otel.SpanKind

// The kinds of spans.
const (
	Inside   = otel.SpanKindInternal
	Client   = otel.SpanKindClient
	Consumer = otel.SpanKindConsumer
)

// Text returns an attribute with a text.
func Text(name, value string) Attribute { return attribute.String(name, value) }

// Number returns an attribute with a number.
func Number(name string, value int) Attribute { return attribute.Int(name, value) }

// Names of attributes that several gates set. Those without the prefix konak are from
// OpenTelemetry's semantic conventions.
const (
	Method        = "http.request.method"
	Route         = "http.route"
	Status        = "http.response.status_code"
	ServerAddress = "server.address"
	Database      = "db.system.name"
	Tenant        = "konak.tenant.id"
	Event         = "konak.event.type"
	Attempt       = "konak.attempt"
	errorType     = "error.type"
)

// Tracer begins spans. A nil one begins none.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   otel.Tracer
	share    float64
	closing  time.Duration // how long Close waits for the collector
}

// scope is the name that spans of this program carry.
const scope = "konak"

// Span is a piece of work in progress. The zero Span does nothing.
type Span struct{ span otel.Span }

// IsKept reports whether the span will be sent. Only then is it worth collecting attributes
// for it.
func (s Span) IsKept() bool { return s.span != nil && s.span.IsRecording() }

// Set adds attributes.
func (s Span) Set(list ...Attribute) {
	if s.span != nil {
		s.span.SetAttributes(list...)
	}
}

// End ends the span. failure is the class of the failure, a word and never a text; "" if
// there was none.
func (s Span) End(failure string, list ...Attribute) {
	if s.span == nil {
		return
	}
	s.span.SetAttributes(list...)
	if failure != "" {
		s.span.SetAttributes(attribute.String(errorType, failure))
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}

// StartRequest begins the span of a request to which obs.StartTrace has given a trace. It
// also returns the traceparent header to answer with, "" without a tracer. A caller's trace
// id is kept, and a trace that the caller does not keep is not kept here. One that the
// caller keeps is kept here only with the operator's sampling share: anybody may send the
// header.
func (t *Tracer) StartRequest(ctx context.Context, method, route string) (_ context.Context, s Span, parent string) {
	if t == nil {
		return ctx, s, ""
	}
	if from := obs.TraceOf(ctx); from.Caller != "" {
		from.Sampled = from.Sampled && rand.Float64() < t.share
		from.Span = from.Caller
		ctx = otel.ContextWithRemoteSpanContext(ctx, remote(from))
	}
	ctx, span := t.tracer.Start(ctx, method+" "+route, otel.WithSpanKind(otel.SpanKindServer),
		otel.WithAttributes(attribute.String(Method, method), attribute.String(Route, route)))
	return ctx, Span{span}, format(span.SpanContext())
}

// StartUnder begins a span below the one that Parent left in a row, or a new trace if the
// row has none. The context that it returns logs the trace, too.
func (t *Tracer) StartUnder(ctx context.Context, parent, name string, kind Kind, list ...Attribute) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	if from, ok := obs.ParseParent(parent); ok {
		ctx = otel.ContextWithRemoteSpanContext(ctx, remote(from))
	}
	ctx, span := t.tracer.Start(ctx, name, otel.WithSpanKind(kind), otel.WithAttributes(list...))
	if c := span.SpanContext(); c.IsSampled() {
		ctx = obs.WithTrace(ctx, obs.Trace{ID: c.TraceID().String(), Span: c.SpanID().String()})
	}
	return ctx, Span{span}
}

// Record writes a span for work that has just ended, below the one that Parent left in a
// row; without one it does nothing. failure is as in End.
func (t *Tracer) Record(parent, name string, kind Kind, took time.Duration, failure string, list ...Attribute) {
	from, ok := obs.ParseParent(parent)
	if t == nil || !ok {
		return
	}
	_, span := t.tracer.Start(otel.ContextWithRemoteSpanContext(context.Background(), remote(from)), name,
		otel.WithSpanKind(kind), otel.WithTimestamp(clock.Deadline(-took)))
	Span{span}.End(failure, list...)
}

// IsTraced reports whether ctx has a span that is kept.
func IsTraced(ctx context.Context) bool { return otel.SpanFromContext(ctx).IsRecording() }

// StartChild begins a span below that of ctx, if ctx has one that is kept.
func StartChild(ctx context.Context, name string, kind Kind, list ...Attribute) (context.Context, Span) {
	above := otel.SpanFromContext(ctx)
	if !above.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := above.TracerProvider().Tracer(scope).Start(ctx, name, otel.WithSpanKind(kind), otel.WithAttributes(list...))
	return ctx, Span{span}
}

// Parent returns what a row stores of the span of ctx, for StartUnder and Record: nil if
// nothing is traced or the trace is not kept.
func Parent(ctx context.Context) *string {
	c := otel.SpanContextFromContext(ctx)
	if !c.IsSampled() {
		return nil
	}
	text := format(c)
	return &text
}

func format(c otel.SpanContext) string {
	return "00-" + c.TraceID().String() + "-" + c.SpanID().String() + "-" + c.TraceFlags().String()
}

// remote returns the span of another process. obs has checked its ids, so they are valid.
func remote(t obs.Trace) otel.SpanContext {
	id, _ := otel.TraceIDFromHex(t.ID)
	span, _ := otel.SpanIDFromHex(t.Span)
	return otel.NewSpanContext(otel.SpanContextConfig{
		TraceID: id, SpanID: span, TraceFlags: otel.TraceFlags(0).WithSampled(t.Sampled), Remote: true,
	})
}
