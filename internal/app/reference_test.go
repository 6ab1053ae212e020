package app_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"konak/internal/app"
	"konak/internal/app/apptest"
)

// TestReference reads the reference for people over HTTP: every operation of the
// document is on the page of its group.
func TestReference(t *testing.T) {
	t.Parallel()
	s := apptest.NewWith(t, func(*app.Config) {})
	page := func(path string) string {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		b, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("%s: %d, %v", path, resp.StatusCode, err)
		}
		return string(b)
	}
	contents := page("/docs")
	b, err := s.API.Document()
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range readDocument(t, b).operations {
		if !strings.Contains(contents, "#"+op.ID+`"`) {
			t.Errorf("the contents lack %s", op.ID)
		}
	}
	if got := page("/docs/crm-public-api"); !strings.Contains(got, "POST /api/crm/public/v1/conversations") || !strings.Contains(got, "contact") {
		t.Error("the page of the public API lacks how a conversation is opened")
	}
}
