package socket

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony"
	"konak/internal/crm/telephony/call"
	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/realtime"
	"konak/internal/kit/secret"
)

// ticketLife is how long a ticket is valid.
const ticketLife = 30 * time.Second

// Sessions finds sessions.
type Sessions interface {
	// SessionCaller returns the caller of a session and their language; unauthenticated if
	// the session is over.
	SessionCaller(r *db.Reader, id uuid.UUID) (who *caller.Caller, language string, err error)
	// SessionHash returns the hash of a session's token.
	SessionHash(r *db.Reader, id uuid.UUID) ([]byte, error)
}

// Config is the configuration of a Service.
type Config struct {
	DB       *db.DB
	Log      *slog.Logger
	Calls    *call.Service
	Sessions Sessions
	Streams  *realtime.Streams
	// BaseURL is the installation's own address.
	BaseURL string
}

// Service manages tickets and sockets.
type Service struct{ Config }

// New returns the service.
func New(c Config) (*Service, error) {
	if c.DB == nil || c.Log == nil || c.Calls == nil || c.Sessions == nil || c.Streams == nil || c.BaseURL == "" {
		return nil, errors.New("socket: the config is not complete")
	}
	return &Service{c}, nil
}

// Ticket is valid for opening one socket.
type Ticket struct {
	Ticket    string     `json:"ticket" example:"pht_…" doc:"Shown only once; opens one socket"`
	URL       string     `json:"url" example:"wss://example.com/api/crm/v1/telephony/stream"`
	ExpiresAt clock.Time `json:"expires_at"`
}

// CreateTicket creates a ticket for the caller's session. Its address is at host, or at the
// installation's own if host is empty.
func (s *Service) CreateTicket(ctx context.Context, host string) (Ticket, error) {
	who := caller.From(ctx)
	out := Ticket{Ticket: secret.NewToken(secret.PhonePrefix), URL: socketURL(s.BaseURL, host)}
	err := s.DB.Tenant(who.TenantID).InTx(ctx, func(tx *db.Tx) error {
		out.ExpiresAt = clock.At(tx.Now().Add(ticketLife))
		if err := deleteOldTickets(tx); err != nil {
			return err
		}
		t := storedTicket{id: tx.NewID(), agent: who.ID, session: who.SessionID, expires: out.ExpiresAt}
		if err := insertTicket(tx, t, secret.Hash(out.Ticket)); err != nil {
			return err
		}
		return audit.Write(tx, "phone_ticket.created", t.id.String(), nil)
	})
	return out, err
}

// socketURL returns the socket's address: ws if base is http, wss if it is https.
func socketURL(base, host string) string {
	scheme, own, _ := strings.Cut(base, "://")
	if host == "" {
		host = own
	}
	return "ws" + strings.TrimPrefix(scheme, "http") + "://" + host + telephony.Path + "/stream"
}

// admit uses up a ticket and admits its owner. It returns unauthenticated for a ticket that
// is unknown, used or too old, and if its session is over.
func (s *Service) admit(ctx context.Context, in *streamIn, text string) (a api.Admission, err error) {
	if _, err := in.parseAfter(); err != nil {
		return a, err // a mistake should not cost the ticket
	}
	if !secret.WellFormed(text, secret.PhonePrefix) {
		return a, fault.New(fault.Unauthenticated)
	}
	var t storedTicket
	err = s.DB.System("phone ticket look-up").InTx(ctx, func(tx *db.Tx) (err error) {
		t, err = takeTicket(tx, secret.Hash(text))
		return err
	})
	if db.IsNoRow(err) || err == nil && !t.expires.After(s.DB.Clock().Now()) {
		return a, fault.New(fault.Unauthenticated)
	}
	if err != nil {
		return a, fmt.Errorf("socket: take ticket: %w", err)
	}
	a.Look = func(ctx context.Context) (*caller.Caller, error) {
		who, _, err := s.findCaller(ctx, t.tenant, t.session)
		return who, err
	}
	if a.Caller, err = a.Look(ctx); err != nil {
		return a, err
	}
	if a.Caller.ID != t.agent {
		return a, fault.New(fault.Unauthenticated)
	}
	hash, err := db.Read(ctx, s.DB.Tenant(t.tenant), func(r *db.Reader) ([]byte, error) { return s.Sessions.SessionHash(r, t.session) })
	if err == nil && len(hash) == sha256.Size {
		a.Session = [sha256.Size]byte(hash)
	}
	return a, err
}

// findCaller returns the current caller of a session, and their language.
func (s *Service) findCaller(ctx context.Context, tenant, session uuid.UUID) (who *caller.Caller, language string, err error) {
	err = s.DB.Tenant(tenant).Read(ctx, func(r *db.Reader) (err error) {
		who, language, err = s.Sessions.SessionCaller(r, session)
		return err
	})
	return who, language, err
}
