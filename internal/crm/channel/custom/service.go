package custom

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/jobs"
)

// Engine sends signed deliveries; webhook implements it.
type Engine interface {
	CheckAddress(address string) (string, error)
	CreateChannelEndpoint(tx *db.Tx, id uuid.UUID, address string) (secret string, err error)
	ChangeChannelAddress(tx *db.Tx, id uuid.UUID, address string) error
	RotateChannelSecret(tx *db.Tx, id uuid.UUID) (secret string, err error)
	EnableChannel(tx *db.Tx, id uuid.UUID) error
	DeleteChannelEndpoint(tx *db.Tx, id uuid.UUID) error
	SendToChannel(tx *db.Tx, id uuid.UUID, c event.Change) error
	PingChannel(ctx context.Context, id uuid.UUID) (delivery *uuid.UUID, retried int, err error)
	WaitForOldAttempts(ctx context.Context, id uuid.UUID)
}

// Config holds what the channel needs.
type Config struct {
	DB            *db.DB
	Channels      *channel.Service
	Conversations *conversation.Service
	Files         *file.Service
	Inbound       *inbound.Service
	AIRecords     *airecord.Service
	Engine        Engine
	// BaseURL is the prefix of links to files.
	BaseURL string
}

// Service is the custom channel.
type Service struct{ cfg Config }

// New returns the channel.
func New(c Config) *Service { return &Service{c} }

// NewChannel is the input for creating a channel.
type NewChannel struct {
	ID       uuid.UUID // the zero id to create one
	Name     string
	Settings Settings
	GroupID  *uuid.UUID
	AI       bool
}

// Create creates a channel with its key and its secret.
func (s *Service) Create(ctx context.Context, n NewChannel) (out Opened, err error) {
	if n.Settings.Address, err = s.cfg.Engine.CheckAddress(n.Settings.Address); err != nil {
		return out, err
	}
	err = idempotency.Do(ctx, s.cfg.DB.TenantOf(ctx), &out, func(tx *db.Tx) error {
		a := channel.Account{ID: n.ID, Kind: Name, Name: n.Name, Status: channel.Active, GroupID: n.GroupID, AI: n.AI}
		if err := a.Write(n.Settings); err != nil {
			return err
		}
		if a, err = s.cfg.Channels.Connect(tx, a); err != nil {
			return err
		}
		if out.Secret, err = s.cfg.Engine.CreateChannelEndpoint(tx, a.ID, n.Settings.Address); err != nil {
			return err
		}
		if out.Key, err = s.cfg.Channels.NewKey(tx, a.ID); err != nil {
			return err
		}
		out.Account, err = s.cfg.Channels.Find(&tx.Reader, Name, a.ID)
		return err
	})
	return out, err
}

// Change is a change of a channel; nil fields stay unchanged.
type Change struct {
	Name        *string
	Address     *string
	WindowHours *int       // 0 for always
	GroupID     *uuid.UUID // the nil UUID for none
}

// Update changes a channel's settings; its secret stays.
func (s *Service) Update(ctx context.Context, id uuid.UUID, ch Change) (a channel.Account, err error) {
	if ch.Address != nil {
		address, err := s.cfg.Engine.CheckAddress(*ch.Address)
		if err != nil {
			return a, err
		}
		ch.Address = &address
	}
	err = s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err = s.cfg.Channels.Change(tx, Name, id, func(a *channel.Account) error { return ch.apply(a) })
		if err != nil || ch.Address == nil {
			return err
		}
		return s.cfg.Engine.ChangeChannelAddress(tx, id, *ch.Address)
	})
	return a, err
}

func (ch *Change) apply(a *channel.Account) error {
	var set Settings
	if err := a.Read(&set); err != nil {
		return err
	}
	if ch.Name != nil {
		a.Name = *ch.Name
	}
	if ch.Address != nil {
		set.Address = *ch.Address
	}
	if ch.WindowHours != nil {
		set.WindowHours = ch.WindowHours
		if *ch.WindowHours == 0 {
			set.WindowHours = nil
		}
	}
	a.ChangeGroup(ch.GroupID)
	return a.Write(set)
}

// RotateKey gives a channel a new key; the old one stops working.
func (s *Service) RotateKey(ctx context.Context, id uuid.UUID) (out Rotated, err error) {
	err = s.rotate(ctx, id, "channel.key_rotated", &out.Account, func(tx *db.Tx) (err error) {
		out.Key, err = s.cfg.Channels.NewKey(tx, id)
		return err
	})
	return out, err
}

// RotateSecret gives a channel a new signing secret. It returns when no delivery signed
// with the old one is under way any more.
func (s *Service) RotateSecret(ctx context.Context, id uuid.UUID) (out Resigned, err error) {
	err = s.rotate(ctx, id, "channel.secret_rotated", &out.Account, func(tx *db.Tx) (err error) {
		out.Secret, err = s.cfg.Engine.RotateChannelSecret(tx, id)
		return err
	})
	if err == nil {
		s.cfg.Engine.WaitForOldAttempts(ctx, id)
	}
	return out, err
}

func (s *Service) rotate(ctx context.Context, id uuid.UUID, action string, a *channel.Account, fn func(*db.Tx) error) error {
	return idempotency.Do(ctx, s.cfg.DB.TenantOf(ctx), a, func(tx *db.Tx) (err error) {
		if _, err = s.cfg.Channels.Lock(tx, Name, id); err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			return err
		}
		if *a, err = s.cfg.Channels.Find(&tx.Reader, Name, id); err != nil {
			return err
		}
		return audit.Write(tx, action, id.String(), nil)
	})
}

// Ping tries the channel's address again.
func (s *Service) Ping(ctx context.Context, id uuid.UUID) (out Ping, err error) {
	if _, err := s.open(ctx, id, false); err != nil {
		return out, err
	}
	out.DeliveryID, out.Retried, err = s.cfg.Engine.PingChannel(ctx, id)
	return out, err
}

// open returns a channel that is not disconnected and, if works is set, that works.
func (s *Service) open(ctx context.Context, id uuid.UUID, works bool) (channel.Account, error) {
	a, err := s.cfg.Channels.Get(ctx, Name, id)
	if err == nil && (a.Status == channel.Disconnected || works && !a.Works()) {
		err = fault.New(fault.ChannelUnavailable).Because(a.Status)
	}
	return a, err
}

var (
	_ channel.Kind       = (*Service)(nil)
	_ conversation.Asker = (*Service)(nil)
)

// Route implements channel.Kind.
func (s *Service) Route(_ *db.Reader, a channel.Account, to contact.Contact) (*conversation.Route, error) {
	i, ok := channel.IdentityOn(to, a.ID)
	if !ok {
		return nil, nil
	}
	var set Settings
	if err := a.Read(&set); err != nil {
		return nil, err
	}
	if set.WindowHours != nil && i.WindowExpiresAt != nil && !s.cfg.DB.Clock().Now().Before(i.WindowExpiresAt.Time) {
		return nil, fault.New(fault.WindowClosed).ExpiredAt(i.WindowExpiresAt).Because("window_expired_at " + i.WindowExpiresAt.Format("2006-01-02T15:04:05Z"))
	}
	return &conversation.Route{Address: i.ExternalID}, nil
}

// Take implements channel.Kind: it hands the delivery to the webhook engine.
func (s *Service) Take(tx *db.Tx, m conversation.Outgoing) error {
	files := []File{}
	for _, f := range m.Attachments {
		at := s.cfg.BaseURL + publicPath + "/" + m.Route.AccountID.String() + "/files/" + f.ID.String()
		files = append(files, File{ID: f.ID, Name: f.Name, Type: f.Type, Size: f.Size, URL: at})
	}
	return s.cfg.Engine.SendToChannel(tx, m.Route.AccountID, event.Change{Type: MessageSent, Object: Outgoing{
		ID: m.ItemID, ChannelID: m.Route.AccountID, ConversationID: m.ConversationID, ContactID: m.ContactID,
		ExternalID: m.Route.Address, Body: m.Body, Files: files, CreatedAt: clock.At(tx.Now()),
	}})
}

// Capabilities implements channel.Kind. Files are sent as links, of any type that the inbox
// accepts. The window is a setting of each account.
func (s *Service) Capabilities() channel.Capabilities {
	return channel.Capabilities{Files: channel.AnyFile(file.MaxSize)}
}

// Push implements channel.Kind: the engine already has the message.
func (s *Service) Push(context.Context, conversation.Outgoing) (conversation.Delivery, error) {
	return conversation.Delivery{Status: conversation.Queued}, nil
}

// Ask implements conversation.Asker.
func (s *Service) Ask(tx *db.Tx, q conversation.Question) (bool, error) {
	return true, s.cfg.Engine.SendToChannel(tx, q.Route.AccountID, event.Change{Type: RatingAsked, Object: Asked{
		ID: q.SurveyID, ChannelID: q.Route.AccountID, ConversationID: q.ConversationID, ContactID: q.ContactID,
		ExternalID: q.Route.Address, ExpiresAt: q.ExpiresAt,
	}})
}

// AfterChange implements channel.Kind.
func (s *Service) AfterChange(tx *db.Tx, a channel.Account, _ string) error {
	switch a.Status {
	case channel.Disconnected:
		return s.cfg.Engine.DeleteChannelEndpoint(tx, a.ID)
	case channel.Active:
		return s.cfg.Engine.EnableChannel(tx, a.ID)
	}
	return nil
}

// outcome is the engine's report on a delivery; webhook.Outcome on the wire.
type outcome struct {
	Channel uuid.UUID `json:"channel"`
	Event   uuid.UUID `json:"event"`
	Type    string    `json:"type"`
	Status  string    `json:"status"`
	Error   string    `json:"error"`
}

// Outcome is the handler of the engine's reports: it updates the message, and the account
// if its address does not answer.
func (s *Service) Outcome(ctx context.Context, j *jobs.Job) error {
	var o outcome
	if err := json.Unmarshal(j.Payload, &o); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: j.TenantID})
	if o.Type == MessageSent {
		if err := s.delivered(ctx, o); err != nil {
			return err
		}
	}
	status, why := channel.Active, (*string)(nil)
	switch o.Status {
	case "delivered":
	case "disabled":
		reason := channel.WebhookFailing
		status, why = channel.Attention, &reason
	default:
		return nil
	}
	a, err := s.cfg.Channels.Get(ctx, Name, o.Channel)
	if err != nil || a.Status == status || !a.Works() {
		return ignoreDeleted(err)
	}
	return s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		_, err := s.cfg.Channels.Set(tx, o.Channel, status, why)
		return ignoreDeleted(err)
	})
}

func (s *Service) delivered(ctx context.Context, o outcome) error {
	var item uuid.UUID
	err := s.cfg.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		events, err := event.Load(r, r.Tenant(), []uuid.UUID{o.Event})
		if err != nil || len(events) == 0 {
			return err
		}
		sent := events[o.Event]
		var body struct {
			Data struct {
				Object struct {
					ID uuid.UUID `json:"id"`
				} `json:"object"`
			} `json:"data"`
		}
		if err := json.Unmarshal(sent.Body(), &body); err != nil {
			return fmt.Errorf("custom: event %s: %w", o.Event, err)
		}
		item = body.Data.Object.ID
		return nil
	})
	if err != nil || item == uuid.Nil {
		return err
	}
	d := conversation.Delivery{Status: conversation.Sent}
	if o.Status != "delivered" {
		d = conversation.Delivery{Status: conversation.Failed, Error: o.Error}
	}
	return ignoreDeleted(s.cfg.Inbound.RecordOutcome(ctx, item, d))
}

// ignoreDeleted returns nil if the record was deleted or disconnected in the meantime; it
// returns every other error unchanged.
func ignoreDeleted(err error) error {
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.ChannelUnavailable) {
		return nil
	}
	return err
}
