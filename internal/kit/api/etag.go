package api

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// A route with ETag answers 304 without a body to a caller that sends the tag of the
// current answer. The tag is a hash of the answer except its trace id, so it is right
// whatever the answer is built from; it is weak because the bytes include the trace id. The
// answer is computed either way: what is saved is the transfer and the panel's work on it.

// revalidated is the Cache-Control of answers that a browser may keep but must revalidate
// each time.
var revalidated = []string{"private, no-cache"}

// Polled returns the route with an ETag.
func (rt Route) Polled() Route {
	rt.ETag = true
	return rt
}

// tagged returns the status of an answer to a route with ETag: 304 if the caller already
// has it. The parts are everything the answer contains.
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

// has compares weakly, as RFC 9110 §13.1.2 requires.
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

func describeTag(op *huma.Operation) {
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: "If-None-Match", In: "header", Description: "ETag of the response that the caller has cached",
		Schema: &huma.Schema{Type: huma.TypeString},
	})
	op.Responses["200"].Headers = map[string]*huma.Param{
		"ETag": {Description: "Identifies this response, ignoring its trace_id", Schema: &huma.Schema{Type: huma.TypeString}},
	}
	op.Responses["304"] = &huma.Response{Description: "The cached response is still current"}
}
