package whatsapp

import (
	"time"

	"konak/internal/kit/secret"
)

// Name is the kind of WhatsApp accounts.
const Name = "whatsapp"

// window is how long after a customer's message free text can be sent.
const window = 24 * time.Hour

// Settings are those of a number; they contain no secrets.
type Settings struct {
	NumberID     string `json:"phone_number_id" example:"106540352242922"`
	BusinessID   string `json:"business_account_id" example:"102290129340398"`
	Display      string `json:"display_phone_number" example:"+90 212 123 45 67"`
	VerifiedName string `json:"verified_name" example:"Demo A.Ş."`
	Quality      string `json:"quality_rating" example:"GREEN"`
	Limit        string `json:"messaging_limit_tier" example:"TIER_1K"`
	ReadReceipts bool   `json:"read_receipts" doc:"Whether customers see that an agent read their messages"`
	OnApp        bool   `json:"on_business_app" doc:"Whether the number is also used in the WhatsApp Business app"`
	History      string `json:"history" enum:",shared,declined" example:"shared" doc:"Whether the owner shared the chat history of the app; empty if the provider did not say"`
	WebhookURL   string `json:"webhook_url" example:"https://crm.example.com/api/crm/v1/channels/whatsapp/webhook" doc:"Address that the provider calls; set when the number was connected"`
	VerifyToken  string `json:"verify_token" doc:"Token for registering the address at the provider by hand"`
}

// credentials open a number. They are stored sealed, next to the account.
type credentials struct {
	Token     string `json:"token"`
	AppSecret string `json:"app_secret"`
	// PIN is the one that the number was registered with, "" if somebody else registered
	// it.
	PIN string `json:"pin,omitempty"`
}

func (s *Settings) access(c credentials) Access {
	return Access{NumberID: s.NumberID, BusinessID: s.BusinessID, Token: secret.Of(c.Token)}
}
