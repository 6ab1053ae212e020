package social

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/meta"
	"konak/internal/crm/channel/transport"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation/edit"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// Config holds what the channel needs.
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
	accounts  *transport.Accounts[Settings, credentials]
	transport *transport.Transport[Settings, credentials]
	receiver  *meta.Receiver[Event]
}

// New returns the channel.
func New(c Config) *Service {
	s := &Service{Config: c}
	s.accounts = &transport.Accounts[Settings, credentials]{DB: c.DB, Log: c.Log, Channels: c.Channels, Kinds: []string{Messenger, Instagram}}
	s.transport = transport.New(transport.Config[Settings, credentials]{
		Name: "social", Accounts: s.accounts, Box: c.Box, Inbound: c.Inbound, Files: c.Files, Carrier: carrier{s}, SendsAtOnce: 1,
	})
	s.receiver = &meta.Receiver[Event]{
		Log: c.Log, VerifyToken: meta.NewVerifyToken(c.Box, "social"), Read: c.Provider.Read,
		Names:  func(e Event) []string { return []string{e.Kind + "/" + e.Account} },
		Owners: s.owners, Signed: s.signedFor, Take: s.takeEvent,
		Brings: func(e Event) bool { return e.Message != nil || e.Edited != nil },
	}
	return s
}

// WebhookPath is the path that the provider calls.
const WebhookPath = "/api/crm/v1/channels/social/webhook"

// Prepared is a page that was set up at the provider but is not stored yet.
type Prepared struct {
	in    PageInput
	set   Settings
	creds credentials
}

// Connect creates an account for a page or its Instagram account, after the provider has
// accepted the token. An account that is already connected gets the new token. If the
// account cannot be stored, the page is unsubscribed; the app's webhook stays, but it
// receives no events of unsubscribed pages.
func (s *Service) Connect(ctx context.Context, n PageInput) (a channel.Account, err error) {
	p, err := s.Prepare(ctx, n)
	if err != nil {
		return a, err
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err = s.Put(tx, p)
		return err
	})
	if err != nil {
		if failed := s.Withdraw(context.WithoutCancel(ctx), p); failed != nil {
			s.Log.WarnContext(ctx, "a page that could not be stored is still subscribed", "error", failed)
		}
	}
	return a, err
}

// Prepare checks a page at the provider and makes it send us its events. It stores nothing.
// A refusal by the provider is returned as a fault of the field.
func (s *Service) Prepare(ctx context.Context, n PageInput) (p Prepared, err error) {
	n.PageID, n.Token, n.AppSecret = strings.TrimSpace(n.PageID), strings.TrimSpace(n.Token), strings.TrimSpace(n.AppSecret)
	p = Prepared{in: n, creds: credentials{n.Token, n.AppSecret}, set: Settings{PageID: n.PageID, HumanAgent: n.HumanAgent != nil && *n.HumanAgent, WebhookURL: s.BaseURL + WebhookPath}}
	at := p.set.access(n.Kind, p.creds)
	page, err := s.Provider.Page(ctx, at)
	if err != nil {
		return p, connectFault(err)
	}
	if n.Kind == Instagram && page.InstagramID == "" {
		return p, fault.Invalid("page_id", "no_instagram_account")
	}
	// A page can be requested by its name, but its events come with its id.
	p.set.PageID, p.set.PageName, p.set.AppID = cmp.Or(page.ID, n.PageID), page.Name, page.AppID
	p.in.PageID, at = p.set.PageID, p.set.access(n.Kind, p.creds)
	if n.Kind == Instagram {
		p.set.InstagramID, p.set.Username = page.InstagramID, page.Username
	}
	if err := s.listen(ctx, &p); err != nil {
		return p, err
	}
	if err := s.Provider.Subscribe(ctx, at); err != nil {
		return p, connectFault(err)
	}
	return p, nil
}

// Withdraw undoes Prepare, unless an account still uses the page.
func (s *Service) Withdraw(ctx context.Context, p Prepared) error {
	return s.leave(ctx, p.set.PageID, p.set.access(p.in.Kind, p.creds))
}

// leave unsubscribes a page, unless an account of any workspace still uses it.
func (s *Service) leave(ctx context.Context, page string, at Access) error {
	uses, err := db.Read(ctx, s.DB.System("channel look-up"), func(r *db.Reader) (int, error) { return countPageUses(r, page) })
	if err != nil || uses > 0 {
		return err
	}
	return s.Provider.Unsubscribe(ctx, at)
}

// listen makes the app send its events to us. It refuses if they go to another address,
// unless the caller allowed replacing it.
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
	if err := s.Provider.SetWebhook(ctx, app, p.in.Kind, p.set.WebhookURL, s.receiver.VerifyToken); err != nil {
		return appFault(err)
	}
	return nil
}

// Put stores a prepared page.
func (s *Service) Put(tx *db.Tx, p Prepared) (channel.Account, error) {
	a, err := s.accounts.Store(tx, transport.NewAccount{
		ID: p.in.ID, Kind: p.in.Kind, External: p.set.external(p.in.Kind), Name: p.in.Name, DefaultName: cmp.Or(p.set.Username, p.set.PageName),
		GroupID: p.in.GroupID, AI: p.in.AI,
	}, p.set, p.creds, func(was Settings, set *Settings) {
		set.ReadReceipts = was.ReadReceipts
		if p.in.HumanAgent == nil {
			set.HumanAgent = was.HumanAgent
		}
	})
	if err != nil {
		return a, err
	}
	if err := putPage(tx, a.ID, p.set.PageID); err != nil {
		return a, fmt.Errorf("social: put page: %w", err)
	}
	return a, nil
}

// connectFault returns the fault for a failed connection, with the field that the provider
// refused.
func connectFault(err error) error {
	r, ok := errors.AsType[*Refusal](err)
	switch {
	case !ok || r.Passing():
		return transport.Unreachable(err)
	case r.Auth():
		return fault.Invalid("access_token", "refused").Because(r.Words())
	case r.Code == meta.CodeMissing && r.Subcode == meta.SubcodeMissing:
		return fault.Invalid("page_id", "unknown_page").Because(r.Words())
	}
	return fault.Invalid("page_id", "refused").Because(r.Words())
}

// appFault is connectFault for calls made with the app's secret.
func appFault(err error) error {
	r, ok := errors.AsType[*Refusal](err)
	switch {
	case !ok || r.Passing():
		return transport.Unreachable(err)
	case r.Code == meta.CodeCallback:
		return fault.Invalid("webhook_url", "unreachable").Because(r.Words())
	}
	return fault.Invalid("app_secret", "refused").Because(r.Words())
}

// open returns the access to a working account, or transport.ErrUnavailable if the account
// does not work.
func (s *Service) open(ctx context.Context, id uuid.UUID) (Access, error) {
	o, err := s.accounts.OpenWorking(ctx, id)
	return accessTo(&o), err
}
