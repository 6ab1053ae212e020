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

// Account is what the assistant knows of a channel account.
type Account struct {
	Enabled         bool // it carries messages, and the assistant is on
	Open            bool // somebody is there, by its business hours
	ConfigurationID *uuid.UUID
}

// Channels knows the accounts of a workspace.
type Channels interface {
	Account(r *db.Reader, id uuid.UUID) (Account, error)
	// NamesConfiguration says whether an account uses a configuration, and whether one of
	// those where the assistant is on has no business hours.
	NamesConfiguration(r *db.Reader, id uuid.UUID) (used, withoutHours bool, err error)
}

// Library has the texts that answers come from.
type Library interface {
	// Revision names the state of the texts; texts of one revision are equal.
	Revision(ctx context.Context) (string, error)
	Read(ctx context.Context) ([]engine.Text, error)
}

// Provisions knows the regulation corpus.
type Provisions interface {
	// FindProvisions returns provisions in force that fit a question, the best first.
	FindProvisions(ctx context.Context, question string, limit int) ([]engine.Text, error)
}

// Workspaces knows the workspaces.
type Workspaces interface {
	// Workspace reads the slug of a workspace and its licences.
	Workspace(ctx context.Context, id uuid.UUID) (slug string, licences map[string]bool, err error)
}

// Typing shows the customer that an answer is on its way.
type Typing interface {
	BotTypes(ctx context.Context, c conversation.Conversation)
}

// Order is what a language model learns of a customer's order.
type Order struct {
	Number   string   `json:"number"`
	Status   string   `json:"status"`
	PlacedAt string   `json:"placed_at"`
	Total    string   `json:"total"`
	Items    []string `json:"items"`
	URL      string   `json:"url,omitempty"`
	Tracking []string `json:"tracking,omitempty"`
}

// Orders knows what customers bought.
type Orders interface {
	// OrdersOf lists the newest orders of a contact.
	OrdersOf(r *db.Reader, who contact.Contact) ([]Order, error)
}

// Mails knows where mails came from.
type Mails interface {
	// ProvenSender returns the address that the mail of an item came from, "" where
	// nothing proves it.
	ProvenSender(r *db.Reader, item uuid.UUID) (string, error)
}

// Config is what the assistant needs.
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
	// Limits bounds how often agents let a language model write.
	Limits limit.Limiter
	// Model asks language models, with keys that Box sealed.
	Model Model
	Box   *secret.Box
	// ModelTime is how long one call of a language model may take: 30 seconds by
	// default.
	ModelTime time.Duration
	// TypingEvery is how often the typing sign is renewed: every 5 seconds by default.
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

// keptText is how many bytes of the workspaces' texts a node keeps in memory; an index is
// some ten times as large as its text. Each counts as emptyIndex bytes at least.
const (
	keptText   = 16 << 20
	emptyIndex = 64 << 10
)

// New makes the service. It returns an error where the config lacks something.
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

func (s *Service) tenant(ctx context.Context) db.Handle {
	return s.DB.Tenant(caller.From(ctx).TenantID)
}

// index gives the workspace's texts.
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

// Configurations lists the oldest first.
func (s *Service) Configurations(ctx context.Context, p db.Page) (db.List[Configuration], error) {
	return db.Read(ctx, s.tenant(ctx), func(r *db.Reader) (db.List[Configuration], error) { return list(r, s.today(), p) })
}

// Configuration reads one; not_found where there is none.
func (s *Service) Configuration(ctx context.Context, id uuid.UUID) (Configuration, error) {
	return db.Read(ctx, s.tenant(ctx), func(r *db.Reader) (Configuration, error) {
		c, err := byID(r, s.today(), id)
		return c, db.NotFound(err)
	})
}

// Add makes a configuration. It returns a conflict where the name is another's.
func (s *Service) Add(ctx context.Context, in Input) (c Configuration, err error) {
	err = idempotency.Do(ctx, s.tenant(ctx), &c, func(tx *db.Tx) error {
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

// record writes the audit line of a change.
func record(tx *db.Tx, action string, c Configuration) error {
	line := map[string]any{"name": c.Name, "active": c.Active, "delay_s": c.Delay, "max_answers": c.MaxAnswers, "provisions": c.Provisions, "engine": c.Engine}
	if m := c.Model.V; m != nil {
		line["address"], line["model"] = m.Address, m.Model
		line["daily_tokens"], line["daily_money"], line["daily_seconds"] = m.DailyTokens, m.DailyMoney, m.DailySeconds
	}
	return audit.Write(tx, action, c.ID.String(), line)
}

// Change writes a configuration anew and forgets failures of its server. It returns
// a conflict where the name is another's, and validation_failed where it goes by business
// hours from now on and a channel that uses it has none.
func (s *Service) Change(ctx context.Context, id uuid.UUID, in Input) (c Configuration, err error) {
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
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
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
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

// Known tells channels which configurations there are. It locks what it finds, so
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
