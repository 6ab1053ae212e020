package channel

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

// Groups checks the workspace's groups of agents.
type Groups interface {
	IsGroup(r *db.Reader, id uuid.UUID) (bool, error)
}

// Assistants checks the configurations of the assistant.
type Assistants interface {
	// HoldConfiguration reports whether a configuration exists, and locks it until the
	// transaction ends.
	HoldConfiguration(tx *db.Tx, id uuid.UUID) (bool, error)
	// NeedsHours reports whether a configuration depends on the business hours of its
	// channels.
	NeedsHours(r *db.Reader, id uuid.UUID) (bool, error)
}

// Config holds what the Service needs.
type Config struct {
	DB     *db.DB
	Box    *secret.Box // seals the accounts' credentials
	Groups Groups
	// Assistants checks the configurations that accounts use.
	Assistants Assistants
	Contacts   Contacts
	Kinds      Kinds
}

// Service manages the channel accounts.
type Service struct{ cfg Config }

// New returns a Service.
func New(c Config) *Service { return &Service{c} }

// List returns accounts, newest first; without a status, all except disconnected ones.
func (s *Service) List(ctx context.Context, kind, status string, p db.Page) (db.List[Account], error) {
	return db.Read(ctx, s.cfg.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Account], error) { return list(r, kind, status, p) })
}

// Get returns one account, of a kind or of any.
func (s *Service) Get(ctx context.Context, kind string, id uuid.UUID) (Account, error) {
	return db.Read(ctx, s.cfg.DB.TenantOf(ctx), func(r *db.Reader) (Account, error) { return s.Find(r, kind, id) })
}

// Find returns one account, of a kind or of any; not_found if it does not exist.
func (s *Service) Find(r *db.Reader, kind string, id uuid.UUID) (Account, error) {
	a, err := byID(r, id)
	if err == nil && kind != "" && a.Kind != kind {
		err = db.ErrNoRow
	}
	return a, db.NotFound(err)
}

// First returns the oldest working account of a kind; false if there is none.
func (s *Service) First(r *db.Reader, kind string) (Account, bool, error) {
	list, err := working(r, kind, 1)
	if err != nil || len(list) == 0 {
		return Account{}, false, err
	}
	return list[0], true, nil
}

// Working lists the accounts of a kind that carry messages, the oldest first.
func (s *Service) Working(r *db.Reader, kind string) ([]uuid.UUID, error) {
	list, err := working(r, kind, maxAccounts)
	return each.Map(list, func(a Account) uuid.UUID { return a.ID }), err
}

// OfExternal finds the workspace's account by the provider's name for it; false if it does
// not exist or is disconnected.
func (s *Service) OfExternal(r *db.Reader, kind, external string) (Account, bool, error) {
	a, err := ofExternal(r, kind, external)
	found, err := db.Found(err)
	return a, found, err
}

// maxAccounts limits the number of accounts of a workspace.
const maxAccounts = 200

// Connect is the gate for a new account. The caller sets kind, name, status, settings and
// whatever else it knows.
func (s *Service) Connect(tx *db.Tx, a Account) (Account, error) {
	if err := checkCount(tx); err != nil {
		return a, err
	}
	if a.ID == uuid.Nil {
		a.ID = tx.NewID()
	}
	if a.Settings == nil {
		a.Settings = json.RawMessage(`{}`)
	}
	a.CreatedAt, a.UpdatedAt = clock.At(tx.Now()), clock.At(tx.Now())
	if err := s.check(tx, &a); err != nil {
		return a, err
	}
	var by *uuid.UUID
	if who := caller.From(tx.Context()); who.ID != uuid.Nil {
		by = &who.ID
	}
	if free, err := put(tx, &a, by); err != nil {
		return a, fmt.Errorf("channel: put: %w", err)
	} else if !free {
		return a, errTaken()
	}
	if err := audit.Write(tx, "channel.connected", a.ID.String(), map[string]any{"kind": a.Kind, "name": a.Name}); err != nil {
		return a, err
	}
	return a, announce(tx, &a, nil)
}

func (s *Service) check(tx *db.Tx, a *Account) error {
	if a.Name = strings.TrimSpace(a.Name); a.Name == "" {
		return fault.Invalid("name", "required")
	}
	if err := a.Hours.V.Check("business_hours"); err != nil {
		return err
	}
	if a.GroupID != nil {
		if ok, err := s.cfg.Groups.IsGroup(&tx.Reader, *a.GroupID); err != nil {
			return err
		} else if !ok {
			return fault.Invalid("group_id", "unknown_group")
		}
	}
	return nil
}

// checkAssistant refuses an assistant that depends on business hours on an account without
// any: it would always answer, or never.
func (s *Service) checkAssistant(r *db.Reader, was, a *Account) error {
	id := a.AIConfigurationID
	if !a.AI || id == nil || a.Hours.V != nil {
		return nil
	}
	named := !was.AI || was.AIConfigurationID == nil || *was.AIConfigurationID != *id
	if !named && was.Hours.V == nil {
		return nil
	}
	if needs, err := s.cfg.Assistants.NeedsHours(r, *id); err != nil || !needs {
		return err
	}
	if named {
		return fault.Invalid("configuration_id", "channel_without_hours")
	}
	return fault.Invalid("business_hours", "needed_by_assistant")
}

// Change is the gate for the changes that fn makes to an account: its name, settings,
// hours, group or assistant. Status changes have their own gates.
func (s *Service) Change(tx *db.Tx, kind string, id uuid.UUID, fn func(*Account) error) (Account, error) {
	was, err := s.Lock(tx, kind, id)
	if err != nil {
		return was, err
	}
	a := was
	if err := fn(&a); err != nil {
		return a, err
	}
	a.Status, a.Reason, a.UpdatedAt = was.Status, was.Reason, clock.At(tx.Now())
	if err := s.check(tx, &a); err != nil {
		return a, err
	}
	if err := s.checkAssistant(&tx.Reader, &was, &a); err != nil {
		return a, err
	}
	if err := save(tx, &a); err != nil {
		return a, fmt.Errorf("channel: save: %w", err)
	}
	return a, audit.Write(tx, "channel.changed", id.String(), map[string]any{"kind": a.Kind, "name": a.Name})
}

// Lock returns an account that is not disconnected, and locks it until the transaction
// ends.
func (s *Service) Lock(tx *db.Tx, kind string, id uuid.UUID) (Account, error) {
	a, err := lock(tx, id)
	if err == nil && kind != "" && a.Kind != kind {
		err = db.ErrNoRow
	}
	if err == nil && a.Status == Disconnected {
		return a, fault.New(fault.ChannelUnavailable).Because(Disconnected)
	}
	return a, db.NotFound(err)
}

// Set is the gate for a status that Konak itself detected: connected at last, or in need of
// attention. Paused and disconnected accounts stay as they are.
func (s *Service) Set(tx *db.Tx, id uuid.UUID, status string, reason *string) (Account, error) {
	a, err := lock(tx, id)
	if err != nil {
		return a, db.NotFound(err)
	}
	if a.Status == Paused || a.Status == Disconnected {
		return a, nil
	}
	err = s.move(tx, &a, status, reason)
	return a, err
}

// RequireAttention is Set for an account that needs attention for a reason.
func (s *Service) RequireAttention(tx *db.Tx, id uuid.UUID, reason string) error {
	_, err := s.Set(tx, id, Attention, &reason)
	return err
}

// ClearAttention makes an account active again if it needs attention for one of these
// reasons; otherwise it changes nothing.
func (s *Service) ClearAttention(tx *db.Tx, id uuid.UUID, reasons ...string) error {
	a, err := lock(tx, id)
	if err != nil {
		return db.NotFound(err)
	}
	if a.Status != Attention || a.Reason == nil || !slices.Contains(reasons, *a.Reason) {
		return nil
	}
	return s.move(tx, &a, Active, nil)
}

// HoldAccount implements jobs.AccountStatus: an active account needs attention from now on.
// Accounts in any other status stay as they are.
func (s *Service) HoldAccount(tx *db.Tx, id uuid.UUID, reason string) error {
	a, err := lock(tx, id)
	if db.IsNoRow(err) || err == nil && a.Status != Active {
		return nil
	}
	if err != nil {
		return err
	}
	return s.move(tx, &a, Attention, &reason)
}

// ReleaseAccount implements jobs.AccountStatus.
func (s *Service) ReleaseAccount(tx *db.Tx, id uuid.UUID, reason string) error {
	if err := s.ClearAttention(tx, id, reason); !fault.Is(err, fault.NotFound) {
		return err
	}
	return nil
}

// SetStatus is the gate for a status set by a person: active or paused. It clears the
// reason why the account needed attention, and its waiting jobs are tried at once.
func (s *Service) SetStatus(ctx context.Context, id uuid.UUID, status string) (a Account, err error) {
	err = s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err = s.SetStatusIn(tx, "", id, status)
		return err
	})
	return a, err
}

// SetStatusIn is SetStatus within a transaction, for an account of a kind or of any.
func (s *Service) SetStatusIn(tx *db.Tx, kind string, id uuid.UUID, status string) (Account, error) {
	a, err := s.Lock(tx, kind, id)
	if err != nil {
		return a, err
	}
	if a.Status == Connecting && status == Active {
		return a, fault.New(fault.ChannelUnavailable).Because(Connecting)
	}
	if err := jobs.ResumeAccount(tx, id); err != nil {
		return a, err
	}
	err = s.move(tx, &a, status, nil)
	return a, err
}

// Disconnect is the gate for disconnecting an account; repeating it changes nothing.
func (s *Service) Disconnect(ctx context.Context, id uuid.UUID) error {
	return s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error { return s.DisconnectIn(tx, id) })
}

// DisconnectIn is Disconnect within a transaction, for accounts that are disconnected
// together.
func (s *Service) DisconnectIn(tx *db.Tx, id uuid.UUID) error {
	a, err := lock(tx, id)
	if err != nil {
		return db.NotFound(err)
	}
	if a.Status == Disconnected {
		return nil
	}
	// The kind may still need the credentials, to clean up at its provider.
	a.KeyLast4 = nil
	if err := s.move(tx, &a, Disconnected, nil); err != nil {
		return err
	}
	return strip(tx, id)
}

// move saves a new status, notifies the kind and announces the change. It does nothing if
// the status and reason are the same.
func (s *Service) move(tx *db.Tx, a *Account, status string, reason *string) error {
	before := previous{a.Status, a.Reason}
	if a.Status == status && equal(a.Reason, reason) {
		return nil
	}
	a.Status, a.Reason, a.UpdatedAt = status, reason, clock.At(tx.Now())
	if err := save(tx, a); err != nil {
		return fmt.Errorf("channel: save: %w", err)
	}
	if kind, ok := s.cfg.Kinds[a.Kind]; ok {
		if err := kind.AfterChange(tx, *a, before.Status); err != nil {
			return err
		}
	}
	detail := map[string]any{"from": before.Status, "to": status, "reason": reason}
	if err := audit.Write(tx, "channel.status", a.ID.String(), detail); err != nil {
		return err
	}
	return announce(tx, a, &before)
}

func announce(tx *db.Tx, a *Account, before *previous) error {
	change := event.Change{Type: StatusChanged, Object: a}
	if before != nil {
		change.Previous = before
	}
	_, err := event.Emit(tx, change)
	return err
}

func equal(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// SetAI turns the assistant on or off for an account and sets its configuration there; nil
// leaves the configuration unchanged, the zero id means the defaults. The assistant checks
// the flag before each answer, so turning it off takes effect at once, in open
// conversations too. SetAI returns validation_failed if the configuration does not exist,
// or needs business hours that the account does not have, and a conflict if the assistant
// is turned on but could not answer: on forms, or without the licence.
func (s *Service) SetAI(ctx context.Context, id uuid.UUID, on bool, configuration *uuid.UUID) (a Account, err error) {
	err = s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if configuration != nil && *configuration != uuid.Nil {
			if known, err := s.cfg.Assistants.HoldConfiguration(tx, *configuration); err != nil {
				return err
			} else if !known {
				return fault.Invalid("configuration_id", "unknown_configuration")
			}
		}
		a, err = s.Change(tx, "", id, func(a *Account) error {
			switch {
			case on && a.Kind == "help_center":
				return fault.New(fault.Conflict).Because("ai_unavailable")
			case on && !caller.From(ctx).Licences["ai"]:
				return fault.New(fault.Conflict).Because("ai_not_licensed")
			}
			a.AI = on
			if configuration != nil {
				a.AIConfigurationID = configuration
			}
			if configuration != nil && *configuration == uuid.Nil {
				a.AIConfigurationID = nil
			}
			return nil
		})
		return err
	})
	return a, err
}

// NamesConfiguration reports whether an account uses a configuration of the assistant, and
// whether one of them has the assistant on but no business hours.
func (s *Service) NamesConfiguration(r *db.Reader, id uuid.UUID) (used, withoutHours bool, err error) {
	return namesConfiguration(r, id)
}

// NewKey creates a new channel key for an account, which is shown once. The previous key
// stops working.
func (s *Service) NewKey(tx *db.Tx, id uuid.UUID) (string, error) {
	key := secret.NewToken(secret.ChannelPrefix)
	return key, setKey(tx, id, secret.Hash(key), secret.Last4(key))
}

// SetCredentials seals and stores an account's credentials for its provider.
func (s *Service) SetCredentials(tx *db.Tx, id uuid.UUID, plain []byte) error {
	return setCredentials(tx, id, s.cfg.Box.Seal(tx.Tenant(), sealContext(id), plain))
}

// Credentials returns an account's credentials; nil if it has none.
func (s *Service) Credentials(r *db.Reader, id uuid.UUID) ([]byte, error) {
	sealed, err := credentials(r, id)
	if err != nil || sealed == nil {
		return nil, db.NotFound(err)
	}
	return s.cfg.Box.Open(r.Tenant(), sealContext(id), sealed)
}

// Owned is an account with its workspace, for calls that carry no credential.
type Owned struct {
	TenantID uuid.UUID
	Slug     string
	Licences []string
	Account  Account
}

// Context returns a context that acts for the workspace as the system, for what a customer
// or a provider triggers.
func (o *Owned) Context(ctx context.Context, ip string) context.Context {
	licences := make(map[string]bool, len(o.Licences))
	for _, l := range o.Licences {
		licences[l] = true
	}
	return caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: o.TenantID, Slug: o.Slug, Licences: licences, IP: ip})
}

// ByKey finds the account that a channel key belongs to; not_found if the key is unknown,
// workspace_suspended if its workspace is suspended.
func (s *Service) ByKey(ctx context.Context, key string) (o Owned, err error) {
	if !secret.WellFormed(key, secret.ChannelPrefix) {
		return o, fault.New(fault.NotFound)
	}
	o, err = db.Read(ctx, s.cfg.DB.System("channel look-up"), func(r *db.Reader) (Owned, error) { return byKey(r, secret.Hash(key)) })
	if err == nil && db.IsRefused(ctx, o.TenantID) {
		return Owned{}, fault.New(fault.WorkspaceSuspended)
	}
	return o, db.NotFound(err)
}

// ownersMax limits how many workspaces may share one name at a provider.
const ownersMax = 20

// ByExternal finds the accounts of any workspace that have this name at a provider, oldest
// first.
func (s *Service) ByExternal(ctx context.Context, kind, external string) ([]Owned, error) {
	return db.Read(ctx, s.cfg.DB.System("channel look-up"), func(r *db.Reader) ([]Owned, error) { return byExternal(r, kind, external, ownersMax) })
}
