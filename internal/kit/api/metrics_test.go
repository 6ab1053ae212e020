package api_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/dbtest"
)

// A route appears in the metrics only from its first answer on, and only with the status
// classes that occurred: a node with hundreds of routes starts with no such metrics.
func TestRouteMetricsAppearAfterFirstAnswer(t *testing.T) {
	t.Parallel()
	metrics := prometheus.NewRegistry()
	a := api.New(api.Config{Log: slog.New(slog.DiscardHandler), Clock: clock.NewFake(dbtest.Start), Metrics: metrics, Domain: "localhost"})
	for _, path := range []string{"/api/v1/one", "/api/v1/two"} {
		api.Handle(a, api.Route{Method: "GET", Path: path, ID: path[8:], Tag: "T", Summary: "S", Access: api.Public},
			func(context.Context, *struct{}) (string, error) { return "ok", nil })
	}
	series := func() []string {
		families, err := metrics.Gather()
		if err != nil {
			t.Fatal(err)
		}
		out := []string{}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				line := ""
				for _, l := range m.GetLabel() {
					line += l.GetName() + "=" + l.GetValue() + " "
				}
				out = append(out, line)
			}
		}
		return out
	}
	if diff := cmp.Diff([]string{}, series()); diff != "" {
		t.Error(diff)
	}
	for range 2 {
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/one", nil))
		if w.Code != http.StatusOK {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
	}
	if diff := cmp.Diff([]string{"class=2xx method=GET path=/api/v1/one "}, series()); diff != "" {
		t.Error(diff)
	}
}
