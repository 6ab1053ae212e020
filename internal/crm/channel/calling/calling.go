package calling

import (
	"slices"
	"strings"

	"konak/internal/crm/channel"
	"konak/internal/kit/clock"
)

// Results of a change.
const (
	ResultOK       = "ok"
	ResultRejected = "rejected"
)

// Reasons why calling is not possible.
const (
	ReasonNotAvailable = "not_available"      // there is no exchange, or it is not ready
	ReasonRegion       = "region_unsupported" // the provider does not let businesses of this country call
	ReasonNotEnabled   = "not_enabled"
	ReasonOtherChannel = "other_channel" // the conversation is on another kind of channel
	ReasonUnavailable  = "channel_unavailable"
	ReasonNoRoute      = "no_route" // the customer is not on the account
)

// ExchangeState reports whether the exchange can take an account's calls.
type ExchangeState struct {
	Status string  `json:"status" enum:"ready,not_available" example:"not_available"`
	Error  *string `json:"error" nullable:"true" doc:"The exchange's error"`
}

// State is the state of an account's calls.
type State struct {
	Enabled         bool                  `json:"enabled" doc:"Whether calls are on at both the provider and the exchange"`
	Provider        channel.ProviderCalls `json:"provider"`
	Exchange        ExchangeState         `json:"exchange"`
	RegionSupported bool                  `json:"region_supported" doc:"Whether the provider lets businesses in this number's country call customers; customers can call the business either way"`
}

// Changed is the state of an account's calls after a change.
type Changed struct {
	State
	Result string `json:"result" enum:"ok,rejected" example:"rejected" doc:"If rejected, provider.error or exchange.error says why"`
}

// Button reports whether a conversation's customer can be called.
type Button struct {
	Available     bool        `json:"available" doc:"Whether a call can be placed now"`
	Reason        *string     `json:"reason" nullable:"true" enum:"not_available,region_unsupported,not_enabled,other_channel,channel_unavailable,no_route" example:"not_enabled" doc:"Why no call is possible; null if only the customer's permission is missing"`
	Enabled       bool        `json:"enabled" doc:"Whether calls are turned on for the account"`
	Permission    string      `json:"permission" enum:"granted,none,requested,rejected,unknown" example:"none" doc:"The customer's consent, live from the provider; unknown if it does not answer"`
	Permanent     bool        `json:"permanent" doc:"Whether the consent never expires"`
	ExpiresAt     *clock.Time `json:"expires_at" nullable:"true" doc:"When the consent expires"`
	CanRequest    bool        `json:"can_request" doc:"Whether the customer can be asked for consent now"`
	NextRequestAt *clock.Time `json:"next_request_at" nullable:"true" doc:"When the customer can be asked again; null if that is now or the provider does not say"`
}

// closedRegions are the countries whose businesses may not call customers over WhatsApp, by
// number prefix: USA and Canada, Türkiye, Egypt, Vietnam, Nigeria.
var closedRegions = []string{"+1", "+90", "+20", "+84", "+234"}

// regionSupported reports whether a business with this number may call customers.
func regionSupported(number string) bool {
	return !slices.ContainsFunc(closedRegions, func(code string) bool { return strings.HasPrefix(number, code) })
}
