package api

import (
	"context"
	"net/http"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// HandleProtocol serves a path whose messages follow another standard, such as JSON-RPC.
// The handler is behind the same checks of credential, limits, licence and permission as
// every route, accepts a bearer token but no cookie, and is not part of the OpenAPI
// document. Calls from pages of other sites are refused. Challenge returns the
// WWW-Authenticate header of a 401; it can point to the resource's metadata.
func (a *API) HandleProtocol(rt Route, challenge func(context.Context) string, h http.Handler) {
	rt = rt.withDefaults()
	rt.check()
	answered := &observers{metrics: a.metrics, rt: &rt}
	a.mux.Method(rt.Method, rt.Path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		elapsed := clock.Stopwatch()
		who, err := a.admitToken(&rt, w, r)
		if err != nil {
			if fault.Is(err, fault.Unauthenticated) {
				w.Header().Set("WWW-Authenticate", challenge(r.Context())+refusedToken(r))
			}
			a.writeError(w, r, &rt, err)
			discardBody(w, r)
			answered.at(4).Observe(elapsed().Seconds())
			return
		}
		ctx := withTimeout(caller.With(r.Context(), who), clock.Deadline(a.cfg.RequestTimeout))
		defer ctx.release()
		w.Header()["Cache-Control"] = noStore
		r.Body = http.MaxBytesReader(w, r.Body, rt.MaxBody)
		h.ServeHTTP(w, r.WithContext(ctx))
		answered.at(2).Observe(elapsed().Seconds())
	}))
}

// refusedToken returns the part of a challenge that reports the request's token as invalid
// (RFC 6750).
func refusedToken(r *http.Request) string {
	if _, sent := bearer(r); sent {
		return `, error="invalid_token"`
	}
	return ""
}

// admitToken is admit for a request that must send a bearer token.
func (a *API) admitToken(rt *Route, w http.ResponseWriter, r *http.Request) (*caller.Caller, error) {
	if a.origin.Check(r) != nil {
		return nil, fault.New(fault.CrossOrigin)
	}
	if _, sent := bearer(r); !sent {
		return nil, fault.New(fault.Unauthenticated).Because("no_credential")
	}
	return a.admit(r.Context(), rt, w, r)
}

// CheckRights refuses a caller who lacks the licence ("" requires none) or the permission.
// It checks every route, and everything that a HandleProtocol route offers.
func CheckRights(who *caller.Caller, licence string, need perm.Permission) error {
	if licence != "" && !who.Licences[licence] {
		return fault.New(fault.NotLicensed, licence)
	}
	if need != Anyone && !who.Can(need) {
		f := fault.Lacking(need)
		nameScope(f, who)
		return f
	}
	return nil
}

// FaultOf returns an error as a fault of the catalogue. An unknown error becomes internal
// and is logged.
func (a *API) FaultOf(ctx context.Context, err error) *fault.Fault {
	f := a.asFault(ctx, err)
	nameScope(f, caller.From(ctx))
	return f
}
