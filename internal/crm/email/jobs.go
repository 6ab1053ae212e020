package email

import (
	"context"
	"encoding/json"
	"time"

	"konak/internal/crm/channel"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// ReasonServerSilent is shown on a mailbox whose SMTP server does not answer
// in time.
const ReasonServerSilent = "mail_server_unreachable"

// Jobs returns the job kinds of this module.
func (s *Service) Jobs() []jobs.Kind {
	return []jobs.Kind{
		// Reading a mail uses a CPU core, and disk space for a copy of the mail if it is
		// stored with an S3 service.
		{Name: ingestJob, Handler: s.ingest, PerNode: 8, PerTenant: 4, MaxAttempts: 20, OnDead: s.showUnread},
		{
			Name: sendJob, Handler: jobs.WithPayload(s.send), PerNode: 256, PerTenant: 16, PerAccount: 2, MaxAttempts: 20,
			Timeout: 10 * time.Minute, MaxAge: 48 * time.Hour, HoldReason: ReasonServerSilent, OnDead: s.showUnsent,
		},
		// A copy talks to the file store only.
		{Name: copyJob, Handler: jobs.WithPayload(s.keepCopy), PerNode: 8, PerTenant: 4, MaxAttempts: 20},
		// A poll holds a connection to the mailbox's server and passes each mail to
		// the file store as it comes.
		{
			Name: pollJob, Handler: s.runPoll, PerNode: 32, PerTenant: 4, PerAccount: 1, MaxAttempts: 1_000_000,
			Timeout: 10 * time.Minute, HoldReason: ReasonUnreachable, OnDead: s.showPollsStopped,
		},
	}
}

// showPollsStopped shows on a mailbox that polling stopped until a person resumes it.
func (s *Service) showPollsStopped(ctx context.Context, j *jobs.Job, _ string) error {
	return channel.IgnoreDeleted(s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		return s.Channels.RequireAttention(tx, j.AccountID, ReasonPollsStopped)
	}))
}

// showUnread marks a mail as failed when its ingest job is dead.
func (s *Service) showUnread(ctx context.Context, j *jobs.Job, _ string) error {
	m, err := s.incomingOf(ctx, j)
	if err != nil || m.State != Received {
		return err
	}
	return s.finishIncoming(ctx, m, FailedIn, ReasonProcessing)
}

// showUnsent marks a message as failed when its send job is dead, unless it was sent.
func (s *Service) showUnsent(ctx context.Context, j *jobs.Job, _ string) error {
	var p outgoingMail
	var got accepted
	if err := json.Unmarshal(j.Payload, &p); err != nil {
		return err
	}
	if sent, err := j.ReadReceipt(&got); err != nil || sent {
		return err // the server accepted the mail
	}
	if p.ForwardedFrom == nil && p.ItemID == nil {
		return nil
	}
	return s.showFailed(ctx, &p, ReasonServerSilent)
}
