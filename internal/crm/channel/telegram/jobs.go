package telegram

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/transport"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

// Jobs returns the kinds of this module's jobs.
func (s *Service) Jobs() []jobs.Kind {
	return append(s.transport.Jobs(), jobs.Kind{
		Name: pollJob, Handler: s.runPoll, PerNode: 512, PerTenant: 16, PerAccount: 1, MaxAttempts: 1_000_000,
		Timeout: 10 * time.Minute, HoldReason: channel.ProviderUnreachable,
	}, jobs.Kind{
		Name: heldJob, Handler: jobs.WithPayload(s.runHeld), PerNode: 64, PerTenant: 4, PerAccount: 1, MaxAttempts: 20,
		Timeout: time.Minute, HoldReason: channel.ProviderUnreachable,
	})
}

const (
	// heldJob brings in updates that arrived for a person's account while it was paused.
	// The provider holds updates for a paused bot, but not for one of the accounts that it
	// works in.
	heldJob = "telegram.held"
	// heldFor is how long an update is held, which is as long as the provider holds
	// updates.
	heldFor   = 24 * time.Hour
	heldPause = 10 * time.Minute
)

// heldUpdate is the payload of heldJob.
type heldUpdate struct {
	BotID     uuid.UUID `json:"bot_id"`
	AccountID uuid.UUID `json:"account_id"`
	Update    Update    `json:"update"`
}

// hold keeps an update of a person's account that is paused; it drops one of a disconnected
// account.
func (s *Service) hold(ctx context.Context, a channel.Account, u Update) error {
	if a.Status == channel.Disconnected {
		return nil
	}
	var set Settings
	if err := a.Read(&set); err != nil {
		return err
	}
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		_, err := jobs.EnqueueForAccount(tx, heldJob, a.ID, tx.Now().Add(heldPause), heldUpdate{set.Business.BotAccountID, a.ID, u})
		return err
	})
}

// runHeld is the handler of heldJob.
func (s *Service) runHeld(ctx context.Context, j *jobs.Job, h heldUpdate) error {
	a, err := s.Channels.Get(ctx, Name, h.AccountID)
	if err != nil || a.Status == channel.Disconnected {
		return channel.IgnoreDeleted(err)
	}
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error { return s.checkWorks(r, a.ID) })
	if now := s.DB.Clock().Now(); errors.Is(err, errStopped) {
		if now.Sub(j.CreatedAt.Time) < heldFor {
			return jobs.Snooze(now.Add(heldPause))
		}
		s.Log.WarnContext(ctx, "an update for a paused account was kept for a day and is now dropped", "account", a.ID)
		return nil
	}
	if err != nil {
		return err
	}
	bot, err := s.Channels.Get(ctx, Name, h.BotID)
	if err != nil {
		return channel.IgnoreDeleted(err)
	}
	if err = s.takeFor(ctx, bot, a, h.Update); errors.Is(err, errStopped) {
		return jobs.Snooze(s.DB.Clock().Now().Add(heldPause))
	}
	return err
}

// AfterChange implements channel.Kind. When a paused account works again, a polled bot is
// polled again, and held updates of a person's account come in. Disconnecting a bot ends
// its webhook and disconnects the persons' accounts that it works in. A reconnected bot is
// polled from the beginning: after a week the provider restarts its numbering, and updates
// taken before are recognised.
func (s *Service) AfterChange(tx *db.Tx, a channel.Account, before string) error {
	o, err := s.accounts.Find(&tx.Reader, a.ID)
	if err != nil {
		return err
	}
	switch {
	case a.Status == channel.Disconnected && o.Set.Business != nil:
		return dropConnection(tx, a.ID)
	case a.Status == channel.Disconnected:
		return s.endBot(tx, o)
	case before == channel.Disconnected && o.Set.Business != nil:
		return nil
	case before == channel.Disconnected:
		if err := setNextUpdate(tx, a.ID, 0); err != nil {
			return fmt.Errorf("telegram: next update: %w", err)
		}
		return s.transport.EnqueueRejoin(tx, a.ID)
	case a.Works() && before == channel.Paused && o.Set.Business != nil:
		return jobs.RunNow(tx, heldJob, a.ID)
	case a.Works() && before == channel.Paused && o.Set.Business == nil && o.Set.Mode == channel.ByPolling:
		return jobs.Restart(tx, pollJob, a.ID, tx.Now())
	}
	return nil
}

// endBot disconnects the accounts that a bot works in, and removes its webhook.
func (s *Service) endBot(tx *db.Tx, bot opened) error {
	list, err := connectionsOf(&tx.Reader, bot.ID)
	if err != nil {
		return fmt.Errorf("telegram: connections: %w", err)
	}
	for _, id := range list {
		if err := s.Channels.DisconnectIn(tx, id); err != nil {
			return err
		}
	}
	return s.transport.EnqueueLeave(tx, transport.Leaving{AccountID: bot.ID, What: s.address(tx.Tenant(), bot.Set.BotID), Token: bot.Creds.Token})
}

// Leave implements transport.Carrier; What is the address of the webhook. A webhook that
// now has another address belongs to somebody else and is not touched.
func (c carrier) Leave(ctx context.Context, l transport.Leaving) error {
	token := secret.Of(l.Token)
	state, err := c.Provider.Webhook(ctx, token)
	if err != nil || state.URL != l.What {
		return err
	}
	return c.Provider.DeleteWebhook(ctx, token)
}

// Rejoin implements transport.Carrier. A webhook with another address belongs to somebody
// else and is not touched.
func (c carrier) Rejoin(ctx context.Context, o *opened) error {
	if o.Set.Mode != channel.ByWebhook {
		return nil
	}
	state, err := c.Provider.Webhook(ctx, o.Creds.token())
	if err != nil || state.URL != "" {
		return err
	}
	return c.listen(ctx, o.Creds, &o.Set)
}
