package whatsapp

import (
	"context"
	"log/slog"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/transport"
	"konak/internal/kit/db"
)

// Numbers opens the workspaces' numbers and records what the provider says about their
// tokens. It also sends templates to the provider, so it is created before the template
// service, which the channel needs.
type Numbers struct {
	DB       *db.DB
	Log      *slog.Logger
	Channels *channel.Service
	Provider Provider
	accounts *transport.Accounts[Settings, credentials]
}

// NewNumbers returns the numbers of a provider.
func NewNumbers(d *db.DB, log *slog.Logger, channels *channel.Service, provider Provider) *Numbers {
	accounts := &transport.Accounts[Settings, credentials]{DB: d, Log: log, Channels: channels, Kinds: []string{Name}}
	return &Numbers{d, log, channels, provider, accounts}
}

// opened is a number with its credentials.
type opened = transport.Opened[Settings, credentials]

// open returns the access to a number, even if it is paused.
func (s *Numbers) open(ctx context.Context, id uuid.UUID) (Access, error) {
	o, err := s.accounts.Open(ctx, id)
	return o.Set.access(o.Creds), err
}
