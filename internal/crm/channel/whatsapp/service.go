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

// Connect makes an account of a number, after the provider showed that the
// token opens it. A number that is connected already gets the new token.
func (s *Service) Connect(ctx context.Context, n NewNumber) (a channel.Account, err error) {
	n.NumberID, n.BusinessID = strings.TrimSpace(n.NumberID), strings.TrimSpace(n.BusinessID)
	n.Token, n.AppSecret = strings.TrimSpace(n.Token), strings.TrimSpace(n.AppSecret)
	set := Settings{NumberID: n.NumberID, BusinessID: n.BusinessID, WebhookURL: s.BaseURL + WebhookPath, VerifyToken: s.verify}
	creds := credentials{n.Token, n.AppSecret}
	number, err := s.Provider.Number(ctx, set.access(creds))
	if err != nil {
		return a, connectFault(err)
	}
	set.Display, set.VerifiedName, set.Quality, set.Limit = number.Display, number.VerifiedName, number.Quality, number.Limit
	if err := s.Provider.Subscribe(ctx, set.access(creds), set.WebhookURL, s.verify); err != nil {
		return a, connectFault(err)
	}
	if strings.TrimSpace(n.Name) == "" {
		n.Name = number.VerifiedName
	}
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		was, found, err := s.Channels.OfExternal(&tx.Reader, Name, n.NumberID)
		if err != nil {
			return err
		}
		if found {
			a, err = s.renew(tx, was.ID, n, set)
		} else {
			a = channel.Account{ID: n.ID, Kind: Name, Name: n.Name, Status: channel.Active, GroupID: n.GroupID, AI: n.AI, ExternalID: &n.NumberID}
			if err := a.Write(set); err != nil {
				return err
			}
			a, err = s.Channels.Connect(tx, a)
		}
		if err != nil {
			return err
		}
		text, err := json.Marshal(creds)
		if err != nil {
			return err
		}
		if err := s.Channels.SetCredentials(tx, a.ID, text); err != nil {
			return err
		}
		if err := putNumber(tx, a.ID, n.BusinessID); err != nil {
			return fmt.Errorf("whatsapp: put number: %w", err)
		}
		a, err = s.Channels.Find(&tx.Reader, Name, a.ID)
		return err
	})
	if err != nil {
		return a, err
	}
	// The number is connected whether or not its templates can be read now.
	if _, err := s.Templates.Sync(ctx, &a.ID); err != nil {
		s.Log.WarnContext(ctx, "the templates of a number that was connected could not be read", "account", a.ID, "error", err)
	}
	return a, nil
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
	case !ok || r.passing():
		return unreachable(err)
	case r.auth():
		return fault.Invalid("access_token", "refused").Because(r.Words())
	case r.Code == codeCallback:
		return fault.Invalid("webhook_url", "unreachable").Because(r.Words())
	case r.Code == codeMissing && r.Subcode == subcodeMissing:
		return fault.Invalid("business_account_id", "unknown_account").Because(r.Words())
	}
	return fault.Invalid("phone_number_id", "refused").Because(r.Words())
}

// unreachable is the answer where the provider is not there, or busy.
func unreachable(err error) error {
	words := "timeout"
	if r, ok := errors.AsType[*Refusal](err); ok {
		words = r.Words()
	}
	return fault.New(fault.ProviderRejected, words).Wrap(err)
}
