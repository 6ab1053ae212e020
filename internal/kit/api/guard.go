package api

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/trace"
)

// CookieName is the panel's session cookie; see cookieName.
const CookieName = "konak_session"

// guard checks credential, licence and permission before every handler.
func (a *API) guard(rt *Route) func(huma.Context, func(huma.Context)) {
	answered := &observers{metrics: a.metrics, rt: rt}
	return func(hc huma.Context, next func(huma.Context)) {
		elapsed := clock.Stopwatch()
		r, w := humachi.Unwrap(hc)
		ctx := r.Context()
		requestOf(ctx).rt = rt
		ctx, span := a.startSpan(ctx, rt, w)
		status := http.StatusInternalServerError // after a panic
		defer func() { endSpan(span, status) }()
		if rt.Open && !rt.ChecksOrigin {
			openHeaders(w)
		}
		who, err := a.admit(ctx, rt, w, r)
		if err == nil {
			err = rt.checkPath(who, hc.Param)
		}
		if err == nil && wrongMedia(rt, r) {
			err = fault.New(fault.UnsupportedMedia)
		}
		if err == nil {
			if err = cleanAddress(r); rt.Invalid400 && fault.Is(err, fault.ValidationFailed) {
				f, _ := fault.As(err)
				f.Code = fault.InvalidParameter
			}
		}
		if err != nil {
			status = a.writeError(w, r, rt, err)
			discardBody(w, r)
			took := elapsed()
			answered.at(status / 100).Observe(took.Seconds())
			a.logAccess(ctx, rt, status, took)
			return
		}
		if who != nil {
			if span.IsKept() {
				span.Set(trace.Text(trace.Tenant, who.TenantID.String()))
			}
			ctx = caller.With(ctx, who)
			if rt.own() {
				ctx = db.AllowSuspended(ctx, who.TenantID)
			}
		}
		if !rt.streams { // those limit only their preparation
			limited := withTimeout(ctx, clock.Deadline(a.cfg.RequestTimeout))
			defer limited.release()
			ctx = limited
		}
		if rt.ShowsSecret || rt.NoStore || rt.Access != Public {
			w.Header()["Cache-Control"] = noStore
		}
		if rt.visit {
			requestOf(ctx).browser = strings.Contains(r.Header.Get("Accept"), "text/html")
		}
		r.Header["Accept"] = jsonOnly // the only type we answer with; forms are only read
		hc = huma.WithContext(hc, ctx)
		next(hc)
		if status = hc.Status(); status >= 400 {
			discardBody(w, r)
		}
		took := elapsed()
		answered.at(status / 100).Observe(took.Seconds())
		a.logAccess(ctx, rt, status, took)
	}
}

// startSpan begins the span of a request. A stream that stays open has none: everything
// that happens meanwhile would become part of its trace.
func (a *API) startSpan(ctx context.Context, rt *Route, w http.ResponseWriter) (context.Context, trace.Span) {
	if a.cfg.Traces == nil || rt.lasts {
		return ctx, trace.Span{}
	}
	ctx, span, parent := a.cfg.Traces.StartRequest(ctx, rt.Method, rt.Path)
	w.Header()["Traceparent"] = []string{parent}
	return ctx, span
}

// endSpan ends the span of a request. A refusal is not recorded as a failure.
func endSpan(span trace.Span, status int) {
	if !span.IsKept() {
		return
	}
	failure := ""
	if status >= http.StatusInternalServerError {
		failure = strconv.Itoa(status)
	}
	span.End(failure, trace.Number(trace.Status, status))
}

// logAccess writes a request's line to the access log. It names the route by its pattern
// and never by the path or the query, because ids in them can be capabilities.
func (a *API) logAccess(ctx context.Context, rt *Route, status int, took time.Duration) {
	if a.cfg.AccessLog {
		a.cfg.Log.InfoContext(ctx, "request", "method", rt.Method, "route", rt.Path, "status", status, "milliseconds", float64(took.Microseconds())/1000)
	}
}

// refuseUnknown answers a request that has no route. Its line in the access log contains
// neither the path nor an unusual method.
func (a *API) refuseUnknown(w http.ResponseWriter, r *http.Request, code fault.Code) {
	elapsed := clock.Stopwatch()
	writeFault(w, r, fault.New(code))
	method := r.Method
	if !slices.Contains(usualMethods, method) {
		method = "-"
	}
	a.logAccess(r.Context(), &Route{Method: method, Path: "-"}, code.Status(), elapsed())
}

// usualMethods are the methods that the access log may name.
var usualMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

const (
	// discardedBody and discardTime limit how much of a refused body is read.
	discardedBody = 64 << 20
	discardTime   = 10 * time.Second
	// readByServer is how much of an unread body net/http reads by itself.
	readByServer = 256 << 10
)

// discardBody flushes a refusal and reads what the caller is still sending. If the
// connection were closed instead, the rest of the body would reset it, and the caller would
// never see the refusal.
func discardBody(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.ContentLength >= 0 && r.ContentLength <= readByServer || r.Header.Get("Expect") != "" {
		return
	}
	rc := http.NewResponseController(w)
	if rc.Flush() != nil || rc.SetReadDeadline(clock.Deadline(discardTime)) != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, r.Body, discardedBody)
}

// observers are a route's histograms by status class. Each is created on first use, since
// there are hundreds of routes, and then kept: looking labels up costs more than counting.
type observers struct {
	metrics *prometheus.HistogramVec
	rt      *Route
	classes [6]atomic.Pointer[prometheus.Observer]
}

func (o *observers) at(class int) prometheus.Observer {
	kept := &o.classes[min(class, 5)]
	if known := kept.Load(); known != nil {
		return *known
	}
	made := o.metrics.WithLabelValues(o.rt.Method, o.rt.Path, strconv.Itoa(min(class, 5))+"xx")
	kept.Store(&made)
	return made
}

// admit decides whether the request may reach the handler.
func (a *API) admit(ctx context.Context, rt *Route, w http.ResponseWriter, r *http.Request) (*caller.Caller, error) {
	if rt.Open {
		return nil, a.withinLimits(ctx, w, rt, nil, ClientIP(ctx))
	}
	token, fromCookie := a.credential(r)
	if token == "" || fromCookie {
		// A browser sends cookies by itself, so the request must come from our own pages;
		// so must one that asks for a cookie (sign-in).
		if a.origin.Check(r) != nil || rt.socket && a.otherSite(r) {
			return nil, fault.New(fault.CrossOrigin)
		}
	}
	if rt.Access == Public || token == "" && rt.Access == Keyless {
		return nil, a.withinLimits(ctx, w, rt, nil, ClientIP(ctx))
	}
	if token == "" {
		return nil, fault.New(fault.Unauthenticated).Because("no_credential")
	}
	who, err := a.cfg.Auth.Authenticate(ctx, token)
	if err != nil {
		if fault.Is(err, fault.Unauthenticated) {
			err = a.refusal(ctx, w, rt, ClientIP(ctx), err)
		}
		return nil, err
	}
	if slug := HostSlug(ctx); slug != "" && slug != who.Slug {
		return nil, fault.New(fault.Unauthenticated)
	}
	if who.Resource != "" && who.Resource != rt.Path {
		w.Header().Set("WWW-Authenticate", `Bearer realm="konak", error="invalid_token"`)
		return nil, fault.New(fault.Unauthenticated).Because("wrong_resource")
	}
	switch isKey := who.Kind == caller.APIKey; {
	case rt.Access == Session && isKey:
		return nil, fault.New(fault.SessionRequired)
	case rt.Access == Key && !isKey:
		return nil, fault.New(fault.KeyRequired)
	}
	own := *who // a copy: the authenticator may share it between requests
	own.IP = ClientIP(ctx)
	if err := a.withinLimits(ctx, w, rt, &own, own.IP); err != nil {
		return nil, err
	}
	if err := a.permit(ctx, rt, &own); err != nil {
		return nil, err
	}
	if a.cfg.SessionGuard != nil && own.Kind != caller.APIKey {
		return &own, a.cfg.SessionGuard(ctx, rt.Path, &own)
	}
	return &own, nil
}

// ownRoutes is the prefix of the routes about a person's own account. A session may call
// them before it has set up its second step, and while its workspace is suspended.
const ownRoutes = "/api/v1/auth/"

// own reports whether a route is about the caller's own account.
func (rt *Route) own() bool {
	return rt.Permission == Anyone && strings.HasPrefix(rt.Path, ownRoutes)
}

func (a *API) permit(ctx context.Context, rt *Route, who *caller.Caller) error {
	if db.IsRefused(ctx, who.TenantID) && !rt.own() {
		return fault.New(fault.WorkspaceSuspended)
	}
	if who.MustEnrol && !rt.own() {
		return fault.New(fault.TwoFactorRequired)
	}
	licence := rt.Licence
	if who.Licences[rt.OrLicence] {
		licence = ""
	}
	if err := CheckRights(who, licence, rt.Permission); err != nil {
		return err
	}
	if rt.Permission == Anyone && who.Delegated && !rt.Delegable {
		return fault.New(fault.OwnSessionRequired)
	}
	if rt.StepUp && a.cfg.Clock.Now().Sub(who.VerifiedAt) > StepUpAge {
		return fault.New(fault.StepUpRequired).Because("insufficient_user_authentication")
	}
	return nil
}

// checkPath checks the path of a request before its body is read: whether it names
// something that exists, and whether the caller may access it.
func (rt *Route) checkPath(who *caller.Caller, param func(string) string) error {
	for name, known := range rt.OneOf {
		if !slices.Contains(known, param(name)) {
			return fault.New(fault.NotFound).Because("unknown_" + name)
		}
	}
	if rt.Own == "" {
		return nil
	}
	var id ID
	if err := id.UnmarshalText([]byte(param(rt.Own))); err != nil {
		return err
	}
	if id.UUID != who.ID && !who.Can(rt.Others) {
		return fault.Lacking(rt.Others)
	}
	return nil
}

// credential returns the token of a request.
func (a *API) credential(r *http.Request) (token string, fromCookie bool) {
	if token, sent := bearer(r); sent {
		return token, false
	}
	if c, err := r.Cookie(a.cookieName(CookieName)); err == nil {
		return c.Value, true
	}
	return "", false
}

// bearer returns the token of the Authorization header; for another scheme it returns a
// token that is never valid.
func bearer(r *http.Request) (token string, sent bool) {
	h := r.Header.Get("Authorization")
	if h == "" {
		return "", false
	}
	scheme, token, ok := strings.Cut(h, " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return "invalid", true
	}
	return strings.TrimSpace(token), true
}

// cookieName returns the name of a cookie in the browser. If the public address is https,
// the prefix makes the browser refuse cookies that another host of the same domain, or an
// unencrypted page, tries to plant.
func (a *API) cookieName(name string) string {
	if a.cfg.Secure {
		return "__Host-" + name
	}
	return name
}

// Cookie returns the value of one of our cookies, or "".
func (a *API) Cookie(ctx context.Context, name string) string {
	c, err := requestOf(ctx).r.Cookie(a.cookieName(name))
	if err != nil {
		return ""
	}
	return c.Value
}

// SetCookie sets a cookie that scripts cannot read; an empty value removes it.
func (a *API) SetCookie(ctx context.Context, name, value string, until time.Time) {
	c := &http.Cookie{
		Name: a.cookieName(name), Value: value, Path: "/", Expires: until,
		HttpOnly: true, Secure: a.cfg.Secure, SameSite: http.SameSiteLaxMode,
	}
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(requestOf(ctx).w, c)
}

// SetSessionCookie signs the browser in; an empty token signs it out.
func (a *API) SetSessionCookie(ctx context.Context, token string, until time.Time) {
	a.SetCookie(ctx, CookieName, token, until)
}
