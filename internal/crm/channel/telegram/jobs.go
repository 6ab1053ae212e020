package telegram

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// leaveJob ends a bot's webhook after its account was disconnected.
const leaveJob = "telegram.leave"

// Jobs are the kinds of this module's jobs.
func (s *Service) Jobs() []jobs.Kind {
	const silent = channel.ProviderUnreachable
	return []jobs.Kind{
		{
			// One after the other, so that the parts of an answer and the answers
			// themselves arrive in order.
			Name: sendJob, Handler: s.runSend, PerNode: 256, PerTenant: 16, PerAccount: 1, MaxAttempts: 20,
			Timeout: 10 * time.Minute, MaxAge: 24 * time.Hour, HoldReason: silent, OnDead: s.showUnsent,
		},
		{Name: askJob, Handler: s.runAsk, PerNode: 64, PerTenant: 4, PerAccount: 1, MaxAttempts: 20, Timeout: time.Minute, MaxAge: 24 * time.Hour, HoldReason: silent},
		{Name: mediaJob, Handler: s.runMedia, PerNode: 64, PerTenant: 8, PerAccount: 4, MaxAttempts: 20, Timeout: 10 * time.Minute, HoldReason: silent},
		{
			Name: pollJob, Handler: s.runPoll, PerNode: 512, PerTenant: 16, PerAccount: 1, MaxAttempts: 1_000_000,
			Timeout: 10 * time.Minute, HoldReason: silent,
		},
		{Name: leaveJob, Handler: s.runLeave, PerNode: 64, PerTenant: 4, PerAccount: 1, MaxAttempts: 20, Timeout: time.Minute, HoldReason: silent},
	}
}

// showUnsent shows a message as failed whose job is dead.
func (s *Service) showUnsent(ctx context.Context, j *jobs.Job, _ string) error {
	var p outgoingMessage
	if err := json.Unmarshal(j.Payload, &p); err != nil {
		return err
	}
	var got accepted
	if _, err := j.ReadReceipt(&got); err != nil || got.Parts == len(p.parts()) {
		return err // the provider has all of it
	}
	return channel.IgnoreDeleted(s.Inbound.Reported(ctx, p.ItemID, conversation.Delivery{Status: conversation.Failed, Error: channel.ProviderUnreachable}))
}

// farewell is the payload of leaveJob: what is needed to end a webhook after the
// account forgot its credentials; sealed, because jobs are not.
type farewell struct {
	AccountID uuid.UUID `json:"account_id"`
	Address   string    `json:"address"`
	Sealed    string    `json:"sealed"`
}

// Changed implements channel.Kind. A bot that is polled is asked again once it
// works; one that is disconnected is left by the provider, and the accounts of
// people that it works in go with it.
func (s *Service) Changed(tx *db.Tx, a channel.Account, before string) error {
	_, set, c, err := s.account(&tx.Reader, a.ID)
	if err != nil {
		return err
	}
	switch {
	case a.Status == channel.Disconnected && set.Business != nil:
		return dropConnection(tx, a.ID)
	case a.Status == channel.Disconnected:
		return s.endBot(tx, a, set, c)
	case a.Works() && before == channel.Paused && set.Business == nil && set.Mode == channel.ByPolling:
		return jobs.Restart(tx, pollJob, a.ID, tx.Now())
	}
	return nil
}

func (s *Service) endBot(tx *db.Tx, a channel.Account, set Settings, c credentials) error {
	list, err := connectionsOf(&tx.Reader, a.ID)
	if err != nil {
		return fmt.Errorf("telegram: connections: %w", err)
	}
	for _, id := range list {
		if err := s.Channels.DisconnectIn(tx, id); err != nil {
			return err
		}
	}
	if c.Token == "" {
		return nil
	}
	_, err = jobs.EnqueueForAccount(tx, leaveJob, a.ID, tx.Now(), farewell{
		AccountID: a.ID, Address: s.address(tx.Tenant(), set.BotID),
		Sealed: base64.StdEncoding.EncodeToString(s.Box.Seal(tx.Tenant(), sealedFor(a.ID), []byte(c.Token))),
	})
	return err
}

func sealedFor(id uuid.UUID) string { return leaveJob + "/" + id.String() }

// runLeave is the handler of leaveJob. A webhook that leads elsewhere by now is
// somebody else's.
func (s *Service) runLeave(ctx context.Context, j *jobs.Job) error {
	var f farewell
	if err := json.Unmarshal(j.Payload, &f); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	sealed, err := base64.StdEncoding.DecodeString(f.Sealed)
	if err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	token, err := s.Box.Open(caller.From(ctx).TenantID, sealedFor(f.AccountID), sealed)
	if err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	c := credentials{string(token)}
	state, err := s.Provider.Webhook(ctx, c.token())
	if err == nil && state.URL == f.Address {
		err = s.Provider.DeleteWebhook(ctx, c.token())
	}
	if _, final := finalReason(err); err != nil && !final {
		return s.later(err)
	}
	return nil
}
