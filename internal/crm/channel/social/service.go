package social

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
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/meta"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation/edit"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// Config is what the channel needs.
type Config struct {
	DB       *db.DB
	Log      *slog.Logger
	Box      *secret.Box
	Channels *channel.Service
	Contacts *contact.Service
	Inbound  *inbound.Service
	Edits    *edit.Service
	Files    *file.Service
	Provider Provider
	// BaseURL is the installation's public address, which the provider calls.
	BaseURL string
}

// Service is the channel of pages and Instagram accounts.
type Service struct {
	Config
	verify string
}

// New makes the channel.
func New(c Config) *Service {
	mac := hmac.New(sha256.New, c.Box.Derive("social"))
	mac.Write([]byte("verify token"))
	return &Service{Config: c, verify: hex.EncodeToString(mac.Sum(nil))[:32]}
}

// WebhookPath is where the provider calls.
const WebhookPath = "/api/crm/v1/channels/social/webhook"

// Prepared is a page that the provider opened for us and that is not stored yet.
type Prepared struct {
	in    NewPage
	set   Settings
	creds credentials
}

// External is how the provider calls the account.
func (p *Prepared) External() string { return p.set.external(p.in.Kind) }

// Connect makes an account of a page, or of the Instagram account that belongs to it,
// after the provider showed that the token opens it. One that is connected already
// gets the new token.
func (s *Service) Connect(ctx context.Context, n NewPage) (a channel.Account, err error) {
	p, err := s.Prepare(ctx, n)
	if err != nil {
		return a, err
	}
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err = s.Put(tx, p)
		return err
	})
	return a, err
}

// Prepare asks the provider for a page and makes it tell us what happens there. It
// stores nothing. What the provider does not like is a fault of the field.
func (s *Service) Prepare(ctx context.Context, n NewPage) (p Prepared, err error) {
	n.PageID, n.Token, n.AppSecret = strings.TrimSpace(n.PageID), strings.TrimSpace(n.Token), strings.TrimSpace(n.AppSecret)
	p = Prepared{in: n, creds: credentials{n.Token, n.AppSecret}, set: Settings{PageID: n.PageID, HumanAgent: n.HumanAgent, WebhookURL: s.BaseURL + WebhookPath}}
	at := p.set.access(n.Kind, p.creds)
	page, err := s.Provider.Page(ctx, at)
	if err != nil {
		return p, connectFault(err)
	}
	if n.Kind == Instagram && page.InstagramID == "" {
		return p, fault.Invalid("page_id", "no_instagram_account")
	}
	p.set.PageName, p.set.AppID = page.Name, page.AppID
	if n.Kind == Instagram {
		p.set.InstagramID, p.set.Username = page.InstagramID, page.Username
	}
	p.in.Name = cmp.Or(strings.TrimSpace(n.Name), p.set.Username, page.Name)
	if err := s.listen(ctx, &p); err != nil {
		return p, err
	}
	if err := s.Provider.Subscribe(ctx, at); err != nil {
		return p, connectFault(err)
	}
	return p, nil
}

// Withdraw ends what Prepare began, unless an account still uses the page.
func (s *Service) Withdraw(ctx context.Context, p Prepared) error {
	return s.leave(ctx, p.set.PageID, p.set.access(p.in.Kind, p.creds))
}

// leave makes a page tell us nothing more, unless an account of any workspace still
// uses it.
func (s *Service) leave(ctx context.Context, page string, at Access) error {
	var uses int
	if err := s.DB.System("channel look-up").Read(ctx, func(r *db.Reader) (err error) {
		uses, err = countPageUses(r, page)
		return err
	}); err != nil || uses > 0 {
		return err
	}
	return s.Provider.Unsubscribe(ctx, at)
}

// listen makes the app's news come to us. An app whose news go to another address is
// left alone, unless the caller said that we take its place.
func (s *Service) listen(ctx context.Context, p *Prepared) error {
	app := App{ID: p.set.AppID, Secret: secret.Of(p.creds.AppSecret)}
	now, err := s.Provider.Webhook(ctx, app, p.in.Kind)
	if err != nil {
		return appFault(err)
	}
	if now == p.set.WebhookURL {
		return nil
	}
	if now != "" && !p.in.ReplaceWebhook {
		return fault.Invalid("replace_webhook", "webhook_taken").Because(now)
	}
	if err := s.Provider.SetWebhook(ctx, app, p.in.Kind, p.set.WebhookURL, s.verify); err != nil {
		return appFault(err)
	}
	return nil
}

// Put stores a page that was prepared.
func (s *Service) Put(tx *db.Tx, p Prepared) (a channel.Account, err error) {
	external := p.External()
	was, found, err := s.Channels.OfExternal(&tx.Reader, p.in.Kind, external)
	if err != nil {
		return a, err
	}
	if found {
		a, err = s.renew(tx, was.ID, p)
	} else {
		a = channel.Account{ID: p.in.ID, Kind: p.in.Kind, Name: p.in.Name, Status: channel.Active, GroupID: p.in.GroupID, AI: p.in.AI, ExternalID: &external}
		if err = a.Write(p.set); err == nil {
			a, err = s.Channels.Connect(tx, a)
		}
	}
	if err != nil {
		return a, err
	}
	text, err := json.Marshal(p.creds)
	if err != nil {
		return a, fmt.Errorf("social: %w", err)
	}
	if err := s.Channels.SetCredentials(tx, a.ID, text); err != nil {
		return a, err
	}
	if err := putPage(tx, a.ID, p.set.PageID); err != nil {
		return a, fmt.Errorf("social: put page: %w", err)
	}
	return s.Channels.Find(&tx.Reader, p.in.Kind, a.ID)
}

// renew gives an account that is connected a new token.
func (s *Service) renew(tx *db.Tx, id uuid.UUID, p Prepared) (channel.Account, error) {
	a, err := s.Channels.Change(tx, p.in.Kind, id, func(a *channel.Account) error {
		a.Name = p.in.Name
		if p.in.GroupID != nil {
			a.GroupID = p.in.GroupID
		}
		var was Settings
		if err := a.Read(&was); err != nil {
			return err
		}
		p.set.ReadReceipts = was.ReadReceipts
		return a.Write(p.set)
	})
	if err != nil {
		return a, err
	}
	return s.Channels.Set(tx, id, channel.Active, nil)
}

// connectFault says which of the fields the provider did not like.
func connectFault(err error) error {
	r, ok := errors.AsType[*Refusal](err)
	switch {
	case !ok || r.Passing():
		return meta.Unreachable(err)
	case r.Auth():
		return fault.Invalid("access_token", "refused").Because(r.Words())
	case r.Code == meta.CodeMissing && r.Subcode == meta.SubcodeMissing:
		return fault.Invalid("page_id", "unknown_page").Because(r.Words())
	}
	return fault.Invalid("page_id", "refused").Because(r.Words())
}

// appFault is connectFault for what the app's secret opens.
func appFault(err error) error {
	r, ok := errors.AsType[*Refusal](err)
	switch {
	case !ok || r.Passing():
		return meta.Unreachable(err)
	case r.Code == meta.CodeCallback:
		return fault.Invalid("webhook_url", "unreachable").Because(r.Words())
	}
	return fault.Invalid("app_secret", "refused").Because(r.Words())
}

// account reads an account with its settings and what opens it. Of another channel it
// is not_found.
func (s *Service) account(r *db.Reader, id uuid.UUID) (a channel.Account, set Settings, c credentials, err error) {
	if a, err = s.Channels.Find(r, "", id); err != nil {
		return a, set, c, err
	}
	if a.Kind != Messenger && a.Kind != Instagram {
		return a, set, c, fault.New(fault.NotFound)
	}
	if err = a.Read(&set); err != nil {
		return a, set, c, err
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

// errUnavailable says that the account is not there any more, or paused.
var errUnavailable = errors.New(ReasonUnavailable)

// working opens an account that carries messages; errUnavailable where it does not.
func (s *Service) working(ctx context.Context, id uuid.UUID) (Settings, Access, error) {
	a, set, c, err := s.open(ctx, id)
	if fault.Is(err, fault.NotFound) || err == nil && !a.Works() {
		err = errUnavailable
	}
	return set, set.access(a.Kind, c), err
}

// tokenAnswered keeps what an answer of the provider says about a page's token.
func (s *Service) tokenAnswered(ctx context.Context, account uuid.UUID, err error) {
	r, refused := errors.AsType[*Refusal](err)
	refused = refused && r.Auth()
	if err != nil && !refused {
		return
	}
	if fail := s.Channels.RecordToken(ctx, account, refused); fail != nil {
		s.Log.ErrorContext(ctx, "what the provider said about a token could not be kept", "account", account, "error", fail)
	}
}

func (s *Service) tenant(ctx context.Context) db.Handle {
	return s.DB.Tenant(caller.From(ctx).TenantID)
}
