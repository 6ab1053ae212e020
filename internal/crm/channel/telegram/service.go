package telegram

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/transport"
	"konak/internal/crm/conversation/edit"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

// Config holds what the channel needs.
type Config struct {
	DB       *db.DB
	Log      *slog.Logger
	Box      *secret.Box
	Channels *channel.Service
	Inbound  *inbound.Service
	Edits    *edit.Service
	Files    *file.Service
	Provider Provider
	// BaseURL is the installation's public address, which the provider calls.
	BaseURL string
	// OperatorBot is the token of the operator's bot, for workspaces that have none.
	OperatorBot secret.Text
	// Plain is set if the provider also calls addresses without TLS: a self-hosted server,
	// or a stand-in.
	Plain bool
}

// Service is the Telegram channel.
type Service struct {
	Config
	accounts  *transport.Accounts[Settings, credentials]
	transport *transport.Transport[Settings, credentials]
	key       []byte
}

// opened is an account with its credentials.
type opened = transport.Opened[Settings, credentials]

// New returns the channel.
func New(c Config) *Service {
	s := &Service{Config: c, key: c.Box.Derive("telegram")}
	s.accounts = &transport.Accounts[Settings, credentials]{
		DB: c.DB, Log: c.Log, Channels: c.Channels, Kinds: []string{Name}, OpenedBy: func(set Settings) (bot uuid.UUID) {
			if set.Business != nil {
				bot = set.Business.BotAccountID
			}
			return bot
		},
	}
	s.transport = transport.New(transport.Config[Settings, credentials]{
		Name: Name, Accounts: s.accounts, Box: c.Box, Inbound: c.Inbound, Files: c.Files, Carrier: carrier{s},
		SendsAtOnce: 1, MaxDownload: maxDownload,
	})
	return s
}

var (
	_ channel.Kind     = (*Service)(nil)
	_ channel.Webhooks = (*Service)(nil)
)

// WebhookPath is the prefix of the addresses that the provider calls.
const WebhookPath = "/api/crm/v1/channels/telegram/webhook/"

// derive returns a name or a secret that belongs to one workspace and one bot.
func (s *Service) derive(purpose string, tenant uuid.UUID, bot string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(purpose + "/" + tenant.String() + "/" + bot))
	return hex.EncodeToString(mac.Sum(nil))
}

// secretFor returns the secret that proves the provider's calls for a workspace's bot.
func (s *Service) secretFor(tenant uuid.UUID, bot string) string {
	return s.derive("secret", tenant, bot)
}

// address returns the address that the provider calls for a workspace's bot. It depends on
// the workspace, so that a new owner of a bot is distinguished from the previous one.
func (s *Service) address(tenant uuid.UUID, bot int64) string {
	id := strconv.FormatInt(bot, 10)
	return s.BaseURL + WebhookPath + id + "/" + s.derive("address", tenant, id)[:16]
}

// modeHere returns the mode for receiving updates if the caller chose none.
func (s *Service) modeHere() string {
	if s.Plain || strings.HasPrefix(s.BaseURL, "https://") {
		return channel.ByWebhook
	}
	return channel.ByPolling
}

// Connect creates an account for a bot, after the provider has accepted its token. A bot
// that is already connected gets the new token. If the account cannot be stored, the
// provider's previous webhook is restored.
func (s *Service) Connect(ctx context.Context, n ConnectBody) (a channel.Account, err error) {
	creds := credentials{strings.TrimSpace(n.Token)}
	bot, err := s.Provider.Bot(ctx, creds.token())
	if err != nil {
		return a, connectFault(err)
	}
	set := Settings{BotID: bot.ID, Username: bot.Username, Mode: cmp.Or(n.Mode, s.modeHere())}
	if err := s.listen(ctx, creds, &set); err != nil {
		return a, connectFault(err)
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err = s.accounts.Store(tx, transport.NewAccount{
			ID: n.ID, Kind: Name, External: strconv.FormatInt(set.BotID, 10), Name: n.Name, DefaultName: bot.Name, GroupID: n.GroupID, AI: n.AI,
		}, set, creds, nil)
		if err != nil {
			return err
		}
		if err := putBot(tx, a.ID); err != nil {
			return fmt.Errorf("telegram: put bot: %w", err)
		}
		if set.Mode == channel.ByPolling {
			return jobs.Restart(tx, pollJob, a.ID, tx.Now())
		}
		return nil
	})
	if err != nil {
		if failed := s.stopListening(context.WithoutCancel(ctx), creds, set.BotID); failed != nil {
			s.Log.WarnContext(ctx, "the webhook of a bot that could not be stored was not removed", "error", failed)
		}
	}
	return a, err
}

// stopListening restores the previous webhook: the one of the workspace whose account of
// the bot is registered, or else none.
func (s *Service) stopListening(ctx context.Context, c credentials, bot int64) error {
	name := strconv.FormatInt(bot, 10)
	owners, err := s.Channels.ByExternal(ctx, Name, name)
	if err != nil {
		return err
	}
	for _, o := range owners {
		var set Settings
		if err := o.Account.Read(&set); err != nil {
			return err
		}
		if set.Registered && set.Business == nil && o.Account.Status != channel.Disconnected {
			return s.Provider.SetWebhook(ctx, c.token(), s.address(o.TenantID, bot), s.secretFor(o.TenantID, name))
		}
	}
	return s.Provider.DeleteWebhook(ctx, c.token())
}

// listen sets up how updates of a bot arrive, as its settings say: it sets our webhook at
// the provider, or deletes it.
func (s *Service) listen(ctx context.Context, c credentials, set *Settings) error {
	if set.Mode == channel.ByPolling {
		set.Registered = false
		return s.Provider.DeleteWebhook(ctx, c.token())
	}
	tenant := caller.From(ctx).TenantID
	err := s.Provider.SetWebhook(ctx, c.token(), s.address(tenant, set.BotID), s.secretFor(tenant, strconv.FormatInt(set.BotID, 10)))
	set.Registered = err == nil
	return err
}

// connectFault returns the fault for a failed connection, with the field that the provider
// refused.
func connectFault(err error) error {
	r, ok := errors.AsType[*Refusal](err)
	switch {
	case !ok || r.Passing():
		return transport.Unreachable(err)
	case r.Auth():
		return fault.Invalid("bot_token", "refused").Because(r.Text)
	}
	return fault.Invalid("mode", "refused").Because(r.Text)
}

// openBot opens the account of a bot; a conflict if it is a person's account, which has no
// webhook.
func (s *Service) openBot(ctx context.Context, id uuid.UUID) (opened, error) {
	o, err := s.accounts.Open(ctx, id)
	if err == nil && o.Set.Business != nil {
		err = channel.ErrNoWebhook()
	}
	return o, err
}

// Webhook implements channel.Webhooks.
func (s *Service) Webhook(ctx context.Context, a channel.Account) (channel.Webhook, error) {
	o, err := s.openBot(ctx, a.ID)
	if err != nil {
		return channel.Webhook{}, err
	}
	return s.askWebhook(ctx, o)
}

// RegisterWebhook implements channel.Webhooks.
func (s *Service) RegisterWebhook(ctx context.Context, a channel.Account) (channel.Webhook, error) {
	o, err := s.openBot(ctx, a.ID)
	if err != nil {
		return channel.Webhook{}, err
	}
	o.Set.Mode = channel.ByWebhook
	if err := s.listen(ctx, o.Creds, &o.Set); err != nil {
		s.accounts.RecordAnswer(ctx, a.ID, err)
		return channel.Webhook{}, transport.Unreachable(err)
	}
	return s.askWebhook(ctx, o)
}

// askWebhook asks the provider for a bot's webhook and updates our flag to match its
// answer.
func (s *Service) askWebhook(ctx context.Context, o opened) (channel.Webhook, error) {
	state, err := s.Provider.Webhook(ctx, o.Creds.token())
	s.accounts.RecordAnswer(ctx, o.ID, err)
	if err != nil {
		return channel.Webhook{}, transport.Unreachable(err)
	}
	ours := s.address(caller.From(ctx).TenantID, o.Set.BotID)
	out := channel.Webhook{Mode: o.Set.Mode, Registered: state.URL == ours, URL: ours, Pending: state.Pending}
	if state.LastError != "" {
		out.LastError = &state.LastError
	}
	return out, s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error { return s.setRegistered(tx, o.ID, o.Set.Mode, out.Registered) })
}

// setRegistered records whether the provider calls us. A bot whose webhook is missing needs
// attention.
func (s *Service) setRegistered(tx *db.Tx, id uuid.UUID, mode string, registered bool) error {
	a, err := s.Channels.Lock(tx, Name, id)
	if err != nil {
		return err
	}
	var set Settings
	if err := a.Read(&set); err != nil {
		return err
	}
	if set.Mode != mode || set.Registered != registered {
		if _, err := s.Channels.Change(tx, Name, id, func(a *channel.Account) error {
			set.Mode, set.Registered = mode, registered
			return a.Write(set)
		}); err != nil {
			return err
		}
	}
	if mode == channel.ByWebhook && !registered {
		return s.Channels.RequireAttention(tx, id, channel.WebhookMissing)
	}
	return s.Channels.ClearAttention(tx, id, channel.WebhookMissing, PollConflict)
}
