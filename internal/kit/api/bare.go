package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"konak/internal/kit/fault"
)

// Some routes must follow a standard such as OAuth exactly: client libraries expect the
// requests and answers that the standard defines. HandleBare and HandleRedirect serve
// those routes. Their answer is the value itself without an envelope, and
// their errors are OAuth's {error, error_description}, where our 413, 415 and 422 become
// 400. Unknown parameters are ignored, as RFC 6749 asks. A body tagged
// contentType:"application/x-www-form-urlencoded" is read from a form; all its fields are
// strings, and a repeated field is refused.

// formType is the content type of the bodies that HTML forms and OAuth clients send.
const formType = "application/x-www-form-urlencoded"

// BareError is the error shape of RFC 6749 §5.2.
type BareError struct {
	Code        string `json:"error" example:"invalid_grant"`
	Description string `json:"error_description" example:"The code is wrong, used or too old."`
	status      int
}

// Error implements error.
func (e *BareError) Error() string { return e.Code }

// GetStatus implements huma.StatusError.
func (e *BareError) GetStatus() int { return e.status }

// bareCodes maps the faults whose OAuth names differ from ours. All other OAuth names are
// codes of the catalogue.
var bareCodes = map[fault.Code]string{
	fault.BadRequest: "invalid_request", fault.ValidationFailed: "invalid_request",
	fault.BodyTooLarge: "invalid_request", fault.UnsupportedMedia: "invalid_request",
	fault.InvalidParameter: "invalid_request", fault.InvalidRedirect: "invalid_request", fault.InvalidRedirectURIs: "invalid_redirect_uri",
	fault.Internal: "server_error", fault.Unavailable: "temporarily_unavailable",
	fault.RateLimited: "temporarily_unavailable",
}

// BareCode returns OAuth's name for a fault.
func BareCode(f *fault.Fault) string {
	if name, ok := bareCodes[f.Code]; ok {
		return name
	}
	return string(f.Code)
}

func newBareError(lang string, f *fault.Fault) *BareError {
	e := &BareError{Code: BareCode(f), Description: f.Message(lang), status: f.Code.Status()}
	switch e.status {
	case http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		e.status = http.StatusBadRequest // RFC 6749 §5.2
	}
	return e
}

// HandleBare registers a route whose answer is the value itself.
func HandleBare[In, Out any](a *API, rt Route, h func(context.Context, *In) (Out, error)) {
	rt = rt.withDefaults()
	rt.bare = true
	register(a, rt, func(ctx context.Context, in *In) (*output[Out], error) {
		out, err := h(ctx, in)
		if err != nil {
			return nil, err
		}
		return &output[Out]{Status: rt.Status, Body: out}, nil
	})
}

type redirectOutput struct {
	Status   int
	Location string `header:"Location"`
}

// HandleRedirect registers a route that redirects a browser to the address that h returns
// for the query.
func HandleRedirect[In any](a *API, rt Route, h func(ctx context.Context, in *In, query url.Values) (string, error)) {
	rt = rt.withDefaults()
	rt.bare, rt.Status = true, http.StatusFound
	register(a, rt, func(ctx context.Context, in *In) (*redirectOutput, error) {
		to, err := h(ctx, in, ctx.Value(requestKey{}).(*request).r.URL.Query())
		if err != nil {
			return nil, err
		}
		return &redirectOutput{Status: rt.Status, Location: to}, nil
	})
}

// describeBare adds the other error shape to the document.
func (a *API) describeBare(op *huma.Operation) {
	schema := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[BareError](), true, "BareError")
	for code, resp := range op.Responses {
		if status, err := strconv.Atoi(code); err == nil && status >= 400 {
			resp.Content["application/json"] = &huma.MediaType{Schema: schema}
		}
	}
	for _, status := range []string{"413", "415", "422"} {
		delete(op.Responses, status)
	}
}

// openTo answers the preflight request in which a browser asks whether another site may
// call a route. The route reads no cookie, so any site may.
func (a *API) openTo(rt *Route) {
	a.mux.Options(rt.Path, func(w http.ResponseWriter, _ *http.Request) {
		openHeaders(w)
		w.Header().Set("Access-Control-Allow-Methods", rt.Method)
		w.Header().Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, Accept-Language")
		w.Header().Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
	})
}

// Origin returns the site of the calling page, "" if the call does not come from a page.
func Origin(ctx context.Context) string { return requestOf(ctx).r.Header.Get("Origin") }

// AllowOrigin lets the calling page read the answer of a route that checks the calling
// site.
func AllowOrigin(ctx context.Context) {
	if origin := Origin(ctx); origin != "" {
		h := requestOf(ctx).w.Header()
		h.Set("Access-Control-Allow-Origin", origin)
		h.Add("Vary", "Origin")
		h.Set("Access-Control-Expose-Headers", "Retry-After")
	}
}

// BearerToken returns the token that the caller of an open route sent; only the handler can
// check it.
func BearerToken(ctx context.Context) string {
	token, _ := bearer(requestOf(ctx).r)
	return token
}

func openHeaders(w http.ResponseWriter) { w.Header().Set("Access-Control-Allow-Origin", "*") }

// readsForm reports whether the body of an input is a form.
func readsForm(in reflect.Type) bool {
	f, ok := in.FieldByName("Body")
	return ok && f.Tag.Get("contentType") == formType
}

// wrongMedia reports whether the body is a form where JSON is expected, or the other way
// round. Other types are left for the library to refuse.
func wrongMedia(rt *Route, r *http.Request) bool {
	header := r.Header.Get("Content-Type")
	if header == "" {
		return rt.form && r.ContentLength != 0
	}
	kind, _, err := mime.ParseMediaType(header)
	return err == nil && (kind == formType) != rt.form && (rt.form || kind == formType)
}

var errRepeated = errors.New("a parameter is repeated")

// formFormat turns a form into the JSON object of its fields.
var formFormat = huma.Format{
	Marshal: func(io.Writer, any) error { return errors.New("api: forms are read, not written") },
	Unmarshal: func(b []byte, v any) error {
		values, err := url.ParseQuery(string(b))
		if err != nil {
			return fmt.Errorf("api: form: %w", err)
		}
		fields := make(map[string]string, len(values))
		for name, list := range values {
			if len(list) > 1 {
				return fmt.Errorf("%w: %s", errRepeated, name)
			}
			fields[name] = list[0]
		}
		text, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		return unmarshalClean(text, v)
	},
}
