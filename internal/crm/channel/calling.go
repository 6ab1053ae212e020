package channel

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
)

// What a provider says of an account's calls.
const (
	CallsOn      = "enabled"
	CallsOff     = "disabled"
	CallsUnknown = "unknown" // the provider does not answer

	IconShown  = "shown"
	IconHidden = "hidden"
)

// ProviderCalls is what the provider says of an account's calls.
type ProviderCalls struct {
	Status   string              `json:"status" enum:"enabled,disabled,unknown" example:"disabled"`
	Icon     string              `json:"icon" enum:"shown,hidden" example:"shown" doc:"Whether customers see the call button"`
	Callback bool                `json:"callback" doc:"Whether a customer's call also permits the business to call back"`
	Hours    api.Nullable[Hours] `json:"hours" doc:"When customers can call; null means always"`
	Error    *string             `json:"error" nullable:"true" doc:"The provider's error message"`
}

// CallChange is a change of an account's calls; what is nil stays.
type CallChange struct {
	Enabled  bool
	Icon     *string
	Callback *bool
	Hours    *Hours
	// Server is where the provider leads calls: the address of the exchange with its
	// parameters, "" for what it has.
	Server string
}

// What a customer said about being called.
const (
	CallGranted   = "granted"
	CallNone      = "none"
	CallRequested = "requested"
	CallUnasked   = "unknown" // the provider does not answer
)

// CallPermission is whether a customer may be called, by the provider's word.
type CallPermission struct {
	Permission    string
	Permanent     bool
	ExpiresAt     *clock.Time
	CanRequest    bool
	NextRequestAt *clock.Time
}

// Calls is a kind over which customers are called.
type Calls interface {
	// Calls asks the provider.
	Calls(ctx context.Context, a Account) (ProviderCalls, error)
	// SetCalls tells the provider, and returns what it says afterwards. What it
	// refuses is a *CallsRefused.
	SetCalls(ctx context.Context, a Account, c CallChange) (ProviderCalls, error)
	// SpeaksSIP says whether the provider can lead calls to an exchange.
	SpeaksSIP() bool
	// CallNumber is the number that calls come from, in E.164.
	CallNumber(a Account) (string, error)
	// CallPermission asks the provider whether a customer may be called.
	CallPermission(ctx context.Context, a Account, address string) (CallPermission, error)
	// AskCallPermission sends the customer the question.
	AskCallPermission(ctx context.Context, a Account, address string) error
}

// CallsRefused is a provider's no to a change of calls.
type CallsRefused struct{ Words string }

// Error implements error.
func (r *CallsRefused) Error() string { return "channel: the provider refuses: " + r.Words }

// Exchange is the telephone exchange that takes and places the calls of accounts.
type Exchange interface {
	// CheckCalls returns why no calls of providers can be taken, in words for people;
	// nil where they can.
	CheckCalls() error
	// ConnectCalls makes the exchange ready for an account of a kind, and returns the
	// address that the provider leads its calls to: sip:HOST:PORT;NAME=VALUE.
	ConnectCalls(ctx context.Context, account uuid.UUID, kind, number string) (server string, err error)
	// ConfirmCalls says that the provider has that address: earlier ones end.
	ConfirmCalls(ctx context.Context, account uuid.UUID) error
	// PlacesCalls says whether customers can be called over providers.
	PlacesCalls() bool
	// TakesCalls says whether the exchange is ready for an account.
	TakesCalls(ctx context.Context, account uuid.UUID) (bool, error)
	// DisconnectCalls ends that; a repeat changes nothing.
	DisconnectCalls(ctx context.Context, account uuid.UUID) error
}
