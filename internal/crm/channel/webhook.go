package channel

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/fault"
)

// Ways in which updates of a provider reach Konak.
const (
	ByWebhook = "webhook" // the provider calls
	ByPolling = "polling" // we ask
)

// Webhook describes how updates of a provider reach an account.
type Webhook struct {
	Mode       string  `json:"mode" enum:"webhook,polling" example:"webhook" doc:"webhook: the provider calls Konak; polling: Konak asks the provider, which cannot reach it"`
	Registered bool    `json:"registered" doc:"Whether the provider says that it calls this address"`
	URL        string  `json:"url" example:"https://crm.example.com/api/crm/v1/channels/telegram/webhook/123456789/5f0c" doc:"Konak's address for the account"`
	Pending    int     `json:"pending" example:"0" doc:"Number of updates waiting at the provider"`
	LastError  *string `json:"last_error" nullable:"true" example:"Wrong response from the webhook: 502 Bad Gateway" doc:"The provider's last error message"`
}

// Webhooks is a kind that tells its provider which address to call.
type Webhooks interface {
	// Webhook asks the provider and updates our own flag to match its answer.
	Webhook(ctx context.Context, a Account) (Webhook, error)
	// RegisterWebhook gives the provider our address, and a secret that proves its calls.
	RegisterWebhook(ctx context.Context, a Account) (Webhook, error)
}

// Webhook asks the provider of an account whether it calls us. It returns a conflict if the
// account's kind has no webhook.
func (s *Service) Webhook(ctx context.Context, id uuid.UUID) (Webhook, error) {
	return s.onWebhook(ctx, id, Webhooks.Webhook)
}

// RegisterWebhook tells the provider of an account where to call.
func (s *Service) RegisterWebhook(ctx context.Context, id uuid.UUID) (Webhook, error) {
	return s.onWebhook(ctx, id, Webhooks.RegisterWebhook)
}

func (s *Service) onWebhook(ctx context.Context, id uuid.UUID, do func(Webhooks, context.Context, Account) (Webhook, error)) (Webhook, error) {
	a, err := s.Get(ctx, "", id)
	if err != nil {
		return Webhook{}, err
	}
	kind, ok := s.cfg.Kinds[a.Kind].(Webhooks)
	if !ok {
		return Webhook{}, ErrNoWebhook()
	}
	if a.Status == Disconnected {
		return Webhook{}, fault.New(fault.ChannelUnavailable).Because(Disconnected)
	}
	return do(kind, ctx, a)
}

// ErrNoWebhook returns the fault for an account that has no webhook.
func ErrNoWebhook() error { return fault.New(fault.Conflict).Because("no_webhook") }
