package api

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// A route with ETag answers 304 without a body to whoever shows the tag of
// what it would say. The tag is a hash of the answer, all but its trace id, so
// it is right whatever the answer was made from; it is weak, because the trace
// id is in the bytes. The work of making the answer is done either way: what
// is saved is the way to the caller, and the panel's work there.

// revalidated are answers that a browser may keep but must ask about each time.
var revalidated = []string{"private, no-cache"}

// Polled is the route with an ETag.
func (rt Route) Polled() Route {
	rt.ETag = true
	return rt
}

// tagged gives the status of an answer to a route with ETag: 304 where the
// caller has it. The parts are all that the answer says.
func (rt *Route) tagged(ctx context.Context, status int, parts ...any) (int, error) {
	if !rt.ETag || status != http.StatusOK {
		return status, nil
	}
	sum := sha256.New()
	for _, p := range parts {
		if err := jsonFormat.Marshal(sum, p); err != nil {
			return 0, err
		}
	}
	tag := `W/"` + base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:16]) + `"`
	req := requestOf(ctx)
	h := req.w.Header()
	h["Etag"] = []string{tag}
	h["Cache-Control"] = revalidated
	if has(req.r.Header.Values("If-None-Match"), tag) {
		return http.StatusNotModified, nil
	}
	return status, nil
}

// has compares weakly, as RFC 9110 §13.1.2 asks for.
func has(lines []string, tag string) bool {
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			part = strings.TrimSpace(part)
			if part == "*" || strings.TrimPrefix(part, "W/") == strings.TrimPrefix(tag, "W/") {
				return true
			}
		}
	}
	return false
}

func (a *API) describeTag(rt *Route) {
	op := operationOf(a.huma.OpenAPI().Paths[rt.Path], rt.Method)
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: "If-None-Match", In: "header", Description: "ETag of the response that the caller has cached",
		Schema: &huma.Schema{Type: huma.TypeString},
	})
	op.Responses["200"].Headers = map[string]*huma.Param{
		"ETag": {Description: "Identifies this response, ignoring its trace_id", Schema: &huma.Schema{Type: huma.TypeString}},
	}
	op.Responses["304"] = &huma.Response{Description: "The cached response is still current"}
}
