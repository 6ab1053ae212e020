package app_test

import (
	"io"
	"maps"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/db"
)

var (
	describedMetric  = regexp.MustCompile(`fqName: "(konak_[a-z_]+)"`)
	documentedMetric = regexp.MustCompile("(?m)^\\| `(konak_[a-z_]+)` \\|")
	usedMetric       = regexp.MustCompile(`konak_[a-z_]+`)
	histogramPart    = regexp.MustCompile(`_(bucket|count|sum)$`)
)

// registeredMetrics are the names of all metrics of a node, with or without a value.
func registeredMetrics(s *apptest.Server) map[string]bool {
	out := make(chan *prometheus.Desc)
	go func() {
		s.Metrics().(prometheus.Collector).Describe(out)
		close(out)
	}()
	names := map[string]bool{}
	for d := range out {
		if m := describedMetric.FindStringSubmatch(d.String()); m != nil {
			names[m[1]] = true
		}
	}
	return names
}

// The page about metrics lists those that there are, and alerts and dashboard use no
// other.
func TestMetricsAreDocumented(t *testing.T) {
	t.Parallel()
	names := registeredMetrics(apptest.NewOn(t, db.SQLite, func(*app.Config) {}))
	read := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	documented := []string{}
	for _, m := range documentedMetric.FindAllStringSubmatch(read("../../docs/metrics.md"), -1) {
		documented = append(documented, m[1])
	}
	slices.Sort(documented)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(names)), documented); diff != "" {
		t.Errorf("docs/metrics.md (+) and what is served (-) differ:\n%s", diff)
	}
	for _, path := range []string{"../../packaging/prometheus-alerts.yml", "../../packaging/grafana-dashboard.json"} {
		used := usedMetric.FindAllString(read(path), -1)
		if len(used) == 0 {
			t.Errorf("%s uses no metric", path)
		}
		for _, name := range used {
			if !names[histogramPart.ReplaceAllString(name, "")] {
				t.Errorf("%s: there is no metric %s", path, name)
			}
		}
	}
}

func scrape(s *apptest.Server) string {
	w := httptest.NewRecorder()
	s.MetricsHandler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	b, _ := io.ReadAll(w.Body)
	return string(b)
}

// What happens is seen in the metrics, on both databases.
func TestMetricsOfANode(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		w.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Elif"}).Want(201)
		s.Client("").Post("/api/v1/auth/sign-in", map[string]any{"email": "owner@demo.example", "password": "wrong"}).Refused(422, "wrong_credentials")
		s.Client("").Post("/api/v1/auth/password/forgot", map[string]any{"email": "owner@demo.example"}).Want(200)
		s.Clock.Advance(90e9)
		got := scrape(s)
		for _, want := range []string{
			`konak_build_info{commit="` + app.Commit + `",version="` + app.Version + `"} 1`,
			`konak_http_faults_total{code="wrong_credentials"} 1`,
			`konak_outbox_waiting 1`, `konak_outbox_lag_seconds 90`,
			`konak_jobs_due{kind="identity.forgot"} 1`, `konak_jobs_lag_seconds{kind="identity.forgot"} 90`,
			`konak_mail_queue_waiting 0`, `konak_streams_open 0`, `konak_files_bytes 0`, `konak_database_outages_total 0`,
		} {
			if !strings.Contains(got, want+"\n") {
				t.Errorf("no %s", want)
			}
		}
		for _, positive := range []string{"konak_database_bytes", "konak_disk_free_bytes", "konak_database_connections_max"} {
			if !regexp.MustCompile(`(?m)^` + positive + ` [1-9]`).MatchString(got) {
				t.Errorf("%s is not there or 0", positive)
			}
		}
		s.Settle()
		if got := scrape(s); !strings.Contains(got, "konak_outbox_waiting 0\n") || strings.Contains(got, "konak_jobs_due{") && strings.Contains(got, `konak_jobs_due{kind="identity.forgot"} 1`) {
			t.Error("what was done is still waiting")
		}
	})
}

// While the database is down, the metrics that need none are still served.
func TestMetricsInAnOutage(t *testing.T) {
	t.Parallel()
	var c *cable
	s := apptest.NewOn(t, db.Postgres, func(cfg *app.Config) { c, cfg.DB = layCable(t, cfg.DB) })
	w := s.Workspace("demo")
	c.cut()
	unavailable(t, w.Owner.Get("/api/crm/v1/contacts"))
	got := scrape(s)
	for _, want := range []string{`konak_build_info`, `konak_http_faults_total{code="unavailable"} 1`, "konak_disk_free_bytes"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s", want)
		}
	}
	if !regexp.MustCompile(`(?m)^konak_database_outages_total [1-9]`).MatchString(got) {
		t.Error("the outage is not counted")
	}
	if strings.Contains(got, "\nkonak_outbox_waiting ") {
		t.Error("the outbox is counted without a database")
	}
	if logs := s.Logs.String(); !strings.Contains(logs, `route=/api/crm/v1/contacts cause=database`) {
		t.Errorf("the log does not name the route and the cause: %s", logs)
	}
}
