package reference

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const document = `{"paths": {
	"/api/v1/things/{id}": {"put": {
		"operationId": "set-thing", "summary": "Set a <thing>", "tags": ["Two words"], "x-access": "api_key", "x-permission": "things.manage", "x-licence": "crm",
		"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}},
			{"name": "mode", "in": "query", "description": "How", "schema": {"type": "string", "enum": ["soft", "hard"]}}],
		"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
		"responses": {"200": {"content": {"application/json": {"example": {"data": {"name": "x"}}}}}, "404": {"content": {"application/json": {"example": {"data": null}}}}}
	}},
	"/healthz": {"get": {"operationId": "health", "summary": "Health", "tags": ["Service"], "x-access": "public", "responses": {}}}
}, "components": {"schemas": {"Thing": {"type": "object", "properties": {
	"name": {"type": "string", "examples": ["Elif's"]}, "tags": {"type": ["array", "null"], "items": {"type": "string"}}, "inner": {"$ref": "#/components/schemas/Thing"}
}}}}}`

func get(t *testing.T, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return w
}

func TestPages(t *testing.T) {
	t.Parallel()
	asked := 0
	h := Handler(func() ([]byte, error) { asked++; return []byte(document), nil })
	for path, parts := range map[string][]string{
		"/docs": {`href="/docs/two-words#set-thing"`, "Set a &lt;thing&gt;", `href="/docs/service#health"`, `href="/openapi.json"`},
		"/docs/two-words/": {
			`id="set-thing"`, "PUT /api/v1/things/{id}", "An API key", "things.manage", "(required)", "string (uuid)", "soft | hard",
			"curl -X PUT", "Elif&#39;\\&#39;&#39;s", "Authorization: Bearer", "Answer 200",
		},
		"/docs/service": {"Anybody", "GET /healthz"},
	} {
		w := get(t, h, path)
		if w.Code != 200 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'; style-src 'sha256-") {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
		for _, part := range parts {
			if !strings.Contains(w.Body.String(), part) {
				t.Errorf("%s lacks %q:\n%s", path, part, w.Body)
			}
		}
		if strings.Contains(w.Body.String(), "<script") {
			t.Errorf("%s has a script", path)
		}
	}
	if body := get(t, h, "/docs/service").Body.String(); strings.Contains(body, "Authorization: Bearer $KEY") {
		t.Error("who needs no key is told to send one")
	}
	if w := get(t, h, "/docs/nothing"); w.Code != 404 {
		t.Errorf("a group that is not there: %d", w.Code)
	}
	if asked != 1 {
		t.Errorf("the document was asked for %d times", asked)
	}
}

func TestFailingDocumentIsAnError(t *testing.T) {
	t.Parallel()
	for name, doc := range map[string]func() ([]byte, error){
		"error":   func() ([]byte, error) { return nil, errors.New("no") },
		"no JSON": func() ([]byte, error) { return []byte("{"), nil },
		"no tag":  func() ([]byte, error) { return []byte(`{"paths": {"/x": {"get": {}}}}`), nil },
	} {
		if w := get(t, Handler(doc), "/docs"); w.Code != 500 {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}
