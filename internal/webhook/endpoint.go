package webhook

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/outbound"
)

// The modules that have endpoints. They are separate: the routes of one do not see the
// endpoints of another.
const (
	ERP  = "erp"
	Mail = "mail"
	// Channel is for the custom channels of the CRM, which have no routes here.
	Channel = "channel"
)

// Endpoint statuses.
const (
	// Active endpoints receive events.
	Active = "active"
	// Paused endpoints were switched off by a person: nothing is recorded for them, and a
	// recovery delivers what they missed.
	Paused = "paused"
	// Disabled endpoints failed too often. Their deliveries wait, and they are probed until
	// they answer again.
	Disabled = "disabled"
)

// Endpoint is an address that events are sent to.
type Endpoint struct {
	ID                 uuid.UUID   `json:"id" format:"uuid"`
	KeylessID          *uuid.UUID  `json:"keyless_id" nullable:"true" format:"uuid" doc:"Takes the place of the id in paths called without a credential. Anyone who knows it can call them, so it is null for callers who cannot change webhooks"`
	Address            string      `json:"address" example:"https://example.com/hooks/konak"`
	Description        string      `json:"description" example:"Order system"`
	Events             []string    `json:"events" nullable:"false" example:"[\"conversation.created\"]"`
	Status             string      `json:"status" enum:"active,paused,disabled"`
	StrictOrder        bool        `json:"strict_order" doc:"Whether each delivery waits until the previous one is delivered or exhausted"`
	RateLimit          *int        `json:"rate_limit" nullable:"true" example:"50" doc:"Maximum deliveries per second; null means no limit"`
	DisabledAt         *clock.Time `json:"disabled_at" nullable:"true" doc:"When the endpoint was disabled because it kept failing"`
	DisabledErrorClass *string     `json:"disabled_error_class" nullable:"true" enum:"dns,connect,tls,timeout,refused_address,status,body" example:"status" doc:"Kind of error of the last failed attempt"`
	DisabledReason     *string     `json:"disabled_reason" nullable:"true" example:"the receiver answered 503" doc:"Error text of the last failed attempt"`
	DisabledStatusCode *int        `json:"disabled_status_code" nullable:"true" example:"503" doc:"Response status of the last failed attempt"`
	Failures           int         `json:"consecutive_failures" example:"0" doc:"Number of failed attempts in a row"`
	NextProbeAt        *clock.Time `json:"next_probe_at" nullable:"true" doc:"When a disabled endpoint is tried again; null if nothing is waiting to be sent, or if only a person can re-enable it"`
	SecretLast4        string      `json:"secret_last4" example:"q1Y="`
	OldSecretEnds      *clock.Time `json:"old_secret_ends_at" nullable:"true" doc:"Until when deliveries are also signed with the previous secret"`
	CreatedAt          clock.Time  `json:"created_at"`

	// keyless is copied to KeylessID only in answers to callers who may know it.
	keyless uuid.UUID
}

// settings are the properties of an endpoint that a person can set.
type settings struct {
	address, description string
	events               []string
	strict               bool
	rate                 int
}

// maxEndpoints is the maximum number of endpoints of a workspace in one module.
const maxEndpoints = 20

// parseAddress checks an address as far as possible without looking up its name.
func parseAddress(out *outbound.Client, raw string) (string, error) {
	u, err := out.ParseField("address", raw)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

// sortNames sorts a list of event names and removes duplicates.
func sortNames(events []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(events)))
}

func (s *settings) normalise() {
	s.description, s.events = strings.TrimSpace(s.description), sortNames(s.events)
}

// secretPurpose is the purpose for which an endpoint's secret is sealed.
func secretPurpose(endpoint uuid.UUID) string { return "webhook_endpoint/" + endpoint.String() }
