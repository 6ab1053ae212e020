package api

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/obs"
	"konak/internal/kit/perm"
)

// Access is the kind of credential that a route requires.
type Access string

// The kinds of access.
const (
	// Session needs a signed-in person.
	Session Access = "session"
	// Key needs an API key.
	Key Access = "api_key"
	// SessionOrKey takes either.
	SessionOrKey Access = "session_or_key"
	// Keyless works without a credential, because the id in the path is a
	// capability; a credential that is sent must be valid and permitted.
	Keyless Access = "keyless"
	// Public takes no credential.
	Public Access = "public"
)

// Route declares an operation.
type Route struct {
	Method, Path string
	// ID names the operation in the document and in generated clients.
	ID      string
	Tag     string
	Summary string
	Doc     string
	Access  Access
	// Permission that the caller needs; Anyone for every signed-in member.
	Permission perm.Permission
	// Own names the path parameter that is an agent's id. If it is not the caller's, the
	// route needs the permission Others.
	Own    string
	Others perm.Permission
	// OneOf lists the allowed values of path parameters. Any other value is a 404, whatever
	// the body.
	OneOf map[string][]string
	// Licence is the module that the workspace must have; "" for identity.
	Licence string
	// OrLicence is another module that suffices instead; "" for none.
	OrLicence string
	// Status of success: 200 by default, 201 for routes that create something.
	Status int
	// StepUp requires that the password was proven within the last 15 minutes.
	StepUp bool
	// TakesKey is for routes that create something, or do something else that
	// must not be done twice: they take an Idempotency-Key, and their service
	// does its work with idempotency.Do.
	TakesKey bool
	// ShowsSecret marks answers that must not be stored or cached: a repeat
	// with the same Idempotency-Key is a 409.
	ShowsSecret bool
	// NoStore forbids caches to keep a public answer that depends on the caller.
	NoStore bool
	// TakesCard marks card payments: nothing of their body is kept except a keyed hash of
	// the input's KeyedPart.
	TakesCard bool
	// Ascending lists start at the smallest key.
	Ascending bool
	// MaxBody replaces the limit of 1 MiB.
	MaxBody int64
	// Limit is the class of the route's rate limits.
	Limit LimitClass
	// Refusals are the statuses that the route documents in addition to the common ones.
	Refusals []int
	// Open lets pages of other sites call the route. It reads no cookie.
	Open bool
	// ChecksOrigin is for an open route that only some sites may call: its handler checks
	// Origin and lets the page read the answer with AllowOrigin.
	ChecksOrigin bool
	// Delegable lets sessions that the person did not open themselves, such as an app's,
	// call a route that needs no permission. Otherwise only the person may call it, as it
	// concerns their password, devices, consents or workspaces.
	Delegable bool
	// Invalid400 answers invalid input with 400 invalid_parameter instead of 422, if the
	// platform document requires that.
	Invalid400 bool
	// AnyQuery ignores unknown query parameters instead of refusing them, for addresses
	// that somebody else composes.
	AnyQuery bool
	// ETag lets callers that poll the route send the tag of their last answer: 304 if it is
	// still current. Only for GET.
	ETag bool

	bare, form bool // see bare.go
	visit      bool // see visit.go
	socket     bool // see socket.go
	streams    bool // sending the answer may take longer than a request; see stream.go
	lasts      bool // it stays open until one of the sides leaves
}

// Anyone is the permission of routes that every signed-in member may call.
const Anyone perm.Permission = "*"

// StepUpAge is how long a proven password is valid.
const StepUpAge = 15 * time.Minute

// Envelope is the body of every answer.
type Envelope[T any] struct {
	Data    T      `json:"data"`
	TraceID string `json:"trace_id" example:"4bf92f3577b34da6a3ce929d0e0e4736" doc:"Trace id of the request"`
}

// ListEnvelope is the body of a list.
type ListEnvelope[T any] struct {
	Data       []T     `json:"data" nullable:"false"`
	NextCursor *string `json:"next_cursor" doc:"Pass as cursor to get the next page; null on the last page"`
	TraceID    string  `json:"trace_id" example:"4bf92f3577b34da6a3ce929d0e0e4736" doc:"Trace id of the request"`
}

// Traced is embedded by answers that carry other fields besides data and trace_id.
type Traced struct {
	TraceID string `json:"trace_id" example:"4bf92f3577b34da6a3ce929d0e0e4736" doc:"Trace id of the request"`
}

func (t *Traced) setTrace(id string) { t.TraceID = id }

type output[T any] struct {
	Status int
	Body   T
}

// Handle registers a route whose answer is {data, trace_id}.
func Handle[In, Out any](a *API, rt Route, h func(context.Context, *In) (Out, error)) {
	rt = rt.withDefaults()
	register(a, rt, func(ctx context.Context, in *In) (*output[Envelope[Out]], error) {
		out, err := once(a, &rt, ctx, in, h)
		if err != nil {
			return nil, err
		}
		status, err := rt.tagged(ctx, rt.Status, out)
		if err != nil {
			return nil, err
		}
		return &output[Envelope[Out]]{Status: status, Body: Envelope[Out]{out, obs.TraceID(ctx)}}, nil
	})
}

// HandleBody registers a route whose answer has fields next to data; Out embeds Traced.
func HandleBody[In, Out any, P interface {
	*Out
	setTrace(string)
}](a *API, rt Route, h func(context.Context, *In) (Out, error)) {
	rt = rt.withDefaults()
	register(a, rt, func(ctx context.Context, in *In) (*output[Out], error) {
		out, err := once(a, &rt, ctx, in, h)
		if err != nil {
			return nil, err
		}
		status, err := rt.tagged(ctx, rt.Status, out)
		if err != nil {
			return nil, err
		}
		P(&out).setTrace(obs.TraceID(ctx))
		return &output[Out]{Status: status, Body: out}, nil
	})
}

// Paged is embedded by the input of a list.
type Paged struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"25" doc:"Number of rows to return"`
	Cursor string `query:"cursor" maxLength:"512" doc:"The next_cursor of the previous page"`
	page   db.Page
}

// Page returns where to start reading and how many rows.
func (p *Paged) Page() db.Page { return p.page }

func (p *Paged) paged() *Paged { return p }

// Ordered is implemented by the input of a list that can be sorted in several ways: a
// cursor is valid only for the order that it came from.
type Ordered interface {
	Order() (name string, ascending bool)
}

// PagedBy100 is Paged for histories, which show a hundred rows at first.
type PagedBy100 struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"100" doc:"Number of rows to return"`
	Cursor string `query:"cursor" maxLength:"512" doc:"The next_cursor of the previous page"`
	inner  Paged
}

// Page returns where to start reading and how many rows.
func (p *PagedBy100) Page() db.Page { return p.inner.page }

func (p *PagedBy100) paged() *Paged {
	p.inner.Limit, p.inner.Cursor = p.Limit, p.Cursor
	return &p.inner
}

// HandleList registers a keyset-paginated list; In embeds Paged.
func HandleList[In, Row any, P interface {
	*In
	paged() *Paged
}](a *API, rt Route, h func(context.Context, *In) (db.List[Row], error)) {
	rt = rt.withDefaults()
	register(a, rt, func(ctx context.Context, in *In) (*output[ListEnvelope[Row]], error) {
		p := P(in).paged()
		p.page = db.Page{Limit: p.Limit, After: db.First}
		name, ascending := rt.ID, rt.Ascending
		if o, ok := any(in).(Ordered); ok {
			var order string
			if order, ascending = o.Order(); order != "" {
				name += " " + order
			}
		}
		if ascending {
			p.page.After = db.Before
		}
		if p.Cursor != "" {
			key, ok := a.OpenCursor(ctx, name, p.Cursor)
			if !ok {
				return nil, fault.Invalid("cursor", "invalid")
			}
			p.page.After = key
		}
		list, err := h(ctx, in)
		if err != nil {
			return nil, err
		}
		body := ListEnvelope[Row]{Data: list.Rows, TraceID: obs.TraceID(ctx)}
		if list.Next != nil {
			c := a.SealCursor(ctx, name, *list.Next)
			body.NextCursor = &c
		}
		status, err := rt.tagged(ctx, http.StatusOK, body.Data, body.NextCursor)
		if err != nil {
			return nil, err
		}
		return &output[ListEnvelope[Row]]{Status: status, Body: body}, nil
	})
}

// HandlePage registers a keyset-paginated list without other parameters.
func HandlePage[Row any](a *API, rt Route, h func(context.Context, db.Page) (db.List[Row], error)) {
	HandleList(a, rt, func(ctx context.Context, in *Paged) (db.List[Row], error) { return h(ctx, in.page) })
}

// register adds a route to the table; every Handle function ends here. Each of the functions
// that follow adds to the route's description in the document.
func register[In, Out any](a *API, rt Route, h func(context.Context, *In) (*Out, error), describe ...func(*huma.Operation)) {
	in := reflect.TypeFor[In]()
	a.addRoute(&rt, in)
	a.handleOnDemand(&rt, func() {
		huma.Register(a.huma, a.operation(&rt), func(ctx context.Context, in *In) (*Out, error) {
			out, err := h(ctx, in)
			if err != nil {
				return nil, a.toError(ctx, err)
			}
			return out, nil
		})
		op := operationOf(a.huma.OpenAPI().Paths[rt.Path], rt.Method)
		a.describe(&rt, op, in)
		for _, more := range describe {
			more(op)
		}
	})
}

// addRoute records a route with the type of its input.
func (a *API) addRoute(rt *Route, in reflect.Type) {
	rt.check()
	rt.form = readsForm(in)
	a.routes = append(a.routes, *rt)
	a.changesWith(rt.Method, in)
	if rt.Open {
		a.openTo(rt)
	}
}

// operation returns the library's description of a route.
func (a *API) operation(rt *Route) huma.Operation {
	op := huma.Operation{
		OperationID: rt.ID, Method: rt.Method, Path: rt.Path, Tags: []string{rt.Tag},
		Summary: rt.Summary, Description: rt.Doc, DefaultStatus: rt.Status,
		MaxBodyBytes:    rt.MaxBody + 1, // the library refuses a body of exactly this length
		BodyReadTimeout: a.cfg.RequestTimeout,
		Middlewares:     huma.Middlewares{a.guard(rt)},
		Security:        rt.security(), Errors: rt.errors(),
		Extensions: map[string]any{"x-access": string(rt.Access)},

		RejectUnknownQueryParameters: !rt.AnyQuery,
	}
	if rt.Permission != "" && rt.Permission != Anyone {
		op.Extensions["x-permission"] = string(rt.Permission)
	}
	if rt.Licence != "" {
		op.Extensions["x-licence"] = rt.Licence
	}
	if rt.OrLicence != "" {
		op.Extensions["x-or-licence"] = rt.OrLicence
	}
	if rt.StepUp {
		op.Extensions["x-step-up"] = true
	}
	if rt.Invalid400 {
		op.Extensions["x-invalid"] = 400
	}
	if rt.TakesKey {
		rt.describeKey(&op)
	}
	if rt.bare {
		op.Extensions["x-bare"] = true
		op.SkipValidateParams = true
	}
	return op
}

// describe adds what the library does not know to the document.
func (a *API) describe(rt *Route, op *huma.Operation, in reflect.Type) {
	describeParams(op, in)
	if rt.bare {
		a.describeBare(op)
	}
	if rt.ETag {
		describeTag(op)
	}
}

func (rt Route) withDefaults() Route {
	if rt.Status == 0 {
		rt.Status = http.StatusOK
	}
	if rt.MaxBody == 0 {
		rt.MaxBody = 1 << 20
	}
	return rt
}

func (rt *Route) check() {
	switch {
	case rt.ID == "" || rt.Summary == "" || rt.Tag == "" || rt.Access == "":
		panic(fmt.Sprintf("api: %s %s lacks id, tag, summary or access", rt.Method, rt.Path))
	case rt.Access != Public && rt.Permission == "":
		panic(fmt.Sprintf("api: %s %s declares no permission", rt.Method, rt.Path))
	case rt.Permission != "" && rt.Permission != Anyone && !perm.Known(rt.Permission):
		panic(fmt.Sprintf("api: %s %s: permission %q is not in the table", rt.Method, rt.Path, rt.Permission))
	case rt.ETag && (rt.Method != http.MethodGet || rt.ShowsSecret):
		panic(fmt.Sprintf("api: %s %s has an ETag and is no plain GET", rt.Method, rt.Path))
	case rt.TakesKey && (rt.Method != http.MethodPost || rt.Access == Public):
		panic(fmt.Sprintf("api: %s %s takes an Idempotency-Key and is no POST of a known caller", rt.Method, rt.Path))
	case rt.Open && rt.Access != Public:
		panic(fmt.Sprintf("api: %s %s is open to other sites and not public", rt.Method, rt.Path))
	case strings.HasSuffix(rt.Path, "/"):
		panic(fmt.Sprintf("api: %s %s ends in a slash", rt.Method, rt.Path))
	}
}

func (rt *Route) security() []map[string][]string {
	session := []map[string][]string{{"session": {}}, {"cookie": {}}}
	key := []map[string][]string{{"api_key": {}}}
	switch rt.Access {
	case Session:
		return session
	case Key:
		return key
	case SessionOrKey:
		return append(session, key...)
	case Keyless:
		return append([]map[string][]string{{}}, append(session, key...)...)
	}
	return []map[string][]string{}
}

func (rt *Route) errors() []int {
	errs := append([]int{}, rt.Refusals...)
	if rt.Access != Public {
		errs = append(errs, 401)
	}
	if !rt.Open {
		errs = append(errs, 403) // without a permission, or from another site
	}
	if strings.Contains(rt.Path, "{") {
		errs = append(errs, 404)
	}
	if rt.Method != http.MethodGet && rt.Method != http.MethodDelete {
		errs = append(errs, 400, 413, 415)
	}
	if rt.Method == http.MethodPost {
		errs = append(errs, 409) // a repeated Idempotency-Key
	}
	errs = append(errs, 422, 429, 503)
	slices.Sort(errs)
	return slices.Compact(errs)
}

// describeParams marks path ids with the record that they name, so that the isolation test
// can fill them without knowing the route.
func describeParams(op *huma.Operation, in reflect.Type) {
	for _, f := range reflect.VisibleFields(in) {
		name, record := f.Tag.Get("path"), f.Tag.Get("record")
		if name == "" || record == "" {
			continue
		}
		for _, p := range op.Parameters {
			if p.In == "path" && p.Name == name {
				p.Extensions = map[string]any{"x-record": record}
			}
		}
	}
}

// Caller returns the caller of a route that needs a credential.
func Caller(ctx context.Context) *caller.Caller { return caller.From(ctx) }
