package email

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/mailer"
	"konak/internal/kit/policy"
)

// errQuarantined means that a mail waits for a review.
var errQuarantined = errors.New("email: the mail is waiting for a review")

// quarantinePause is the time until a mail in quarantine is checked again.
const quarantinePause = time.Minute

// askPolicy checks whether a mail may go to the recipients of an envelope, right before it
// is handed over. It returns the envelope without the refused recipients, and those. If the
// mail may go to nobody it returns an ErrDrop; if it must wait, errQuarantined.
func (s *Service) askPolicy(ctx context.Context, j *jobs.Job, p *outgoingMail, sender string, to mailer.Envelope, raw []byte) (mailer.Envelope, []conversation.RefusedRecipient, error) {
	v, err := s.Policy.CheckMail(ctx, policy.Mail{
		Ref: p.ID.String(), Job: j.ID, Source: policy.SourceCRM, MessageID: p.MessageID, Sender: sender, Recipients: slices.Concat(to.To, to.Cc), Subject: p.Subject,
		Size: int64(len(raw)), Open: func() io.Reader { return bytes.NewReader(raw) },
	})
	switch {
	case err != nil:
		return to, nil, err
	case v.Hold:
		return to, nil, errQuarantined
	case v.Refused != "":
		return to, nil, fmt.Errorf("%w %s", jobs.ErrDrop, v.Refused)
	}
	var refused []conversation.RefusedRecipient
	for _, address := range v.RefusedRecipients {
		refused = append(refused, conversation.RefusedRecipient{Address: address, Reason: policy.Blocked})
	}
	mayGet := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(a string) bool { return slices.Contains(v.RefusedRecipients, a) })
	}
	to.To, to.Cc = mayGet(to.To), mayGet(to.Cc)
	return to, refused, nil
}

// showQuarantined shows on a message that its mail waits for a review.
func (s *Service) showQuarantined(ctx context.Context, p *outgoingMail) error {
	if p.ItemID == nil {
		return nil
	}
	return channel.IgnoreDeleted(s.Inbound.RecordOutcome(ctx, *p.ItemID, conversation.Delivery{Status: conversation.Queued, Error: policy.Waiting}))
}

// CheckHeld returns conflict for a mail in quarantine that can no longer be sent because
// its send job, mailbox, conversation, customer or one of its files is gone.
func (s *Service) CheckHeld(ctx context.Context, job uuid.UUID) error {
	var p outgoingMail
	there := true
	err := s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		payload, err := jobs.FindPayload(r, job)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(payload, &p); err != nil {
			return err
		}
		a, err := s.Channels.Find(r, Kind, p.AccountID)
		if err == nil && !a.Works() {
			err = fault.New(fault.NotFound)
		}
		if err == nil && p.ItemID != nil {
			there, err = s.Inbound.HasRecipient(r, *p.ItemID)
		}
		return err
	})
	switch {
	case fault.Is(db.NotFound(err), fault.NotFound):
		return fault.New(fault.Conflict).Because("content_gone")
	case err != nil:
		return err
	case !there:
		return fault.New(fault.Conflict).Because("recipient_gone")
	}
	if _, err = s.load(ctx, p.Files); errors.Is(err, jobs.ErrDrop) {
		err = fault.New(fault.Conflict).Because("content_gone").Wrap(err)
	}
	return err
}
