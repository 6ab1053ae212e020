package telephony

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/perm"
)

// The licences that decide the tier.
const (
	licenceExchange = "telephony"
	licenceLine     = "telephony_line"
)

// Licences are the licences for telephony; a workspace needs one of them.
var Licences = []string{licenceExchange, licenceLine}

// Path is the prefix of telephony's routes.
const Path = "/api/crm/v1/telephony"

// Route declares a route that both tiers have.
func Route(method, sub, id, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: Path + sub, ID: id, Tag: "CRM telephony", Summary: summary,
		Access: api.Session, Permission: p, Licence: licenceExchange, OrLicence: licenceLine,
	}
}

// Tier is the telephony that a workspace has.
type Tier struct {
	Tier         string   `json:"tier" enum:"none,line,exchange" example:"exchange" doc:"line: the workspace's own SIP line; exchange: also phone numbers and call credit"`
	Capabilities []string `json:"capabilities" nullable:"false" example:"wallet" doc:"Features that only the exchange tier has; empty on the other tiers"`
	SwitchURL    *string  `json:"switch_url" nullable:"true" example:"https://example.com/plans" doc:"Address for requesting another tier; null if the operator has set none"`
}

// exchangeOnly lists the features that only the tier exchange has.
var exchangeOnly = []string{"greeting_preview", "numbers", "wallet"}

// Config is the configuration of a Service.
type Config struct {
	// SwitchURL is where a workspace can ask for another tier; "" if there is no such page.
	SwitchURL string
	// Number and Line are the parts of the setup.
	Number, Line Part
	// OutsideLine is set if the operator has a line for bought numbers.
	OutsideLine bool
}

// Service reports the telephony that a workspace has.
type Service struct{ Config }

// New returns the service.
func New(c Config) *Service { return &Service{c} }

// Tier returns the tier of the caller's workspace.
func (s *Service) Tier(ctx context.Context) Tier {
	t := Tier{Tier: "none", Capabilities: []string{}}
	if s.SwitchURL != "" {
		t.SwitchURL = &s.SwitchURL
	}
	switch has := caller.From(ctx).Licences; {
	case has[licenceExchange]:
		t.Tier, t.Capabilities = "exchange", exchangeOnly
	case has[licenceLine]:
		t.Tier = "line"
	}
	return t
}
