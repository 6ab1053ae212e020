package api

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"

	"konak/internal/kit/fault"
	"konak/internal/kit/obs"
)

type requestKey struct{}

// request is what the core knows about a request, in one value in its context.
type request struct {
	api              *API
	r                *http.Request
	w                http.ResponseWriter
	rt               *Route // once it is known
	slug, module, ip string
	host             string // the workspace's, without a port
	browser          bool   // a person opened a route of HandleVisit
}

// route returns the method and the pattern of the request's route. Logs never contain the
// path itself, because it may hold a capability.
func (q *request) route() (method, pattern string) {
	if q.rt != nil {
		return q.rt.Method, q.rt.Path
	}
	return "", "unknown"
}

func requestOf(ctx context.Context) *request {
	if req, ok := ctx.Value(requestKey{}).(*request); ok {
		return req
	}
	return &request{}
}

// modules are the labels between a tenant's slug and the domain.
var modules = []string{"crm", "mail", "erp", "musavir", helpModule}

// helpModule is the label of the tenants' help centers. Their hosts serve only HelpSite: no
// API, no panel, no cookie.
const helpModule = "help"

// HostSlug returns the tenant named by the request's host, or "".
func HostSlug(ctx context.Context) string { return requestOf(ctx).slug }

// BareHost reports whether the request came to the installation's own host: the domain, or
// the host of its public address.
func BareHost(ctx context.Context) bool {
	req := requestOf(ctx)
	return req.api != nil && req.api.isBare(hostName(req.r.Host))
}

// OwnHosts serves a handler on the installation's own host, on workspace hosts and on IP
// addresses. Any other name is not found: its owner could point it at this server, and a
// browser would let their page read this handler's answers.
func (a *API) OwnHosts(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := hostName(r.Host)
		if _, err := netip.ParseAddr(name); err != nil && HostSlug(r.Context()) == "" && !a.isBare(name) {
			http.NotFound(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func (a *API) isBare(name string) bool {
	public, err := url.Parse(a.cfg.BaseURL)
	return name == a.cfg.Domain || err == nil && name != "" && strings.EqualFold(name, public.Hostname())
}

// hostName returns a host without its port, in lower case.
func hostName(hostport string) string {
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		return strings.ToLower(h)
	}
	return strings.ToLower(strings.Trim(hostport, "[]"))
}

// ModuleHost returns the workspace's host that the request came to, without its port, or ""
// on the bare one.
func ModuleHost(ctx context.Context) string { return requestOf(ctx).host }

// ClientIP returns the caller's address: the socket's, or the one that a trusted proxy
// reports.
func ClientIP(ctx context.Context) string { return requestOf(ctx).ip }

// The values of headers set on every answer, shared by all of them: names are set in
// canonical form, and values are never modified in place.
var (
	noSniff    = []string{"nosniff"}
	sameOrigin = []string{"same-origin"}
	deny       = []string{"DENY"}
	nothing    = []string{"default-src 'none'; frame-ancestors 'none'"}
	oneYear    = []string{"max-age=31536000"}
	noStore    = []string{"no-store"}
	jsonOnly   = []string{"application/json"}
)

// outer wraps all handlers: it sets up trace, host and security headers, and recovers
// panics.
func (a *API) outer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, trace := obs.StartTrace(r.Context(), r.Header.Get("Traceparent"))
		req := &request{api: a, r: r, w: w, ip: a.clientIP(r)}
		if req.slug, req.module = a.splitHost(r.Host); req.slug != "" {
			req.host = req.slug + "." + req.module + "." + a.cfg.Domain
		}
		ctx = a.refuseSuspended(context.WithValue(ctx, requestKey{}, req))
		r = r.WithContext(ctx)
		if r.ContentLength != 0 {
			r.Body = openBody{r.Body}
		}
		h := w.Header()
		h["Traceparent"] = []string{trace.Parent()}
		h["X-Content-Type-Options"] = noSniff
		h["X-Frame-Options"] = deny
		if isAPIPath(r.URL.Path) {
			h["Content-Security-Policy"] = nothing
		} else {
			h["Referrer-Policy"] = sameOrigin // API data contains no links
		}
		if a.cfg.Secure {
			h["Strict-Transport-Security"] = oneYear
		}
		defer func() {
			if p := recover(); p != nil {
				if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					panic(p)
				}
				a.cfg.Log.ErrorContext(ctx, "panic", "panic", p, "stack", string(debug.Stack()))
				writeFault(w, r, fault.New(fault.Internal))
			}
		}()
		if req.module == helpModule && a.cfg.HelpSite != nil {
			a.cfg.HelpSite.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refuseSuspended returns a context that refuses the currently suspended workspaces;
// unchanged if the API has no database.
func (a *API) refuseSuspended(ctx context.Context) context.Context {
	if a.cfg.DB == nil {
		return ctx
	}
	return a.cfg.DB.RefuseSuspended(ctx)
}

// openBody ignores Close, so that discardBody can still read it. The server closes the body
// itself at the end.
type openBody struct{ io.Reader }

// Close implements io.Closer.
func (openBody) Close() error { return nil }

// splitHost reads {slug}.{module}.{domain}, or a host of one help center.
func (a *API) splitHost(hostport string) (slug, module string) {
	name := hostName(hostport)
	if slug := a.cfg.HelpHosts[name]; slug != "" {
		return slug, helpModule
	}
	rest, ok := strings.CutSuffix(name, "."+a.cfg.Domain)
	if !ok {
		return "", ""
	}
	slug, module, ok = strings.Cut(rest, ".")
	if !ok || !slices.Contains(modules, module) {
		return "", ""
	}
	return slug, module
}

func (a *API) clientIP(r *http.Request) string {
	addr, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	ip := addr.Addr().Unmap()
	if len(a.cfg.TrustedProxies) == 0 {
		return ip.String()
	}
	// From the nearest hop outwards: the first address that is not a trusted proxy is the
	// caller; everything left of it can be forged.
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && a.trusted(ip); i-- {
		next, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		ip = next.Unmap()
	}
	return ip.String()
}

func (a *API) trusted(ip netip.Addr) bool {
	return slices.ContainsFunc(a.cfg.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(ip) })
}

func isAPIPath(path string) bool {
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/oauth/") || strings.HasPrefix(path, "/.well-known/") || path == "/mcp"
}
