package api

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/limit"
	"konak/internal/kit/trace"
)

// Authenticator proves credentials. Identity implements it.
type Authenticator interface {
	// Authenticate returns the caller to whom the token belongs, at the cost of one indexed
	// read or a cache hit; fault.Unauthenticated if it belongs to nobody.
	Authenticate(ctx context.Context, token string) (*caller.Caller, error)
	// Recheck does the same for an open stream: it trusts nothing that was read more than a
	// second ago.
	Recheck(ctx context.Context, token string) (*caller.Caller, error)
}

// Config is what the API core needs.
type Config struct {
	DB      *db.DB
	Log     *slog.Logger
	Clock   clock.Source
	Auth    Authenticator
	Metrics prometheus.Registerer
	Version string
	// Domain is the bare host; {slug}.crm.Domain and the like belong to tenants.
	Domain string
	// BaseURL is the installation's public address.
	BaseURL string
	// Secure reports that the public address is https, so cookies are marked Secure.
	Secure bool
	// CursorKey signs list cursors and request fingerprints.
	CursorKey []byte
	// TrustedProxies are the peers whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// SessionGuard can refuse a call that a session has the permission for; nil for no such
	// check. The path is the route's.
	SessionGuard func(ctx context.Context, path string, who *caller.Caller) error
	// Limits counts every caller's calls; nil for no limits.
	Limits limit.Limiter
	// Streams are the open streams of this node; nil to create a new table.
	Streams *OpenStreams
	// StreamCheck is the interval at which an open stream's credential is checked again, 15
	// seconds by default. Nodes that share a database need a shorter one: a revocation on
	// another node ends streams here only at the next check.
	StreamCheck time.Duration
	// RequestTimeout bounds one ordinary request, 30 seconds by default. It
	// does not bound streams and downloads once they have begun.
	RequestTimeout time.Duration
	// AccessLog writes a line for each request of the API.
	AccessLog bool
	// Traces records each request except streams that stay open; nil to record none.
	Traces *trace.Tracer
	// Rates are the numbers of calls a minute that a caller may make.
	Rates Rates
	// Fallback serves everything that is not an API route (the panel).
	Fallback http.Handler
	// HelpSite serves everything on {slug}.help.Domain; HostSlug and ClientIP work in it.
	// Nil if there are no such hosts.
	HelpSite http.Handler
	// HelpHosts are additional hosts of HelpSite, each with the slug of its tenant.
	HelpHosts map[string]string
}

// API is the routing table and its document.
type API struct {
	cfg        Config
	diskFullAt atomic.Int64 // when the database last had no space left, in nanoseconds; 0 for never
	mux        *chi.Mux
	huma       huma.API
	captured   *capturer
	onDemand   map[string]func() prepared // by method and path
	routes     []Route
	changes    map[reflect.Type]bool // bodies of PUT and PATCH, in which null counts
	metrics    *prometheus.HistogramVec
	handler    http.Handler
	origin     *http.CrossOriginProtection
	streams    *OpenStreams
	faults     *prometheus.CounterVec
	outages    sync.Map // *outageLog by cause
	// draining ends when the server stops; mu keeps sockets from being counted after that.
	draining context.Context
	drain    context.CancelFunc
	mu       sync.Mutex
	open     sync.WaitGroup
	// showExamples creates the document's examples when it is first requested.
	showExamples sync.Once
}

const requestTimeout = 30 * time.Second

// New creates an API core without routes.
func New(cfg Config) *API {
	cfg.RequestTimeout = cmp.Or(cfg.RequestTimeout, requestTimeout)
	a := &API{
		cfg: cfg, mux: chi.NewMux(), captured: &capturer{}, onDemand: map[string]func() prepared{},
		changes: map[reflect.Type]bool{}, origin: http.NewCrossOriginProtection(), streams: cfg.Streams,
	}
	if a.streams == nil {
		a.streams = NewOpenStreams()
	}
	a.draining, a.drain = context.WithCancel(context.Background())
	hookHuma()
	format := jsonFormat
	format.Unmarshal = a.unmarshal
	config := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Konak", Version: cfg.Version,
				Description: "Multi-tenant business platform: identity, CRM inbox, mail administration, webhooks, regulation search.",
				License:     &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			},
			Servers: []*huma.Server{{URL: "/", Description: "The bare host, or a tenant's module host"}},
			Components: &huma.Components{
				Schemas: schemas,
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"session": {Type: "http", Scheme: "bearer", Description: "Session token (ses_…)"},
					"cookie":  {Type: "apiKey", In: "cookie", Name: a.cookieName(CookieName), Description: "The panel's session cookie"},
					"api_key": {Type: "http", Scheme: "bearer", Description: "API key (key_live_… or key_test_…)"},
				},
			},
		},
		Formats:       map[string]huma.Format{"application/json": format, "json": format, formType: formFormat},
		DefaultFormat: "application/json",
	}
	a.huma = huma.NewAPI(config, a.captured)
	a.metrics = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "konak_http_request_seconds", Help: "Response time, by route and status class.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
	}, []string{"method", "path", "class"})
	a.faults = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "konak_http_faults_total", Help: "Requests that were refused or failed, by error code.",
	}, []string{"code"})
	if cfg.Metrics != nil {
		cfg.Metrics.MustRegister(a.metrics, a.faults)
	}
	a.mux.NotFound(a.notFound)
	a.mux.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", strings.Join(a.allowedMethods(r.URL.Path), ", "))
		a.refuseUnknown(w, r, fault.MethodNotAllowed)
	})
	a.mux.Use(middleware.GetHead)
	a.mux.Get("/openapi.json", a.serveDocument)
	a.handler = a.outer(a.mux)
	return a
}

// Handler serves the API and everything behind it.
func (a *API) Handler() http.Handler { return a.handler }

// Mux accepts handlers that are not part of the API document (health checks).
func (a *API) Mux() chi.Router { return a.mux }

// Routes lists the registered routes, for guard tests.
func (a *API) Routes() []Route { return a.routes }

// Streams are the open streams of this node.
func (a *API) Streams() *OpenStreams { return a.streams }

// Drain ends the open streams, so that a graceful stop does not wait for them, and returns
// when all sockets have sent their close frames.
func (a *API) Drain() {
	a.mu.Lock()
	a.drain()
	a.mu.Unlock()
	a.open.Wait()
}

// Document is the OpenAPI 3.1 document, indented and in a stable order.
func (a *API) Document() ([]byte, error) {
	a.showExamples.Do(func() {
		for _, rt := range a.routes { // in a stable order, because records are named while they are prepared
			a.onDemand[rt.Method+" "+rt.Path]()
		}
		a.examples()
	})
	b, err := json.MarshalIndent(a.huma.OpenAPI(), "", "  ")
	return append(b, '\n'), err
}

func (a *API) serveDocument(w http.ResponseWriter, r *http.Request) {
	b, err := a.Document()
	if err != nil {
		writeFault(w, r, fault.New(fault.Internal).Wrap(err))
		return
	}
	w.Header().Set("Content-Type", "application/vnd.oai.openapi+json;version=3.1")
	_, _ = w.Write(b)
}

// allowedMethods returns the methods that a path answers.
func (a *API) allowedMethods(path string) []string {
	var out []string
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
		if a.mux.Match(chi.NewRouteContext(), method, path) {
			out = append(out, method)
			if method == http.MethodGet {
				out = append(out, http.MethodHead)
			}
		}
	}
	return out
}

func (a *API) notFound(w http.ResponseWriter, r *http.Request) {
	if a.cfg.Fallback == nil || isAPIPath(r.URL.Path) {
		a.refuseUnknown(w, r, fault.UnknownAddress)
		return
	}
	a.cfg.Fallback.ServeHTTP(w, r)
}
