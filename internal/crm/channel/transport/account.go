package transport

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Accounts reads and stores the accounts of one or more kinds of channel, with settings of
// type S and credentials of type C.
type Accounts[S, C any] struct {
	DB       *db.DB
	Log      *slog.Logger
	Channels *channel.Service
	Kinds    []string
	// OpenedBy returns the account whose credentials open an account with these settings,
	// the zero id for its own; nil if each account has its own.
	OpenedBy func(S) uuid.UUID
}

// Opened is an account with its settings and its credentials for the provider.
type Opened[S, C any] struct {
	channel.Account
	Set   S
	Creds C
	// OpenerID is the account that the credentials belong to.
	OpenerID uuid.UUID
}

// Find returns an account; not_found if it does not exist or is of another kind.
func (s *Accounts[S, C]) Find(r *db.Reader, id uuid.UUID) (o Opened[S, C], err error) {
	if o.Account, err = s.Channels.Find(r, "", id); err != nil {
		return o, err
	}
	if !slices.Contains(s.Kinds, o.Kind) {
		return o, fault.New(fault.NotFound)
	}
	if err = o.Read(&o.Set); err != nil {
		return o, err
	}
	o.OpenerID = id
	if s.OpenedBy != nil {
		if by := s.OpenedBy(o.Set); by != uuid.Nil {
			o.OpenerID = by
		}
	}
	text, err := s.Channels.Credentials(r, o.OpenerID)
	if err == nil && text != nil {
		err = json.Unmarshal(text, &o.Creds)
	}
	return o, err
}

// Open is Find outside a transaction.
func (s *Accounts[S, C]) Open(ctx context.Context, id uuid.UUID) (Opened[S, C], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Opened[S, C], error) { return s.Find(r, id) })
}

// OpenWorking is Open for an account that carries messages; ErrUnavailable if the account,
// or the one that opens it, does not work or is gone.
func (s *Accounts[S, C]) OpenWorking(ctx context.Context, id uuid.UUID) (o Opened[S, C], err error) {
	works := false
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		if o, err = s.Find(r, id); err != nil || o.OpenerID == id {
			works = o.Works()
			return err
		}
		opener, err := s.Channels.Find(r, "", o.OpenerID)
		works = o.Works() && opener.Works()
		return err
	})
	if fault.Is(err, fault.NotFound) || err == nil && !works {
		err = ErrUnavailable
	}
	return o, err
}

// Call opens a working account, makes one call to the provider and records what the answer
// says about the token.
func (s *Accounts[S, C]) Call(ctx context.Context, id uuid.UUID, fn func(*Opened[S, C]) error) error {
	o, err := s.OpenWorking(ctx, id)
	if err == nil {
		err = fn(&o)
		s.RecordAnswer(ctx, id, err)
	}
	return err
}

// RecordAnswer records what an answer of the provider says about the token of an account.
func (s *Accounts[S, C]) RecordAnswer(ctx context.Context, account uuid.UUID, err error) {
	r, refused := errors.AsType[Refusal](err)
	refused = refused && r.Auth()
	if err != nil && !refused {
		return
	}
	ctx = context.WithoutCancel(ctx)
	var fail error
	if s.OpenedBy != nil {
		var o Opened[S, C]
		o, fail = s.Open(ctx, account)
		account = o.OpenerID
	}
	if fail == nil {
		fail = s.Channels.RecordToken(ctx, account, refused)
	}
	if channel.IgnoreDeleted(fail) != nil {
		s.Log.ErrorContext(ctx, "the provider's answer about a token could not be stored", "account", account, "error", fail)
	}
}

// NewAccount is an account that the provider opened for us.
type NewAccount struct {
	ID       uuid.UUID // the zero id to create one
	Kind     string
	External string // the provider's id
	// Name is the name that a person gave, "" for none. Then an account that exists, or
	// existed, keeps its name, and a new one gets DefaultName.
	Name, DefaultName string
	GroupID           *uuid.UUID
	AI                bool
}

// Store creates the account for what the provider calls n.External; if it exists, or was
// disconnected, it gets the new settings and credentials. keep copies what should survive
// of the previous settings; nil if nothing should.
func (s *Accounts[S, C]) Store(tx *db.Tx, n NewAccount, set S, creds C, keep func(was S, set *S)) (channel.Account, error) {
	a, err := s.storeSettings(tx, n, set, keep)
	if err != nil {
		return a, err
	}
	text, err := json.Marshal(creds)
	if err != nil {
		return a, fmt.Errorf("transport: %w", err)
	}
	return a, s.Channels.SetCredentials(tx, a.ID, text)
}

func (s *Accounts[S, C]) storeSettings(tx *db.Tx, n NewAccount, set S, keep func(was S, set *S)) (channel.Account, error) {
	name := strings.TrimSpace(n.Name)
	change := func(a *channel.Account) error {
		a.Name = cmp.Or(name, a.Name)
		if n.GroupID != nil {
			a.GroupID = n.GroupID
		}
		if keep != nil {
			var before S
			if err := a.Read(&before); err != nil {
				return err
			}
			keep(before, &set)
		}
		return a.Write(set)
	}
	was, found, err := s.Channels.OfExternal(&tx.Reader, n.Kind, n.External)
	if err != nil {
		return was, err
	}
	if found {
		if a, err := s.Channels.Change(tx, n.Kind, was.ID, change); err != nil {
			return a, err
		}
		return s.Channels.Set(tx, was.ID, channel.Active, nil)
	}
	a := channel.Account{ID: n.ID, Kind: n.Kind, Name: cmp.Or(name, n.DefaultName), Status: channel.Active, GroupID: n.GroupID, AI: n.AI, ExternalID: &n.External}
	if err := a.Write(set); err != nil {
		return a, err
	}
	return s.Channels.ConnectAgain(tx, a, func(a *channel.Account) error {
		a.AI = n.AI // the caller decides again whether the assistant answers
		return change(a)
	})
}

// ChangeSettings applies fn to the settings of an account.
func ChangeSettings[S any](a *channel.Account, fn func(*S)) error {
	var set S
	if err := a.Read(&set); err != nil {
		return err
	}
	fn(&set)
	return a.Write(set)
}
