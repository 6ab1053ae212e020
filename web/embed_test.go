package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

func builtPanel(outside ...string) http.Handler {
	return newHandler(readFiles(fstest.MapFS{
		"index.html":              {Data: []byte("<!doctype html>panel")},
		"index.html.gz":           {Data: []byte("packed page")},
		"boot.js":                 {Data: []byte("boot")},
		"widget.js":               {Data: []byte("chat")},
		"assets/app-abc123.js":    {Data: []byte("plain script")},
		"assets/app-abc123.js.gz": {Data: []byte("packed script")},
		"assets/font.woff2":       {Data: []byte("font")},
		".vite/manifest.json":     {Data: []byte("{}")},
		".gitkeep":                {Data: nil},
	}), "https:", outside...)
}

func TestPolicyAllowsOnlyCaptchaHost(t *testing.T) {
	t.Parallel()
	const name = "Content-Security-Policy"
	closed := get(t, builtPanel(), "GET", "/", "").Header.Get(name)
	if !strings.Contains(closed, "script-src 'self';") || strings.Contains(closed, "frame-src") || strings.Contains(closed, "http:") {
		t.Errorf("policy %s", closed)
	}
	open := get(t, builtPanel("https://captcha.example"), "GET", "/", "").Header.Get(name)
	for _, want := range []string{
		"default-src 'none'", "script-src 'self' https://captcha.example;", "frame-src https://captcha.example;", "connect-src 'self' https://captcha.example;",
	} {
		if !strings.Contains(open, want) {
			t.Errorf("policy %s lacks %s", open, want)
		}
	}
}

// Forms may be sent only to this origin, and to a bank if there is one.
func TestPolicyOfForms(t *testing.T) {
	t.Parallel()
	for forms, want := range map[string]string{"": "form-action 'self';", "https:": "form-action 'self' https:;"} {
		if got := contentPolicy(forms, nil); !strings.Contains(got, want) {
			t.Errorf("policy %s lacks %s", got, want)
		}
	}
}

func get(t *testing.T, h http.Handler, method, target, encoding string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	if encoding != "" {
		r.Header.Set("Accept-Encoding", encoding)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, response *http.Response) string {
	t.Helper()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestHandlerServes(t *testing.T) {
	t.Parallel()
	const page = "<!doctype html>panel"
	tests := []struct {
		name, method, target, encoding string
		status                         int
		body, cache, contentEncoding   string
		policy                         bool
	}{
		{"root is the page", "GET", "/", "", 200, page, "no-cache", "", true},
		{"a screen's path is the page", "GET", "/erp/webhooks/1", "", 200, page, "no-cache", "", true},
		{"the page by its name", "GET", "/index.html", "", 200, page, "no-cache", "", true},
		{"the page packed", "GET", "/", "br, gzip", 200, "packed page", "no-cache", "gzip", true},
		{"the widget for other sites", "GET", "/widget.js", "", 200, "chat", "public, max-age=600, stale-while-revalidate=86400", "", false},
		{"an asset never changes", "GET", "/assets/app-abc123.js", "", 200, "plain script", "public, max-age=31536000, immutable", "", false},
		{"an asset packed", "GET", "/assets/app-abc123.js", "gzip;q=1.0", 200, "packed script", "public, max-age=31536000, immutable", "gzip", false},
		{"packing refused", "GET", "/assets/app-abc123.js", "gzip;q=0", 200, "plain script", "public, max-age=31536000, immutable", "", false},
		{"no packed twin", "GET", "/assets/font.woff2", "gzip", 200, "font", "public, max-age=31536000, immutable", "", false},
		{"a file without a hash", "GET", "/boot.js", "", 200, "boot", "no-cache", "", false},
		{"head has no body", "HEAD", "/", "", 200, "", "no-cache", "", true},
		{"an asset of another release", "GET", "/assets/app-old.js", "", 404, "404 page not found\n", "no-store", "", false},
		{"the API is not the panel's", "GET", "/api/v1/nothing", "", 404, "404 page not found\n", "no-store", "", false},
		{"dots do not climb out", "GET", "/assets/../api/v1/x", "", 404, "404 page not found\n", "no-store", "", false},
		{"dot files stay inside", "GET", "/.vite/manifest.json", "", 200, page, "no-cache", "", true},
		{"packed twins have no address", "GET", "/index.html.gz", "", 200, page, "no-cache", "", true},
		{"nothing is written here", "POST", "/", "", 405, "method not allowed\n", "", "", false},
	}
	h := builtPanel()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			response := get(t, h, tt.method, tt.target, tt.encoding)
			if response.StatusCode != tt.status {
				t.Errorf("status %d, want %d", response.StatusCode, tt.status)
			}
			if got := body(t, response); got != tt.body {
				t.Errorf("body %q, want %q", got, tt.body)
			}
			if got := response.Header.Get("Cache-Control"); got != tt.cache {
				t.Errorf("Cache-Control %q, want %q", got, tt.cache)
			}
			if got := response.Header.Get("Content-Encoding"); got != tt.contentEncoding {
				t.Errorf("Content-Encoding %q, want %q", got, tt.contentEncoding)
			}
			policy := response.Header.Get("Content-Security-Policy")
			if (policy != "") != tt.policy {
				t.Errorf("policy %q, want one: %v", policy, tt.policy)
			}
			if strings.Contains(policy, "unsafe") {
				t.Errorf("policy allows something unsafe: %s", policy)
			}
		})
	}
}

func TestHandlerWithoutBuildExplainsHowToBuild(t *testing.T) {
	t.Parallel()
	h := newHandler(readFiles(fstest.MapFS{".gitkeep": {Data: nil}}), "")
	response := get(t, h, "GET", "/", "")
	if response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("status %d, want 503", response.StatusCode)
	}
	if got := body(t, response); got != notBuilt+"\n" {
		t.Errorf("body %q, want %q", got, notBuilt)
	}
}
