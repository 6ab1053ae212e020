package webhook

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/kit/db"
	"konak/internal/kit/outbound"
)

// metrics are the sending metrics for operators.
type metrics struct {
	attempts   *prometheus.HistogramVec
	deliveries *prometheus.CounterVec
	disabled   *prometheus.CounterVec
	inflight   prometheus.Gauge
	lanes      prometheus.Gauge
	lag        prometheus.Gauge
	waiting    prometheus.Gauge
}

const (
	// sampleEvery is how often the queue is measured, and maxSampled the largest length
	// that is measured: beyond it the exact number does not matter.
	sampleEvery = 15 * time.Second
	maxSampled  = 100_000
)

// Measure sets the gauge of the queue. A running sender does so by itself.
func (s *Sender) Measure(ctx context.Context) {
	n, err := db.Read(ctx, s.db.System("delivery claim"), func(r *db.Reader) (int, error) { return countWaiting(r, maxSampled) })
	if err != nil {
		if ctx.Err() == nil {
			s.log.Error("the webhook queue could not be measured", "error", err)
		}
		return
	}
	s.metrics.waiting.Set(float64(n))
}

// countDeliveries counts n deliveries that entered a status.
func (m *metrics) countDeliveries(status string, n int) {
	m.deliveries.WithLabelValues(status).Add(float64(n))
}

// newMetrics creates the metrics and registers them.
func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{
		attempts: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "konak_webhook_attempt_seconds", Help: "Duration of an attempt, by result.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15},
		}, []string{"result"}),
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "konak_webhook_deliveries_total", Help: "Deliveries that entered a state.",
		}, []string{"status"}),
		disabled: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "konak_webhook_endpoints_total", Help: "Endpoints that were disabled after failures, or recovered.",
		}, []string{"change"}),
		inflight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "konak_webhook_attempts_in_flight", Help: "Attempts in progress."}),
		lanes:    prometheus.NewGauge(prometheus.GaugeOpts{Name: "konak_webhook_lanes", Help: "Endpoints that this node is sending to."}),
		lag: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "konak_webhook_lag_seconds", Help: "How long the first due endpoint without a sender has been due.",
		}),
		waiting: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "konak_webhook_waiting_deliveries",
			Help: "Deliveries of all nodes waiting for an attempt, pending or failed, counted up to 100,000 every 15 seconds.",
		}),
	}
	r.MustRegister(m.attempts, m.deliveries, m.disabled, m.inflight, m.lanes, m.lag, m.waiting)
	for _, status := range []string{Pending, Failed, Exhausted, Delivered} {
		m.deliveries.WithLabelValues(status)
	}
	for _, change := range []string{"disabled", "enabled"} {
		m.disabled.WithLabelValues(change)
	}
	for _, result := range []string{
		"ok", outbound.ClassDNS, outbound.ClassConnect, outbound.ClassTLS, outbound.ClassTimeout,
		outbound.ClassRefused, outbound.ClassStatus, outbound.ClassBody,
	} {
		m.attempts.WithLabelValues(result)
	}
	return m
}

// count records what was marked.
func (m *metrics) count(e *entry) {
	if e.lost {
		return
	}
	for i := range e.results {
		r := &e.results[i]
		class := r.answer.Class
		if class == "" {
			class = "ok"
		}
		m.attempts.WithLabelValues(class).Observe(r.answer.Duration.Seconds())
	}
	for _, status := range e.statuses {
		m.deliveries.WithLabelValues(status).Inc()
	}
	if e.back {
		m.disabled.WithLabelValues("enabled").Inc()
	}
	if e.disabled {
		m.disabled.WithLabelValues("disabled").Inc()
	}
}
