package trace

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	otel "go.opentelemetry.io/otel/trace"

	"konak/internal/kit/obs"
)

// Config are the settings of traces.
type Config struct {
	Address string  `env:"KONAK_TRACES" name:"traces" placeholder:"URL" help:"OpenTelemetry collector that receives traces over OTLP/HTTP, such as http://127.0.0.1:4318; without it nothing is traced."`
	Share   float64 `env:"KONAK_TRACES_SHARE" name:"traces-share" default:"1" help:"Share of requests to trace, from 0 to 1."`
	Header  string  `env:"KONAK_TRACES_HEADER" name:"traces-header" placeholder:"NAME=VALUE" help:"Header that the collector requires, such as Authorization=Bearer…."`
}

// Bounds of what is sent. A collector that does not answer costs no more memory than the
// queue; what does not fit in it is dropped.
const (
	maxWaiting = 2048 // spans
	maxBatch   = 512  // spans in one message
	maxLogged  = 300  // bytes of a collector's error message
)

// timeouts bound how long a collector may take.
type timeouts struct{ export, close time.Duration }

var usualTimeouts = timeouts{export: 10 * time.Second, close: 3 * time.Second}

// MaxAnswer bounds what is read of a collector's answer; it is for the code that builds the
// connection to it.
const MaxAnswer = 64 << 10

// path is the path below a collector's address to which traces are sent.
const path = "/v1/traces"

// Check returns an error for settings that cannot work.
func (c *Config) Check() error {
	if c.Address == "" {
		return nil
	}
	u, err := url.Parse(c.Address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("--traces: write the address of a collector, such as http://127.0.0.1:4318; a key goes into --traces-header")
	}
	if !(c.Share >= 0 && c.Share <= 1) {
		return fmt.Errorf("--traces-share %v: write a number from 0 to 1", c.Share)
	}
	if name, value, _ := strings.Cut(c.Header, "="); c.Header != "" && (name == "" || value == "" || strings.ContainsAny(c.Header, "\r\n")) {
		return errors.New("--traces-header: write NAME=VALUE") // the value may be a key
	}
	return nil
}

func (c *Config) target() string { return strings.TrimSuffix(c.Address, "/") + path }

func (c *Config) headers() map[string]string {
	name, value, _ := strings.Cut(c.Header, "=")
	if name == "" {
		return nil
	}
	return map[string]string{name: value}
}

// client returns a client for requests to the collector. It follows no redirects: the
// header is for the collector only.
func client(way http.RoundTripper) *http.Client {
	return &http.Client{Transport: way, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Open creates a node's tracer, which sends to the collector over way; it returns nil if
// the settings name no collector. Whether the collector answers is known only when
// something is sent.
func Open(c Config, way http.RoundTripper, log *slog.Logger, version string) (*Tracer, error) {
	return open(c, way, log, version, usualTimeouts)
}

func open(c Config, way http.RoundTripper, log *slog.Logger, version string, limit timeouts) (*Tracer, error) {
	if c.Address == "" {
		return nil, nil
	}
	options := []otlptracehttp.Option{
		otlptracehttp.WithEndpointURL(c.target()), otlptracehttp.WithTimeout(limit.export), otlptracehttp.WithHTTPClient(client(way)),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: true, InitialInterval: time.Second, MaxInterval: limit.export, MaxElapsedTime: limit.export}),
	}
	if h := c.headers(); h != nil {
		options = append(options, otlptracehttp.WithHeaders(h))
	}
	out, err := otlptracehttp.New(context.Background(), options...)
	if err != nil {
		return nil, fmt.Errorf("--traces: %w", err)
	}
	p := sdk.NewTracerProvider(
		sdk.WithBatcher(&watched{SpanExporter: out, log: log},
			sdk.WithMaxQueueSize(maxWaiting), sdk.WithMaxExportBatchSize(maxBatch), sdk.WithExportTimeout(limit.export)),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(c.Share))),
		sdk.WithIDGenerator(ids{}),
		sdk.WithResource(resource.NewSchemaless(attribute.String("service.name", "konak"), attribute.String("service.version", version))),
	)
	return &Tracer{provider: p, tracer: p.Tracer(scope), share: c.Share, closing: limit.close}, nil
}

// Flush sends what is waiting.
func (t *Tracer) Flush(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.ForceFlush(ctx)
}

// Close sends what is waiting, for as long as a shutdown may wait for it, and ends the
// tracer.
func (t *Tracer) Close() error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), t.closing)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("trace: close: %w", err)
	}
	return nil
}

// Probe checks whether the collector accepts traces with these settings, by sending none.
func Probe(ctx context.Context, c Config, way http.RoundTripper) error {
	ctx, cancel := context.WithTimeout(ctx, usualTimeouts.export)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.target(), bytes.NewReader(nil))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	for name, value := range c.headers() {
		req.Header.Set(name, value)
	}
	resp, err := client(way).Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.CopyN(io.Discard, resp.Body, maxLogged)
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("it answers %s", resp.Status)
	}
	return nil
}

// watched is the exporter with logging: one line when the collector begins to fail, and one
// when it works again.
type watched struct {
	sdk.SpanExporter
	log *slog.Logger

	mu      sync.Mutex
	failing bool
	lost    int // spans
}

// ExportSpans implements sdk.SpanExporter. It always returns nil: the caller could only
// print the error.
func (w *watched) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := w.SpanExporter.ExportSpans(ctx, spans)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err != nil:
		w.lost += len(spans)
		if !w.failing {
			w.failing = true
			text := err.Error()
			w.log.Warn("the collector of --traces does not accept traces; they are dropped until it does", "error", text[:min(len(text), maxLogged)])
		}
	case w.failing:
		w.log.Info("the collector of --traces accepts traces again", "lost", w.lost)
		w.failing, w.lost = false, 0
	}
	return nil
}

// ids gives the first span of a request the ids that its log lines and its answer have.
type ids struct{}

// NewIDs implements sdk.IDGenerator.
func (ids) NewIDs(ctx context.Context) (otel.TraceID, otel.SpanID) {
	known := remote(obs.TraceOf(ctx))
	if known.IsValid() {
		return known.TraceID(), known.SpanID()
	}
	var id otel.TraceID
	_, _ = crand.Read(id[:]) // it never fails
	return id, newSpanID()
}

// NewSpanID implements sdk.IDGenerator.
func (ids) NewSpanID(context.Context, otel.TraceID) otel.SpanID { return newSpanID() }

func newSpanID() (id otel.SpanID) {
	_, _ = crand.Read(id[:])
	return id
}
