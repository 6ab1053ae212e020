package api

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"

	"konak/internal/kit/fault"
	"konak/internal/kit/obs"
)

type hostKey struct{}

type host struct {
	slug, module, name, ip string
}

// modules are the labels between a tenant's slug and the domain.
var modules = []string{"crm", "mail", "erp", "musavir"}

// HostSlug is the tenant that the request's host names, or "".
func HostSlug(ctx context.Context) string {
	h, _ := ctx.Value(hostKey{}).(host)
	return h.slug
}

// ModuleHost is the workspace's host that the request came to, without its
// port, or "" on the bare one.
func ModuleHost(ctx context.Context) string {
	h, _ := ctx.Value(hostKey{}).(host)
	return h.name
}

// ClientIP is the caller's address: the socket's, or what a trusted proxy says.
func ClientIP(ctx context.Context) string {
	h, _ := ctx.Value(hostKey{}).(host)
	return h.ip
}

// outer stands around everything: trace, host, safe headers, no panic gets out.
func (a *API) outer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, trace := obs.StartTrace(r.Context(), r.Header.Get("Traceparent"))
		slug, module := a.splitHost(r.Host)
		h := host{slug: slug, module: module, ip: a.clientIP(r)}
		if slug != "" {
			h.name = slug + "." + module + "." + a.cfg.Domain
		}
		ctx = context.WithValue(ctx, hostKey{}, h)
		r = r.WithContext(ctx)
		head := w.Header()
		head.Set("Traceparent", trace.Parent())
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "same-origin")
		head.Set("X-Frame-Options", "DENY")
		if isAPIPath(r.URL.Path) {
			head.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		}
		if a.cfg.Secure {
			head.Set("Strict-Transport-Security", "max-age=31536000")
		}
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				a.cfg.Log.ErrorContext(ctx, "panic", "panic", p, "stack", string(debug.Stack()))
				writeFault(w, r, fault.New(fault.Internal))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// splitHost reads {slug}.{module}.{domain}.
func (a *API) splitHost(hostport string) (slug, module string) {
	name := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		name = h
	}
	rest, ok := strings.CutSuffix(strings.ToLower(name), "."+a.cfg.Domain)
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
	// From the nearest hop outwards: the first address that is not a trusted
	// proxy is the caller; what stands left of it can be forged.
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
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/oauth/") || strings.HasPrefix(path, "/.well-known/")
}
