package channel

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
)

// Statuses of an account.
const (
	// Connecting accounts wait for the provider, or for a step that a person must take
	// there.
	Connecting = "connecting"
	// Active accounts carry messages.
	Active = "active"
	// Paused accounts were switched off by a person: nothing comes in or goes out.
	Paused = "paused"
	// Attention accounts still work, but somebody should check them; the reason says why.
	Attention = "attention"
	// Disconnected accounts have ended.
	Disconnected = "disconnected"
)

// Reasons why an account needs attention.
const (
	TokenExpired       = "token_expired"
	WebhookMissing     = "webhook_missing"
	WebhookFailing     = "webhook_failing"
	NumberFlagged      = "number_flagged"
	InboundTestExpired = "inbound_test_expired"
	// ProviderUnreachable means that the provider does not answer in time.
	ProviderUnreachable = "provider_unreachable"
)

// Account is a workspace's account on a channel.
type Account struct {
	ID     uuid.UUID `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Kind   string    `json:"kind" example:"custom" doc:"Key from the catalog of conversation sources"`
	Name   string    `json:"name" example:"Mobil uygulama"`
	Status string    `json:"status" enum:"connecting,active,paused,attention,disconnected" example:"active"`
	Reason *string   `json:"reason" nullable:"true" example:"token_expired" doc:"Why the account needs attention or is not connected yet"`
	AI     bool      `json:"ai" doc:"Whether the assistant is on for this account"`
	// AIConfigurationID sets how the assistant behaves on this account.
	AIConfigurationID *uuid.UUID `json:"ai_configuration_id" nullable:"true" format:"uuid" doc:"Assistant configuration used on this account; null for the defaults"`

	GroupID    *uuid.UUID          `json:"group_id" nullable:"true" format:"uuid" doc:"Group that new conversations go to"`
	Hours      api.Nullable[Hours] `json:"business_hours" doc:"Business hours; null means always open"`
	Settings   json.RawMessage     `json:"settings" doc:"Settings of this kind of channel; contains no secrets"`
	ExternalID *string             `json:"external_id" nullable:"true" doc:"The provider's id for the account: an address, a number or a page"`
	KeyLast4   *string             `json:"key_last4" nullable:"true" example:"x3Kd" doc:"Last four characters of the channel key"`
	CreatedAt  clock.Time          `json:"created_at"`
	UpdatedAt  clock.Time          `json:"updated_at"`
}

// Works reports whether the account carries messages.
func (a *Account) Works() bool { return a.Status == Active || a.Status == Attention }

// ChangeGroup sets the group of new conversations: the nil UUID removes it, nil leaves it
// unchanged.
func (a *Account) ChangeGroup(id *uuid.UUID) {
	switch {
	case id == nil:
	case *id == uuid.Nil:
		a.GroupID = nil
	default:
		a.GroupID = id
	}
}

// Read decodes the kind's settings into a value.
func (a *Account) Read(into any) error {
	if err := json.Unmarshal(a.Settings, into); err != nil {
		return fmt.Errorf("channel: settings of %s: %w", a.Kind, err)
	}
	return nil
}

// Write sets the kind's settings.
func (a *Account) Write(settings any) error {
	text, err := json.Marshal(settings)
	if err != nil {
		return fmt.Errorf("channel: settings of %s: %w", a.Kind, err)
	}
	a.Settings = text
	return nil
}

// sealContext returns the context that an account's credentials are sealed with.
func sealContext(account uuid.UUID) string { return "channel_account/" + account.String() }
