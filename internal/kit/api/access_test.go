package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"konak/internal/kit/api"
	"konak/internal/kit/obs"
)

type contactIn struct {
	ID string `path:"id"`
}

// The access log identifies a request by the route's pattern: it contains neither the path,
// whose ids may be capabilities, nor the query. Refused requests are logged too.
func TestAccessLog(t *testing.T) {
	t.Parallel()
	log := &logged{}
	h := openWith(t, func(cfg *api.Config) {
		cfg.Log, cfg.AccessLog = obs.NewLogger(log, slog.LevelInfo, true), true
	}, func(a *api.API) {
		api.Handle(a, route("GET", "/api/test/things/{id}", "test-thing"), func(context.Context, *contactIn) (string, error) { return "ok", nil })
		api.Handle(a, route("POST", "/api/test/things/{id}", "test-broken-thing"), func(context.Context, *contactIn) (string, error) {
			return "", errors.New("a bug")
		})
	})
	const id = "0191e7a0-0000-4000-8000-000000000001"
	h.do("GET", "/api/test/things/"+id, "")
	h.do("GET", "/api/test/things/"+id+"?secret=geheim", "")
	h.do("GET", "/api/test/things/"+id, "", "Authorization", "Bearer nobody")
	h.do("POST", "/api/test/things/"+id, "")
	h.do("GET", "/api/test/nothing/"+id, "")
	h.do("DELETE", "/api/test/things/"+id, "")
	h.do("BREW", "/api/test/things/"+id, "")
	type line struct {
		Msg, Method, Route, Tenant string
		Status                     int
		Trace                      string `json:"trace_id"`
		Milliseconds               *float64
	}
	var statuses []int
	failed := 0
	for text := range strings.Lines(log.String()) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]string{true: "-", false: "/api/test/things/{id}"}[l.Status == 404 || l.Status == 405]; l.Route != want || l.Method == "" || l.Trace == "" {
			t.Errorf("line %s", text)
		}
		switch l.Msg {
		case "request":
			statuses = append(statuses, l.Status)
			if l.Milliseconds == nil || l.Status == 200 && l.Tenant != "demo" {
				t.Errorf("line %s", text)
			}
		case "request failed":
			failed++
		}
	}
	if want := []int{200, 422, 401, 500, 404, 405, 405}; !slices.Equal(statuses, want) || failed != 1 {
		t.Errorf("statuses %v, want %v; %d failed", statuses, want, failed)
	}
	if got := log.String(); strings.Contains(got, id) || strings.Contains(got, "geheim") {
		t.Errorf("the log holds the path or the query:\n%s", got)
	}
}
