package whatsapp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/meta"
	"konak/internal/crm/channel/transport"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/crm/reply"
	"konak/internal/crm/template"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

// Config holds what the channel needs.
type Config struct {
	*Numbers
	Box       *secret.Box
	Contacts  *contact.Service
	Inbox     *conversation.Service
	Inbound   *inbound.Service
	Replies   *reply.Service
	Files     *file.Service
	Templates *template.Service
	// BaseURL is the installation's public address, which the provider calls.
	BaseURL string
}

// Service is the WhatsApp channel.
type Service struct {
	Config
	meta.Calling[Access]
	transport *transport.Transport[Settings, credentials]
	receiver  *meta.Receiver[Call]
}

// New returns the channel.
func New(c Config) *Service {
	s := &Service{Config: c}
	s.Calling = meta.NewCalling[Access](c.Provider, c.open, c.accounts.RecordAnswer)
	s.transport = transport.New(transport.Config[Settings, credentials]{
		Name: Name, Accounts: c.accounts, Box: c.Box, Inbound: c.Inbound, Files: c.Files, Carrier: carrier{s}, SendsAtOnce: 4,
	})
	s.receiver = &meta.Receiver[Call]{
		Log: c.Log, VerifyToken: meta.NewVerifyToken(c.Box, Name), Read: c.Provider.Read, Names: namesOf,
		Owners: s.owners, Signed: s.signedFor, Take: s.receiveCall,
		Brings: func(c Call) bool { return c.Message != nil || c.History != nil || c.Contacts != nil },
	}
	return s
}

// Jobs returns the kinds of this module's jobs.
func (s *Service) Jobs() []jobs.Kind {
	return append(s.transport.Jobs(),
		jobs.Kind{Name: historyJob, Handler: jobs.WithPayload(s.runHistory), PerNode: 4, PerTenant: 1, MaxAttempts: 20},
		jobs.Kind{Name: phonebookJob, Handler: jobs.WithPayload(s.runPhonebook), PerNode: 4, PerTenant: 1, MaxAttempts: 20})
}

// InboundAddress implements channel.Reachable.
func (s *Service) InboundAddress(a channel.Account) string {
	var set Settings
	if err := a.Read(&set); err != nil || set.Display == "" {
		return a.Name
	}
	return set.Display
}

// WebhookPath is the path that the provider calls.
const WebhookPath = "/api/crm/v1/channels/whatsapp/webhook"

// Prepared is a number that was set up at the provider but is not stored yet.
type Prepared struct {
	in    ConnectBody
	set   Settings
	creds credentials
}

// Connect creates an account for a number, after the provider has accepted its token. A
// number that is already connected gets the new token. If the account cannot be stored, the
// subscription at the provider is ended.
func (s *Service) Connect(ctx context.Context, n ConnectBody) (a channel.Account, err error) {
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
			s.Log.WarnContext(ctx, "a number that could not be stored is still subscribed", "error", failed)
		}
		return a, err
	}
	s.ReadAfterConnect(ctx, a)
	return a, nil
}

// Prepare checks a number at the provider and makes the provider call us. It stores
// nothing. A refusal by the provider is returned as a fault of the field.
func (s *Service) Prepare(ctx context.Context, n ConnectBody) (p Prepared, err error) {
	n.NumberID, n.BusinessID = strings.TrimSpace(n.NumberID), strings.TrimSpace(n.BusinessID)
	n.Token, n.AppSecret = strings.TrimSpace(n.Token), strings.TrimSpace(n.AppSecret)
	set := Settings{NumberID: n.NumberID, BusinessID: n.BusinessID, WebhookURL: s.BaseURL + WebhookPath, VerifyToken: s.receiver.VerifyToken}
	creds := credentials{Token: n.Token, AppSecret: n.AppSecret}
	number, err := s.Provider.Number(ctx, set.access(creds))
	if err != nil {
		return p, connectFault(err)
	}
	set.Display, set.VerifiedName, set.Quality, set.Limit = number.Display, number.VerifiedName, number.Quality, number.Limit
	set.OnApp = number.OnApp
	if err := s.Provider.Subscribe(ctx, set.access(creds), set.WebhookURL, s.receiver.VerifyToken); err != nil {
		return p, connectFault(err)
	}
	p = Prepared{n, set, creds}
	if n.Register && number.Unregistered {
		if err := s.register(ctx, &p); err != nil {
			return p, errors.Join(connectFault(err), s.Withdraw(ctx, p))
		}
	}
	return p, nil
}

// register makes a number ready to send, and stores the PIN in p.
func (s *Service) register(ctx context.Context, p *Prepared) error {
	pin := secret.NewDigits(6)
	if err := s.Provider.Register(ctx, p.set.access(p.creds), pin); err != nil {
		return err
	}
	p.creds.PIN = pin
	return nil
}

// Withdraw undoes Prepare: the number's registration, and the subscription unless a number
// of the same business account is connected.
func (s *Service) Withdraw(ctx context.Context, p Prepared) error {
	if p.creds.PIN != "" {
		if err := s.Provider.Deregister(ctx, p.set.access(p.creds)); err != nil {
			return err
		}
	}
	left, err := s.ofBusiness(ctx, p.set.BusinessID)
	if err != nil || len(left) > 0 {
		return err
	}
	return s.Provider.Unsubscribe(ctx, p.set.access(p.creds))
}

// Put stores a prepared number.
func (s *Service) Put(tx *db.Tx, p Prepared) (channel.Account, error) {
	if was, found, err := s.Channels.OfExternal(&tx.Reader, Name, p.set.NumberID); err != nil {
		return was, err
	} else if found && p.creds.PIN == "" {
		o, err := s.accounts.Find(&tx.Reader, was.ID)
		if err != nil {
			return was, err
		}
		p.creds.PIN = o.Creds.PIN
	}
	a, err := s.accounts.Store(tx, transport.NewAccount{
		ID: p.in.ID, Kind: Name, External: p.set.NumberID, Name: p.in.Name, DefaultName: p.set.VerifiedName, GroupID: p.in.GroupID, AI: p.in.AI,
	}, p.set, p.creds, func(was Settings, set *Settings) { set.ReadReceipts, set.History = was.ReadReceipts, was.History })
	if err != nil {
		return a, err
	}
	if err := putNumber(tx, a.ID, p.set.BusinessID); err != nil {
		return a, fmt.Errorf("whatsapp: put number: %w", err)
	}
	return a, nil
}

// ReadAfterConnect reads the templates of a newly connected number, and requests the
// contacts and the history if its owner also uses it in the app. Failures are only logged.
func (s *Service) ReadAfterConnect(ctx context.Context, a channel.Account) {
	if _, err := s.Templates.Sync(ctx, &a.ID); err != nil {
		s.Log.WarnContext(ctx, "the templates of a newly connected number could not be read", "account", a.ID, "error", err)
	}
	o, err := s.accounts.Open(ctx, a.ID)
	if err == nil && o.Set.OnApp && o.Set.History == "" {
		err = s.Provider.RequestAppData(ctx, o.Set.access(o.Creds))
	}
	if err != nil {
		s.Log.WarnContext(ctx, "the data of a number's app could not be requested", "account", a.ID, "error", err)
	}
}

// connectFault returns the fault for a failed connection, with the field that the provider
// refused.
func connectFault(err error) error {
	if errors.Is(err, ErrNoNumber) {
		return fault.Invalid("phone_number_id", "unknown_number")
	}
	r, ok := errors.AsType[*Refusal](err)
	switch {
	case !ok || r.Passing():
		return transport.Unreachable(err)
	case r.Auth():
		return fault.Invalid("access_token", "refused").Because(r.Words())
	case r.Code == meta.CodeCallback:
		return fault.Invalid("webhook_url", "unreachable").Because(r.Words())
	case r.Code == meta.CodeMissing && r.Subcode == meta.SubcodeMissing:
		return fault.Invalid("business_account_id", "unknown_account").Because(r.Words())
	}
	return fault.Invalid("phone_number_id", "refused").Because(r.Words())
}
