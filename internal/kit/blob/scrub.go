package blob

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

const (
	// scrubPause, scrubBytes and scrubFiles limit how much the scrub reads: that many files
	// and bytes (or one larger file) after each pause.
	scrubPause = 2 * time.Second
	scrubBytes = 16 << 20
	scrubFiles = 25
	// scrubLease is how long a node may take for the blobs it claimed; after that another
	// one reads them.
	scrubLease = 15 * time.Minute
)

// Run scrubs until ctx ends: every blob is read once per checkEvery, by one of the nodes.
func (s *Store) Run(ctx context.Context) {
	jobs.Loop{Name: "file check", DB: s.db, Log: s.log, Every: scrubPause, Step: s.Scrub}.Run(ctx)
}

// Scrub reads the blobs whose check is most overdue, at most one round's worth, and returns
// their number. Its results are in Findings. If it ends early, the next rounds read the
// rest.
func (s *Store) Scrub(ctx context.Context) (int, error) {
	list, err := db.Write(ctx, s.db.System("file check"), func(tx *db.Tx) ([]kept, error) {
		return claimChecks(tx, clock.At(tx.Now()), clock.At(tx.Now().Add(scrubLease)))
	})
	if err != nil {
		return 0, fmt.Errorf("blob: scrub: %w", err)
	}
	for i, k := range list {
		if err := s.verify(ctx, k); err != nil && !isFinding(err) {
			return i, err
		}
	}
	return len(list), nil
}

// Finding is a blob whose bytes are missing or damaged.
type Finding struct {
	Tenant, ID uuid.UUID
	// Name is where the bytes should be, below the folder or the prefix.
	Name   string
	Damage string // Missing or Damaged
	Found  time.Time
}

// Findings returns how many blobs are missing or damaged, and the first of them.
func (s *Store) Findings(ctx context.Context, limit int) (total int, first []Finding, err error) {
	err = s.db.System("file check").Read(ctx, func(r *db.Reader) error {
		if total, err = countDamaged(r); err != nil {
			return err
		}
		first, err = listDamaged(r, limit)
		return err
	})
	return total, first, err
}

var (
	damagedGauge = prometheus.NewDesc("konak_files_damaged", "Stored files whose content is missing or damaged.", nil, nil)
	bytesGauge   = prometheus.NewDesc("konak_files_bytes", "Bytes of the files of all workspaces, including those of visitors.", nil, nil)
)

// collector counts findings when metrics are read.
type collector struct{ store *Store }

// Describe implements prometheus.Collector.
func (c collector) Describe(out chan<- *prometheus.Desc) { out <- damagedGauge; out <- bytesGauge }

// Collect implements prometheus.Collector.
func (c collector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	total, _, err := c.store.Findings(ctx, 0)
	if err != nil {
		out <- prometheus.NewInvalidMetric(damagedGauge, err)
		return
	}
	out <- prometheus.MustNewConstMetric(damagedGauge, prometheus.GaugeValue, float64(total))
	bytes, err := db.Read(ctx, c.store.db.System("metrics"), sumStorage)
	if err != nil {
		out <- prometheus.NewInvalidMetric(bytesGauge, err)
		return
	}
	out <- prometheus.MustNewConstMetric(bytesGauge, prometheus.GaugeValue, float64(bytes))
}
