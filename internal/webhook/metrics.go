package webhook

import (
	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/kit/outbound"
)

// Metrics are what operators see of sending.
type Metrics struct{ in *metrics }

type metrics struct {
	attempts   *prometheus.HistogramVec
	deliveries *prometheus.CounterVec
	disabled   *prometheus.CounterVec
	inflight   prometheus.Gauge
	lanes      prometheus.Gauge
	lag        prometheus.Gauge
}

// NewMetrics registers the metrics.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &metrics{
		attempts: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "konak_webhook_attempt_seconds", Help: "Time of an attempt, by how it ended.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15},
		}, []string{"result"}),
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "konak_webhook_deliveries_total", Help: "Deliveries that came into a state.",
		}, []string{"status"}),
		disabled: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "konak_webhook_endpoints_total", Help: "Endpoints that came back or failed while disabled.",
		}, []string{"change"}),
		inflight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "konak_webhook_attempts_in_flight", Help: "Attempts under way."}),
		lanes:    prometheus.NewGauge(prometheus.GaugeOpts{Name: "konak_webhook_lanes", Help: "Endpoints that this node is sending to."}),
		lag: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "konak_webhook_lag_seconds", Help: "For how long the first endpoint that nobody sends to has been due.",
		}),
	}
	r.MustRegister(m.attempts, m.deliveries, m.disabled, m.inflight, m.lanes, m.lag)
	for _, status := range []string{Pending, Failed, Exhausted, Delivered} {
		m.deliveries.WithLabelValues(status)
	}
	for _, result := range []string{
		"ok", outbound.ClassDNS, outbound.ClassConnect, outbound.ClassTLS, outbound.ClassTimeout,
		outbound.ClassRefused, outbound.ClassStatus, outbound.ClassBody,
	} {
		m.attempts.WithLabelValues(result)
	}
	return &Metrics{m}
}

// count takes in what was marked.
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
