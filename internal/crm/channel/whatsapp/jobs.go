package whatsapp

import (
	"context"
	"encoding/json"
	"time"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	"konak/internal/kit/jobs"
)

// Jobs are the kinds of this module's jobs.
func (s *Service) Jobs() []jobs.Kind {
	const silent = channel.ProviderUnreachable
	return []jobs.Kind{
		{
			Name: sendJob, Handler: s.runSend, PerNode: 256, PerTenant: 16, PerAccount: 4, MaxAttempts: 20,
			Timeout: 10 * time.Minute, MaxAge: 24 * time.Hour, HoldReason: silent, OnDead: s.showUnsent,
		},
		{Name: mediaJob, Handler: s.runMedia, PerNode: 64, PerTenant: 8, PerAccount: 4, MaxAttempts: 20, Timeout: 10 * time.Minute, HoldReason: silent},
		{Name: leaveJob, Handler: s.runLeave, PerNode: 64, PerTenant: 4, PerAccount: 1, MaxAttempts: 20, Timeout: time.Minute, HoldReason: silent},
		{Name: readJob, Handler: s.runRead, PerNode: 64, PerTenant: 4, PerAccount: 2, MaxAttempts: 5, Timeout: time.Minute, HoldReason: silent},
		{Name: trialJob, Handler: s.runTrial, PerNode: 16, PerTenant: 4, MaxAttempts: 20},
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
