package whatsapp

import (
	"context"
	"log/slog"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/transport"
	"konak/internal/kit/db"
)

// Numbers reads the workspaces' numbers with their access and keeps what the
// provider says about their tokens. It carries templates to the provider, so it
// is made before the templates, which the channel needs.
type Numbers struct {
	DB       *db.DB
	Log      *slog.Logger
	Channels *channel.Service
	Provider Provider
	accounts *transport.Accounts[Settings, credentials]
}

// NewNumbers makes the numbers of a provider.
func NewNumbers(d *db.DB, log *slog.Logger, channels *channel.Service, provider Provider) *Numbers {
	accounts := &transport.Accounts[Settings, credentials]{DB: d, Log: log, Channels: channels, Kinds: []string{Name}}
	return &Numbers{d, log, channels, provider, accounts}
}

// open opens a number, whether or not it is paused.
func (s *Numbers) open(ctx context.Context, id uuid.UUID) (Access, error) {
	o, err := s.accounts.Open(ctx, id)
	return o.Set.access(o.Creds), err
}
