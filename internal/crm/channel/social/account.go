package social

import (
	"time"

	"konak/internal/crm/channel/transport"
	"konak/internal/kit/secret"
)

// Kinds of the accounts.
const (
	Messenger = "messenger"
	Instagram = "instagram"
)

// How long after a customer's message free text can be sent, and how long a person can
// still reply with the human-agent tag.
const (
	window      = 24 * time.Hour
	humanWindow = 7 * 24 * time.Hour
)

// Settings are those of a page or an Instagram account; they contain no secrets.
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

// external returns the id by which the provider's calls name the account.
func (s *Settings) external(kind string) string {
	if kind == Instagram {
		return s.InstagramID
	}
	return s.PageID
}

// credentials open a page. They are stored sealed, next to the account.
type credentials struct {
	Token     string `json:"token"`
	AppSecret string `json:"app_secret"`
}

func (s *Settings) access(kind string, c credentials) Access {
	return Access{Kind: kind, PageID: s.PageID, Token: secret.Of(c.Token)}
}

// opened is an account with its credentials.
type opened = transport.Opened[Settings, credentials]

func accessTo(o *opened) Access { return o.Set.access(o.Kind, o.Creds) }
