package whatsapp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/caller"
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
}

// account reads a number with what opens it.
func (s *Numbers) account(r *db.Reader, id uuid.UUID) (a channel.Account, at Access, c credentials, err error) {
	var set Settings
	if a, err = s.Channels.Find(r, Name, id); err != nil {
		return a, at, c, err
	}
	if err = a.Read(&set); err != nil {
		return a, at, c, err
	}
	text, err := s.Channels.Credentials(r, id)
	if err == nil && text != nil {
		err = json.Unmarshal(text, &c)
	}
	return a, set.access(c), c, err
}

// open is account outside a transaction.
func (s *Numbers) open(ctx context.Context, id uuid.UUID) (a channel.Account, at Access, err error) {
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) error {
		a, at, _, err = s.account(r, id)
		return err
	})
	return a, at, err
}

// recordAnswer keeps what an answer of the provider says about a number's token.
func (s *Numbers) recordAnswer(ctx context.Context, account uuid.UUID, err error) {
	r, refused := errors.AsType[*Refusal](err)
	refused = refused && r.Auth()
	if err != nil && !refused {
		return
	}
	if fail := s.Channels.RecordToken(ctx, account, refused); fail != nil {
		s.Log.ErrorContext(ctx, "what the provider said about a token could not be kept", "account", account, "error", fail)
	}
}

func (s *Numbers) tenant(ctx context.Context) db.Handle {
	return s.DB.Tenant(caller.From(ctx).TenantID)
}
