package jobs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// maxDueCounted is the maximum number of due jobs of one kind and tenant that are counted.
const maxDueCounted = 100

var (
	deadGauge    = prometheus.NewDesc("konak_jobs_dead", "Jobs that failed for good, by kind: see konak jobs list.", []string{"kind"}, nil)
	heldGauge    = prometheus.NewDesc("konak_jobs_held_accounts", "Accounts whose server does not answer, by kind of job.", []string{"kind"}, nil)
	dueGauge     = prometheus.NewDesc("konak_jobs_due", "Jobs that could run now, by kind; up to 100 of each workspace are counted.", []string{"kind"}, nil)
	lagGauge     = prometheus.NewDesc("konak_jobs_lag_seconds", "How long the oldest due job has been due, by kind.", []string{"kind"}, nil)
	runningGauge = prometheus.NewDesc("konak_jobs_running", "Jobs running on this node, by kind.", []string{"kind"}, nil)
)

// collector counts jobs when metrics are read.
type collector struct{ runner *Runner }

// Describe implements prometheus.Collector.
func (collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{deadGauge, heldGauge, dueGauge, lagGauge, runningGauge} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for desc, query := range map[*prometheus.Desc]string{
		deadGauge: `SELECT kind, count(*) FROM job WHERE dead_at IS NOT NULL GROUP BY kind`,
		heldGauge: `SELECT kind, count(*) FROM job_hold GROUP BY kind`,
	} {
		c.gauge(ctx, out, desc, func(n int64) float64 { return float64(n) }, query)
	}
	now := clock.At(c.runner.cfg.DB.Clock().Now())
	due := dueJobsSQL(c.runner.names)
	c.gauge(ctx, out, dueGauge, func(n int64) float64 { return float64(n) },
		`SELECT kind, CAST(sum(due) AS bigint) FROM (`+due+`) q GROUP BY kind`, now)
	c.gauge(ctx, out, lagGauge, func(since int64) float64 { return float64(now.UnixMicro()-since) / 1e6 },
		`SELECT kind, min(first) FROM (`+due+`) q GROUP BY kind HAVING min(first) IS NOT NULL`, now)
	c.runner.mu.Lock()
	defer c.runner.mu.Unlock()
	for _, kind := range c.runner.names {
		if n := c.runner.running[kindSlot(kind)]; n > 0 {
			out <- prometheus.MustNewConstMetric(runningGauge, prometheus.GaugeValue, float64(n), kind)
		}
	}
}

// gauge sends one number per kind returned by a query.
func (c collector) gauge(ctx context.Context, out chan<- prometheus.Metric, desc *prometheus.Desc, value func(int64) float64, query string, args ...any) {
	counts, err := db.Read(ctx, c.runner.cfg.DB.System("dead jobs"), func(r *db.Reader) (map[string]int64, error) {
		return db.Map[string, int64](r, query, args...)
	})
	if err != nil {
		out <- prometheus.NewInvalidMetric(desc, fmt.Errorf("jobs: count: %w", err))
		return
	}
	for kind, n := range counts {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value(n), kind)
	}
}

// dueJobsSQL steps through the index from tenant to tenant within each kind, as
// dueQueuesSQL does, and returns for each how many of its jobs are due and since when. It
// reads a bounded number of rows per tenant. $1 is the time.
func dueJobsSQL(kinds []string) string {
	return `WITH RECURSIVE k(kind) AS (VALUES ('` + strings.Join(kinds, "'), ('") + fmt.Sprintf(`')),
		t(kind, tenant_id, n) AS (
		SELECT kind, (SELECT j.tenant_id FROM job j WHERE j.kind = k.kind AND j.dead_at IS NULL
			ORDER BY j.tenant_id LIMIT 1), 1 FROM k
		UNION ALL
		SELECT kind, (SELECT j.tenant_id FROM job j WHERE j.kind = t.kind AND j.dead_at IS NULL AND j.tenant_id > t.tenant_id
			ORDER BY j.tenant_id LIMIT 1), n + 1 FROM t WHERE t.tenant_id IS NOT NULL AND n < %d)
		SELECT kind, (SELECT count(*) FROM (SELECT 1 FROM job j WHERE j.kind = t.kind AND j.tenant_id = t.tenant_id
				AND j.dead_at IS NULL AND j.next_at <= $1 LIMIT %d) counted) AS due,
			(SELECT min(j.next_at) FROM job j WHERE j.kind = t.kind AND j.tenant_id = t.tenant_id
				AND j.dead_at IS NULL AND j.next_at <= $1) AS first
		FROM t WHERE tenant_id IS NOT NULL`, maxTenantsScanned, maxDueCounted)
}
