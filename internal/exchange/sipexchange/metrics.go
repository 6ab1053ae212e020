package sipexchange

import (
	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/exchange"
)

var (
	legsMetric    = prometheus.NewDesc("konak_exchange_legs", "Telephones and lines currently in calls.", []string{"state"}, nil)
	devicesMetric = prometheus.NewDesc("konak_exchange_registrations", "Telephones that are signed in.", nil, nil)
	droppedMetric = prometheus.NewDesc("konak_exchange_dropped_messages_total", "SIP messages dropped because they came too fast, were too large, or were shorter than they claimed.", nil, nil)
	packetsMetric = prometheus.NewDesc("konak_exchange_rtp_packets_total", "Audio packets of calls that have ended.", []string{"outcome"}, nil)
	jitterMetric  = prometheus.NewDesc("konak_exchange_jitter_seconds", "Largest jitter of the current calls.", nil, nil)
)

// Describe implements prometheus.Collector.
func (x *Exchange) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{legsMetric, devicesMetric, droppedMetric, packetsMetric, jitterMetric} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (x *Exchange) Collect(ch chan<- prometheus.Metric) {
	states, jitter := map[exchange.LegState]int{}, int64(0)
	for _, state := range []exchange.LegState{exchange.LegDialling, exchange.LegIncoming, exchange.LegRinging, exchange.LegAnswered, exchange.LegHeld} {
		states[state] = 0 // shown, so that a graph has no gap
	}
	for _, l := range x.allLegs() {
		states[l.snapshot().State]++
		jitter = max(jitter, l.media.Stats().JitterMicros)
	}
	for state, n := range states {
		ch <- prometheus.MustNewConstMetric(legsMetric, prometheus.GaugeValue, float64(n), string(state))
	}
	x.mu.Lock()
	registrations, received, lost := 0, x.received, x.lost
	for _, b := range x.bindings {
		registrations += len(b)
	}
	x.mu.Unlock()
	ch <- prometheus.MustNewConstMetric(devicesMetric, prometheus.GaugeValue, float64(registrations))
	ch <- prometheus.MustNewConstMetric(droppedMetric, prometheus.CounterValue, float64(x.guard.Dropped()))
	ch <- prometheus.MustNewConstMetric(packetsMetric, prometheus.CounterValue, float64(received), "received")
	ch <- prometheus.MustNewConstMetric(packetsMetric, prometheus.CounterValue, float64(lost), "lost")
	ch <- prometheus.MustNewConstMetric(jitterMetric, prometheus.GaugeValue, float64(jitter)/1e6)
}
