package telegram

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// linkPrefix begins a link's state.
const linkPrefix = "tgb_"

// linkFor is how long a link for tying a person's account is valid.
const linkFor = 15 * time.Minute

// noBot means that the workspace has no working bot.
const noBot = "no_bot"

// Link is a link with which a person ties their Telegram account to the workspace.
type Link struct {
	URL         string     `json:"url" example:"https://t.me/demo_destek_bot?start=k3Jd0f" doc:"Link that the account's owner opens in Telegram"`
	State       string     `json:"state" example:"k3Jd0f" doc:"Ties the person to the workspace; can be used once"`
	BotUsername string     `json:"bot_username" example:"demo_destek_bot" doc:"Bot to add in Telegram under Settings, Telegram Business, Chatbots"`
	ExpiresAt   clock.Time `json:"expires_at" doc:"When the link expires; the bot must be added by then"`
}

// StartBusiness creates a link for a bot of the workspace: the given one, the oldest, or
// else the operator's, which it connects. It returns channel_unavailable if there is no
// bot.
func (s *Service) StartBusiness(ctx context.Context, bot *uuid.UUID) (Link, error) {
	out, err := s.makeLink(ctx, bot)
	if f, known := fault.As(err); !known || f.Reason != noBot || bot != nil || s.OperatorBot.Reveal() == "" {
		return out, err
	}
	a, err := s.connectOperatorBot(ctx)
	if err != nil {
		return out, err
	}
	return s.makeLink(ctx, &a.ID)
}

// connectOperatorBot connects the operator's bot to the workspace. The provider sends a
// bot's updates to one address only, so only one workspace can have it.
func (s *Service) connectOperatorBot(ctx context.Context) (a channel.Account, err error) {
	id, _, _ := strings.Cut(s.OperatorBot.Reveal(), ":")
	owners, err := s.Channels.ByExternal(ctx, Name, id)
	if err != nil {
		return a, err
	}
	for _, o := range owners {
		if o.TenantID != caller.From(ctx).TenantID {
			return a, fault.New(fault.ChannelUnavailable).Because("bot_taken")
		}
	}
	return s.Connect(ctx, ConnectBody{Token: s.OperatorBot.Reveal()})
}

func (s *Service) makeLink(ctx context.Context, bot *uuid.UUID) (out Link, err error) {
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err := s.chooseBot(tx, bot)
		if err != nil {
			return err
		}
		out = Link{State: secret.NewToken(linkPrefix), BotUsername: a.Set.Username, ExpiresAt: clock.At(tx.Now().Add(linkFor))}
		out.URL = "https://t.me/" + a.Set.Username + "?start=" + out.State
		if err := dropOldLinks(tx); err != nil {
			return fmt.Errorf("telegram: links: %w", err)
		}
		var by *uuid.UUID
		if who := caller.From(ctx); who.ID != uuid.Nil {
			by = &who.ID
		}
		if err := putLink(tx, secret.Hash(out.State), a.ID, by, out.ExpiresAt); err != nil {
			return fmt.Errorf("telegram: link: %w", err)
		}
		return audit.Write(tx, "channel.business_link", a.ID.String(), nil)
	})
	return out, err
}

// chooseBot returns the given bot, or the oldest that works.
func (s *Service) chooseBot(tx *db.Tx, id *uuid.UUID) (_ opened, err error) {
	candidates := []uuid.UUID{}
	if id != nil {
		candidates = append(candidates, *id)
	} else if candidates, err = s.Channels.Working(&tx.Reader, Name); err != nil {
		return opened{}, err
	}
	for _, c := range candidates {
		o, err := s.accounts.Find(&tx.Reader, c)
		if err != nil || o.Set.Business == nil && o.Works() {
			return o, err
		}
	}
	return opened{}, fault.New(fault.ChannelUnavailable).Because(noBot)
}

// Replies to the person who opens a link.
const (
	linkedText  = "Hesabınız tanındı. Şimdi Telegram'da Ayarlar > Telegram Business > Sohbet robotları bölümüne bu botu ekleyin. / Your account is known. Now add this bot in Telegram under Settings > Telegram Business > Chatbots."
	expiredText = "Bu bağlantının süresi dolmuş ya da başkası tarafından kullanılmış. Panelden yenisini alın. / This link is over or was used by somebody else. Take a new one from the panel."
)

// takeStart handles the command that opens a bot. With a link's state it ties the person to
// the workspace; without one the person has not asked anything yet, so no conversation
// begins.
func (s *Service) takeStart(ctx context.Context, bot channel.Account, m Received, state string) error {
	if !secret.WellFormed(state, linkPrefix) {
		return nil
	}
	var tied bool
	if err := s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) (err error) {
		if err = s.checkWorks(&tx.Reader, bot.ID); err != nil {
			return err
		}
		tied, err = openLink(tx, secret.Hash(state), bot.ID, m.From.ID)
		return err
	}); err != nil {
		return fmt.Errorf("telegram: open link: %w", err)
	}
	text := linkedText
	if !tied {
		text = expiredText
	}
	o, err := s.accounts.Open(ctx, bot.ID)
	if err != nil {
		return err
	}
	if _, err := s.Provider.Send(ctx, o.Creds.token(), Message{Chat: strconv.FormatInt(m.Chat, 10), Text: text}); err != nil {
		s.Log.WarnContext(ctx, "the answer to the user who opened a link could not be sent", "account", bot.ID, "error", err)
	}
	return nil
}

// takeConnection handles that a person added the bot to their account, changed its rights
// or removed it. A person whom no link ties to the workspace is ignored, because anybody
// can add a bot.
func (s *Service) takeConnection(ctx context.Context, bot channel.Account, n Connection) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if err := s.checkWorks(&tx.Reader, bot.ID); err != nil {
			return err
		}
		id, err := connectionOf(&tx.Reader, bot.ID, n.Owner.ID)
		switch {
		case err == nil:
			return s.changeConnection(tx, bot, id, n)
		case !db.IsNoRow(err):
			return fmt.Errorf("telegram: connection: %w", err)
		case !n.Enabled:
			return nil
		}
		tied, err := useLink(tx, bot.ID, n.Owner.ID)
		if err != nil || !tied {
			return err
		}
		return s.addConnection(tx, bot, n)
	})
}

// addConnection creates the account of a person whom the bot works for, or reconnects a
// disconnected one.
func (s *Service) addConnection(tx *db.Tx, bot channel.Account, n Connection) error {
	var of Settings
	if err := bot.Read(&of); err != nil {
		return err
	}
	external := "business/" + strconv.FormatInt(of.BotID, 10) + "/" + strconv.FormatInt(n.Owner.ID, 10)
	a := channel.Account{Kind: Name, Name: n.Owner.Name, Status: channel.Active, GroupID: bot.GroupID, AI: bot.AI, ExternalID: &external}
	if err := a.Write(n.settings(of, bot.ID)); err != nil {
		return err
	}
	a, err := s.Channels.ConnectAgain(tx, a, func(a *channel.Account) error {
		a.AI = bot.AI
		return a.Write(n.settings(of, bot.ID))
	})
	if err != nil {
		return err
	}
	return putConnection(tx, a.ID, bot.ID, n.ID, n.Owner.ID)
}

// settings returns the settings of the person's account.
func (n *Connection) settings(of Settings, bot uuid.UUID) Settings {
	return Settings{BotID: of.BotID, Username: of.Username, Mode: of.Mode, Business: &Business{
		ConnectionID: n.ID, PersonID: n.Owner.ID, Username: n.Owner.Username, CanReply: n.CanReply, Ended: !n.Enabled, BotAccountID: bot,
	}}
}

// changeConnection records what a person changed about the bot in their account.
func (s *Service) changeConnection(tx *db.Tx, bot channel.Account, id uuid.UUID, n Connection) error {
	var of Settings
	if err := bot.Read(&of); err != nil {
		return err
	}
	if _, err := s.Channels.Change(tx, Name, id, func(a *channel.Account) error { return a.Write(n.settings(of, bot.ID)) }); err != nil {
		return err
	}
	if err := putConnection(tx, id, bot.ID, n.ID, n.Owner.ID); err != nil {
		return fmt.Errorf("telegram: connection: %w", err)
	}
	if n.Enabled {
		return s.Channels.ClearAttention(tx, id, BusinessEnded)
	}
	return s.Channels.RequireAttention(tx, id, BusinessEnded)
}
