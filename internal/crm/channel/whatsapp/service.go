package whatsapp

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/meta"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/crm/reply"
	"konak/internal/crm/template"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// Config is what the channel needs.
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
	verify string
}

// New makes the channel.
func New(c Config) *Service {
	mac := hmac.New(sha256.New, c.Box.Derive("whatsapp"))
	mac.Write([]byte("verify token"))
	return &Service{Config: c, verify: hex.EncodeToString(mac.Sum(nil))[:32]}
}

// WebhookPath is where the provider calls.
const WebhookPath = "/api/crm/v1/channels/whatsapp/webhook"

// Prepared is a number that the provider opened for us and that is not stored yet.
type Prepared struct {
	in    NewNumber
	set   Settings
	creds credentials
}

// Connect makes an account of a number, after the provider showed that the
// token opens it. A number that is connected already gets the new token.
func (s *Service) Connect(ctx context.Context, n NewNumber) (a channel.Account, err error) {
	p, err := s.Prepare(ctx, n)
	if err != nil {
		return a, err
	}
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err = s.Put(tx, p)
		return err
	})
	if err == nil {
		s.SyncTemplates(ctx, a.ID)
	}
	return a, err
}

// Prepare asks the provider for a number and makes it call us. It stores nothing. What
// the provider does not like is a fault of the field.
func (s *Service) Prepare(ctx context.Context, n NewNumber) (p Prepared, err error) {
	n.NumberID, n.BusinessID = strings.TrimSpace(n.NumberID), strings.TrimSpace(n.BusinessID)
	n.Token, n.AppSecret = strings.TrimSpace(n.Token), strings.TrimSpace(n.AppSecret)
	set := Settings{NumberID: n.NumberID, BusinessID: n.BusinessID, WebhookURL: s.BaseURL + WebhookPath, VerifyToken: s.verify}
	creds := credentials{n.Token, n.AppSecret}
	number, err := s.Provider.Number(ctx, set.access(creds))
	if err != nil {
		return p, connectFault(err)
	}
	set.Display, set.VerifiedName, set.Quality, set.Limit = number.Display, number.VerifiedName, number.Quality, number.Limit
	if err := s.Provider.Subscribe(ctx, set.access(creds), set.WebhookURL, s.verify); err != nil {
		return p, connectFault(err)
	}
	if strings.TrimSpace(n.Name) == "" {
		n.Name = number.VerifiedName
	}
	return Prepared{n, set, creds}, nil
}

// Withdraw ends what Prepare began, unless a number of the same business account is
// connected.
func (s *Service) Withdraw(ctx context.Context, p Prepared) error {
	left, err := s.ofBusiness(ctx, p.set.BusinessID)
	if err != nil || len(left) > 0 {
		return err
	}
	return s.Provider.Unsubscribe(ctx, p.set.access(p.creds))
}

// Put stores a number that was prepared.
func (s *Service) Put(tx *db.Tx, p Prepared) (a channel.Account, err error) {
	was, found, err := s.Channels.OfExternal(&tx.Reader, Name, p.set.NumberID)
	if err != nil {
		return a, err
	}
	if found {
		a, err = s.renew(tx, was.ID, p.in, p.set)
	} else {
		a = channel.Account{ID: p.in.ID, Kind: Name, Name: p.in.Name, Status: channel.Active, GroupID: p.in.GroupID, AI: p.in.AI, ExternalID: &p.set.NumberID}
		if err = a.Write(p.set); err == nil {
			a, err = s.Channels.Connect(tx, a)
		}
	}
	if err != nil {
		return a, err
	}
	text, err := json.Marshal(p.creds)
	if err != nil {
		return a, fmt.Errorf("whatsapp: %w", err)
	}
	if err := s.Channels.SetCredentials(tx, a.ID, text); err != nil {
		return a, err
	}
	if err := putNumber(tx, a.ID, p.set.BusinessID); err != nil {
		return a, fmt.Errorf("whatsapp: put number: %w", err)
	}
	return s.Channels.Find(&tx.Reader, Name, a.ID)
}

// SyncTemplates reads the templates of a number that was connected. It is connected
// whether or not they can be read now.
func (s *Service) SyncTemplates(ctx context.Context, id uuid.UUID) {
	if _, err := s.Templates.Sync(ctx, &id); err != nil {
		s.Log.WarnContext(ctx, "the templates of a number that was connected could not be read", "account", id, "error", err)
	}
}

// renew gives a number that is connected a new token.
func (s *Service) renew(tx *db.Tx, id uuid.UUID, n NewNumber, set Settings) (channel.Account, error) {
	a, err := s.Channels.Change(tx, Name, id, func(a *channel.Account) error {
		a.Name = n.Name
		if n.GroupID != nil {
			a.GroupID = n.GroupID
		}
		var was Settings
		if err := a.Read(&was); err != nil {
			return err
		}
		set.ReadReceipts = was.ReadReceipts
		return a.Write(set)
	})
	if err != nil {
		return a, err
	}
	return s.Channels.Set(tx, id, channel.Active, nil)
}

// connectFault says which of the fields the provider did not like.
func connectFault(err error) error {
	if errors.Is(err, ErrNoNumber) {
		return fault.Invalid("phone_number_id", "unknown_number")
	}
	r, ok := errors.AsType[*Refusal](err)
	switch {
	case !ok || r.Passing():
		return meta.Unreachable(err)
	case r.Auth():
		return fault.Invalid("access_token", "refused").Because(r.Words())
	case r.Code == meta.CodeCallback:
		return fault.Invalid("webhook_url", "unreachable").Because(r.Words())
	case r.Code == meta.CodeMissing && r.Subcode == meta.SubcodeMissing:
		return fault.Invalid("business_account_id", "unknown_account").Because(r.Words())
	}
	return fault.Invalid("phone_number_id", "refused").Because(r.Words())
}
