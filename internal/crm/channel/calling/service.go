package calling

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Config holds what the package needs.
type Config struct {
	DB       *db.DB
	Log      *slog.Logger
	Channels *channel.Service
	Kinds    channel.Kinds
	Contacts *contact.Book
	Exchange channel.Exchange // nil if there is none
}

// Service turns calls on and off and builds the Button records.
type Service struct{ Config }

// New returns a Service.
func New(c Config) *Service { return &Service{c} }

// open returns an account that supports calls. Another kind of account, or a disconnected
// one, is a conflict.
func (s *Service) open(ctx context.Context, id uuid.UUID) (channel.Account, channel.Calls, error) {
	a, err := s.Channels.Get(ctx, "", id)
	if err != nil {
		return a, nil, err
	}
	kind, ok := s.Kinds[a.Kind].(channel.Calls)
	if !ok {
		return a, nil, fault.New(fault.Conflict).Because("no_calls")
	}
	if a.Status == channel.Disconnected {
		return a, nil, fault.New(fault.ChannelUnavailable).Because(a.Status)
	}
	return a, kind, nil
}

// Get asks the provider for the state of an account's calls.
func (s *Service) Get(ctx context.Context, id uuid.UUID) (State, error) {
	a, kind, err := s.open(ctx, id)
	if err != nil {
		return State{}, err
	}
	return s.state(ctx, a, kind)
}

func (s *Service) state(ctx context.Context, a channel.Account, kind channel.Calls) (State, error) {
	number, err := kind.CallNumber(a)
	if err != nil {
		return State{}, err
	}
	calls, failed := kind.Calls(ctx, a)
	if err := failed; err != nil {
		s.Log.WarnContext(ctx, "cannot read the call settings from the provider", "account", a.ID, "error", err)
		words := channel.ProviderUnreachable
		calls = channel.ProviderCalls{Status: channel.CallsUnknown, Icon: channel.IconShown, Error: &words}
	}
	out := State{Provider: calls, Exchange: s.exchange(kind), RegionSupported: regionSupported(number)}
	if out.Exchange.Status == exchangeReady && calls.Status == channel.CallsOn {
		out.Enabled, err = s.Exchange.TakesCalls(ctx, a.ID)
	}
	return out, err
}

const exchangeReady = "ready"

// exchange reports whether the exchange can take the calls of a kind.
func (s *Service) exchange(kind channel.Calls) ExchangeState {
	if s.Exchange == nil || !kind.SpeaksSIP() {
		return ExchangeState{Status: ReasonNotAvailable}
	}
	if err := s.Exchange.CheckCalls(); err != nil {
		words := err.Error()
		return ExchangeState{Status: ReasonNotAvailable, Error: &words}
	}
	return ExchangeState{Status: exchangeReady}
}

// Set turns the calls of an account on or off: first at the exchange and then at the
// provider, so that no call goes nowhere. A refusal by either is part of the answer and
// leaves calls as they were.
func (s *Service) Set(ctx context.Context, id uuid.UUID, ch channel.CallChange) (out Changed, err error) {
	if err := ch.Hours.Check("hours"); err != nil {
		return out, err
	}
	a, kind, err := s.open(ctx, id)
	if err != nil {
		return out, err
	}
	refused, err := s.change(ctx, a, kind, ch)
	if err != nil {
		return out, err
	}
	if out.State, err = s.state(ctx, a, kind); err != nil {
		return out, err
	}
	out.Result = ResultOK
	if refused != nil {
		out.Result = ResultRejected
		refused(&out.State)
		return out, nil
	}
	return out, s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		return audit.Write(tx, "channel.calling", id.String(), map[string]any{"enabled": ch.Enabled})
	})
}

// change makes the change. If it was refused, it returns a function that writes the refusal
// into the state, else nil.
func (s *Service) change(ctx context.Context, a channel.Account, kind channel.Calls, ch channel.CallChange) (refused func(*State), err error) {
	wereOn := false
	if ch.Enabled {
		if s.Exchange == nil || !kind.SpeaksSIP() {
			return refusedBy(exchangeError, ReasonNotAvailable), nil
		}
		if wereOn, err = s.Exchange.TakesCalls(ctx, a.ID); err != nil {
			return nil, err
		}
		number, err := kind.CallNumber(a)
		if err != nil {
			return nil, err
		}
		if ch.Server, err = s.Exchange.ConnectCalls(ctx, a.ID, a.Kind, number); err != nil {
			s.Log.WarnContext(ctx, "the exchange cannot accept the account's calls", "account", a.ID, "error", err)
			return refusedBy(exchangeError, err.Error()), nil
		}
	}
	_, err = kind.SetCalls(ctx, a, ch)
	if no, is := errors.AsType[*channel.CallsRefused](err); is {
		refused, err = refusedBy(providerError, no.Words), nil
	}
	if fault.Is(err, fault.ProviderRejected) {
		refused, err = refusedBy(providerError, channel.ProviderUnreachable), nil
	}
	// Calls that the provider does not send to the exchange are also turned off there. If
	// they were on before and the provider refuses the change, they stay on.
	done := err == nil && refused == nil
	switch {
	case s.Exchange == nil, !ch.Enabled && !done, wereOn && !done:
	case ch.Enabled && done:
		err = s.Exchange.ConfirmCalls(ctx, a.ID)
	default:
		err = errors.Join(err, s.Exchange.DisconnectCalls(ctx, a.ID))
	}
	return refused, err
}

func exchangeError(s *State) **string { return &s.Exchange.Error }
func providerError(s *State) **string { return &s.Provider.Error }

func refusedBy(field func(*State) **string, words string) func(*State) {
	return func(s *State) { *field(s) = &words }
}

// Kinds of channel of the two buttons.
var (
	Chat   = []string{"whatsapp"}
	Social = []string{"messenger", "instagram"}
)

// Button returns the record of a conversation's call button, for channels of the given
// kinds. Conversations on other channels cannot be called.
func (s *Service) Button(ctx context.Context, id uuid.UUID, kinds []string) (Button, error) {
	b, _, err := s.button(ctx, id, kinds)
	return b, err
}

// buttonPatience is the longest time that a silent provider delays showing a conversation.
const buttonPatience = 8 * time.Second

// customer is the customer who would be called, and the account to call over.
type customer struct {
	account channel.Account
	kind    channel.Calls
	address string
}

func (s *Service) button(ctx context.Context, id uuid.UUID, kinds []string) (b Button, to customer, err error) {
	to, reason, err := s.find(ctx, id, kinds)
	b = Button{Permission: channel.CallUnasked}
	if err != nil || reason != "" {
		b.Reason = &reason
		return b, to, err
	}
	ctx, cancel := context.WithTimeout(ctx, buttonPatience)
	defer cancel()
	state, err := s.state(ctx, to.account, to.kind)
	if err != nil {
		return b, to, err
	}
	p, err := to.kind.CallPermission(ctx, to.account, to.address)
	if err != nil {
		s.Log.WarnContext(ctx, "cannot ask the provider whether a customer may be called", "account", to.account.ID, "error", err)
		p = channel.CallPermission{Permission: channel.CallUnasked}
	}
	b = Button{
		Enabled: state.Enabled, Permission: p.Permission, Permanent: p.Permanent, ExpiresAt: p.ExpiresAt,
		CanRequest: p.CanRequest && state.RegionSupported && p.Permission != channel.CallGranted, NextRequestAt: p.NextRequestAt,
	}
	switch {
	case !state.RegionSupported:
		reason = ReasonRegion
	case state.Exchange.Status != exchangeReady || !s.Exchange.PlacesCalls():
		reason = ReasonNotAvailable
	case !state.Enabled:
		reason = ReasonNotEnabled
	}
	if reason != "" {
		b.Reason = &reason
	}
	b.Available = reason == "" && p.Permission == channel.CallGranted
	return b, to, nil
}

// find returns the customer who would be called, or the reason why nobody can be.
func (s *Service) find(ctx context.Context, id uuid.UUID, kinds []string) (to customer, reason string, err error) {
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		c, err := conversation.ByID(r, id)
		if err != nil {
			return db.NotFound(err)
		}
		if !slices.Contains(kinds, c.Channel) || c.ChannelAccountID == nil {
			reason = ReasonOtherChannel
			return nil
		}
		if to.account, err = s.Channels.Find(r, c.Channel, *c.ChannelAccountID); err != nil {
			return err
		}
		if !to.account.Works() {
			reason = ReasonUnavailable
			return nil
		}
		who, err := s.Contacts.Whole(r, c.ContactID)
		if err != nil {
			return db.NotFound(err)
		}
		identity, known := channel.IdentityOn(who, to.account.ID)
		if !known {
			reason = ReasonNoRoute
			return nil
		}
		to.address = identity.ExternalID
		return nil
	})
	if err == nil && reason == "" {
		var ok bool
		if to.kind, ok = s.Kinds[to.account.Kind].(channel.Calls); !ok {
			reason = ReasonOtherChannel
		}
	}
	return to, reason, err
}

// Ask asks a conversation's customer for permission to call. It returns a conflict if the
// provider's limits do not allow it now, or if the customer cannot be asked at all.
func (s *Service) Ask(ctx context.Context, id uuid.UUID, kinds []string) (Button, error) {
	b, to, err := s.button(ctx, id, kinds)
	if err != nil {
		return b, err
	}
	switch {
	case b.Reason != nil && *b.Reason != ReasonNotAvailable && *b.Reason != ReasonNotEnabled:
		return b, fault.New(fault.Conflict).Because(*b.Reason)
	case b.Permission == channel.CallGranted:
		return b, fault.New(fault.Conflict).Because("already_granted")
	case !b.CanRequest && b.Permission != channel.CallUnasked:
		return b, fault.New(fault.Conflict).Because("request_limit")
	}
	if err := to.kind.AskCallPermission(ctx, to.account, to.address); err != nil {
		return b, err
	}
	if err := s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		return audit.Write(tx, "conversation.call_permission_asked", id.String(), nil)
	}); err != nil {
		return b, err
	}
	return s.Button(ctx, id, kinds)
}
