package mailer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

// DefaultDailyQuota is the number of recipients that a workspace's mail may have in a day
// unless the operator sets another.
const DefaultDailyQuota = 2000

// longestHold is how long a mail waits for the quota before it fails.
const longestHold = 3 * 24 * time.Hour

// ReasonQuota is why a mail waits or failed: the workspace's daily quota is used up.
const ReasonQuota = "sending_quota_reached"

// Usage is what a workspace has sent over the operator's mail server today.
type Usage struct {
	Limit    int64      `json:"limit" example:"2000" doc:"Recipients a day for all mailboxes of the workspace together"`
	Used     int64      `json:"used" example:"148" doc:"Recipients so far today"`
	ResetsAt clock.Time `json:"resets_at" doc:"Start of the next day: midnight UTC"`
}

// QuotaReached is the error of a mail that exceeds the workspace's daily quota. Nothing was
// sent.
type QuotaReached struct {
	// Until is when the next day begins.
	Until time.Time
}

// Error implements error.
func (q *QuotaReached) Error() string { return ReasonQuota }

// HoldForQuota returns the error with which a job's handler should report err: for a
// QuotaReached, the job is postponed to the next day, and fails for good once it has waited
// for three days. Any other err is returned unchanged.
func HoldForQuota(err error, j *jobs.Job) error {
	reached, ok := errors.AsType[*QuotaReached](err)
	if !ok {
		return err
	}
	if reached.Until.Sub(j.CreatedAt.Time) > longestHold {
		return fmt.Errorf("%w %w", jobs.ErrDrop, err)
	}
	return jobs.Snooze(reached.Until)
}

// startOfDay returns midnight UTC.
func startOfDay(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour) }

func nextDay(now time.Time) time.Time { return startOfDay(now).AddDate(0, 0, 1) }

// Usage returns what the reader's workspace has sent today.
func (m *Mailer) Usage(r *db.Reader) (Usage, error) {
	now := m.db.Clock().Now()
	used, err := db.OneOr(r, 0, db.Scalar[int64], `SELECT recipients FROM mail_use WHERE tenant_id = $1 AND day >= $2`, r.Tenant(), clock.At(startOfDay(now)))
	if err != nil {
		return Usage{}, fmt.Errorf("mailer: usage: %w", err)
	}
	return Usage{Limit: m.quota, Used: used, ResetsAt: clock.At(nextDay(now))}, nil
}

// checkQuota returns sending_quota_reached if the workspace's daily quota is used up.
func (m *Mailer) checkQuota(r *db.Reader) error {
	u, err := m.Usage(r)
	if err != nil || u.Used < u.Limit {
		return err
	}
	f := fault.New(fault.SendingQuotaReached, u.Limit)
	f.RetryAfter = max(int(u.ResetsAt.Sub(m.db.Clock().Now()).Seconds()), 1)
	return f
}

// withinQuota counts that many recipients of a workspace's mail and calls send. If they
// exceed the daily quota, it returns QuotaReached without calling send. A send that will be
// tried again is not counted.
func (m *Mailer) withinQuota(ctx context.Context, tenant uuid.UUID, recipients int, send func() error) error {
	if tenant == uuid.Nil {
		return send()
	}
	now := m.db.Clock().Now()
	n, day := int64(recipients), clock.At(startOfDay(now))
	fits := n <= m.quota
	if fits {
		err := m.db.Tenant(tenant).InTx(ctx, func(tx *db.Tx) (err error) {
			fits, err = addUse(tx, day, n, m.quota)
			return err
		})
		if err != nil {
			return fmt.Errorf("mailer: count: %w", err)
		}
	}
	if !fits {
		m.held.Inc()
		if logged, _ := m.warned.Swap(tenant, day); logged != day { // once a day per workspace
			m.log.WarnContext(ctx, "a workspace has reached its daily mail quota", "tenant", tenant, "limit", m.quota)
		}
		return &QuotaReached{Until: nextDay(now)}
	}
	err := send()
	if err == nil || errors.Is(err, jobs.ErrDrop) {
		m.recipients.Add(float64(n))
		return err
	}
	undo := m.db.Tenant(tenant).InTx(context.WithoutCancel(ctx), func(tx *db.Tx) error { return subtractUse(tx, day, n) })
	if undo != nil {
		m.log.ErrorContext(ctx, "a mail that was not sent still counts towards the quota", "tenant", tenant, "error", undo)
	}
	return err
}

// addUse counts recipients of a day and reports whether they fit. If the row is of an
// earlier day, the count starts again.
func addUse(tx *db.Tx, day clock.Time, n, limit int64) (bool, error) {
	return tx.ExecAny(`INSERT INTO mail_use (tenant_id, day, recipients) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id) DO UPDATE SET
			recipients = CASE WHEN mail_use.day < $2 THEN $3 ELSE mail_use.recipients + $3 END,
			day = CASE WHEN mail_use.day < $2 THEN $2 ELSE mail_use.day END
		WHERE mail_use.day < $2 OR mail_use.recipients + $3 <= $4`, tx.Tenant(), day, n, limit)
}

func subtractUse(tx *db.Tx, day clock.Time, n int64) error {
	return tx.Exec(`UPDATE mail_use SET recipients = recipients - $3 WHERE tenant_id = $1 AND day = $2`, tx.Tenant(), day, n)
}

// usageMetrics counts the mail that workspaces send.
type usageMetrics struct {
	recipients, held prometheus.Counter
	// warned maps a workspace to the day on which it was last logged.
	warned *sync.Map
}

func newUsageMetrics() usageMetrics {
	return usageMetrics{
		warned: &sync.Map{},
		recipients: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "konak_mail_recipients_total", Help: "Recipients of workspaces' mail sent over the operator's mail server.",
		}),
		held: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "konak_mail_held_total", Help: "Number of times that a mail was deferred because its workspace had reached its daily quota.",
		}),
	}
}

var fullGauge = prometheus.NewDesc("konak_mail_quota_reached_workspaces", "Workspaces that have reached their daily mail quota.", nil, nil)

// Describe implements prometheus.Collector.
func (m *Mailer) Describe(out chan<- *prometheus.Desc) {
	m.recipients.Describe(out)
	m.held.Describe(out)
	out <- fullGauge
}

// Collect implements prometheus.Collector.
func (m *Mailer) Collect(out chan<- prometheus.Metric) {
	m.recipients.Collect(out)
	m.held.Collect(out)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	full, err := db.Read(ctx, m.db.System("mail quotas"), func(r *db.Reader) (int64, error) {
		return db.One(r, db.Scalar[int64], `SELECT count(*) FROM mail_use WHERE day >= $1 AND recipients >= $2`,
			clock.At(startOfDay(m.db.Clock().Now())), m.quota)
	})
	if err != nil {
		out <- prometheus.NewInvalidMetric(fullGauge, fmt.Errorf("mailer: count workspaces: %w", err))
		return
	}
	out <- prometheus.MustNewConstMetric(fullGauge, prometheus.GaugeValue, float64(full))
}
