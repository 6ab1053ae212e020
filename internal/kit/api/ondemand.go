package api

import (
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

// The library reflects over the input and output of every route, which would be most of the
// time that a server takes to start. So a route is given to the library when it is first
// called or documented: there are hundreds, and few are called soon.

// prepared is a route as the library prepared it.
type prepared struct {
	op    *huma.Operation
	serve func(huma.Context)
}

// capturer is the library's adapter to the router. It keeps the route that the library
// registers last.
type capturer struct {
	huma.Adapter
	mu   sync.Mutex // held while a route is registered
	last prepared
}

// Handle implements huma.Adapter.
func (c *capturer) Handle(op *huma.Operation, serve func(huma.Context)) { c.last = prepared{op, serve} }

// handleOnDemand routes the calls of a route. Register, which gives the route to the
// library, is called once, before the first call is served.
func (a *API) handleOnDemand(rt *Route, register func()) {
	prepare := sync.OnceValue(func() prepared {
		a.captured.mu.Lock()
		defer a.captured.mu.Unlock()
		register()
		return a.captured.last
	})
	a.onDemand[rt.Method+" "+rt.Path] = prepare
	a.mux.MethodFunc(rt.Method, rt.Path, func(w http.ResponseWriter, r *http.Request) {
		p := prepare()
		p.serve(humachi.NewContext(p.op, r, w))
	})
}
