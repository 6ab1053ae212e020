package telegram

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation/edit"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

// Config is what the channel needs.
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
	// Plain says that the provider calls addresses without TLS too: it is a
	// server of one's own, or a stand-in.
	Plain bool
}

// Service is the Telegram channel.
type Service struct {
	Config
	key []byte
}

// New makes the channel.
func New(c Config) *Service { return &Service{Config: c, key: c.Box.Derive("telegram")} }

var (
	_ channel.Kind     = (*Service)(nil)
	_ channel.Webhooks = (*Service)(nil)
)

// WebhookPath is what the addresses that the provider calls begin with.
const WebhookPath = "/api/crm/v1/channels/telegram/webhook/"

// derive makes a name or a secret that belongs to one workspace and one bot.
func (s *Service) derive(purpose string, tenant uuid.UUID, bot string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(purpose + "/" + tenant.String() + "/" + bot))
	return hex.EncodeToString(mac.Sum(nil))
}

// secretFor proves the provider's calls for a workspace's bot.
func (s *Service) secretFor(tenant uuid.UUID, bot string) string {
	return s.derive("secret", tenant, bot)
}

// address is where the provider calls for a workspace's bot. The workspace is in
// it, so that one that took a bot over is told from the one before.
func (s *Service) address(tenant uuid.UUID, bot int64) string {
	id := strconv.FormatInt(bot, 10)
	return s.BaseURL + WebhookPath + id + "/" + s.derive("address", tenant, id)[:16]
}

// modeHere is how news come where nobody said how.
func (s *Service) modeHere() string {
	if s.Plain || strings.HasPrefix(s.BaseURL, "https://") {
		return channel.ByWebhook
	}
	return channel.ByPolling
}

// Connect makes an account of a bot, after the provider showed that the token
// opens it. A bot that is connected already gets the new token.
func (s *Service) Connect(ctx context.Context, n NewBot) (a channel.Account, err error) {
	creds := credentials{strings.TrimSpace(n.Token)}
	bot, err := s.Provider.Bot(ctx, creds.token())
	if err != nil {
		return a, connectFault(err)
	}
	set := Settings{BotID: bot.ID, Username: bot.Username, Mode: cmp.Or(n.Mode, s.modeHere())}
	if err := s.listen(ctx, creds, &set); err != nil {
		return a, connectFault(err)
	}
	n.Name = cmp.Or(strings.TrimSpace(n.Name), bot.Name)
	text, err := json.Marshal(creds)
	if err != nil {
		return a, fmt.Errorf("telegram: %w", err)
	}
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if a, err = s.putAccount(tx, n, set); err != nil {
			return err
		}
		if err := s.Channels.SetCredentials(tx, a.ID, text); err != nil {
			return err
		}
		if err := putBot(tx, a.ID); err != nil {
			return fmt.Errorf("telegram: put bot: %w", err)
		}
		if set.Mode == channel.ByPolling {
			if err := jobs.Restart(tx, pollJob, a.ID, tx.Now()); err != nil {
				return err
			}
		}
		a, err = s.Channels.Find(&tx.Reader, Name, a.ID)
		return err
	})
	return a, err
}

// listen makes news of a bot come as its settings say: the provider is told our
// address, or that it need not call anybody.
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

// putAccount makes the account of a bot, or changes the one that it has.
func (s *Service) putAccount(tx *db.Tx, n NewBot, set Settings) (channel.Account, error) {
	external := strconv.FormatInt(set.BotID, 10)
	was, found, err := s.Channels.OfExternal(&tx.Reader, Name, external)
	if err != nil {
		return was, err
	}
	if !found {
		a := channel.Account{ID: n.ID, Kind: Name, Name: n.Name, Status: channel.Active, GroupID: n.GroupID, AI: n.AI, ExternalID: &external}
		if err := a.Write(set); err != nil {
			return a, err
		}
		return s.Channels.Connect(tx, a)
	}
	if _, err := s.Channels.Change(tx, Name, was.ID, func(a *channel.Account) error {
		a.Name = n.Name
		if n.GroupID != nil {
			a.GroupID = n.GroupID
		}
		return a.Write(set)
	}); err != nil {
		return was, err
	}
	return s.Channels.Set(tx, was.ID, channel.Active, nil)
}

// connectFault says which of the fields the provider did not like.
func connectFault(err error) error {
	r, ok := errors.AsType[*Refusal](err)
	switch {
	case !ok || r.passing():
		return unreachable(err)
	case r.auth():
		return fault.Invalid("bot_token", "refused").Because(r.Text)
	}
	return fault.Invalid("mode", "refused").Because(r.Text)
}

// unreachable is the answer where the provider is not there, busy, or says no.
func unreachable(err error) error {
	words := "timeout"
	if r, ok := errors.AsType[*Refusal](err); ok {
		words = r.Text
	}
	return fault.New(fault.ProviderRejected, words).Wrap(err)
}

// Webhook implements channel.Webhooks.
func (s *Service) Webhook(ctx context.Context, a channel.Account) (channel.Webhook, error) {
	_, set, c, err := s.open(ctx, a.ID)
	if err != nil {
		return channel.Webhook{}, err
	}
	if set.Business != nil {
		return channel.Webhook{}, channel.ErrNoWebhook()
	}
	return s.askWebhook(ctx, a, set, c)
}

// RegisterWebhook implements channel.Webhooks.
func (s *Service) RegisterWebhook(ctx context.Context, a channel.Account) (channel.Webhook, error) {
	_, set, c, err := s.open(ctx, a.ID)
	if err != nil {
		return channel.Webhook{}, err
	}
	if set.Business != nil {
		return channel.Webhook{}, channel.ErrNoWebhook()
	}
	set.Mode = channel.ByWebhook
	if err := s.listen(ctx, c, &set); err != nil {
		s.tokenAnswered(ctx, a.ID, err)
		return channel.Webhook{}, unreachable(err)
	}
	return s.askWebhook(ctx, a, set, c)
}

// askWebhook asks the provider for a bot's webhook and makes our flag equal to
// its answer.
func (s *Service) askWebhook(ctx context.Context, a channel.Account, set Settings, c credentials) (channel.Webhook, error) {
	state, err := s.Provider.Webhook(ctx, c.token())
	s.tokenAnswered(ctx, a.ID, err)
	if err != nil {
		return channel.Webhook{}, unreachable(err)
	}
	ours := s.address(caller.From(ctx).TenantID, set.BotID)
	out := channel.Webhook{Mode: set.Mode, Registered: state.URL == ours, URL: ours, Pending: state.Pending}
	if state.LastError != "" {
		out.LastError = &state.LastError
	}
	return out, s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error { return s.setRegistered(tx, a.ID, set.Mode, out.Registered) })
}

// setRegistered keeps whether the provider calls us. A bot that it should call
// and does not needs attention.
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
		why := channel.WebhookMissing
		_, err := s.Channels.Set(tx, id, channel.Attention, &why)
		return err
	}
	return s.Channels.ClearAttention(tx, id, channel.WebhookMissing, PollConflict)
}

// account reads an account with its settings and what opens it.
func (s *Service) account(r *db.Reader, id uuid.UUID) (a channel.Account, set Settings, c credentials, err error) {
	if a, err = s.Channels.Find(r, Name, id); err != nil {
		return a, set, c, err
	}
	if err = a.Read(&set); err != nil {
		return a, set, c, err
	}
	if set.Business != nil { // it is opened by its bot's token
		id = set.Business.BotAccountID
	}
	text, err := s.Channels.Credentials(r, id)
	if err == nil && text != nil {
		err = json.Unmarshal(text, &c)
	}
	return a, set, c, err
}

// open is account outside a transaction.
func (s *Service) open(ctx context.Context, id uuid.UUID) (a channel.Account, set Settings, c credentials, err error) {
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) error {
		a, set, c, err = s.account(r, id)
		return err
	})
	return a, set, c, err
}

// tokenAnswered keeps what an answer of the provider says about the token of an
// account's bot.
func (s *Service) tokenAnswered(ctx context.Context, account uuid.UUID, err error) {
	r, refused := errors.AsType[*Refusal](err)
	refused = refused && r.auth()
	if err != nil && !refused {
		return
	}
	_, set, _, fail := s.open(context.WithoutCancel(ctx), account)
	if fail == nil {
		if set.Business != nil {
			account = set.Business.BotAccountID
		}
		fail = s.Channels.RecordToken(ctx, account, refused)
	}
	if channel.IgnoreDeleted(fail) != nil {
		s.Log.ErrorContext(ctx, "what the provider said about a token could not be kept", "account", account, "error", fail)
	}
}

func (s *Service) tenant(ctx context.Context) db.Handle {
	return s.DB.Tenant(caller.From(ctx).TenantID)
}
