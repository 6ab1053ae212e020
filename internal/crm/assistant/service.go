package assistant

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/assistant/engine"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/crm/reply"
	"konak/internal/kit/audit"
	"konak/internal/kit/cache"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/limit"
	"konak/internal/kit/secret"
)

// Licence is the module that a workspace needs for the assistant.
const Licence = "ai"

// Account is the part of a channel account that the assistant needs.
type Account struct {
	Enabled         bool // it carries messages, and the assistant is on
	Open            bool // within its business hours
	ConfigurationID *uuid.UUID
}

// Channels reads the channel accounts of a workspace.
type Channels interface {
	Account(r *db.Reader, id uuid.UUID) (Account, error)
	// NamesConfiguration reports whether an account uses a configuration, and whether one
	// of those with the assistant on has no business hours.
	NamesConfiguration(r *db.Reader, id uuid.UUID) (used, withoutHours bool, err error)
}

// Library provides the texts that answers come from.
type Library interface {
	// Revision identifies the state of the texts; equal revisions mean equal texts.
	Revision(ctx context.Context) (string, error)
	Read(ctx context.Context) ([]engine.Text, error)
}

// Provisions searches the regulation corpus.
type Provisions interface {
	// FindProvisions returns provisions in force that match a question, best first.
	FindProvisions(ctx context.Context, question string, limit int) ([]engine.Text, error)
}

// Workspaces reads workspaces.
type Workspaces interface {
	// Workspace returns the slug and the licences of a workspace.
	Workspace(ctx context.Context, id uuid.UUID) (slug string, licences map[string]bool, err error)
}

// Typing shows the customer that an answer is on its way.
type Typing interface {
	BotTypes(ctx context.Context, c conversation.Conversation)
}

// Order is what a language model is told about a customer's order.
type Order struct {
	Number   string   `json:"number"`
	Status   string   `json:"status"`
	PlacedAt string   `json:"placed_at"`
	Total    string   `json:"total"`
	Items    []string `json:"items"`
	URL      string   `json:"url,omitempty"`
	Tracking []string `json:"tracking,omitempty"`
}

// Orders reads customers' orders.
type Orders interface {
	// OrdersOf returns the newest orders of a contact.
	OrdersOf(r *db.Reader, who contact.Contact) ([]Order, error)
}

// Mails reads the origin of mails.
type Mails interface {
	// ProvenSender returns the sender's address of an item's mail, "" if it is not proven.
	ProvenSender(r *db.Reader, item uuid.UUID) (string, error)
}

// Config holds what the assistant needs.
type Config struct {
	DB            *db.DB
	Conversations *conversation.Service
	Records       *airecord.Service
	Replies       *reply.Service
	Contacts      *contact.Book
	Channels      Channels
	Library       Library
	Provisions    Provisions
	Workspaces    Workspaces
	Typing        Typing
	Orders        Orders
	Mails         Mails
	// Limits limits how often agents let a language model write.
	Limits limit.Limiter
	// Model calls language models, with keys that Box sealed.
	Model Model
	Box   *secret.Box
	// ModelTime is the time limit for one call of a language model: 30 seconds by default.
	ModelTime time.Duration
	// TypingEvery is the interval at which the typing indicator is renewed: 5 seconds by
	// default.
	TypingEvery time.Duration
}

// Service is the assistant.
type Service struct {
	Config
	indexes cache.Cache[indexKey, *engine.Index]
	running running
	trying  running // questions to a language model, by workspace
}

type indexKey struct {
	tenant   uuid.UUID
	revision string
}

// keptText is the number of bytes of the workspaces' texts that a node keeps in memory; an
// index is about ten times as large as its text. Each index adds emptyIndex bytes.
const (
	keptText   = 16 << 20
	emptyIndex = 64 << 10
)

// New creates the service. It returns an error if the config is incomplete.
func New(c Config) (*Service, error) {
	if c.DB == nil || c.Conversations == nil || c.Records == nil || c.Replies == nil || c.Contacts == nil ||
		c.Channels == nil || c.Library == nil || c.Provisions == nil || c.Workspaces == nil || c.Typing == nil ||
		c.Orders == nil || c.Mails == nil || c.Limits == nil || c.Model == nil || c.Box == nil {
		return nil, errors.New("assistant: the config is not complete")
	}
	c.ModelTime, c.TypingEvery = cmp.Or(c.ModelTime, 30*time.Second), cmp.Or(c.TypingEvery, typingEvery)
	return &Service{Config: c, indexes: cache.New(cache.Options[indexKey, *engine.Index]{
		Most: keptText, Weight: func(_ indexKey, x *engine.Index) uint32 { return uint32(emptyIndex + x.Size()) },
	})}, nil
}

// index returns the index of the workspace's texts.
func (s *Service) index(ctx context.Context) (*engine.Index, error) {
	revision, err := s.Library.Revision(ctx)
	if err != nil {
		return nil, err
	}
	return s.indexes.Find(ctx, indexKey{caller.From(ctx).TenantID, revision}, func(ctx context.Context) (*engine.Index, error) {
		texts, err := s.Library.Read(ctx)
		return engine.NewIndex(texts), err
	})
}

// Configurations returns the configurations, oldest first.
func (s *Service) Configurations(ctx context.Context, p db.Page) (db.List[Configuration], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Configuration], error) { return list(r, s.today(), p) })
}

// Configuration returns one configuration; not_found if it does not exist.
func (s *Service) Configuration(ctx context.Context, id uuid.UUID) (Configuration, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Configuration, error) {
		c, err := byID(r, s.today(), id)
		return c, db.NotFound(err)
	})
}

// Add creates a configuration. It returns a conflict if the name is taken.
func (s *Service) Add(ctx context.Context, in Input) (c Configuration, err error) {
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &c, func(tx *db.Tx) error {
		c = Configuration{ID: tx.NewID(), CreatedAt: clock.At(tx.Now()), UpdatedAt: clock.At(tx.Now())}
		if err := in.apply(&c); err != nil {
			return err
		}
		if err := s.applyModel(tx.Tenant(), in.Model, &c); err != nil {
			return err
		}
		if n, err := count(&tx.Reader); err != nil {
			return err
		} else if n >= maxConfigurations {
			return fault.New(fault.LimitReached, maxConfigurations)
		}
		if free, err := put(tx, c); err != nil {
			return err
		} else if !free {
			return nameTaken()
		}
		return record(tx, "assistant_configuration.created", c)
	})
	return c, err
}

func nameTaken() error { return fault.New(fault.Conflict).Field("name", "taken") }

// record writes a change to the audit log.
func record(tx *db.Tx, action string, c Configuration) error {
	line := map[string]any{"name": c.Name, "active": c.Active, "delay_s": c.Delay, "max_answers": c.MaxAnswers, "provisions": c.Provisions, "engine": c.Engine}
	if m := c.Model.V; m != nil {
		line["address"], line["model"] = m.Address, m.Model
		line["daily_tokens"], line["daily_money"], line["daily_seconds"] = m.DailyTokens, m.DailyMoney, m.DailySeconds
	}
	return audit.Write(tx, action, c.ID.String(), line)
}

// Change replaces a configuration's settings and forgets failures of its server. It returns
// a conflict if the name is taken, and validation_failed if it now depends on business
// hours and a channel that uses it has none.
func (s *Service) Change(ctx context.Context, id uuid.UUID, in Input) (c Configuration, err error) {
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if c, err = lock(tx, id); err != nil {
			return db.NotFound(err)
		}
		was := c.Active
		if err := in.apply(&c); err != nil {
			return err
		}
		if err := s.applyModel(tx.Tenant(), in.Model, &c); err != nil {
			return err
		}
		if _, withoutHours, err := s.Channels.NamesConfiguration(&tx.Reader, id); err != nil {
			return err
		} else if withoutHours && c.Active != Always && c.Active != was {
			return fault.Invalid("active", "channel_without_hours")
		}
		c.UpdatedAt = clock.At(tx.Now())
		if free, err := save(tx, c); err != nil {
			return err
		} else if !free {
			return nameTaken()
		}
		if err := record(tx, "assistant_configuration.changed", c); err != nil {
			return err
		}
		c, err = byID(&tx.Reader, s.today(), id)
		return err
	})
	return c, err
}

// Delete removes a configuration. It returns a conflict while a channel uses it.
func (s *Service) Delete(ctx context.Context, id uuid.UUID) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		c, err := lock(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		if used, _, err := s.Channels.NamesConfiguration(&tx.Reader, id); err != nil {
			return err
		} else if used {
			return fault.New(fault.Conflict).Because("in_use")
		}
		if err := drop(tx, id); err != nil {
			return err
		}
		return record(tx, "assistant_configuration.deleted", c)
	})
}

// Known lets channels check configurations. HoldConfiguration locks the one it finds, so
// that it is not deleted before the transaction ends.
type Known struct{}

// HoldConfiguration implements channel.Assistants.
func (Known) HoldConfiguration(tx *db.Tx, id uuid.UUID) (bool, error) {
	_, err := lock(tx, id)
	if db.IsNoRow(err) {
		return false, nil
	}
	return err == nil, err
}

// NeedsHours implements channel.Assistants.
func (Known) NeedsHours(r *db.Reader, id uuid.UUID) (bool, error) {
	c, err := byID(r, 0, id)
	if db.IsNoRow(err) {
		return false, nil
	}
	return c.Active != Always, err
}
