package social

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/secret"
)

// Kinds of these accounts.
const (
	Messenger = "messenger"
	Instagram = "instagram"
)

// For how long after a customer's message free text may be sent, and for how long a
// person may still answer with the human-agent tag.
const (
	window      = 24 * time.Hour
	humanWindow = 7 * 24 * time.Hour
)

// Settings of a page or an Instagram account; none of it is a secret.
type Settings struct {
	PageID       string `json:"page_id" example:"109876543210987" doc:"ID of the page; for Instagram, of the page that the account belongs to"`
	PageName     string `json:"page_name" example:"Demo A.Ş."`
	InstagramID  string `json:"instagram_id,omitempty" example:"17841400000000001"`
	Username     string `json:"username,omitempty" example:"demo.as" doc:"Username on Instagram"`
	AppID        string `json:"app_id" example:"4711000000000001" doc:"App that the token belongs to"`
	HumanAgent   bool   `json:"human_agent" doc:"Whether people can reply for seven days; the provider must have granted this to the app"`
	ReadReceipts bool   `json:"read_receipts" doc:"Whether customers see that an agent read their messages"`
	WebhookURL   string `json:"webhook_url" example:"https://crm.example.com/api/crm/v1/channels/social/webhook" doc:"Address that the provider calls"`
}

// external is how the provider's calls name the account.
func (s *Settings) external(kind string) string {
	if kind == Instagram {
		return s.InstagramID
	}
	return s.PageID
}

// credentials open a page. They lie sealed beside the account.
type credentials struct {
	Token     string `json:"token"`
	AppSecret string `json:"app_secret"`
}

func (s *Settings) access(kind string, c credentials) Access {
	return Access{Kind: kind, PageID: s.PageID, Token: secret.Of(c.Token)}
}

// NewPage is what a caller gives for a page, or for the Instagram account of one.
type NewPage struct {
	ID         uuid.UUID // the zero id for one of its own
	Kind       string
	Name       string // the page's or the account's own where it is empty
	PageID     string
	Token      string
	AppSecret  string
	HumanAgent *bool // nil leaves an account that there is as it is
	// ReplaceWebhook lets us take the place of an address that the app's webhook
	// leads to so far.
	ReplaceWebhook bool
	GroupID        *uuid.UUID
	AI             bool
}
