package api

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
)

// Check compares an answer with the document, for tests: the operation must declare the
// status, and every field of the body must fit its schema.
func (a *API) Check(method, path string, status int, body []byte) error {
	rctx := chi.NewRouteContext()
	if !a.mux.Match(rctx, method, path) {
		return nil
	}
	prepare, ok := a.onDemand[method+" "+rctx.RoutePattern()]
	if !ok {
		return nil // a health check, or a preflight request
	}
	op := prepare().op
	resp, ok := op.Responses[strconv.Itoa(status)]
	if !ok {
		if resp = op.Responses["default"]; resp == nil || status < 400 {
			return fmt.Errorf("%s %s: the document has no status %d", method, rctx.RoutePattern(), status)
		}
	}
	media := resp.Content["application/json"]
	if media == nil {
		if status/100 == 3 || len(resp.Content) > 0 {
			return nil
		}
		return fmt.Errorf("%s %s: status %d has no JSON schema", method, rctx.RoutePattern(), status)
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return fmt.Errorf("%s %s: status %d is not JSON: %w", method, path, status, err)
	}
	res := &huma.ValidateResult{}
	huma.Validate(schemas, media.Schema, huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, v, res)
	if len(res.Errors) > 0 {
		return fmt.Errorf("%s %s: status %d differs from the document: %v\n%s", method, path, status, res.Errors, body)
	}
	return nil
}
