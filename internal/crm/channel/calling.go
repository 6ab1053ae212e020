package channel

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
)

// Values of ProviderCalls: the state of an account's calls at the provider.
const (
	CallsOn      = "enabled"
	CallsOff     = "disabled"
	CallsUnknown = "unknown" // the provider does not answer

	IconShown  = "shown"
	IconHidden = "hidden"
)

// ProviderCalls is the provider's answer about an account's calls.
type ProviderCalls struct {
	Status   string              `json:"status" enum:"enabled,disabled,unknown" example:"disabled"`
	Icon     string              `json:"icon" enum:"shown,hidden" example:"shown" doc:"Whether customers see the call button"`
	Callback bool                `json:"callback" doc:"Whether a customer's call also permits the business to call back"`
	Hours    api.Nullable[Hours] `json:"hours" doc:"When customers can call; null means always"`
	Error    *string             `json:"error" nullable:"true" doc:"The provider's error message"`
}

// CallChange is a change of an account's calls; nil fields stay unchanged.
type CallChange struct {
	Enabled  bool
	Icon     *string
	Callback *bool
	Hours    *Hours
	// Server is the address, with its parameters, of the exchange that the provider sends
	// calls to; "" leaves the current one.
	Server string
}

// A customer's answers about being called.
const (
	CallGranted   = "granted"
	CallNone      = "none"
	CallRequested = "requested"
	CallUnasked   = "unknown" // the provider does not answer
)

// CallPermission is the provider's answer to whether a customer may be called.
type CallPermission struct {
	Permission    string
	Permanent     bool
	ExpiresAt     *clock.Time
	CanRequest    bool
	NextRequestAt *clock.Time
}

// Calls is a kind through which customers can be called.
type Calls interface {
	// Calls asks the provider for the state of an account's calls.
	Calls(ctx context.Context, a Account) (ProviderCalls, error)
	// SetCalls changes the calls at the provider and returns their state afterwards. A
	// refusal by the provider is a *CallsRefused.
	SetCalls(ctx context.Context, a Account, c CallChange) (ProviderCalls, error)
	// SpeaksSIP reports whether the provider can send calls to an exchange.
	SpeaksSIP() bool
	// CallNumber is the number that calls come from, in E.164.
	CallNumber(a Account) (string, error)
	// CallPermission asks the provider whether a customer may be called.
	CallPermission(ctx context.Context, a Account, address string) (CallPermission, error)
	// AskCallPermission asks the customer for permission to call them.
	AskCallPermission(ctx context.Context, a Account, address string) error
}

// CallsRefused is a provider's refusal to change calls.
type CallsRefused struct{ Words string }

// Error implements error.
func (r *CallsRefused) Error() string { return "channel: the provider refuses: " + r.Words }

// Exchange is the telephone exchange that takes and places the calls of accounts.
type Exchange interface {
	// CheckCalls returns why no calls of providers can be taken, in words for people; nil
	// if they can.
	CheckCalls() error
	// ConnectCalls prepares the exchange for an account of a kind, and returns the address
	// that the provider must send its calls to: sip:HOST:PORT;NAME=VALUE.
	ConnectCalls(ctx context.Context, account uuid.UUID, kind, number string) (server string, err error)
	// ConfirmCalls records that the provider has that address; earlier addresses become
	// invalid.
	ConfirmCalls(ctx context.Context, account uuid.UUID) error
	// PlacesCalls reports whether customers can be called over providers.
	PlacesCalls() bool
	// TakesCalls reports whether the exchange is ready for an account.
	TakesCalls(ctx context.Context, account uuid.UUID) (bool, error)
	// DisconnectCalls removes an account from the exchange; repeating it changes nothing.
	DisconnectCalls(ctx context.Context, account uuid.UUID) error
}
