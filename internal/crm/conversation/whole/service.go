package whole

import "konak/internal/crm/conversation"

// Service merges and splits conversations.
type Service struct {
	gate *conversation.Service
}

// New returns the service.
func New(conversations *conversation.Service) *Service { return &Service{gate: conversations} }
