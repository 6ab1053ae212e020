package telegram

import (
	"context"
	"fmt"
	"time"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/transport"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

// Jobs are the kinds of this module's jobs.
func (s *Service) Jobs() []jobs.Kind {
	return append(s.transport.Jobs(), jobs.Kind{
		Name: pollJob, Handler: s.runPoll, PerNode: 512, PerTenant: 16, PerAccount: 1, MaxAttempts: 1_000_000,
		Timeout: 10 * time.Minute, HoldReason: channel.ProviderUnreachable,
	})
}

// Changed implements channel.Kind. A bot that is polled is asked again once it
// works; one that is disconnected is left by the provider, and the accounts of
// people that it works in go with it.
func (s *Service) Changed(tx *db.Tx, a channel.Account, before string) error {
	o, err := s.accounts.Find(&tx.Reader, a.ID)
	if err != nil {
		return err
	}
	switch {
	case a.Status == channel.Disconnected && o.Set.Business != nil:
		return dropConnection(tx, a.ID)
	case a.Status == channel.Disconnected:
		return s.endBot(tx, o)
	case a.Works() && before == channel.Paused && o.Set.Business == nil && o.Set.Mode == channel.ByPolling:
		return jobs.Restart(tx, pollJob, a.ID, tx.Now())
	}
	return nil
}

// endBot disconnects the accounts that a bot works in, and ends its webhook.
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

// Leave implements transport.Carrier: what is the address of the webhook. One that
// leads elsewhere by now is somebody else's.
func (c carrier) Leave(ctx context.Context, l transport.Leaving) error {
	token := secret.Of(l.Token)
	state, err := c.Provider.Webhook(ctx, token)
	if err != nil || state.URL != l.What {
		return err
	}
	return c.Provider.DeleteWebhook(ctx, token)
}
