package webhook

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/outbound"
)

// The modules that have endpoints. Each is a world of its own: its routes see
// no other's endpoints.
const (
	ERP  = "erp"
	Mail = "mail"
	// Channel is for the custom channels of the CRM, which have no routes here.
	Channel = "channel"
)

// Endpoint statuses.
const (
	// Active endpoints are sent to.
	Active = "active"
	// Paused ones were switched off by a person: nothing is recorded for them,
	// and a recovery brings what they missed.
	Paused = "paused"
	// Disabled ones failed too often. Their deliveries wait, and they are
	// probed until they answer again.
	Disabled = "disabled"
)

// Endpoint is where events are sent.
type Endpoint struct {
	ID                 uuid.UUID   `json:"id" format:"uuid"`
	KeylessID          *uuid.UUID  `json:"keyless_id" nullable:"true" format:"uuid" doc:"Takes the place of the id in paths called without a credential. Anyone who knows it can call them, so it is null for callers who cannot change webhooks"`
	Address            string      `json:"address" example:"https://example.com/hooks/konak"`
	Description        string      `json:"description" example:"Order system"`
	Events             []string    `json:"events" nullable:"false" example:"[\"conversation.created\"]"`
	Status             string      `json:"status" enum:"active,paused,disabled"`
	StrictOrder        bool        `json:"strict_order" doc:"Whether each delivery waits until the previous one is delivered or exhausted"`
	RateLimit          *int        `json:"rate_limit" nullable:"true" example:"50" doc:"Maximum deliveries per second; null means no limit"`
	DisabledAt         *clock.Time `json:"disabled_at" nullable:"true" doc:"When the webhook was disabled because it kept failing"`
	DisabledErrorClass *string     `json:"disabled_error_class" nullable:"true" enum:"dns,connect,tls,timeout,refused_address,status,body" example:"status" doc:"Kind of error of the last failed attempt"`
	DisabledReason     *string     `json:"disabled_reason" nullable:"true" example:"the receiver answered 503" doc:"Error text of the last failed attempt"`
	DisabledStatusCode *int        `json:"disabled_status_code" nullable:"true" example:"503" doc:"Response status of the last failed attempt"`
	Failures           int         `json:"consecutive_failures" example:"0" doc:"Number of failed attempts in a row"`
	NextProbeAt        *clock.Time `json:"next_probe_at" nullable:"true" doc:"When a disabled webhook is tried again; null if nothing is waiting to be sent, or if only a person can re-enable it"`
	SecretLast4        string      `json:"secret_last4" example:"q1Y="`
	OldSecretEnds      *clock.Time `json:"old_secret_ends_at" nullable:"true" doc:"Until when deliveries are also signed with the previous secret"`
	CreatedAt          clock.Time  `json:"created_at"`

	// keyless becomes KeylessID only where a caller who may know it is answered.
	keyless uuid.UUID
}

// settings are what a person can set of an endpoint.
type settings struct {
	address, description string
	events               []string
	strict               bool
	rate                 int
}

// maxEndpoints bounds the endpoints of a workspace in one module.
const maxEndpoints = 20

// parseAddress checks what can be checked before the name is looked up.
func parseAddress(out *outbound.Client, raw string) (string, error) {
	u, err := out.ParseField("address", raw)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

// sortNames brings a list of event names into one form.
func sortNames(events []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(events)))
}

func (s *settings) normalise() {
	s.description, s.events = strings.TrimSpace(s.description), sortNames(s.events)
}

// secretPurpose is what an endpoint's secret is sealed for.
func secretPurpose(endpoint uuid.UUID) string { return "webhook_endpoint/" + endpoint.String() }
