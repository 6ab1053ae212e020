package app

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"konak/internal/kit/event"
	"konak/internal/kit/node"
)

// metricsHandler shows the metrics. One that cannot be read, because the database is down,
// does not hide the others.
func (a *App) metricsHandler() http.Handler {
	return promhttp.HandlerFor(a.metrics, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// probe is a collector that reads its numbers when metrics are requested. Its cost must not
// grow with the size of a table.
type probe struct {
	measures []measure
	// read returns their values in order, or fewer and an error.
	read func(ctx context.Context) ([]float64, error)
}

// measure is one of a probe's metrics.
type measure struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

// probeTime is the time limit of one probe.
const probeTime = 5 * time.Second

func gauge(name, help string) measure {
	return measure{prometheus.NewDesc(name, help, nil, nil), prometheus.GaugeValue}
}

func counter(name, help string) measure {
	return measure{prometheus.NewDesc(name, help, nil, nil), prometheus.CounterValue}
}

// Describe implements prometheus.Collector.
func (p probe) Describe(out chan<- *prometheus.Desc) {
	for _, n := range p.measures {
		out <- n.desc
	}
}

// Collect implements prometheus.Collector.
func (p probe) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	values, err := p.read(ctx)
	for i, v := range values {
		out <- prometheus.MustNewConstMetric(p.measures[i].desc, p.measures[i].kind, v)
	}
	if err != nil {
		out <- prometheus.NewInvalidMetric(p.measures[len(values)].desc, err)
	}
}

// watch registers the node's metrics in addition to those that modules count themselves.
func (a *App) watch() {
	a.metrics.MustRegister(
		probe{[]measure{
			counter("konak_database_outages_total", "Transactions and reads ended by an outage of the database."),
			gauge("konak_database_connections_in_use", "Connections to the database that are in use."),
			gauge("konak_database_connections_idle", "Idle connections to the database."),
			gauge("konak_database_connections_max", "Maximum number of connections to the database."),
			counter("konak_database_waits_total", "Number of waits for a connection."),
			counter("konak_database_wait_seconds_total", "Total time spent waiting for connections."),
			gauge("konak_database_bytes", "Size of the database."),
			gauge("konak_database_log_bytes", "Size of the write-ahead log of the embedded database; 0 with PostgreSQL."),
		}, a.readDatabaseStats},
		probe{[]measure{
			gauge("konak_outbox_waiting", "Events waiting to be dispatched, counted up to 1000."),
			gauge("konak_outbox_lag_seconds", "Age of the oldest of those events."),
		}, a.readOutbox},
		probe{
			[]measure{gauge("konak_mail_queue_waiting", "Mails of mailboxes waiting to be delivered, counted up to 10000.")},
			func(ctx context.Context) ([]float64, error) {
				n, err := a.Engine.Waiting(ctx)
				return oneValue(float64(n), err)
			},
		},
		probe{[]measure{gauge("konak_disk_free_bytes", "Free space on the disk of the data folder.")}, a.readFreeDisk},
		probe{
			[]measure{gauge("konak_backup_newest_timestamp_seconds", "Time of the newest backup in --backup-folder, in seconds since 1970; 0 if there is none.")},
			a.readNewestBackup,
		},
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "konak_streams_open", Help: "Open streams and sockets on this node."},
			func() float64 { return float64(a.Streams.Count()) }),
	)
}

func (a *App) readDatabaseStats(ctx context.Context) ([]float64, error) {
	s, err := a.DB.Stats(ctx)
	values := []float64{
		float64(s.Outages), float64(s.InUse), float64(s.Idle), float64(s.MaxOpen), float64(s.Waits), s.Waited.Seconds(),
	}
	if err != nil {
		return values, err
	}
	return append(values, float64(s.Bytes), float64(s.LogBytes)), nil
}

func (a *App) readOutbox(ctx context.Context) ([]float64, error) {
	n, since, err := event.Waiting(ctx, a.DB)
	if err != nil {
		return nil, err
	}
	lag := 0.0
	if n > 0 {
		lag = max(0, a.clock.Now().Sub(since).Seconds())
	}
	return []float64{float64(n), lag}, nil
}

func (a *App) readFreeDisk(context.Context) ([]float64, error) {
	free, err := node.FreeDisk(a.cfg.Data)
	return oneValue(float64(free), err)
}

// oneValue returns the value of a probe with one metric.
func oneValue(v float64, err error) ([]float64, error) {
	if err != nil {
		return nil, err
	}
	return []float64{v}, nil
}
