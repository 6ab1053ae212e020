package whatsapp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// readJob tells the provider that a customer's message was read.
const readJob = "whatsapp.read"

var _ channel.Receipts = (*Service)(nil)

// readMessage is the payload of readJob.
type readMessage struct {
	AccountID uuid.UUID `json:"account_id"`
	MessageID string    `json:"message_id"`
}

// SetReadReceipts implements channel.Receipts.
func (s *Service) SetReadReceipts(a *channel.Account, on bool) error {
	var set Settings
	if err := a.Read(&set); err != nil {
		return err
	}
	set.ReadReceipts = on
	return a.Write(set)
}

// Seen implements channel.Receipts.
func (s *Service) Seen(tx *db.Tx, a channel.Account, providerMessageID string) error {
	var set Settings
	if err := a.Read(&set); err != nil || !set.ReadReceipts {
		return err
	}
	_, err := jobs.EnqueueForAccount(tx, readJob, a.ID, tx.Now(), readMessage{a.ID, providerMessageID})
	return err
}

// runRead is the handler of readJob. A receipt that the provider refuses is not
// worth another try.
func (s *Service) runRead(ctx context.Context, j *jobs.Job) error {
	var p readMessage
	if err := json.Unmarshal(j.Payload, &p); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	_, at, err := s.open(ctx, p.AccountID)
	if err != nil {
		return channel.IgnoreDeleted(err)
	}
	err = s.Provider.MarkRead(ctx, at, p.MessageID)
	if r, refused := errors.AsType[*Refusal](err); refused && !r.Passing() {
		return nil
	}
	return jobs.HoldOnTimeout(err)
}
