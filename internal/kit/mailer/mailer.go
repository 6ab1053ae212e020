// Package mailer sends the product's own mail: verification, reset, invitation,
// notices.
//
// A mail is a job that is enqueued in the transaction that makes it necessary,
// so a record without its mail, or a mail about a rolled-back change, cannot
// exist. It is sent through the configured mail server, or if there is none, put
// into an outbox that the panel and the command line show. Mails carry links that
// open accounts, so they are sealed wherever they wait.
package mailer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/mail"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

// JobKind is the kind of the jobs that send mail.
const JobKind = "mail.send"

// RelayAccount represents the operator's mail server as the account of these jobs, so that
// a silent server holds them without using up attempts.
var RelayAccount = uuid.MustParse("6d61696c-0000-4000-8000-000000000001")

// Mailer sends mails.
type Mailer struct {
	db     *db.DB
	box    *secret.Box
	log    *slog.Logger
	from   mail.Address
	server *server // nil: the outbox
	files  Files
	// quota is the number of recipients that a workspace's mail may have in a day.
	quota int64
	usageMetrics
}

// Files opens the files attached to mails.
type Files interface {
	Open(ctx context.Context, tenant, id uuid.UUID) (io.ReadSeekCloser, error)
}

// Config is what a mailer needs, and how mail is sent.
type Config struct {
	DB    *db.DB
	Box   *secret.Box // seals mails that wait
	Log   *slog.Logger
	Files Files
	// URL is smtp://user:password@host:port, which must offer STARTTLS unless it is on this
	// machine (with ?tls=always even then), or smtps://…; empty for the outbox.
	URL string
	// CA is a PEM file of certificates trusted for the mail server in addition to the
	// system's; empty for none.
	CA string
	// From is "Name <address>" or a bare address.
	From string
	// DailyQuota is the number of recipients that a workspace's mail may have in a day; 0
	// for DefaultDailyQuota.
	DailyQuota int64
}

// New returns a mailer. It returns an error if something is missing or a setting is not
// valid.
func New(c Config) (*Mailer, error) {
	if c.DB == nil || c.Box == nil || c.Log == nil || c.Files == nil {
		return nil, errors.New("mailer: DB, Box, Log and Files are needed")
	}
	sender, err := parseSender(c.From)
	if err != nil {
		return nil, err
	}
	m := &Mailer{
		db: c.DB, box: c.Box, log: c.Log, files: c.Files, from: *sender, quota: cmp.Or(c.DailyQuota, DefaultDailyQuota),
		usageMetrics: newUsageMetrics(),
	}
	if c.URL != "" {
		if m.server, err = parseServer(c.URL, c.CA); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Check returns the error that New would return for the settings.
func Check(c Config) error {
	_, err := parseSender(c.From)
	if err == nil && c.URL != "" {
		_, err = parseServer(c.URL, c.CA)
	}
	return err
}

func parseSender(from string) (*mail.Address, error) {
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("--mail-from %q: write an address such as Konak <no-reply@example.com>", from)
	}
	return sender, nil
}

// outgoingMail is the content of a job and of an outbox row, sealed.
type outgoingMail struct {
	ID   uuid.UUID `json:"id"`
	Mail Mail      `json:"mail"`
}

// payload is the payload of a job.
type payload struct {
	ID     uuid.UUID `json:"id"`
	Sealed []byte    `json:"sealed"`
}

// sealPurpose returns the purpose for which a mail is sealed.
func sealPurpose(id uuid.UUID) string { return "mail/" + id.String() }

// Sender returns the operator's own address, from which mail is sent.
func (m *Mailer) Sender() string { return m.from.Address }

// KeepsOutbox reports whether mail is only stored because there is no mail server.
func (m *Mailer) KeepsOutbox() bool { return m.server == nil }

// Send enqueues a mail in the transaction. In a tenant's transaction it belongs to that
// workspace, in the system's only to its recipient. A workspace's mail, unless it is a
// notice, is refused with sending_quota_reached if the workspace's daily quota is used up.
func (m *Mailer) Send(tx *db.Tx, out Mail) error {
	if tx.Tenant() != uuid.Nil && !out.Notice {
		if err := m.checkQuota(&tx.Reader); err != nil {
			return err
		}
	}
	id := tx.NewID()
	text, err := json.Marshal(outgoingMail{id, out})
	if err != nil {
		return fmt.Errorf("mailer: encode: %w", err)
	}
	_, err = jobs.EnqueueForAccount(tx, JobKind, RelayAccount, tx.Now(), payload{id, m.box.Seal(tx.Tenant(), sealPurpose(id), text)})
	return err
}

// Jobs returns the kind of the jobs that send mail. Many of them belong to no tenant.
func (m *Mailer) Jobs() []jobs.Kind {
	return []jobs.Kind{{
		Name: JobKind, Handler: m.Handle, PerNode: 64, PerTenant: 32, PerAccount: 32, MaxAttempts: 20,
		Timeout: 2 * time.Minute, MaxAge: 48 * time.Hour, HoldReason: "mail_server_unreachable",
	}}
}

// Handle is the jobs.Handler of JobKind.
func (m *Mailer) Handle(ctx context.Context, j *jobs.Job) error {
	var p payload
	if err := json.Unmarshal(j.Payload, &p); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	out, err := m.open(j.TenantID, p.ID, p.Sealed)
	if err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	if j.Test {
		return nil // what a test key triggers reaches nobody
	}
	if sent, err := j.ReadReceipt(&struct{}{}); err != nil || sent {
		return err
	}
	if out.Mail.Notice {
		return m.deliver(ctx, j, out, p.Sealed)
	}
	err = m.withinQuota(ctx, j.TenantID, 1, func() error { return m.deliver(ctx, j, out, p.Sealed) })
	return HoldForQuota(err, j)
}

// deliver sends the mail of a job to the mail server and keeps the receipt, or puts the
// mail into the outbox if there is no server.
func (m *Mailer) deliver(ctx context.Context, j *jobs.Job, out outgoingMail, sealed []byte) error {
	if m.server == nil {
		return m.putIntoOutbox(ctx, j.TenantID, out, sealed)
	}
	files, err := m.loadFiles(ctx, j.TenantID, out.Mail.Files)
	if err != nil {
		return err
	}
	body, err := m.render(out, files, m.db.Clock().Now())
	if err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	if err := j.CheckClaim(ctx); err != nil {
		return err
	}
	if _, err := m.server.send(ctx, Envelope{From: m.from.Address, To: []string{out.Mail.To}}, body); err != nil {
		return jobs.HoldOnTimeout(err)
	}
	return j.KeepReceipt(ctx, struct{}{})
}

// FinishedMail is a mail that another module has written completely.
type FinishedMail struct {
	ID uuid.UUID
	Envelope
	// Subject and Text are what the outbox shows.
	Subject, Text string
	Raw           []byte
}

// Relay sends a finished mail of a workspace to the mail server now, or stores it in the
// outbox if there is none. It returns the copies that the server did not accept. A
// permanent refusal by the server is a jobs.ErrDrop; a mail that exceeds the workspace's
// daily quota is a QuotaReached.
func (m *Mailer) Relay(ctx context.Context, tenant uuid.UUID, r FinishedMail) (refused []Refusal, err error) {
	err = m.withinQuota(ctx, tenant, len(r.To)+len(r.Cc), func() (err error) {
		refused, err = m.relay(ctx, tenant, r)
		return err
	})
	return refused, err
}

func (m *Mailer) relay(ctx context.Context, tenant uuid.UUID, r FinishedMail) ([]Refusal, error) {
	if m.server != nil {
		return m.server.send(ctx, r.Envelope, r.Raw)
	}
	out := outgoingMail{r.ID, Mail{To: strings.Join(slices.Concat(r.To, r.Cc), ", "), Subject: r.Subject, Body: []string{r.Text}}}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("mailer: encode: %w", err)
	}
	return nil, m.putIntoOutbox(ctx, tenant, out, m.box.Seal(tenant, sealPurpose(r.ID), text))
}

// loadFiles reads the files of a mail into memory.
func (m *Mailer) loadFiles(ctx context.Context, tenant uuid.UUID, list []File) ([]content, error) {
	var out []content
	for _, f := range list {
		r, err := m.files.Open(ctx, tenant, f.Blob)
		if err != nil {
			return nil, fmt.Errorf("mailer: file: %w", err)
		}
		b, err := io.ReadAll(r)
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, fmt.Errorf("mailer: file: %w", err)
		}
		out = append(out, content{f, b})
	}
	return out, nil
}

// open decrypts a sealed mail.
func (m *Mailer) open(tenant, id uuid.UUID, sealed []byte) (outgoingMail, error) {
	var p outgoingMail
	text, err := m.box.Open(tenant, sealPurpose(id), sealed)
	if err != nil {
		return p, fmt.Errorf("mailer: open: %w", err)
	}
	return p, json.Unmarshal(text, &p)
}

// putIntoOutbox stores a mail in the outbox. A job that runs twice stores it once.
func (m *Mailer) putIntoOutbox(ctx context.Context, tenant uuid.UUID, p outgoingMail, sealed []byte) error {
	return m.db.System("mail outbox").InTx(ctx, func(tx *db.Tx) error {
		n, err := tx.ExecCount(`INSERT INTO mail_outbox (tenant_id, id, recipient, subject, sealed, created_at)
			VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
			tenant, p.ID, p.Mail.To, p.Mail.Subject, sealed, clock.At(tx.Now()))
		if n == 1 {
			tx.AfterCommit(func() {
				m.log.Info("a mail was kept, because --smtp-url is not set; `konak mail outbox` shows it", "mail", p.ID, "subject", p.Mail.Subject)
			})
		}
		return err
	})
}
