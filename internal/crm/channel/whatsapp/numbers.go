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

// authLimit is how many refusals of the token in a row ask for attention.
const authLimit = 2

// recordAnswer keeps what an answer of the provider says about the token: refused
// twice in a row, the number needs attention; taken again, it works.
func (s *Numbers) recordAnswer(ctx context.Context, a *channel.Account, err error) {
	r, refused := errors.AsType[*Refusal](err)
	refused = refused && r.auth()
	if err != nil && !refused {
		return
	}
	expired := a.Reason != nil && *a.Reason == channel.TokenExpired
	fail := s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if !refused {
			n, err := authErrors(&tx.Reader, a.ID)
			if err != nil || n == 0 && !expired {
				return err
			}
			if err := clearAuthErrors(tx, a.ID); err != nil || !expired {
				return err
			}
			_, err = s.Channels.Set(tx, a.ID, channel.Active, nil)
			return err
		}
		n, err := countAuthError(tx, a.ID)
		if err != nil || n < authLimit {
			return err
		}
		why := channel.TokenExpired
		_, err = s.Channels.Set(tx, a.ID, channel.Attention, &why)
		return err
	})
	if fail != nil {
		s.Log.ErrorContext(ctx, "what the provider said about a token could not be kept", "account", a.ID, "error", fail)
	}
}

// tokenAnswered is answered for an account that is read anew.
func (s *Numbers) tokenAnswered(ctx context.Context, account uuid.UUID, err error) {
	ctx = context.WithoutCancel(ctx)
	a, _, fail := s.open(ctx, account)
	if fail == nil {
		s.recordAnswer(ctx, &a, err)
	}
}

func (s *Numbers) tenant(ctx context.Context) db.Handle {
	return s.DB.Tenant(caller.From(ctx).TenantID)
}
