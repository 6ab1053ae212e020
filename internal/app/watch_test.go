package app_test

import (
	"database/sql/driver"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
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

// The page about metrics lists the existing ones, and alerts and dashboard use no others.
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

// Events show up in the metrics, on both databases.
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

// value returns one number of the metrics; the name may have labels. It is 0 if the metric
// is missing.
func value(t *testing.T, s *apptest.Server, name string) (sum float64) {
	t.Helper()
	for line := range strings.Lines(scrape(s)) {
		if at, number, _ := strings.Cut(strings.TrimSpace(line), " "); at == name || strings.HasPrefix(at, name+"{") {
			n, err := strconv.ParseFloat(number, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}

// Each thing that operators watch has a metric that moves when it happens. Tested
// elsewhere: jobs that run and that are dead (kit/jobs), the queue of mail (mail/engine),
// webhooks (webhook), quotas of mail (kit/mailer), damaged files (kit/blob), backups
// (TestScheduledBackups).
func TestMetricsChangeWithTheirEvents(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, func(c *app.Config) { c.LimitFactor = 1 }, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		s.Settle()
		for _, watched := range []struct {
			what, metric string
			happens      func()
		}{
			{"a request", `konak_http_request_seconds_count`, func() { w.Owner.Get("/api/crm/v1/contacts").Want(200) }},
			{"an error of the database", `konak_database_outages_total`, func() {
				_ = s.DB.Tenant(w.ID).Read(t.Context(), func(*db.Reader) error { return driver.ErrBadConn })
			}},
			{"what waits in the outbox", `konak_outbox_waiting`, func() { w.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Elif"}).Want(201) }},
			{"how long it waits", `konak_outbox_lag_seconds`, func() { s.Clock.Advance(time.Minute) }},
			{"a job that is due", `konak_jobs_due{kind="identity.forgot"}`, func() {
				s.Client("").Post("/api/v1/auth/password/forgot", map[string]any{"email": "owner@demo.example"}).Want(200)
			}},
			{"how long it is due", `konak_jobs_lag_seconds{kind="identity.forgot"}`, func() { s.Clock.Advance(time.Minute) }},
			{"a failed sign-in", `konak_http_faults_total{code="wrong_credentials"}`, func() {
				s.Client("").Post("/api/v1/auth/sign-in", map[string]any{"email": "owner@demo.example", "password": "wrong"}).Refused(422, "wrong_credentials")
			}},
			{"a limit that is hit", `konak_http_faults_total{code="rate_limited"}`, func() {
				for range 11 { // guesses of one's own password
					w.Owner.Post("/api/v1/auth/app/reauth", map[string]any{"password": "wrong"})
				}
			}},
			{"a file", `konak_files_bytes`, func() {
				if _, err := s.Blobs.Put(t.Context(), w.ID, strings.NewReader("fatura"), 10); err != nil {
					t.Fatal(err)
				}
			}},
			{"a stream", `konak_streams_open`, func() { openSocket(t, s, w.Owner) }},
		} {
			before := value(t, s, watched.metric)
			watched.happens()
			if after := value(t, s, watched.metric); after <= before {
				t.Errorf("%s: %s was %v and is %v", watched.what, watched.metric, before, after)
			}
		}
		size := func() float64 { return value(t, s, "konak_database_bytes") + value(t, s, "konak_database_log_bytes") }
		before := size()
		for range 100 {
			w.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": strings.Repeat("uzun ", 30)}).Want(201)
		}
		if after := size(); after <= before {
			t.Errorf("the database and its log had %v bytes and have %v", before, after)
		}
		if n := value(t, s, "konak_database_log_bytes"); (n > 0) != (s.DB.Dialect() == db.SQLite) {
			t.Errorf("the log has %v bytes", n)
		}
		if err := s.DB.Tenant(w.ID).Read(t.Context(), func(r *db.Reader) error {
			_, err := db.All(r, func(row db.Row) (n int, err error) { // while it is read, a connection is taken
				if n := value(t, s, "konak_database_connections_in_use"); n < 1 {
					t.Errorf("%v connections are in use", n)
				}
				return n, row.Scan(&n)
			}, `SELECT 1`)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if n := value(t, s, "konak_database_connections_idle"); n < 1 {
			t.Errorf("%v connections are idle", n)
		}
	})
}

// openSocket opens a stream that stays until the test ends.
func openSocket(t *testing.T, s *apptest.Server, c *apptest.Client) {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), s.URL+"/api/v1/socket", &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + c.Token()}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	if _, _, err := conn.Read(t.Context()); err != nil { // it is ready
		t.Fatal(err)
	}
}

// While the database is down, the metrics that do not need it are still served.
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
