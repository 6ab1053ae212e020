package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/fault"
	"konak/internal/kit/obs"
	"konak/internal/kit/perm"
)

// ErrorBody is the one error shape.
type ErrorBody struct {
	Data    any         `json:"data" doc:"Always null"`
	Err     ErrorDetail `json:"error"`
	TraceID string      `json:"trace_id" example:"4bf92f3577b34da6a3ce929d0e0e4736"`
	status  int
}

// ErrorDetail says what went wrong and what to do.
type ErrorDetail struct {
	Code            string              `json:"code" example:"validation_failed" doc:"An error code from docs/errors.md"`
	Message         string              `json:"message" example:"Some fields need attention." doc:"Human-readable message, in the language of Accept-Language"`
	Fields          map[string][]string `json:"fields" doc:"Error codes by field path, at most 100 errors"`
	MoreFields      int                 `json:"more_fields" doc:"Number of further field errors"`
	Reason          *string             `json:"reason" doc:"Machine-readable detail"`
	Permission      *string             `json:"permission" doc:"Missing permission, on a 403"`
	Scope           *string             `json:"scope" doc:"Scope that the API key needs, on a 403"`
	Step            Nullable[ErrorStep] `json:"step" doc:"The refused action, if the request has several; none of them was carried out"`
	WindowExpiredAt *clock.Time         `json:"window_expired_at" nullable:"true" doc:"When the channel's reply window closed, for window_closed; null if it was never open"`
	Matches         []ErrorMatch        `json:"matches" nullable:"false" doc:"Matches of data-loss-prevention rules, for dlp_blocked and dlp_warning"`
	MaxAge          *int                `json:"max_age" doc:"How recently the password must have been confirmed, in seconds"`
}

// ErrorMatch is what a data-loss-prevention rule found.
type ErrorMatch struct {
	PatternType   string   `json:"pattern_type" example:"credit_card"`
	SamplesMasked []string `json:"samples_masked" nullable:"false" example:"[\"************1111\"]"`
}

// ErrorStep names one of a request's actions.
type ErrorStep struct {
	Index  int    `json:"index" example:"2" doc:"Position in the request, starting at 0"`
	Action string `json:"action" example:"close"`
}

// Error implements error.
func (e *ErrorBody) Error() string { return e.Err.Code }

// GetStatus implements huma.StatusError.
func (e *ErrorBody) GetStatus() int { return e.status }

func newErrorBody(ctx context.Context, lang string, f *fault.Fault) *ErrorBody {
	e := &ErrorBody{
		Err:     ErrorDetail{Code: string(f.Code), Message: f.Message(lang), Fields: f.Fields, MoreFields: f.MoreFields},
		TraceID: obs.TraceID(ctx), status: f.Code.Status(),
	}
	if e.Err.Fields == nil {
		e.Err.Fields = map[string][]string{}
	}
	if f.Reason != "" {
		e.Err.Reason = &f.Reason
	}
	if f.Permission != "" {
		e.Err.Permission = &f.Permission
	}
	if f.Scope != "" {
		e.Err.Scope = &f.Scope
	}
	e.Err.WindowExpiredAt = f.WindowExpiredAt
	e.Err.Matches = each.Map(f.Matches, func(m fault.Match) ErrorMatch { return ErrorMatch(m) })
	if f.Step != nil {
		e.Err.Step = Some(ErrorStep{f.Step.Index, f.Step.Action})
	}
	if f.Code == fault.StepUpRequired {
		age := int(StepUpAge.Seconds())
		e.Err.MaxAge = &age
	}
	return e
}

// asFault finds the fault in a handler's error. An error that is not a fault is our own
// failure: it is logged here, once, and shown as internal, or as unavailable if it is a
// temporary outage. Outages affect every request, so each cause is logged at most once a
// second.
func (a *API) asFault(ctx context.Context, err error) *fault.Fault {
	if db.IsDiskFull(err) {
		a.diskFullAt.Store(a.cfg.Clock.Now().UnixNano())
	}
	f, ok := fault.As(err)
	switch {
	case ok:
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), db.IsUnavailable(err):
		f = fault.New(fault.Unavailable).Wrap(err)
	default:
		f = fault.New(fault.Internal).Wrap(err)
	}
	a.faults.WithLabelValues(string(f.Code)).Inc()
	a.logFault(ctx, f, err)
	return f
}

// logFault logs failures on our side, with the route on which they happened.
func (a *API) logFault(ctx context.Context, f *fault.Fault, err error) {
	method, route := requestOf(ctx).route()
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		a.cfg.Log.DebugContext(ctx, "the client closed the connection", "method", method, "route", route, "error", err)
	case f.Code == fault.Unavailable:
		cause := outageCause(err)
		outages, _ := a.outages.LoadOrStore(cause, &outageLog{})
		if n, ok := outages.(*outageLog).count(a.cfg.Clock.Now()); ok {
			a.cfg.Log.ErrorContext(ctx, "request failed", "method", method, "route", route, "cause", cause, "error", err, "more", n)
		}
	case f.Code.Status() >= 500:
		a.cfg.Log.ErrorContext(ctx, "request failed", "method", method, "route", route, "error", err)
	}
}

// outageCause names the cause of an outage. Each cause is logged separately.
func outageCause(err error) string {
	switch {
	case db.IsDiskFull(err):
		return "disk full"
	case db.IsUnavailable(err):
		return "database"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "time"
	}
	return "service outside"
}

// FaultOf returns the fault with which an error is answered, for handlers that are not part
// of the API document. Failures on our side are logged.
func FaultOf(ctx context.Context, err error) *fault.Fault {
	return requestOf(ctx).api.asFault(ctx, err)
}

// diskFullFor is how long the database's disk is assumed to stay full.
const diskFullFor = 30 * time.Second

// DiskWasFull reports whether a request failed a moment ago because the database had no
// space left. The disk of a database server cannot be checked directly.
func (a *API) DiskWasFull() bool {
	at := a.diskFullAt.Load()
	return at != 0 && a.cfg.Clock.Now().Sub(time.Unix(0, at)) < diskFullFor
}

// outageLog counts the outages between two log lines.
type outageLog struct {
	mu     sync.Mutex
	next   time.Time
	missed int
}

// count reports whether a line is due, and how many outages were not logged since the last
// one.
func (o *outageLog) count(now time.Time) (missed int, logged bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now.Before(o.next) {
		o.missed++
		return 0, false
	}
	missed, o.missed, o.next = o.missed, 0, now.Add(time.Second)
	return missed, true
}

// nameScope adds the scope that an API key lacks to the fault.
func nameScope(f *fault.Fault, who *caller.Caller) {
	if f.Permission != "" && who.Kind == caller.APIKey {
		f.Scope = perm.ScopeFor(perm.Permission(f.Permission))
	}
}

// toError turns a handler's error into an answer.
func (a *API) toError(ctx context.Context, err error) error {
	f := a.asFault(ctx, err)
	nameScope(f, caller.From(ctx))
	lang := "en"
	if req, ok := ctx.Value(requestKey{}).(*request); ok {
		lang = language(req.r)
		req.w.Header()["Cache-Control"] = noStore
		SetRetryAfter(req.w, f)
		if req.rt != nil && req.rt.bare {
			return newBareError(lang, f)
		}
	}
	return newErrorBody(ctx, lang, f)
}

func (a *API) writeError(w http.ResponseWriter, r *http.Request, rt *Route, err error) (status int) {
	f := a.asFault(r.Context(), err)
	if rt.bare {
		SetRetryAfter(w, f)
		writeStatus(w, newBareError(language(r), f))
		return f.Code.Status()
	}
	writeFault(w, r, f)
	return f.Code.Status()
}

func writeFault(w http.ResponseWriter, r *http.Request, f *fault.Fault) {
	SetRetryAfter(w, f)
	writeStatus(w, newErrorBody(r.Context(), language(r), f))
}

func writeStatus(w http.ResponseWriter, e huma.StatusError) {
	w.Header().Set("Content-Type", "application/json")
	w.Header()["Cache-Control"] = noStore
	if e.GetStatus() == http.StatusUnauthorized && w.Header().Get("WWW-Authenticate") == "" {
		w.Header().Set("WWW-Authenticate", `Bearer realm="konak"`)
	}
	w.WriteHeader(e.GetStatus())
	_ = jsonFormat.Marshal(w, e)
}

// retryOutage is the number of seconds after which to retry after an outage.
const retryOutage = 5

// SetRetryAfter sets the Retry-After header if the fault or its status calls for one.
func SetRetryAfter(w http.ResponseWriter, f *fault.Fault) {
	wait := f.RetryAfter
	if f.Code.Status() == http.StatusServiceUnavailable {
		wait = max(wait, retryOutage)
	}
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(wait))
	}
}

// Language returns "tr" or "en", whichever the caller prefers.
func Language(ctx context.Context) string {
	if r := requestOf(ctx).r; r != nil {
		return language(r)
	}
	return "en"
}

// UserAgent returns the User-Agent of the caller's program.
func UserAgent(ctx context.Context) string {
	if r := requestOf(ctx).r; r != nil {
		return strings.ToValidUTF8(r.UserAgent(), "\uFFFD")
	}
	return ""
}

// language returns "tr" if the caller prefers Turkish, otherwise "en".
func language(r *http.Request) string {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		tag, _, _ := strings.Cut(strings.TrimSpace(part), ";")
		switch strings.ToLower(strings.SplitN(tag, "-", 2)[0]) {
		case "tr":
			return "tr"
		case "en":
			return "en"
		}
	}
	return "en"
}

var jsonFormat = huma.Format{
	Marshal: func(w io.Writer, v any) error {
		if e, ok := v.(interface{ writeKept(io.Writer) (bool, error) }); ok {
			if done, err := e.writeKept(w); done {
				return err
			}
		}
		return writeJSON(w, v)
	},
	Unmarshal: unmarshalClean,
}

// hookHuma sets our error shape in the library. Its hooks are package variables, so they
// are set once per process.
var hookHuma = sync.OnceFunc(func() {
	huma.DefaultArrayNullable = false // a list is never null
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		return newErrorBody(context.Background(), "en", fromHuma(0, status, msg, errs))
	}
	huma.NewErrorWithContext = func(hc huma.Context, status int, msg string, errs ...error) huma.StatusError {
		r, w := humachi.Unwrap(hc)
		w.Header()["Cache-Control"] = noStore
		f := fromHuma(hc.Operation().MaxBodyBytes-1, status, msg, errs)
		if f.Code == fault.ValidationFailed && hc.Operation().Extensions["x-invalid"] == 400 {
			f.Code = fault.InvalidParameter
		}
		if hc.Operation().Extensions["x-bare"] == true {
			return newBareError(language(r), f)
		}
		return newErrorBody(hc.Context(), language(r), f)
	}
})

func fromHuma(maxBody int64, status int, msg string, errs []error) *fault.Fault {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return fault.New(fault.BodyTooLarge, maxBody)
	case http.StatusUnsupportedMediaType:
		return fault.New(fault.UnsupportedMedia)
	case http.StatusBadRequest, http.StatusRequestTimeout:
		for _, err := range errs {
			if d, ok := errors.AsType[*huma.ErrorDetail](err); ok {
				if field, ok := strings.CutPrefix(d.Message, unkeptPrefix); ok {
					return fault.Invalid(field, badCharacter)
				}
				if d.Message == errTooManyValues.Error() {
					return fault.New(fault.BadRequest).Because("too_many_values")
				}
			}
		}
		if msg == "validation failed" { // the library's message for a body that it could not parse
			return fault.New(fault.BadRequest).Because("invalid_json")
		}
		return fault.New(fault.BadRequest).Because(strings.ReplaceAll(strings.ToLower(msg), " ", "_"))
	case http.StatusUnprocessableEntity:
		f := fault.New(fault.ValidationFailed)
		for _, err := range errs {
			if d, ok := errors.AsType[*huma.ErrorDetail](err); ok {
				if field, ok := strings.CutPrefix(d.Message, nullPrefix); ok {
					f.Field(field, isNull)
					continue
				}
				field, code := fieldCode(d.Location, d.Message)
				f.Field(field, code)
				if values, ok := strings.CutPrefix(d.Message, `expected value to be one of "`); ok {
					f = f.Allow(field, strings.TrimSuffix(values, `"`))
				}
			}
		}
		return f
	}
	return fault.New(fault.Internal).Wrap(errors.Join(errs...))
}

// fieldCodes maps the validator's messages to codes that clients can switch on and
// translate. The rejected value itself is never echoed.
var fieldCodes = []struct{ prefix, code string }{
	{"unexpected property", "unknown_field"},
	{"unknown query parameter", "unknown_field"},
	{"required ", "required"},
	{"expected length >= 1", "required"},
	{"expected length >=", "too_short"},
	{"expected length <=", "too_long"},
	{"expected array length >= 1", "required"},
	{"expected array length >=", "too_few"},
	{"expected array length <=", "too_many"},
	{"expected array items to be unique", "duplicate"},
	{"expected number >", "too_small"},
	{"expected number <", "too_large"},
	{"expected value to be one of", "not_allowed"},
	{"expected string to be RFC 5322 email", "invalid_address"},
	{"expected string to be RFC 4122 uuid", "invalid_id"},
	{"expected string to be RFC 3339", "invalid_time"},
	{"expected string to be RFC 3986", "invalid_address"},
	{"expected string to ", "invalid_format"},
	{"expected ", "wrong_type"},
	{"invalid value: no id", "invalid_id"},
	{"invalid ", "wrong_type"},
}

func fieldCode(location, message string) (field, code string) {
	_, field, _ = strings.Cut(location, ".")
	if name, ok := strings.CutPrefix(message, "expected required property "); ok {
		name, _, _ = strings.Cut(name, " ")
		return strings.TrimPrefix(field+"."+name, "."), "required"
	}
	if field == "" {
		field = location
	}
	for _, c := range fieldCodes {
		if strings.HasPrefix(message, c.prefix) {
			return field, c.code
		}
	}
	return field, "invalid"
}
