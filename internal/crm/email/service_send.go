package email

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/email/message"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/mailer"
	"konak/internal/kit/outbound"
	"konak/internal/kit/trtext"
)

const (
	sendJob = "email.send"
	copyJob = "email.copy"
)

// sendAttempts is the number of attempts to send a mail: about ten hours.
const sendAttempts = 18

// accepted is the receipt of a send job: the mail server accepted the mail for everybody
// who is not named here.
type accepted struct {
	// Waiting are recipients for which the server asks to try again later.
	Waiting []string `json:"waiting"`
	// Refused are recipients that the server does not accept.
	Refused []conversation.RefusedRecipient `json:"refused"`
}

// send is the handler of sendJob. What the mail server accepted is kept as the job's
// receipt before anything else happens; later steps may fail and are repeated without
// sending again.
func (s *Service) send(ctx context.Context, j *jobs.Job, p outgoingMail) error {
	if j.Test {
		return nil // a mail caused by a test key is never sent
	}
	var got accepted
	sent, err := j.ReadReceipt(&got)
	if err != nil {
		return err
	}
	if !sent {
		if got, err = s.handOverMail(ctx, j, &p, mailer.Envelope{To: p.To, Cc: p.Cc}); err != nil {
			if _, reached := errors.AsType[*mailer.QuotaReached](err); reached {
				if p.Auto {
					return nil // an automatic answer is not worth sending tomorrow
				}
				if err = mailer.HoldForQuota(err, j); !errors.Is(err, jobs.ErrDrop) {
					return errors.Join(err, s.showHeld(ctx, &p))
				}
			}
			if errors.Is(err, errQuarantined) {
				return errors.Join(jobs.Snooze(s.DB.Clock().Now().Add(quarantinePause)), s.showQuarantined(ctx, &p))
			}
			if lastAttempt(j, err) {
				return s.showFailed(ctx, &p, plainReason(err))
			}
			return err
		}
		if err := j.KeepReceipt(ctx, got); err != nil {
			return err
		}
	}
	if err := s.showSent(ctx, &p, got); err != nil {
		return err
	}
	if sent && len(got.Waiting) > 0 {
		if got, err = s.sendWaiting(ctx, j, &p, got); err != nil {
			return err
		}
	}
	if !sent || len(got.Waiting) == 0 { // twice at most, and the second copy is the same
		if err := s.scheduleCopy(ctx, &p); err != nil {
			return err
		}
	}
	if len(got.Waiting) > 0 {
		return fmt.Errorf("email: the server asks to try again later for %s", strings.Join(got.Waiting, ", "))
	}
	return nil
}

// scheduleCopy enqueues the job that keeps a copy of a sent mail. It is a separate job so
// that a slow file store does not delay other mail of the mailbox.
func (s *Service) scheduleCopy(ctx context.Context, p *outgoingMail) error {
	if p.ItemID == nil {
		return nil
	}
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		_, err := jobs.Enqueue(tx, copyJob, tx.Now(), p)
		return err
	})
}

// lastAttempt reports whether a mail that failed with err will not be tried again.
func lastAttempt(j *jobs.Job, err error) bool {
	return errors.Is(err, jobs.ErrDrop) || j.Attempts >= sendAttempts && !errors.Is(err, jobs.ErrLost)
}

// sendWaiting hands a mail over for the recipients that had to wait. It returns those that
// still wait, and an error if the server accepted it for none.
func (s *Service) sendWaiting(ctx context.Context, j *jobs.Job, p *outgoingMail, got accepted) (accepted, error) {
	now, err := s.handOverMail(ctx, j, p, mailer.Envelope{Cc: got.Waiting})
	if err = mailer.HoldForQuota(err, j); err != nil && !lastAttempt(j, err) {
		return got, err
	}
	left := got.Waiting
	if got.Waiting = now.Waiting; err == nil {
		left = nil
		if j.Attempts >= sendAttempts {
			left, got.Waiting, err = now.Waiting, nil, errors.New("the server asked to try again later each time")
		}
	}
	got.Refused = append(got.Refused, now.Refused...)
	for _, to := range left {
		got.Refused = append(got.Refused, conversation.RefusedRecipient{Address: to, Reason: plainReason(err)})
	}
	if err := j.KeepReceipt(ctx, got); err != nil {
		return got, err
	}
	return got, s.showSent(ctx, p, got)
}

// showSent shows on a message that its mail was sent, and which recipients did not get it.
func (s *Service) showSent(ctx context.Context, p *outgoingMail, got accepted) error {
	if p.ItemID == nil {
		return nil
	}
	return channel.IgnoreDeleted(s.Inbound.RecordReport(ctx, *p.ItemID, conversation.Delivery{Status: conversation.Sent, Refused: got.Refused}))
}

// showFailed shows that the server did not accept the mail: on its message, or in the
// conversation it was forwarded from.
func (s *Service) showFailed(ctx context.Context, p *outgoingMail, reason string) error {
	switch {
	case p.ForwardedFrom != nil:
		return channel.IgnoreDeleted(s.Inbound.NotForwarded(ctx, *p.ForwardedFrom, p.To, reason))
	case p.ItemID != nil:
		return channel.IgnoreDeleted(s.Inbound.RecordOutcome(ctx, *p.ItemID, conversation.Delivery{Status: conversation.Failed, Error: reason}))
	}
	return fmt.Errorf("%w: %s", jobs.ErrDrop, reason)
}

// keepCopy is the handler of copyJob: it stores the mail that was sent for a message with
// it. It renders the mail again, which yields the same bytes as when it was sent.
func (s *Service) keepCopy(ctx context.Context, j *jobs.Job, p outgoingMail) error {
	f, err := s.findMailbox(ctx, &p)
	if err != nil {
		return err
	}
	raw, err := s.render(ctx, &p, f.sender)
	if err != nil {
		return err
	}
	b, err := s.Blobs.Put(ctx, caller.From(ctx).TenantID, bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return fmt.Errorf("email: keep copy: %w", err)
	}
	m, err := message.ParseBytes(raw, "")
	if err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	e := original(m, b)
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error { return s.Inbox.KeepEmail(tx, *p.ItemID, e) })
}

// plainReason describes why a mail failed. It leaves out details meant for the log, such as
// the addresses of a connection.
func plainReason(err error) string {
	if _, network := errors.AsType[net.Error](err); network || errors.Is(err, outbound.ErrInside) {
		_, text := outbound.Class(err)
		return text
	}
	text := strings.ReplaceAll(err.Error(), jobs.ErrDrop.Error(), "")
	text = strings.Join(strings.Fields(text), " ")
	return trtext.Cut(text, 500)
}

// sendingMailbox is a mailbox that sends, with the sender of its mail.
type sendingMailbox struct {
	account channel.Account
	set     Settings
	creds   credentials
	sender  sender
}

// findMailbox returns the mailbox of a mail. If it does not exist it returns an ErrDrop.
func (s *Service) findMailbox(ctx context.Context, p *outgoingMail) (f sendingMailbox, err error) {
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if f.account, f.set, err = s.account(r, p.AccountID); err != nil {
			return err
		}
		if f.sender, err = s.findSender(r, p.AccountID, f.set, p.ReplyTo); err != nil {
			return err
		}
		f.creds, err = s.credentials(r, p.AccountID)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		err = fmt.Errorf("%w %s", jobs.ErrDrop, ReasonUnavailable)
	}
	return f, err
}

// handOverMail renders a mail and hands it over to the recipients of an envelope. It
// returns an error if the server accepted it for nobody, or not for one of to.To.
func (s *Service) handOverMail(ctx context.Context, j *jobs.Job, p *outgoingMail, to mailer.Envelope) (got accepted, err error) {
	f, err := s.findMailbox(ctx, p)
	if err == nil && !f.account.Works() {
		err = fmt.Errorf("%w %s", jobs.ErrDrop, ReasonUnavailable)
	}
	if err != nil {
		return got, err
	}
	if f.account.Reason != nil && *f.account.Reason == mailer.ReasonQuota {
		if err := s.clearHeld(ctx, f.account.ID); err != nil {
			return got, err
		}
	}
	raw, err := s.render(ctx, p, f.sender)
	if err != nil {
		return got, err
	}
	if !p.Auto { // nobody answers an automatic answer, not even with a bounce
		to.From = f.sender.from.Email
	}
	if to, got.Refused, err = s.askPolicy(ctx, j, p, f.set.Address, to, raw); err != nil {
		return accepted{}, err
	}
	if err := s.Journal.RecordOutbound(ctx, p.ID, f.set.Address, slices.Concat(to.To, to.Cc), raw); err != nil {
		return accepted{}, err
	}
	if err := j.CheckClaim(ctx); err != nil {
		return got, err
	}
	var refused []mailer.Refusal
	if f.set.SMTP != nil {
		refused, err = s.submit(ctx, f.set.SMTP, f.creds.SMTP, to, raw)
	} else {
		refused, err = s.Relay.Relay(ctx, caller.From(ctx).TenantID, mailer.FinishedMail{ID: p.ID, Envelope: to, Subject: p.Subject, Text: p.plainText(), Raw: raw})
	}
	if err != nil {
		return got, jobs.HoldOnTimeout(err)
	}
	for _, r := range refused {
		if r.Final {
			got.Refused = append(got.Refused, conversation.RefusedRecipient{Address: r.Address, Reason: trtext.Cut(r.Reason, 500)})
		} else {
			got.Waiting = append(got.Waiting, r.Address)
		}
	}
	return got, nil
}

// findSender returns the current sender of a mailbox's mail.
func (s *Service) findSender(r *db.Reader, account uuid.UUID, set Settings, replyTo string) (sender, error) {
	st, err := mailboxState(r, account)
	if err != nil {
		return sender{}, err
	}
	v, err := s.findVerification(r, set, st)
	return s.senderOf(set, st, v, replyTo), err
}

// showHeld shows on a mail's message and on its mailbox that the mail waits for the
// workspace's quota.
func (s *Service) showHeld(ctx context.Context, p *outgoingMail) error {
	err := s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error { return s.Channels.RequireAttention(tx, p.AccountID, mailer.ReasonQuota) })
	if err == nil && p.ItemID != nil {
		err = s.Inbound.RecordOutcome(ctx, *p.ItemID, conversation.Delivery{Status: conversation.Queued, Error: mailer.ReasonQuota})
	}
	return channel.IgnoreDeleted(err)
}

// clearHeld removes the quota notice from a mailbox if the workspace may send again.
func (s *Service) clearHeld(ctx context.Context, account uuid.UUID) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		u, err := s.Relay.Usage(&tx.Reader)
		if err != nil || u.Used >= u.Limit {
			return err
		}
		return s.Channels.ClearAttention(tx, account, mailer.ReasonQuota)
	})
}

// render returns the mail as it is sent, the same in every attempt.
func (s *Service) render(ctx context.Context, p *outgoingMail, from sender) ([]byte, error) {
	d := message.Draft{
		MessageID: p.MessageID, From: from.from, To: p.To, Cc: p.Cc, ReplyTo: from.replyTo,
		Subject: p.Subject, Text: p.Text, Markdown: p.Markdown, InReplyTo: p.InReplyTo, References: p.References, Auto: p.Auto, Date: p.Date.Time,
	}
	var err error
	if d.Files, err = s.load(ctx, p.Files); err != nil {
		return nil, err
	}
	raw, err := d.Render()
	if err != nil {
		return nil, errors.Join(jobs.ErrDrop, err)
	}
	return raw, nil
}

// load reads the files of a mail. It returns an ErrDrop if a file's content is lost: trying
// again does not bring it back.
func (s *Service) load(ctx context.Context, list []file.Outgoing) ([]message.File, error) {
	var out []message.File
	for _, f := range list {
		content, err := s.readFile(ctx, f)
		if why, lost := file.LostReason(err); lost {
			return nil, fmt.Errorf("%w %s", jobs.ErrDrop, why)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, message.File{Name: f.Name, Type: f.Type, Content: content})
	}
	return out, nil
}

func (s *Service) readFile(ctx context.Context, f file.Outgoing) ([]byte, error) {
	r, err := s.Files.ReadFile(ctx, f)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r)
	return content, errors.Join(err, r.Close())
}
